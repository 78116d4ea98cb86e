// Plans the requests of the evaluation set with a provider, and prints what came of each: `node eval.mjs SIGNALBOX KIND=URL MODEL [--try] [--only TAG]`.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [program, provider, model, ...more] = process.argv.slice(2);
if (!program || !provider || !model) {
  console.error('cargo xtask eval KIND=URL MODEL [--try] [--only TAG]\n\nKIND is anthropic, openai or ollama. --try also runs the drafts: steps that read are called for real.');
  process.exit(2);
}
const only = more.includes('--only') ? more[more.indexOf('--only') + 1] : undefined;
const tries = more.includes('--try');
const requests = JSON.parse(readFileSync(new URL('requests.json', import.meta.url), 'utf8')).filter(({ tag }) => only === undefined || tag === only);
const folder = mkdtempSync(join(tmpdir(), 'signalbox-eval-'));

const plan = (text, n) => new Promise((done) => {
  const args = ['plan', text, '--out', join(folder, `${n}.signalbox.json`), '--provider', provider, '--model', model, '--json', ...(tries ? ['--try'] : [])];
  execFile(program, args, { env: { ...process.env, SIGNALBOX_DATA: join(folder, 'data') }, maxBuffer: 64 * 1024 * 1024 }, (_, stdout, stderr) => {
    try {
      done(JSON.parse(stdout));
    } catch {
      done({ outcome: 'failed', reason: stderr.trim() });
    }
  });
});

const sum = { valid: 0, runs: 0, intent: 0, corrections: 0, questions: 0, tokens: 0 };
const yes = (is) => (is ? 'yes' : 'no');
console.log('| request | kind | outcome | valid | runs | keeps intent | corrections | questions | tokens |');
console.log('|---|---|---|---|---|---|---|---|---|');
try {
  for (const [n, { text, kinds, tag }] of requests.entries()) {
    const told = await plan(text, n);
    const used = Object.values(told.workflow?.nodes ?? {}).map(({ type }) => type);
    const attempts = told.attempts ?? [];
    const score = {
      valid: told.workflow !== undefined,
      runs: attempts.length > 0 && attempts.at(-1).issues.length === 0,
      intent: told.workflow !== undefined && (told.intentChanges ?? []).length === 0 && kinds.every((kind) => used.includes(kind)),
      corrections: attempts.filter(({ changes }) => changes.length > 0).length,
      questions: told.usage?.questions ?? 0,
      tokens: (told.usage?.inputTokens ?? 0) + (told.usage?.outputTokens ?? 0),
    };
    for (const key of Object.keys(sum)) sum[key] += Number(score[key]);
    const line = text.replaceAll('|', '/');
    console.log(`| ${line} | ${tag} | ${told.outcome} | ${yes(score.valid)} | ${tries ? yes(score.runs) : '–'} | ${yes(score.intent)} | ${score.corrections} | ${score.questions} | ${score.tokens} |`);
    if (told.reason && !score.valid) console.error(`  ${line}: ${told.reason}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const of = requests.length;
console.log(`| **${of} requests** | | | ${sum.valid} | ${tries ? sum.runs : '–'} | ${sum.intent} | ${sum.corrections} | ${sum.questions} | ${sum.tokens} |`);

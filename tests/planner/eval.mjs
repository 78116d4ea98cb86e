// Plans the requests of the evaluation set with a provider, and prints what came of each:
// `node eval.mjs SIGNALBOX KIND=URL MODEL [--try] [--only TAG] [--first N] [--limit SECONDS]`. Ends with 1 when a plan did not end, or ended without a
// draft and without a reason: that is the fault of the program, not of the model.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [program, provider, model, ...more] = process.argv.slice(2);
const option = (name) => (more.includes(name) ? more[more.indexOf(name) + 1] : undefined);
const number = (name, usual) => (more.includes(name) ? Number(option(name)) : usual);
const [first, limit] = [number('--first', Infinity), number('--limit', 300)];
if (!program || !provider || !model || !(first >= 1) || !(limit >= 1)) {
  console.error(`cargo xtask eval KIND=URL MODEL [--try] [--only TAG] [--first N] [--limit SECONDS]

KIND is anthropic, openai or ollama. --try also runs the drafts: steps that read are called for real. --only takes the requests of one kind,
--first only so many. A request that takes longer than --limit (300) is cancelled.`);
  process.exit(2);
}
const only = option('--only');
const tries = more.includes('--try');
const requests = JSON.parse(readFileSync(new URL('requests.json', import.meta.url), 'utf8')).filter(({ tag }) => only === undefined || tag === only).slice(0, first);
const folder = mkdtempSync(join(tmpdir(), 'signalbox-eval-'));
/** After it was told to stop: a plan ends within a second; what does not is ended. */
const PATIENCE = 10_000;

const plan = (text, n) => new Promise((done) => {
  const args = ['plan', text, '--out', join(folder, `${n}.signalbox.json`), '--provider', provider, '--model', model, '--json', ...(tries ? ['--try'] : [])];
  const child = spawn(program, args, { env: { ...process.env, SIGNALBOX_DATA: join(folder, 'data') }, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr, late, ended] = ['', '', false, true];
  child.stdout.on('data', (text) => { stdout += text; });
  child.stderr.on('data', (text) => { stderr = `${stderr}${text}`.slice(-4_000); });
  const timers = [setTimeout(() => {
    late = true;
    child.kill('SIGINT');
    timers.push(setTimeout(() => { ended = false; child.kill('SIGKILL'); }, PATIENCE));
  }, limit * 1_000)];
  child.once('error', (error) => { stderr = String(error); });
  child.once('close', (code) => {
    timers.forEach(clearTimeout);
    try {
      done({ ...JSON.parse(stdout), late, ended });
    } catch {
      done({ outcome: 'failed', reason: undefined, stderr: `exit ${code}: ${stderr.trim()}`, late, ended });
    }
  });
});

const sum = { valid: 0, runs: 0, intent: 0, corrections: 0, questions: 0, tokens: 0 };
let faults = 0;
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
    console.log(`| ${line} | ${tag} | ${told.late ? `${told.outcome} (time limit)` : told.outcome} | ${yes(score.valid)} | ${tries ? yes(score.runs) : '–'} | ${yes(score.intent)} | ${score.corrections} | ${score.questions} | ${score.tokens} |`);
    if (!score.valid) console.error(`  ${line}: ${told.reason ?? told.stderr}`);
    if (!told.ended || (!score.valid && !told.reason)) faults += 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const of = requests.length;
console.log(`| **${of} requests** | | | ${sum.valid} | ${tries ? sum.runs : '–'} | ${sum.intent} | ${sum.corrections} | ${sum.questions} | ${sum.tokens} |`);
if (faults > 0) {
  console.error(`${faults} plans did not end, or ended without a draft and without a reason.`);
  process.exitCode = 1;
}

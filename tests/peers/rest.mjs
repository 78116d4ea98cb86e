// The real server against its own description (/openapi.json), by schemathesis: what the description says is refused or
// answered so, whatever is sent. Run only when it is named: it installs Python packages (rest-requirements.txt) into an
// environment below the target folder. SCHEMATHESIS_ARGS adds arguments, for example '--max-examples 200'.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Signalbox, TOKEN } from './signalbox.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const REQUIREMENTS = join(import.meta.dirname, 'rest-requirements.txt');

/**
 * What is left out, and why. Streams have no end, and a test that waits for one tells nothing; the others reach beyond the
 * folder of the test: they start programs, write into folders or send to addresses, all of them made up here, or ask a key store
 * that the machine may not have (503 is the right answer then).
 */
const LEFT_OUT = [
  '^/workflow/\\{id\\}/events$', '^/human-tasks/changes$',
  '^/rpc/tool_server_(connect|sign_in|sign_in_finish|sign_out)$',
  '^/rpc/audit_(anchor_add|anchor_now|sink_add|sink_now|export|key_choose)$',
  '^/rpc/webhook_(add|send|again)$', '^/rpc/model_(test|names|discover)$', '^/human-tasks/\\{id\\}/suggest$', '^/rpc/task_suggest$',
  // Deriving a key from a passphrase takes a second and more on purpose.
  '^/rpc/secret_(set|unlock|choose)$',
];

/**
 * The checks that apply. Not among them: `positive_data_acceptance` and `missing_required_header`, because the description
 * cannot say which runs, tasks and files there are or what a workflow has to be beyond its shape (422 and 404 are right answers
 * to what fits); `use_after_free` and `ensure_resource_availability`, which guess what belongs together from paths.
 */
const CHECKS = [
  'not_a_server_error', 'status_code_conformance', 'content_type_conformance', 'response_headers_conformance',
  'response_schema_conformance', 'negative_data_rejection', 'unsupported_method', 'allow_header_conformance', 'ignored_auth',
];

/** The program of schemathesis, in the versions of the requirements. */
function schemathesis() {
  const folder = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'peers/rest');
  const [program, mark] = [join(folder, 'bin/schemathesis'), join(folder, 'installed.txt')];
  const wanted = readFileSync(REQUIREMENTS, 'utf8');
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
    mkdirSync(folder, { recursive: true });
    const python = process.env.SIGNALBOX_TEST_PYTHON ?? 'python3';
    execFileSync(python, ['-m', 'venv', '--clear', folder], { stdio: 'inherit' });
    execFileSync(join(folder, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', '-r', REQUIREMENTS], { stdio: 'inherit' });
    writeFileSync(mark, wanted);
  }
  return program;
}

/** Something to ask for: a workflow that ends, one that waits for a person, and a run of each. */
async function filled(url) {
  const ask = async (method, path, body) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  };
  const flow = (id, node) => ({ signalbox: 1, id, name: id, nodes: { a: node }, edges: [] });
  await ask('PUT', '/workflows/ends', flow('ends', { type: 'data.set', config: { assign: { n: '=1 + 1' } } }));
  await ask('PUT', '/workflows/asks', flow('asks', { type: 'builtin.human_approval', config: { title: 'Shall we?' } }));
  for (const workflow of ['ends', 'asks']) await ask('POST', '/workflow/run', { workflow });
}

async function run(url, folder, examples) {
  const args = [
    'run', `${url}/openapi.json`, '--header', `Authorization: Bearer ${TOKEN}`, '--checks', CHECKS.join(','),
    '--phases', 'examples,coverage,fuzzing', '--max-examples', String(examples), '--generation-deterministic',
    '--request-timeout', '60', '--suppress-health-check', 'all', '--warnings', 'off', '--continue-on-failure', '--no-color',
    '--exclude-path-regex', LEFT_OUT.join('|'), ...(process.env.SCHEMATHESIS_ARGS ?? '').split(' ').filter(Boolean),
  ];
  const child = spawn(schemathesis(), args, { cwd: folder, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`schemathesis ended with ${code}; what it found stands above.`);
}

/** Reports whether the server is what its description says. */
export async function rest(report) {
  const place = new Signalbox();
  await report('REST: the server is what its description says', async () => {
    const { child, url } = await place.serve();
    try {
      await filled(url);
      await run(url, place.folder, 20);
      const healthy = await fetch(`${url}/healthz`);
      if (!healthy.ok) throw new Error(`/healthz answers ${healthy.status} at the end.`);
    } finally {
      child.kill('SIGTERM');
    }
  });
  place.end();
}

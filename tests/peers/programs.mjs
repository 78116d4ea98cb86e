// Every sample as a program, in a root of Debian without network: exported, copied there and started with its params. What a program
// needs of the machine (the address of the demo service, folders, secrets) is given; what no machine without network has (a model, a
// tool server) is refused before anything starts, in words. Needs root, debootstrap, unshare, nsenter and ip. The root is made once,
// below target/peers/roots (about 350 MB). With names of samples, those alone.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import assert from 'node:assert/strict';
import { BINARY, Signalbox } from './signalbox.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
const SAMPLES = join(ROOT, 'src-tauri/crates/app/samples');
/** The release of this machine: programs need its C library or a newer one. */
const SUITE = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'trixie';
/** What a run of it comes to when it does not complete: refused before the start, or a question, which is answered with an action. */
const ENDS = {
  'a-budget-that-asks': { refused: 'MISSING_MODEL' },
  'extract-validate-heal': { refused: 'MISSING_MODEL' },
  'inbox-folder': { refused: 'MISSING_FOLDER' },
  'triage-with-a-gate': { refused: 'MISSING_MODEL' },
  // The customer that exists.
  'an-order-that-mends-itself': { answer: 'correct', corrects: { customer: 2 } },
  'order-webhook': { answer: 'approve' },
  'vacation-request': { answer: 'approve' },
};
/** It names a tool server that somebody has to approve where it is exported. */
const STAYS = { 'files-by-a-tool-server': 'TOOLS_NOT_APPROVED' };

function root() {
  const folder = join(TARGET, 'peers/roots', `programs-${SUITE}`);
  if (!existsSync(join(folder, 'ready'))) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(TARGET, 'peers/roots'), { recursive: true });
    execFileSync('debootstrap', ['--variant=minbase', SUITE, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
    writeFileSync(join(folder, 'ready'), '');
  }
  rmSync(join(folder, 'programs'), { recursive: true, force: true });
  mkdirSync(join(folder, 'programs'));
  // Requests need the certificates of authorities, as in an exported container; a minimal root has none.
  const certificates = 'etc/ssl/certs/ca-certificates.crt';
  mkdirSync(join(folder, 'etc/ssl/certs'), { recursive: true });
  copyFileSync(join('/', certificates), join(folder, certificates));
  return folder;
}

/** A network with nothing but this machine itself, and mounts that end with it. */
async function alone(folder) {
  const keeper = spawn('unshare', ['--net', '--mount', 'sh', '-c', 'ip link set lo up && mount -t proc proc "$0/proc" && echo ready && exec sleep infinity', folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: keeper.stdout }), 'line');
  assert.equal(line, 'ready');
  const inside = (words) => ['--target', String(keeper.pid), '--net', '--mount', '--', ...words];
  return {
    inside,
    run(program, ...args) {
      const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' };
      const done = spawnSync('nsenter', inside(['chroot', folder, `/programs/${program}/${program}`, '--json', '--data', `/programs/${program}/data`, ...args]), { encoding: 'utf8', env, maxBuffer: 1 << 26 });
      const lines = done.stdout.split('\n').filter(Boolean).map((text) => JSON.parse(text));
      return { code: done.status, json: lines.at(-1), err: done.stderr };
    },
    end: () => keeper.kill(),
  };
}

/** The demo service of the samples, in that network: a run that waits keeps it there. */
async function demo(machine, place) {
  const file = join(place.folder, 'keeps-the-demo.signalbox.json');
  writeFileSync(file, JSON.stringify({
    signalbox: 1, id: 'keeps-the-demo', name: 'Keeps the demo service', edges: [{ from: 'say.success', to: 'wait' }],
    params: { type: 'object', properties: { practice: { type: 'string', 'x-practice': true } } },
    nodes: { say: { type: 'data.set', config: { assign: { base: '{{params.practice}}' } } }, wait: { type: 'flow.wait', config: { ms: 3_600_000 } } },
  }));
  const run = spawn('nsenter', machine.inside([BINARY, '--json', 'run', file, '--events']), { env: place.env, stdio: ['ignore', 'pipe', 'inherit'] });
  // Read to the end: who finds nobody reading ends.
  const lines = createInterface({ input: run.stdout });
  const base = await new Promise((found, fail) => {
    lines.on('line', (line) => {
      const address = /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]+/.exec(line);
      if (address) found(address[0]);
    });
    lines.once('close', () => fail(new Error('The demo service did not say its address.')));
  });
  return { base, end: () => run.kill('SIGTERM') };
}

export async function programs(report) {
  const folder = root();
  const place = new Signalbox();
  const machine = await alone(folder);
  const service = await demo(machine, place);
  const net = spawnSync('nsenter', machine.inside(['ip', '-o', 'addr', 'show']), { encoding: 'utf8' }).stdout;
  await report('programs: the root has no network', () => { assert.doesNotMatch(net, /inet(6?) (?!127\.|::1)/); });
  const only = process.argv.slice(2).filter((word) => existsSync(join(SAMPLES, `${word}.signalbox.json`)));
  const names = readdirSync(SAMPLES).filter((name) => name.endsWith('.signalbox.json')).map((name) => name.replace('.signalbox.json', '')).filter((name) => only.length === 0 || only.includes(name));
  for (const name of names) {
    await report(`programs: ${name}`, async () => {
      const out = join(place.folder, 'out', name);
      const made = await place.run('export', join(SAMPLES, `${name}.signalbox.json`), '--out', out, '--human', 'terminal');
      if (STAYS[name]) {
        assert.equal(made.json.error?.details.diagnostics[0].code, STAYS[name], JSON.stringify(made.json));
        return;
      }
      assert.equal(made.code, 0, JSON.stringify(made.json));
      const there = join(folder, 'programs', name);
      mkdirSync(there);
      copyFileSync(join(out, name), join(there, name));
      // The demo service counts requests by their origin run; a param that a workflow does not have is refused.
      const params = made.json.checkList.needs.params.includes('practice') ? { practice: service.base } : {};
      let done = machine.run(name, 'run', '--params', JSON.stringify(params));
      const wanted = ENDS[name] ?? {};
      if (wanted.refused) {
        assert.equal(done.code, 2, JSON.stringify(done));
        assert.equal(done.json.error.code, wanted.refused);
        return;
      }
      if (wanted.answer) {
        assert.equal(done.json.status, 'paused', JSON.stringify(done));
        const [task] = machine.run(name, 'tasks', 'list').json;
        const input = wanted.corrects ? ['--input', JSON.stringify({ ...machine.run(name, 'tasks', 'show', task.taskId).json.input, ...wanted.corrects })] : [];
        done = machine.run(name, 'tasks', 'complete', task.taskId, '--action', wanted.answer, ...input);
      }
      if (done.json?.status === 'paused') {
        const [open] = machine.run(name, 'tasks', 'list').json;
        assert.fail(JSON.stringify(machine.run(name, 'tasks', 'show', open.taskId).json.error));
      }
      assert.equal(done.code, 0, JSON.stringify(done));
      assert.equal(done.json.status, 'completed', JSON.stringify(done.json));
      const chain = machine.run(name, 'audit', 'verify');
      assert.equal(chain.json.intact, true, JSON.stringify(chain.json));
      // Programs of a debug build are large.
      rmSync(there, { recursive: true });
      rmSync(out, { recursive: true });
    });
  }
  service.end();
  machine.end();
  place.end();
  rmSync(join(folder, 'programs'), { recursive: true, force: true });
}

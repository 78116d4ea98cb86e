// Runs carried out by workers on a real Restate server (npm `@restatedev/restate-server`) with the history in PostgreSQL (Debian
// package `postgresql`). Run only when it is named; `cargo xtask peers restate` builds the program with the feature `restate`.
// While runs are started and people answer tasks, workers and the Restate server are killed with SIGKILL at random; in the
// end nothing is lost, no finished step ran again, and the audit chain verifies. RESTATE_SECONDS (60), RESTATE_SEED.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { BINARY, Signalbox, TOKEN, until } from './signalbox.mjs';
import { freePort } from './sinks.mjs';

const WORKERS = 3;
const SECONDS = Number(process.env.RESTATE_SECONDS ?? 60);
const SEED = Number(process.env.RESTATE_SEED ?? 20_261_130);

/** The same numbers for the same seed. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A server of PostgreSQL that does not run as root. */
class Postgres {
  constructor(port) {
    const root = '/usr/lib/postgresql';
    const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
    assert.ok(versions.length, 'PostgreSQL is missing: apt-get install postgresql');
    Object.assign(this, { port, bin: join(root, versions[0], 'bin'), folder: mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'restate-pg-')) });
    chmodSync(this.folder, 0o777);
    this.as('initdb', '-D', `${this.folder}/data`, '-U', 'peer', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C.UTF-8');
    this.as('pg_ctl', 'start', '-w', '-D', `${this.folder}/data`, '-o', `"-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${this.folder} -c fsync=off"`);
    this.ask('CREATE DATABASE history', 'postgres');
  }

  as(program, ...args) {
    const line = `${join(this.bin, program)} ${args.join(' ')} >>${this.folder}/log.txt 2>&1`;
    execFileSync('sh', ['-c', process.getuid() === 0 ? `runuser -u postgres -- sh -c '${line}'` : line], { cwd: this.folder });
  }

  ask(sql, database = 'history') {
    const out = execFileSync(join(this.bin, 'psql'), ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'peer', '-d', database, '-v', 'ON_ERROR_STOP=1', '-AtXq', '-F', '\t', '-c', sql], { encoding: 'utf8', maxBuffer: 1 << 28 });
    return out.split('\n').filter(Boolean).map((line) => line.split('\t'));
  }

  get url() { return `postgres://peer@127.0.0.1:${this.port}/history`; }

  end() {
    try { this.as('pg_ctl', 'stop', '-m', 'immediate', '-D', `${this.folder}/data`); } catch { /* it has stopped */ }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A process that is started again after it was killed. */
class Killable {
  constructor(name, log, command) { Object.assign(this, { name, log, command, kills: 0 }); }

  start() {
    const log = openSync(this.log, 'a');
    const [program, args, options] = this.command();
    this.child = spawn(program, args, { ...options, stdio: ['ignore', log, log] });
    closeSync(log);
    this.exited = once(this.child, 'exit');
    return this;
  }

  get isRunning() { return this.child.exitCode === null && this.child.signalCode === null; }

  async kill() {
    this.kills += 1;
    this.child.kill('SIGKILL');
    await this.exited;
  }

  async end() {
    if (this.isRunning) await this.kill();
  }
}

async function restateServer(folder) {
  const [ingress, admin, node] = [await freePort(), await freePort(), await freePort()];
  const env = {
    ...process.env,
    RESTATE_DISABLE_TELEMETRY: 'true', RESTATE_LOG_FILTER: 'warn', RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`, RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`, RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_DEFAULT_NUM_PARTITIONS: '4', RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '256MiB',
  };
  const program = join(import.meta.dirname, `node_modules/@restatedev/restate-server-linux-${process.arch}/bin/restate-server`);
  const command = () => [program, ['--base-dir', join(folder, 'restate'), '--node-name', 'peer'], { env }];
  const server = new Killable('restate', join(folder, 'restate.log'), command).start();
  await until('the Restate server', async () => (await fetch(`http://127.0.0.1:${admin}/health`).catch(() => undefined))?.ok);
  return { server, ingress: `http://127.0.0.1:${ingress}`, admin: `http://127.0.0.1:${admin}` };
}

/** What stands before the workers: each connection goes to the next one that takes it. */
async function balancer(ports) {
  let turn = 0;
  const server = createServer((client) => {
    const reach = (left) => {
      const worker = connect(ports[turn++ % ports.length], '127.0.0.1');
      worker.once('error', () => (left > 1 ? reach(left - 1) : client.destroy()));
      worker.once('connect', () => {
        worker.removeAllListeners('error');
        for (const [one, other] of [[client, worker], [worker, client]]) {
          one.pipe(other);
          one.on('error', () => other.destroy());
          one.on('close', () => other.destroy());
        }
      });
    };
    client.on('error', () => client.destroy());
    reach(ports.length);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** A service that takes some time and remembers who asked when. */
async function service() {
  const hits = new Map();
  const server = createHttpServer((request, answer) => {
    request.resume();
    const seen = hits.get(request.url) ?? [];
    hits.set(request.url, [...seen, Date.now()]);
    setTimeout(() => answer.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'), 40);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, hits, base: `http://127.0.0.1:${server.address().port}` };
}

/** read → wait → two reads side by side → (a person, or a write) → read. */
function workflow(base, kind) {
  const get = (step) => ({ type: 'http.request', config: { url: `${base}/${step}/{{params.key}}` } });
  const middle = kind === 'person'
    ? { m: { type: 'builtin.human_approval', config: { ttlMs: 3_600_000 } } }
    : { m: { type: 'http.request', config: { method: 'POST', url: `${base}/m/{{params.key}}`, body: {} } } };
  return {
    signalbox: 1, id: `restate-${kind}`, name: `Restate ${kind}`,
    params: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
    settings: { errorPolicy: 'safe' },
    nodes: { a: get('a'), w: { type: 'flow.wait', config: { ms: 700 } }, b1: get('b1'), b2: get('b2'), ...middle, c: get('c') },
    edges: [
      { from: 'a.success', to: 'w' }, { from: 'w.success', to: 'b1' }, { from: 'w.success', to: 'b2' },
      { from: 'b1.success', to: 'm' }, { from: 'b2.success', to: 'm' }, { from: `m.${kind === 'person' ? 'approved' : 'success'}`, to: 'c' },
    ],
  };
}

/** A folder like that of another host. */
function copyOf(first) {
  const place = new Signalbox();
  const data = place.env.SIGNALBOX_DATA;
  mkdirSync(data, { recursive: true, mode: 0o700 });
  copyFileSync(join(first.env.SIGNALBOX_DATA, 'audit.key'), join(data, 'audit.key'));
  return place;
}

class Cluster {
  static async start() {
    const cluster = new Cluster();
    cluster.folder = mkdtempSync(join(tmpdir(), 'signalbox-restate-'));
    cluster.places = [];
    cluster.pg = new Postgres(await freePort());
    const history = cluster.pg.url;
    const first = cluster.place(new Signalbox());
    assert.equal((await first.run('audit', 'status', '--history', history)).code, 0, 'makes the key and the tables');
    cluster.restate = await restateServer(cluster.folder);
    const ports = [];
    for (let n = 0; n < WORKERS; n += 1) ports.push(await freePort());
    cluster.balancer = await balancer(ports);
    const url = `http://127.0.0.1:${cluster.balancer.address().port}`;
    cluster.workers = ports.map((port, n) => {
      const { env } = cluster.place(copyOf(first));
      const args = ['worker', '--json', '--log', 'info', '--history', history, '--restate', cluster.restate.ingress, '--restate-admin', cluster.restate.admin, '--listen', `127.0.0.1:${port}`, '--worker-url', url];
      return new Killable(`worker ${n}`, join(cluster.folder, `worker-${n}.log`), () => [BINARY, args, { env }]).start();
    });
    await until('the registration', async () => {
      const found = await (await fetch(`${cluster.restate.admin}/services`).catch(() => undefined))?.json().catch(() => undefined);
      return found?.services?.some((one) => one.name === 'SignalboxRun');
    });
    await cluster.serve(first, history);
    cluster.service = await service();
    return cluster;
  }

  place(place) {
    this.places.push(place);
    return place;
  }

  /** The host that people use; it is not killed. */
  async serve(place, history) {
    this.front = place;
    const tokens = place.file('tokens', `builder ${TOKEN} peer\n`, 0o600);
    const args = ['serve', '--addr', '127.0.0.1:0', '--token-file', tokens, '--history', history, '--restate', this.restate.ingress];
    this.served = spawn(BINARY, args, { cwd: place.folder, env: place.env, stdio: ['ignore', 'pipe', openSync(join(this.folder, 'serve.log'), 'a')] });
    const [line] = await once(createInterface({ input: this.served.stdout }), 'line');
    this.url = JSON.parse(line).url;
  }

  async ask(path, body) {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const answer = await fetch(this.url + path, { method: body ? 'POST' : 'GET', headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    return { status: answer.status, json: await answer.json() };
  }

  async startRun(kind, key) {
    const started = await this.ask('/rpc/run_start', { document: workflow(this.service.base, kind), params: { key } });
    assert.equal(started.status, 200, JSON.stringify(started.json));
    return started.json.runId;
  }

  /** Answers what is in the inbox; the tasks that were answered. */
  async answer(answered) {
    const { json } = await this.ask('/human-tasks?state=open');
    for (const task of json.tasks ?? json) {
      if (answered.has(task.id)) continue;
      const action = task.kind === 'approval' || task.step === 'm' && task.workflowId?.endsWith('person') ? 'approve' : 'retry';
      const done = await this.ask(`/human-tasks/${task.id}/complete`, { action });
      if (done.status === 200) answered.set(task.id, action);
      // Many write at once: it is asked again with the next round.
      else if (done.status !== 409 && done.json.error?.code !== 'STORE_BUSY') throw new Error(`Task ${JSON.stringify(task)}: ${JSON.stringify(done.json)}`);
    }
  }

  statuses() {
    return new Map(this.pg.ask('SELECT id, status FROM signalbox.run'));
  }

  async verified() {
    const told = await this.front.run('audit', 'verify', '--history', this.pg.url);
    assert.equal(told.code, 0, JSON.stringify(told.json) + told.err);
    const checked = await this.front.run('check-data', '--history', this.pg.url);
    assert.equal(checked.code, 0, JSON.stringify(checked.json) + checked.err);
    return told.json;
  }

  async end() {
    for (const one of [...this.workers ?? [], this.restate?.server]) await one?.end();
    if (this.served && this.served.exitCode === null) {
      this.served.kill('SIGKILL');
      await once(this.served, 'exit');
    }
    for (const server of [this.balancer, this.service?.server]) server?.close();
    this.service?.server.closeAllConnections();
    this.pg?.end();
    for (const place of this.places) place.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What each step of each run came to in the history, and what arrived at the service. */
function compared(cluster, keys) {
  const events = cluster.pg.ask("SELECT run.id, e.type, e.node, e.ts, coalesce(e.item, 0) FROM signalbox.run_event e JOIN signalbox.run ON run.no = (e.id >> 32) WHERE e.type IN ('step_done', 'step_interrupted')");
  const of = (type) => events.filter(([, kind]) => kind === type).reduce((all, [run, , node, ts, item]) => all.set(`${run} ${node}`, [...all.get(`${run} ${node}`) ?? [], { at: Number(ts), item }]), new Map());
  const [done, cut] = [of('step_done'), of('step_interrupted')];
  const counts = { steps: 0, interrupted: [...cut.values()].flat().length, again: 0, wrong: [] };
  for (const [run, key] of keys) {
    for (const step of ['a', 'b1', 'b2', 'm', 'c']) {
      const ended = done.get(`${run} ${step}`) ?? [];
      const hits = cluster.service.hits.get(`/${step}/${key}`) ?? [];
      counts.steps += ended.length;
      // Both reads before them end in an item: the steps after them are called once for each.
      const items = new Set(ended.map((one) => one.item)).size;
      const called = hits.length > 0 || step !== 'm' ? items : 0;
      if (ended.length !== items) counts.wrong.push(`${run} ${step} ended ${ended.length} times with ${items} items`);
      if (hits.length < called) counts.wrong.push(`${run} ${step} was called ${hits.length} times for ${items} items`);
      if (hits.length > items + (cut.get(`${run} ${step}`)?.length ?? 0)) counts.wrong.push(`${run} ${step} was called ${hits.length} times for ${items} items`);
      if (hits.some((at) => at > Math.max(...ended.map((one) => one.at)) + 5)) counts.wrong.push(`${run} ${step} was called after it had ended`);
      counts.again += Math.max(0, hits.length - items);
    }
  }
  return counts;
}

async function underKills(cluster) {
  const next = random(SEED);
  const open = (runs) => {
    const statuses = cluster.statuses();
    return [...runs.keys()].filter((run) => !['completed', 'failed', 'cancelled'].includes(statuses.get(run)));
  };
  const [keys, answered] = [new Map(), new Map()];
  const targets = [...cluster.workers, cluster.restate.server];
  const over = Date.now() + SECONDS * 1_000;
  const starting = (async () => {
    for (let n = 0; Date.now() < over; n += 1) {
      keys.set(await cluster.startRun(n % 3 === 0 ? 'person' : 'write', `k${n}`), `k${n}`);
      await pause(150 + next() * 300);
      // A slow machine has no more to do at the end than a fast one.
      while (Date.now() < over && open(keys).length > 60) await pause(500);
    }
  })();
  const answering = (async () => {
    while (Date.now() < over) {
      await cluster.answer(answered);
      await pause(500);
    }
  })();
  while (Date.now() < over) {
    await pause(800 + next() * 2_200);
    const target = next() < 0.25 ? cluster.restate.server : targets[Math.floor(next() * WORKERS)];
    await target.kill();
    await pause(next() * 500);
    target.start();
  }
  await Promise.all([starting, answering]);
  const began = Date.now();
  for (let left = open(keys); left.length > 0; left = open(keys)) {
    if (Date.now() - began > 180_000) throw new Error(`${left.length} of ${keys.size} runs have not ended: ${left.slice(0, 5).map((run) => `${run} ${cluster.statuses().get(run)}`).join(', ')}`);
    await cluster.answer(answered);
    await pause(1_000);
  }
  const statuses = cluster.statuses();
  const ended = [...keys.keys()].map((run) => statuses.get(run));
  const counts = compared(cluster, keys);
  const kills = targets.map((target) => `${target.name} ${target.kills}`).join(', ');
  console.log(`        ${keys.size} runs, ${counts.steps} steps, ${answered.size} answers; kills: ${kills}; ${counts.interrupted} calls cut off, ${counts.again} requests again; last run ended ${Math.round((Date.now() - began) / 1_000)} s after the last kill`);
  assert.deepEqual(counts.wrong, []);
  assert.deepEqual(ended.filter((status) => status !== 'completed'), [], 'all runs complete');
  const states = new Map(cluster.pg.ask('SELECT id, state FROM signalbox.task'));
  assert.deepEqual([...answered.keys()].filter((task) => states.get(task) === 'open'), [], 'answers are kept');
  await cluster.verified();
}

/** The history alone is enough: a Restate server that has lost everything goes on from it. */
async function lostServer(cluster) {
  const run = await cluster.startRun('person', 'lost');
  await until('the question', () => cluster.statuses().get(run) === 'paused');
  await cluster.restate.server.kill();
  rmSync(join(cluster.folder, 'restate'), { recursive: true, force: true });
  cluster.restate.server.start();
  // Workers register when they start.
  for (const worker of cluster.workers) {
    await worker.kill();
    worker.start();
  }
  await until('the server', async () => (await fetch(`${cluster.restate.admin}/services`).catch(() => undefined))?.ok);
  await cluster.answer(new Map());
  await until('the end', () => cluster.statuses().get(run) === 'completed');
  assert.equal(cluster.service.hits.get('/a/lost').length, 1);
  await cluster.verified();
}

async function cancelled(cluster) {
  const run = await cluster.startRun('person', 'cancelled');
  await until('the question', () => cluster.statuses().get(run) === 'paused');
  const done = await cluster.front.run('cancel', run, '--history', cluster.pg.url);
  assert.equal(done.code, 0, JSON.stringify(done.json) + done.err);
  await until('the end', () => cluster.statuses().get(run) === 'cancelled');
}

export async function restate(report) {
  let cluster;
  await report('workers on Restate start and register', async () => { cluster = await Cluster.start(); });
  try {
    if (!cluster) return;
    await report('a run is cancelled by another program', () => cancelled(cluster));
    await report(`workers and the server are killed at random for ${SECONDS} s`, () => underKills(cluster));
    await report('a server that has lost everything', () => lostServer(cluster));
  } finally {
    if (process.env.RESTATE_KEEP) console.log(`        kept: ${cluster?.folder}`);
    else await cluster?.end();
  }
}

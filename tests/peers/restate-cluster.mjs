// A Restate server, a history in PostgreSQL, workers and a host that people use: real programs on loopback, in folders that go.
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

/** A server of PostgreSQL that does not run as root. */
export class Postgres {
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
export class Killable {
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

export async function restateServer(folder) {
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

/** A load balancer: each connection goes to the next one that takes it. */
export async function balancer(ports) {
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
export async function service() {
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

export class Cluster {
  static async start(workers = 3) {
    const cluster = new Cluster();
    // Workers of other releases.
    cluster.others = [];
    cluster.folder = mkdtempSync(join(tmpdir(), 'signalbox-restate-'));
    cluster.places = [];
    cluster.pg = new Postgres(await freePort());
    const history = cluster.pg.url;
    const first = cluster.place(new Signalbox());
    assert.equal((await first.run('audit', 'status', '--history', history)).code, 0, 'makes the key and the tables');
    cluster.restate = await restateServer(cluster.folder);
    cluster.first = first;
    const ports = [];
    for (let n = 0; n < workers; n += 1) ports.push(await freePort());
    cluster.balancer = await balancer(ports);
    const url = `http://127.0.0.1:${cluster.balancer.address().port}`;
    cluster.workers = ports.map((port, n) => cluster.worker(`worker-${n}`, port, url).start());
    await until('the registration', async () => {
      const found = await (await fetch(`${cluster.restate.admin}/services`).catch(() => undefined))?.json().catch(() => undefined);
      return found?.services?.some((one) => one.name === 'SignalboxRun');
    });
    await cluster.serve(first, history);
    cluster.service = await service();
    return cluster;
  }

  /** A worker of a further host, which is called at `url`; it is not started. */
  worker(name, port, url, ...more) {
    const { env } = this.place(copyOf(this.first));
    const args = ['worker', '--json', '--log', 'info', '--history', this.pg.url, ...this.atRestate, '--listen', `127.0.0.1:${port}`, '--worker-url', url, ...more];
    return new Killable(name, join(this.folder, `${name}.log`), () => [BINARY, args, { env }]);
  }

  get atRestate() { return ['--restate', this.restate.ingress, '--restate-admin', this.restate.admin]; }

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
    for (const one of [...this.workers ?? [], ...this.others, this.restate?.server]) await one?.end();
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

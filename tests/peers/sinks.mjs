// Copies of the audit chain on real servers: PostgreSQL (Debian package `postgresql`) over TLS, S3 by the server of moto
// (sinks-requirements.txt, installed below the target folder), and the TLS of Node as a logger. Run only when it
// is named. What arrived is read from there and given to the verifier.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { programs } from './python.mjs';
import { Signalbox } from './signalbox.mjs';

const PASSWORD = 'pg-peer-0123456789';
const KEY = 'peer-secret-key-0123456789';

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** A process that has ended stays in the list until its parent looks. */
function isRunning(pid) {
  try { return !/^State:\tZ/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8')); } catch { return false; }
}

/** Asks until the answer is good. */
async function eventually(what, look) {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await look()) return;
    await new Promise((done) => { setTimeout(done, 50); });
  }
  throw new Error(`${what} did not happen`);
}

/** Where the programs of the server are. */
function postgresPrograms() {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  assert.ok(versions.length, 'PostgreSQL is missing: apt-get install postgresql');
  return join(root, versions[0], 'bin');
}

/** An authority of its own, and a certificate of it for this machine. */
export function certificates(folder) {
  const [ca, key, own, request, extra, certificate] = ['ca.pem', 'ca.key', 'server.key', 'server.csr', 'server.ext', 'server.pem'].map((name) => join(folder, name));
  const ssl = (...args) => execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  ssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=peer authority', '-keyout', key, '-out', ca);
  ssl('req', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-keyout', own, '-out', request);
  writeFileSync(extra, 'subjectAltName=DNS:localhost,IP:127.0.0.1');
  ssl('x509', '-req', '-in', request, '-CA', ca, '-CAkey', key, '-CAcreateserial', '-days', '2', '-extfile', extra, '-out', certificate);
  return { ca, own, certificate };
}

/** A server of its own, with a certificate of an authority of its own. It does not run as root. */
class Postgres {
  constructor(port) {
    this.port = port;
    this.bin = postgresPrograms();
    this.folder = mkdtempSync(join(tmpdir(), 'signalbox-pg-'));
    chmodSync(this.folder, 0o777);
    this.data = join(this.folder, 'data');
    const password = join(this.folder, 'password');
    writeFileSync(password, PASSWORD);
    const { ca, own, certificate } = certificates(this.folder);
    Object.assign(this, { ca, certificate });
    for (const name of readdirSync(this.folder)) chmodSync(join(this.folder, name), 0o644);
    this.as('initdb', '-D', this.data, '-U', 'peer', '--auth=scram-sha-256', `--pwfile=${password}`);
    execFileSync('sh', ['-c', this.command(`cp ${own} ${this.data}/server.key && chmod 600 ${this.data}/server.key && cp ${this.certificate} ${this.data}/server.crt`)]);
  }

  command(line) {
    return process.getuid() === 0 ? `runuser -u postgres -- sh -c '${line}'` : line;
  }

  as(program, ...args) {
    execFileSync('sh', ['-c', this.command(`${join(this.bin, program)} ${args.join(' ')} >>${this.folder}/log.txt 2>&1`)], { cwd: this.folder });
  }

  start() {
    this.as('pg_ctl', 'start', '-w', '-D', this.data, '-o', `"-p ${this.port} -c ssl=on -c listen_addresses=127.0.0.1 -c unix_socket_directories=${this.folder} -c fsync=off"`);
  }

  stop(mode = 'immediate') {
    this.as('pg_ctl', 'stop', '-w', '-m', mode, '-D', this.data);
  }

  /** Ends all processes of the server at once: none can write or close anything. */
  kill() {
    const main = readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n')[0];
    const children = execFileSync('ps', ['--ppid', main, '-o', 'pid='], { encoding: 'utf8' }).split(/\s+/u).filter(Boolean);
    for (const pid of [main, ...children]) {
      // One of them may have ended meanwhile.
      try { process.kill(Number(pid), 'SIGKILL'); } catch { /* it has */ }
    }
    for (const pid of [main, ...children]) while (isRunning(pid));
    // Where nobody looks after them, their numbers stay taken, and the next server would take them for a running one.
    for (const lock of [join(this.data, 'postmaster.pid'), join(this.folder, `.s.PGSQL.${this.port}.lock`)]) rmSync(lock, { force: true });
  }

  ask(sql, options = '') {
    return execFileSync(join(this.bin, 'psql'), ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'peer', '-d', 'postgres', '-v', 'ON_ERROR_STOP=1', '-AtXq', '-c', sql], { encoding: 'utf8', env: { ...process.env, PGPASSWORD: PASSWORD, PGOPTIONS: options }, maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  end() {
    try { this.stop(); } catch { /* it was stopped */ }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function keep(place, name, user, value, host) {
  const set = await place.told(`${value}\n`, 'secret', 'set', name, '--kind', 'basic', '--field', user, '--host', host);
  assert.equal(set.code, 0, JSON.stringify(set.json) + set.err);
}

export async function runs(place, count) {
  const file = place.file('flow.signalbox.json', { signalbox: 1, id: 'flow', name: 'flow', nodes: { a: { type: 'data.set', config: { assign: { n: 1 } } } }, edges: [] });
  for (let n = 0; n < count; n += 1) assert.equal((await place.run('run', file)).code, 0);
}

/** What is at the far end passes the verifier, and is everything. */
async function verified(place, text) {
  const copy = place.file('far.jsonl', text);
  const told = await place.run('audit', 'verify', copy);
  assert.equal(told.code, 0, JSON.stringify(told.json) + told.err);
  const here = (await place.run('audit', 'list', '--limit', '10000')).json;
  assert.equal(text.split('\n').filter(Boolean).length, here.length, 'every entry, once');
}

export const last = async (place, ...args) => { const told = await place.run('audit', 'sinks', ...args); return { code: told.code, sink: told.json.at?.(-1) ?? told.json, err: told.err }; };

async function postgres(report) {
  const [place, server] = [new Signalbox(), new Postgres(await freePort())];
  const url = `postgresql://peer@127.0.0.1:${server.port}/postgres`;
  const stored = () => server.ask('SELECT entry FROM audit_events ORDER BY seq');
  try {
    server.start();
    await place.run('secret', 'choose', 'file');
    await keep(place, 'pg', 'peer', PASSWORD, '127.0.0.1');
    await runs(place, 2);
    await report('PostgreSQL: a certificate that nobody vouches for is refused', async () => {
      const { code, sink } = await last(place, 'add', '--kind', 'postgres', '--url', url, '--credential', 'secret://pg', '--allow-local');
      assert.equal(code, 1);
      assert.match(sink.error, /certificate/u);
      await place.run('audit', 'sinks', 'remove', sink.id);
    });
    await report('PostgreSQL: every entry over TLS, in order; the verifier takes what is stored', async () => {
      const { code, sink } = await last(place, 'add', '--kind', 'postgres', '--url', url, '--credential', 'secret://pg', '--ca', server.ca, '--allow-local');
      assert.equal(code, 0, JSON.stringify(sink));
      await verified(place, stored());
      assert.equal(server.ask("SELECT count(*) FROM audit_events WHERE event = 'NODE_START'").trim(), '2');
      for (const change of ['UPDATE audit_events SET level = level', 'DELETE FROM audit_events', 'TRUNCATE audit_events']) {
        assert.throws(() => server.ask(change), /only added/u, change);
      }
    });
    await report('PostgreSQL: killed in the middle and started again, nothing is missing or there twice', async () => {
      const serving = place.watch('serve', '--addr', '127.0.0.1:0', '--token-file', place.file('tokens', 'builder peers-builder-0123456789 peer\n', 0o600));
      await serving.until((line) => line.url);
      for (let n = 0; n < 3; n += 1) {
        await runs(place, 3);
        server.stop();
        await runs(place, 1);
        server.start();
      }
      serving.kill();
      await serving.ended;
      const { code, sink } = await last(place, 'now');
      assert.deepEqual([code, sink.waiting], [0, 0], JSON.stringify(sink));
      await verified(place, stored());
    });
    await report('PostgreSQL: kill -9 in the middle of a batch: the batch comes again, whole and in order', async () => {
      await runs(place, 2);
      const next = (await last(place, 'list')).sink.next;
      server.ask(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.seq = ${next + 2} THEN PERFORM pg_sleep(600); END IF; RETURN NEW; END $$`);
      server.ask('CREATE TRIGGER hold BEFORE INSERT ON audit_events FOR EACH ROW EXECUTE FUNCTION hold()');
      const copying = last(place, 'now');
      await eventually('the third row of the batch', () => server.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'").trim() === '1');
      server.kill();
      const { code, sink } = await copying;
      assert.ok(code === 1 && sink.next === next && sink.waiting > 2 && sink.error, JSON.stringify(sink));
      server.start();
      assert.equal(Number(server.ask('SELECT max(seq) FROM audit_events').trim()), next - 1, 'nothing of the batch is there');
      server.ask('DROP TRIGGER hold ON audit_events');
      assert.equal((await last(place, 'now')).code, 0);
      await verified(place, stored());
    });
    await report('PostgreSQL: kill -9 after it has kept a batch and before it says so: nothing is there twice', async () => {
      await runs(place, 2);
      const next = (await last(place, 'list')).sink.next;
      // A commit is kept here and waits for a second server that there is not.
      server.ask("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
      server.ask('SELECT pg_reload_conf()');
      const copying = last(place, 'now');
      await eventually('the commit', () => server.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'").trim() === '1');
      server.kill();
      const { code, sink } = await copying;
      assert.ok(code === 1 && sink.next === next && sink.error, JSON.stringify(sink));
      server.start();
      assert.ok(Number(server.ask('SELECT max(seq) FROM audit_events').trim()) > next, 'the batch is there');
      server.ask('ALTER SYSTEM RESET synchronous_standby_names', '-c synchronous_commit=local');
      server.ask('SELECT pg_reload_conf()');
      const after = await last(place, 'now');
      assert.deepEqual([after.code, after.sink.waiting], [0, 0], JSON.stringify(after.sink));
      await verified(place, stored());
    });
    await report('PostgreSQL: one record of a batch is refused: named, what is before it counts, the rest comes later', async () => {
      server.ask("ALTER TABLE audit_events ADD CONSTRAINT refused CHECK (event <> 'WORKFLOW_COMPLETED') NOT VALID");
      await runs(place, 1);
      const { code, sink } = await last(place, 'now');
      assert.equal(code, 1);
      assert.match(sink.error, new RegExp(`entry ${sink.next}: .*refused`, 'u'));
      assert.equal(Number(server.ask('SELECT max(seq) FROM audit_events').trim()), sink.next - 1);
      server.ask('ALTER TABLE audit_events DROP CONSTRAINT refused');
      assert.equal((await last(place, 'now')).code, 0);
      await verified(place, stored());
    });
    await report('PostgreSQL: a server whose disk is full is late and says so', async () => {
      server.ask("CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$");
      server.ask('CREATE TRIGGER no_room BEFORE INSERT ON audit_events EXECUTE FUNCTION no_room()');
      await runs(place, 1);
      const { code, sink } = await last(place, 'now');
      assert.ok(code === 1 && sink.waiting > 0 && /No space left on device \(53100\)/u.test(sink.error), JSON.stringify(sink));
      server.ask('DROP TRIGGER no_room ON audit_events');
      assert.equal((await last(place, 'now')).code, 0);
      await verified(place, stored());
    });
    await report('PostgreSQL: a server that takes no writes is late and says so', async () => {
      server.ask('ALTER SYSTEM SET default_transaction_read_only = on');
      server.ask('SELECT pg_reload_conf()');
      server.stop('fast');
      server.start();
      await runs(place, 1);
      const { code, sink } = await last(place, 'now');
      assert.equal(code, 1);
      assert.ok(sink.waiting > 0 && /read-only/u.test(sink.error), JSON.stringify(sink));
      server.ask('ALTER SYSTEM RESET default_transaction_read_only', '-c default_transaction_read_only=off');
      server.stop('fast');
      server.start();
      assert.equal((await last(place, 'now')).code, 0);
      await verified(place, stored());
      assert.equal((await place.run('audit', 'verify')).code, 0);
    });
  } finally {
    server.end();
    place.end();
  }
}

/**
 * Stands in front of a store and cuts the connection of a request that writes: after so many bytes of it (`cut.after`), or when the
 * store has answered (`cut.answer`), which it then keeps to itself.
 */
async function frontOfStore(port) {
  const cut = { after: Infinity, answer: false, done: 0 };
  const server = createServer((socket) => {
    const store = connect(port, '127.0.0.1');
    let [writes, sent] = [false, 0];
    const both = () => { socket.destroy(); store.destroy(); };
    socket.on('data', (part) => {
      if (part.toString('latin1', 0, 4) === 'PUT ') [writes, sent] = [true, 0];
      const room = writes ? cut.after - sent : Infinity;
      sent += part.length;
      if (part.length <= room) return void store.write(part);
      cut.done += 1;
      return void store.write(part.subarray(0, room), () => { cut.hook?.(); both(); });
    });
    store.on('data', (part) => {
      if (!(writes && cut.answer)) return void socket.write(part);
      cut.done += 1;
      both();
    });
    for (const one of [socket, store]) one.on('error', () => undefined).on('close', both);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(server, { cut, base: `http://127.0.0.1:${server.address().port}` });
}

/** The program of moto, in the version of the requirements. */
const moto = () => process.env.SIGNALBOX_MOTO ?? join(programs('sinks'), 'moto_server');

async function s3(report) {
  const [place, port] = [new Signalbox(), await freePort()];
  const base = `http://127.0.0.1:${port}`;
  const front = await frontOfStore(port);
  const start = async () => {
    const child = spawn(moto(), ['-H', '127.0.0.1', '-p', String(port)], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.setEncoding('utf8');
    for await (const text of child.stderr) if (text.includes('Running on')) break;
    return child;
  };
  let child = await start();
  // Anybody who signs may read there; who does not gets nothing of private objects.
  const headers = { authorization: 'AWS4-HMAC-SHA256 Credential=peer/20261128/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0' };
  const bucket = async () => assert.ok((await fetch(`${base}/audit`, { method: 'PUT', headers })).ok);
  const stored = async () => {
    const list = await (await fetch(`${base}/audit?list-type=2`, { headers })).text();
    const keys = [...list.matchAll(/<Key>([^<]+)<\/Key>/gu)].map((match) => match[1]).sort();
    const texts = [];
    for (const key of keys) texts.push(await (await fetch(`${base}/audit/${key}`, { headers })).text());
    return { keys, text: texts.join('') };
  };
  try {
    await bucket();
    await place.run('secret', 'choose', 'file');
    await keep(place, 's3', 'AKIAPEER', KEY, '127.0.0.1');
    await runs(place, 2);
    await report('S3: numbered segments, which the verifier takes one behind the other', async () => {
      const { code, sink } = await last(place, 'add', '--kind', 's3', '--url', `${front.base}/audit/chain`, '--credential', 'secret://s3', '--allow-local');
      assert.equal(code, 0, JSON.stringify(sink));
      await runs(place, 1);
      assert.equal((await last(place, 'now')).code, 0);
      const { keys, text } = await stored();
      assert.equal(keys.length, 2);
      assert.match(keys[0], /^chain\/[^/]+\/0{20}\.jsonl$/u);
      await verified(place, text);
    });
    await report('S3: a segment that somebody wrote first is not written over', async () => {
      const { keys } = await stored();
      const next = (await last(place, 'list')).sink.next;
      const key = keys[0].replace(/\d{20}/u, String(next).padStart(20, '0'));
      await fetch(`${base}/audit/${key}`, { method: 'PUT', headers, body: 'somebody else\n' });
      await runs(place, 1);
      const { code, sink } = await last(place, 'now');
      assert.equal(code, 1, JSON.stringify(sink));
      assert.equal(await (await fetch(`${base}/audit/${key}`, { headers })).text(), 'somebody else\n');
      await fetch(`${base}/audit/${key}`, { method: 'DELETE', headers });
      assert.equal((await last(place, 'now')).code, 0);
      await verified(place, (await stored()).text);
    });
    await report('S3: cut off in the middle of a segment, and after it was kept: each segment is there once', async () => {
      for (const cut of [{ after: 1_500 }, { answer: true }]) {
        await runs(place, 1);
        const { next } = (await last(place, 'list')).sink;
        Object.assign(front.cut, cut, { done: 0 });
        const { code, sink } = await last(place, 'now');
        assert.ok(code === 1 && front.cut.done > 0 && sink.next === next && sink.waiting > 0 && sink.error, JSON.stringify([cut, front.cut, sink]));
        Object.assign(front.cut, { after: Infinity, answer: false });
        assert.equal((await last(place, 'now')).code, 0);
        await verified(place, (await stored()).text);
      }
    });
    await report('S3: a store that is killed in the middle of a segment is late and says so', async () => {
      await runs(place, 1);
      Object.assign(front.cut, { after: 1_500, hook: () => child.kill('SIGKILL') });
      const ended = once(child, 'exit');
      const { code, sink } = await last(place, 'now');
      await ended;
      assert.ok(code === 1 && sink.waiting > 0 && sink.error, JSON.stringify(sink));
      assert.equal((await place.run('audit', 'verify')).code, 0, 'the chain of record is whole');
      Object.assign(front.cut, { after: Infinity, hook: undefined });
      child = await start();
    });
  } finally {
    child.kill('SIGKILL');
    front.close();
    place.end();
  }
}

/** The lines of the entries in what a logger got; the last message may be one of which only a part arrived. */
function entriesOf(bytes) {
  const lines = [];
  for (let rest = bytes; rest.length; ) {
    const space = rest.indexOf(32);
    const end = space + 1 + Number(rest.toString('utf8', 0, space));
    if (space < 0 || end > rest.length) break;
    const message = rest.toString('utf8', space + 1, end);
    assert.match(message, /^<1\d\d>1 \S+ - signalbox - [A-Z_]+ - \{"entry":/u);
    lines.push(`${message.slice(message.indexOf(' - {') + 3)}\n`);
    rest = rest.subarray(end);
  }
  return lines;
}

/** Each entry once, by its number: a logger may have got some of them twice. */
const onceEach = (lines) => [...new Set(lines)].sort((a, b) => JSON.parse(a).entry.seq - JSON.parse(b).entry.seq).join('');

/** The TLS of Node as a logger: RFC 5425 with a certificate that is checked. It can break off a connection after so many bytes. */
async function syslog(report) {
  const place = new Signalbox();
  const { ca, own, certificate } = certificates(place.folder);
  const [got, broken] = [[], []];
  let cut = Infinity;
  const server = createTlsServer({ key: readFileSync(own), cert: readFileSync(certificate) }, (socket) => {
    const parts = [];
    let size = 0;
    socket.on('data', (part) => {
      parts.push(part);
      size += part.length;
      if (size <= cut) return;
      broken.push(Buffer.concat(parts).subarray(0, cut));
      parts.length = 0;
      socket.destroy();
    });
    socket.on('end', () => { if (parts.length) got.push(Buffer.concat(parts)); });
    // Who does not trust the certificate breaks off.
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const lines = (batches) => batches.flatMap(entriesOf);
  try {
    await runs(place, 2);
    await report('Syslog: over TLS to a certificate that is vouched for, and to no other', async () => {
      const url = `syslog://127.0.0.1:${server.address().port}`;
      const stranger = await last(place, 'add', '--kind', 'syslog', '--url', url, '--allow-local');
      assert.equal(stranger.code, 1);
      assert.match(stranger.sink.error, /certificate/u);
      assert.equal(got.length, 0);
      await place.run('audit', 'sinks', 'remove', stranger.sink.id);
      const { code, sink } = await last(place, 'add', '--kind', 'syslog', '--url', url, '--ca', ca, '--allow-local');
      assert.deepEqual([code, sink.waiting], [0, 0], JSON.stringify(sink));
      await verified(place, lines(got).join(''));
    });
    await report('Syslog: broken off in the middle of a batch over TLS, the batch comes again, whole and in order', async () => {
      await runs(place, 2);
      cut = 2_000;
      const { code, sink } = await last(place, 'now');
      assert.ok(code === 1 && broken.length > 0 && sink.waiting > 0 && sink.error, JSON.stringify(sink));
      cut = Infinity;
      assert.equal((await last(place, 'now')).code, 0);
      await verified(place, lines(got).join(''));
      await verified(place, onceEach(lines([...got, ...broken])));
    });
  } finally {
    server.close();
    place.end();
  }
}

/** Debian's rsyslog with OpenSSL, which ends connections as RFC 5425 asks, where it is installed. `SIGNALBOX_RSYSLOG` is the folder of one that was only unpacked. */
function rsyslogPrograms() {
  const root = process.env.SIGNALBOX_RSYSLOG ?? '/';
  const [program, modules] = [join(root, 'usr/sbin/rsyslogd'), join(root, 'usr/lib/x86_64-linux-gnu/rsyslog')];
  return existsSync(program) && existsSync(join(modules, 'lmnsd_ossl.so')) ? { program, modules, libraries: join(root, 'usr/lib/x86_64-linux-gnu') } : undefined;
}

/** A real logger that is killed in the middle of a batch: what it had written is there, and the batch comes again. */
async function rsyslog(report) {
  const found = rsyslogPrograms();
  if (!found) return void console.log('skipped rsyslog: apt-get install rsyslog rsyslog-openssl');
  const [place, port, behind] = [new Signalbox(), await freePort(), await freePort()];
  const { ca, own, certificate } = certificates(place.folder);
  const file = join(place.folder, 'audit.log');
  const config = place.file('rsyslog.conf', `
global(workDirectory="${place.folder}" maxMessageSize="512k" defaultNetstreamDriverCAFile="${ca}" defaultNetstreamDriverCertFile="${certificate}"
  defaultNetstreamDriverKeyFile="${own}" parser.escapeControlCharactersOnReceive="off")
module(load="imtcp" streamDriver.name="ossl" streamDriver.mode="1" streamDriver.authMode="anon")
template(name="line" type="string" string="%msg%\\n")
ruleset(name="audit") { action(type="omfile" file="${file}" template="line" flushOnTXEnd="on") }
input(type="imtcp" port="${behind}" address="127.0.0.1" ruleset="audit")
`);
  const listens = () => new Promise((done) => { const socket = connect(behind, '127.0.0.1', () => { socket.destroy(); done(true); }).on('error', () => done(false)); });
  const start = async () => {
    const child = spawn(found.program, ['-n', '-f', config, '-i', join(place.folder, 'rsyslog.pid'), '-M', found.modules], { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, LD_LIBRARY_PATH: found.libraries } });
    await eventually('rsyslog listens', listens);
    return child;
  };
  let child = await start();
  // In front of it: cuts off after so many bytes, and kills the logger.
  const cut = { after: Infinity };
  const front = createServer({ allowHalfOpen: true }, (socket) => {
    const logger = connect({ port: behind, host: '127.0.0.1', allowHalfOpen: true });
    let sent = 0;
    socket.on('data', (part) => {
      const room = cut.after - sent;
      sent += part.length;
      if (part.length <= room) return void logger.write(part);
      logger.write(part.subarray(0, Math.max(0, room)), () => { child.kill('SIGKILL'); });
    });
    // How the logger ends is how the sender hears it: an end, or a reset when it had not read everything.
    logger.on('data', (part) => socket.write(part)).on('end', () => socket.end()).on('error', () => socket.resetAndDestroy());
    socket.on('end', () => logger.end()).on('error', () => logger.destroy()).on('close', () => logger.destroy());
  }).listen(port, '127.0.0.1');
  await once(front, 'listening');
  const lines = () => (existsSync(file) ? readFileSync(file, 'utf8') : '').split('\n').filter(Boolean).map((line) => `${line.trim()}\n`);
  try {
    await runs(place, 2);
    await report('rsyslog: every entry over TLS; the verifier takes what it wrote', async () => {
      const { code, sink } = await last(place, 'add', '--kind', 'syslog', '--url', `syslog://127.0.0.1:${port}`, '--ca', ca, '--allow-local');
      assert.deepEqual([code, sink.waiting], [0, 0], JSON.stringify(sink));
      await eventually('the entries are written', () => lines().length >= sink.next);
      await verified(place, onceEach(lines()));
    });
    await report('rsyslog: kill -9 in the middle of a batch: the batch comes again, nothing is missing', async () => {
      await runs(place, 12);
      const { next } = (await last(place, 'list')).sink;
      const ended = once(child, 'exit');
      cut.after = 9_000;
      const { code, sink } = await last(place, 'now');
      await ended;
      assert.ok(code === 1 && sink.next === next && sink.waiting > 0 && sink.error, JSON.stringify(sink));
      cut.after = Infinity;
      child = await start();
      const after = (await last(place, 'now')).sink;
      assert.equal(after.waiting, 0, JSON.stringify(after));
      await eventually('the entries are written', () => new Set(lines()).size >= after.next);
      await verified(place, onceEach(lines()));
    });
  } finally {
    child.kill('SIGKILL');
    front.close();
    place.end();
  }
}

export async function sinks(report) {
  await syslog(report);
  await rsyslog(report);
  await postgres(report);
  await s3(report);
}

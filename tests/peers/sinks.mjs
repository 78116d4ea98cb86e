// Copies of the audit chain on real servers: PostgreSQL (Debian package `postgresql`) over TLS, S3 by the server of moto
// (sinks-requirements.txt, installed below the target folder), and the TLS of Node as a logger. Run only when it
// is named. What arrived is read from there and given to the verifier.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
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

/** The program of moto, in the version of the requirements. */
const moto = () => process.env.SIGNALBOX_MOTO ?? join(programs('sinks'), 'moto_server');

async function s3(report) {
  const [place, port] = [new Signalbox(), await freePort()];
  const base = `http://127.0.0.1:${port}`;
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
      const { code, sink } = await last(place, 'add', '--kind', 's3', '--url', `${base}/audit/chain`, '--credential', 'secret://s3', '--allow-local');
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
    await report('S3: a store that is gone is late and says so', async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
      await runs(place, 1);
      const { code, sink } = await last(place, 'now');
      assert.ok(code === 1 && sink.waiting > 0 && sink.error, JSON.stringify(sink));
      child = await start();
    });
  } finally {
    child.kill('SIGKILL');
    place.end();
  }
}

/** The TLS of Node as a logger: RFC 5425 with a certificate that is checked. */
async function syslog(report) {
  const place = new Signalbox();
  const { ca, own, certificate } = certificates(place.folder);
  const batches = [];
  const server = createTlsServer({ key: readFileSync(own), cert: readFileSync(certificate) }, (socket) => {
    const parts = [];
    socket.on('data', (part) => parts.push(part));
    socket.on('end', () => { if (parts.length) batches.push(Buffer.concat(parts)); });
    // Who does not trust the certificate breaks off.
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await runs(place, 2);
    await report('Syslog: over TLS to a certificate that is vouched for, and to no other', async () => {
      const url = `syslog://127.0.0.1:${server.address().port}`;
      const stranger = await last(place, 'add', '--kind', 'syslog', '--url', url, '--allow-local');
      assert.equal(stranger.code, 1);
      assert.match(stranger.sink.error, /certificate/u);
      assert.equal(batches.length, 0);
      await place.run('audit', 'sinks', 'remove', stranger.sink.id);
      const { code, sink } = await last(place, 'add', '--kind', 'syslog', '--url', url, '--ca', ca, '--allow-local');
      assert.deepEqual([code, sink.waiting], [0, 0], JSON.stringify(sink));
      const lines = [];
      for (let rest = Buffer.concat(batches); rest.length; ) {
        const space = rest.indexOf(32);
        const end = space + 1 + Number(rest.toString('utf8', 0, space));
        const message = rest.toString('utf8', space + 1, end);
        assert.match(message, /^<1\d\d>1 \S+ - signalbox - [A-Z_]+ - \{"entry":/u);
        lines.push(`${message.slice(message.indexOf(' - {') + 3)}\n`);
        rest = rest.subarray(end);
      }
      await verified(place, lines.join(''));
    });
  } finally {
    server.close();
    place.end();
  }
}

export async function sinks(report) {
  await syslog(report);
  await postgres(report);
  await s3(report);
}

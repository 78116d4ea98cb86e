// Messages of Kafka: the real program publishes to a cluster and its messages start runs, also when the program is killed in between.
// The cluster is that of librdkafka's mock brokers, which spreads the leaders; what arrived is read by librdkafka.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Signalbox, until } from './signalbox.mjs';

const SCRIPT = join(import.meta.dirname, 'kafka.py');
const GROUP = 'signalbox-peer';
/** Messages of each coding that is read, one after the other; the program is killed between them. */
const CODECS = ['none', 'gzip', 'zstd'];
const EACH = 20;

const workflow = (id, nodes, edges = []) => ({ signalbox: 1, id, name: id, settings: { errorPolicy: 'fail' }, nodes, edges });

/** The mock cluster, with a topic. */
export async function mockCluster(bin, topic) {
  const child = spawn(join(bin, 'python'), [SCRIPT, 'mock', '3', topic], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [text] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { ...JSON.parse(text), end: () => child.stdin.end() };
}

export async function kafkaMessages(report, bin) {
  const python = async (...args) => (await promisify(execFile)(join(bin, 'python'), [SCRIPT, ...args])).stdout;
  const cluster = await mockCluster(bin, 'orders');
  const brokers = cluster.brokers.join(',');
  const place = new Signalbox();
  const [host, port] = cluster.brokers[0].split(':');
  const settings = { system: 'kafka', host, port: Number(port), tls: false, topic: 'orders' };
  const stored = (name, document) => { const file = join(place.folder, name); writeFileSync(file, JSON.stringify(document)); return file; };
  const publish = async (more) => (await place.run('run', stored('publish.json', workflow('publish', { p: { type: 'message.publish', config: { ...settings, ...more } } })))).json;
  let serving;
  try {
    await report('Kafka: a message goes to the partition of its key, confirmed', async () => {
      for (const order of [1, 2]) {
        const done = await publish({ body: { order }, key: 'customer-1', headers: { source: 'peer' } });
        assert.equal(done.status, 'completed', JSON.stringify(done));
        assert.match(done.output[0].id, /^\d+:\d+$/u);
      }
      const found = (await python('read', brokers, 'orders')).split('\n').filter(Boolean).map((line) => JSON.parse(line));
      assert.deepEqual(found.map(({ key, line, headers }) => [key, line, headers]), [1, 2].map((order) => ['customer-1', `{"order":${order}}`, { 'content-type': 'application/json', source: 'peer' }]));
      assert.equal(new Set(found.map((one) => one.partition)).size, 1);
      const missing = await publish({ topic: 'a topic', body: 'x' });
      assert.equal(missing.error?.details?.code, 'INPUT_INVALID', JSON.stringify(missing));
    });
    await report(`Kafka: ${CODECS.length * EACH} messages start one run each, over ${CODECS.length} kills`, async () => {
      const document = workflow('orders', {
        t: { type: 'trigger.message', config: { ...settings, group: GROUP, existing: 'process' } },
        a: { type: 'data.transform', config: { expression: "{'order': item.body.order, 'key': item.headers.key}" } },
      }, [{ from: 't.success', to: 'a' }]);
      const active = await place.run('activate', stored('orders.json', document));
      assert.equal(active.code, 0, JSON.stringify(active.json));
      const runs = async () => (await serving.ask('/rpc/run_list', { workflow: 'orders', limit: 500 })).runs;
      for (const [at, codec] of CODECS.entries()) {
        serving = await place.serve();
        await python('produce', brokers, 'orders', String(100 + at * EACH), String(EACH), codec);
        const enough = 2 + at * EACH + EACH / 2;
        await until(`some messages (${codec}) have runs`, async () => (await runs()).length >= enough);
        serving.child.kill('SIGKILL');
        await once(serving.child, 'exit');
      }
      serving = await place.serve();
      const wanted = 2 + CODECS.length * EACH;
      await until('every message has a run', async () => { const all = await runs(); return all.length >= wanted && all.every((run) => run.status === 'completed'); });
      const orders = await Promise.all((await runs()).map(async (run) => (await serving.ask(`/workflow/${run.runId}/status`)).output[0]));
      assert.deepEqual(orders.map((one) => one.order).sort((a, b) => a - b), [1, 2, ...Array.from({ length: CODECS.length * EACH }, (_, n) => 100 + n)]);
      assert.ok(orders.every((one) => one.key.startsWith('customer-')));
      // The last look acknowledges when the next message comes, or when the wait for it is over.
      await python('produce', brokers, 'orders', '900', '1', 'none');
      await until('the last message has a run', async () => (await runs()).length === wanted + 1);
      await until('all but the last are committed', async () => Number(await python('waiting', brokers, 'orders', GROUP)) <= 1);
    });
    await report('Kafka: what is compressed otherwise is named, and nothing is skipped', async () => {
      await python('produce', brokers, 'orders', '950', '3', 'lz4');
      const problem = await until('the trigger says so', async () => (await serving.ask('/rpc/trigger_list', {})).flatMap((one) => one.triggers ?? [one]).map((one) => one.problem).find(Boolean));
      assert.match(JSON.stringify(problem), /LZ4/u);
    });
  } finally {
    serving?.child.kill('SIGKILL');
    cluster.end();
    place.end();
  }
}

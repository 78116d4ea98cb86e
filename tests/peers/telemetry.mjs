// Traces to a real collector (PyPI `rotel`), over HTTP and gRPC, with the header of a secret, and `/metrics` read by Prometheus
// (Debian package). A gateway in front of the collector asks for the header; what the collector sends on is read by telemetry.py.
// Run only when it is named.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as ask } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { programs } from './python.mjs';
import { Signalbox } from './signalbox.mjs';
import { freePort } from './sinks.mjs';

const SCRIPT = join(import.meta.dirname, 'telemetry.py');
const KEY = 'peer-collector-0123456789';
const HEADER = 'x-peer-key';
/** Samples that run by themselves: with errors, a loop, branches, a sub-step that is asked again, a database. */
const SAMPLES = ['a-list-item-by-item', 'errors-take-another-way', 'one-loop-two-branches', 'orders-in-a-database', 'retry-that-tells-you-why'];
const sample = (id) => join(import.meta.dirname, '../../src-tauri/crates/app/samples', `${id}.signalbox.json`);

/** Asks until the answer is good; what it last was when it never is. */
async function eventually(what, look) {
  let last;
  for (let tries = 0; tries < 300; tries += 1) {
    last = await look().catch((error) => error);
    if (last && !(last instanceof Error)) return last;
    await new Promise((done) => { setTimeout(done, 100); });
  }
  throw new Error(`${what}: ${last}`);
}

const listens = (port) => new Promise((done) => { const socket = connect(port, '127.0.0.1', () => { socket.destroy(); done(true); }).on('error', () => done(false)); });

/** The collector, behind a gateway for each protocol, and the spans that it sent on. */
class Collector {
  async start(bin) {
    this.folder = mkdtempSync(join(tmpdir(), 'signalbox-otel-'));
    this.spans = [];
    this.reader = spawn(join(bin, 'python'), [SCRIPT, 'sink'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: this.reader.stdout });
    const [port] = await once(lines, 'line');
    lines.on('line', (line) => this.spans.push(JSON.parse(line)));
    const [http, grpc] = [await freePort(), await freePort()];
    const agent = spawnSync(join(bin, 'python'), ['-c', 'import os, rotel; print(os.path.join(os.path.dirname(rotel.__file__), "rotel-agent"))'], { encoding: 'utf8' }).stdout.trim();
    this.agent = spawn(agent, ['start', '--otlp-http-endpoint', `127.0.0.1:${http}`, '--otlp-grpc-endpoint', `127.0.0.1:${grpc}`,
      '--exporter', 'otlp', '--otlp-exporter-endpoint', `http://127.0.0.1:${port}`, '--otlp-exporter-protocol', 'http', '--batch-timeout', '100ms',
      '--pid-file', join(this.folder, 'pid'), '--log-file', join(this.folder, 'log')], { stdio: 'ignore' });
    await eventually('the collector listens', async () => await listens(http) && await listens(grpc));
    this.refused = 0;
    const knows = (headers) => { const good = headers[HEADER] === KEY; if (!good) this.refused += 1; return good; };
    this.byHttp = createServer((incoming, answer) => {
      if (!knows(incoming.headers)) return void incoming.resume().on('end', () => answer.writeHead(401).end());
      incoming.pipe(ask({ host: '127.0.0.1', port: http, method: incoming.method, path: incoming.url, headers: incoming.headers }, (from) => { answer.writeHead(from.statusCode, from.headers); from.pipe(answer); }));
    }).listen(0, '127.0.0.1');
    const behind = connectHttp2(`http://127.0.0.1:${grpc}`);
    this.behind = behind;
    this.byGrpc = createHttp2();
    this.byGrpc.on('stream', (stream, headers) => {
      if (!knows(headers)) return void stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '16' }, { endStream: true });
      const onward = behind.request({ ':method': 'POST', ':path': headers[':path'], 'content-type': headers['content-type'], te: 'trailers' });
      let trailers;
      onward.on('response', (told) => stream.respond({ ':status': told[':status'], 'content-type': told['content-type'] }, { waitForTrailers: true }));
      onward.on('trailers', (told) => { trailers = told; });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': trailers?.['grpc-status'] ?? '2' }));
      stream.pipe(onward).pipe(stream);
    });
    this.byGrpc.listen(0, '127.0.0.1');
    await Promise.all([this.byHttp, this.byGrpc].map((server) => server.listening || once(server, 'listening')));
    return this;
  }

  address(protocol) {
    return `http://127.0.0.1:${(protocol === 'grpc' ? this.byGrpc : this.byHttp).address().port}`;
  }

  /** The spans of a run, when its own has come. */
  of(runId) {
    return eventually(`the spans of ${runId}`, async () => {
      const all = this.spans.filter((span) => span.is['run.id'] === runId);
      return all.some((span) => span.name === 'workflow.run') && all;
    });
  }

  end() {
    this.behind?.destroy();
    this.byHttp?.close();
    this.byGrpc?.close();
    this.agent?.kill('SIGKILL');
    this.reader?.stdin.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Every call of the run is a span below that of the run, and says what it was. */
function complete(run, spans) {
  const [root, ...more] = spans.filter((span) => span.name === 'workflow.run');
  assert.equal(more.length, 0, 'one span of the run');
  assert.deepEqual([root.is.status, root.service, root.ended], [run.status, 'signalbox', true]);
  const calls = spans.filter((span) => span.name === 'node.execute');
  const began = Object.entries(run.steps).filter(([, step]) => !['PENDING', 'SKIPPED'].includes(step.state)).map(([id]) => id);
  assert.deepEqual([...new Set(calls.map((span) => span.is['node.id']))].sort(), began.sort());
  for (const span of spans) {
    assert.equal(span.trace, root.trace);
    assert.ok(span.ended, JSON.stringify(span));
  }
  for (const { parent, is, failed } of calls) {
    assert.equal(parent, root.id);
    for (const name of ['node.type', 'tenant.id', 'nodeId', 'nodeType', 'status']) assert.ok(typeof is[name] === 'string' && is[name], `${name}: ${JSON.stringify(is)}`);
    assert.equal(failed, is.status === 'error');
  }
  return calls;
}

async function traces(report, bin) {
  const [place, collector] = [new Signalbox(), await new Collector().start(bin)];
  const settings = (text) => assert.equal(spawnSync(join(bin, 'python'), [SCRIPT, 'settings', join(place.folder, 'data/signalbox.db'), JSON.stringify(text)], { stdio: 'inherit' }).status, 0);
  try {
    await place.run('secret', 'choose', 'file');
    const kept = await place.told(`${KEY}\n`, 'secret', 'set', 'collector', '--kind', 'header', '--field', HEADER, '--host', '127.0.0.1');
    assert.equal(kept.code, 0, JSON.stringify(kept.json) + kept.err);
    for (const protocol of ['http', 'grpc']) {
      await report(`Telemetry: the spans of the samples by ${protocol}, with the header of a secret`, async () => {
        settings({ on: true, endpoint: collector.address(protocol), grpc: protocol === 'grpc', credential: 'collector' });
        const tried = await place.run('telemetry', '--test');
        assert.equal(tried.code, 0, JSON.stringify(tried.json) + tried.err);
        let [failed, many] = [0, 0];
        for (const id of SAMPLES) {
          const run = (await place.run('run', sample(id))).json;
          const calls = complete(run, await collector.of(run.runId));
          failed += calls.filter((span) => span.failed).length;
          many += calls.filter((span) => span.is.attempt > 0 || span.is.path).length;
        }
        assert.ok(failed > 2 && many > 2, `${failed} failed calls, ${many} repeated or in a loop`);
        assert.equal(collector.refused, 0);
      });
    }
    await report('Telemetry: a collector that refuses or is gone holds no run up, and is told', async () => {
      settings({ on: true, endpoint: collector.address('http'), grpc: false });
      const before = collector.refused;
      const run = (await place.run('run', sample(SAMPLES[0]))).json;
      assert.equal(run.status, 'completed');
      const tried = await place.run('telemetry', '--test');
      assert.ok(tried.code === 1 && collector.refused > before, JSON.stringify(tried.json));
      settings({ on: true, endpoint: `http://127.0.0.1:${await freePort()}`, grpc: true });
      assert.equal((await place.run('run', sample(SAMPLES[0]))).json.status, 'completed');
    });
  } finally {
    collector.end();
    place.end();
  }
}

async function prometheus(report) {
  const [place, port] = [new Signalbox(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-prometheus-'));
  const serving = place.watch('serve', '--addr', '127.0.0.1:0', '--token-file', place.file('tokens', 'builder peers-builder-0123456789 peer\nviewer peers-viewer-0123456789 peer\n', 0o600));
  await serving.until((line) => line.url);
  const { url } = serving.lines.find((line) => line.url);
  writeFileSync(join(folder, 'prometheus.yml'), `global: { scrape_interval: 1s }
scrape_configs:
  - job_name: signalbox
    authorization: { credentials: peers-viewer-0123456789 }
    static_configs: [{ targets: ['${new URL(url).host}'] }]
`);
  const server = spawn('prometheus', [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'], { stdio: ['ignore', 'inherit', 'inherit'] });
  server.on('error', () => console.log('Prometheus is missing: apt-get install prometheus'));
  const values = async (query) => {
    const told = await (await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`)).json();
    return told.data.result.map(({ metric, value }) => [metric, Number(value[1])]);
  };
  try {
    await report('Metrics: Prometheus reads them, with the labels and values of two runs (TS-165)', async () => {
      const set = { type: 'data.set', config: { assign: { a: 1 } } };
      const fail = { type: 'flow.fail', config: { error: { message: 'None is left' } } };
      for (const nodes of [{ set }, { set, fail }]) {
        const document = { signalbox: 1, id: 'flow', name: 'flow', nodes, edges: nodes.fail ? [{ from: 'set.success', to: 'fail' }] : [] };
        const told = await fetch(`${url}/rpc/run_start`, { method: 'POST', headers: { authorization: 'Bearer peers-builder-0123456789', 'content-type': 'application/json' }, body: JSON.stringify({ document, params: {} }) });
        assert.ok(told.ok, await told.text());
      }
      const number = async (query) => (await values(query))[0]?.[1];
      await eventually('both runs are counted', async () => await number('sum(agent_runs_completed_total)') === 2 && await number('agent_runs_inflight') === 0);
      assert.deepEqual(await values('up'), [[{ __name__: 'up', instance: new URL(url).host, job: 'signalbox' }, 1]]);
      for (const [query, value] of [
        ['agent_runs_started_total', 2], ['agent_runs_completed_total{status="completed"}', 1], ['agent_runs_completed_total{status="failed"}', 1],
        ['agent_node_executions_total{nodeType="data.set",status="ok"}', 2], ['agent_node_executions_total{nodeType="flow.fail",status="error"}', 1],
        ['agent_node_duration_seconds_count{nodeType="data.set"}', 2], ['agent_items_queue_length', 0],
      ]) assert.equal(await number(query), value, query);
      assert.ok(await number('histogram_quantile(0.5, agent_node_duration_seconds_bucket{nodeType="data.set"})') > 0);
    });
  } finally {
    server.kill('SIGKILL');
    serving.kill();
    await serving.ended;
    place.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function telemetry(report) {
  await traces(report, programs('telemetry'));
  await prometheus(report);
}

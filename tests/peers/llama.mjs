// The real server of llama.cpp with a tiny model of random numbers (llama.py), as a provider of the real program: what comes back
// means nothing, so what is checked is that it comes, in pieces, in its form, and ends. Run only when it is named: it needs Python packages.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import assert from 'node:assert/strict';
import { Signalbox } from './signalbox.mjs';

const PYTHON = process.env.SIGNALBOX_TEST_PYTHON ?? 'python3';

async function started() {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-llama-'));
  const child = spawn(PYTHON, [join(import.meta.dirname, 'llama.py'), folder], { stdio: ['pipe', 'pipe', 'pipe'] });
  let words = '';
  child.stderr.on('data', (text) => { words = `${words}${text}`.slice(-4_000); });
  const failed = new Promise((_, fail) => {
    child.once('error', (error) => fail(new Error(`${PYTHON} did not start: ${error.message}. Name a Python in SIGNALBOX_TEST_PYTHON.`)));
    child.once('close', (code) => fail(new Error(`The server of llama.cpp ended with ${code}:\n${words}`)));
  });
  failed.catch(() => undefined);
  const [address] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), failed]);
  return { address, end: () => { child.stdin.end(); child.kill(); rmSync(folder, { recursive: true, force: true }); } };
}

/** Passes on to the server, and cuts the connection after so many bytes of an answer. */
async function cutting(address, after) {
  const { hostname, port } = new URL(address);
  const sockets = new Set();
  const host = createServer((near) => {
    const far = connect(Number(port), hostname);
    let passed = 0;
    for (const one of [near, far]) { sockets.add(one); one.on('error', () => undefined); one.on('close', () => { near.destroy(); far.destroy(); }); }
    near.pipe(far);
    far.on('data', (bytes) => { passed += bytes.length; near.write(bytes); if (passed > after) near.destroy(); });
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  return { address: `http://127.0.0.1:${host.address().port}`, end: () => { host.close(); for (const one of sockets) one.destroy(); } };
}

const flow = (config, kind = 'llm.chat', more = {}) => ({
  signalbox: 1, id: 'llama', name: 'Llama', settings: { errorPolicy: 'fail' },
  nodes: { start: { type: 'trigger.manual' }, ask: { type: kind, config: { provider: 'llama', model: 'tiny', ...config }, ...more } },
  edges: [{ from: 'start.success', to: 'ask' }], layout: {},
});

const SCHEMA = { type: 'object', additionalProperties: false, required: ['product', 'amount'], properties: { product: { enum: ['lamp', 'chair'] }, amount: { type: 'integer', minimum: 1, maximum: 9 } } };

/** Runs a flow; its summary, its events, and those of one kind. */
async function runs(place, document) {
  const summary = (await place.run('run', place.file('llama.signalbox.json', document))).json;
  const { lines } = await place.run('runs', 'events', summary.runId);
  const events = lines.length === 1 && Array.isArray(lines[0]) ? lines[0] : lines;
  return { summary, of: (type) => events.filter((one) => one.type === type) };
}

const CASES = {
  async 'its models are listed'(place) {
    const { json } = await place.run('models', 'test', 'llama');
    assert.equal(json.ok, true, JSON.stringify(json));
    assert.deepEqual(json.models, ['tiny']);
  },
  async 'an answer comes in pieces, with its tokens'(place) {
    const { summary, of } = await runs(place, flow({ prompt: 'Hi', maxTokens: 24 }));
    assert.equal(summary.status, 'completed', JSON.stringify(summary.error));
    assert.ok(of('llm_token').length > 1, 'in pieces');
    const [done] = of('llm_done');
    assert.ok(done.payload.usage.input_tokens > 0 && done.payload.usage.output_tokens > 0 && !done.payload.usage.estimated, JSON.stringify(done));
    assert.equal(of('llm_token').map((one) => one.payload.delta).join(''), summary.output[0]);
  },
  async 'the same at once'(place) {
    const { summary } = await runs(place, flow({ prompt: 'Hi', maxTokens: 12, stream: false }));
    assert.equal(summary.status, 'completed', JSON.stringify(summary.error));
    assert.equal(typeof summary.output[0], 'string');
  },
  async 'JSON by schema: its grammar lets nothing else through'(place) {
    for (const stream of [true, false]) {
      const { summary, of } = await runs(place, flow({ prompt: 'What and how many?', maxTokens: 200, maxReasks: 0, stream, output: { type: 'json_schema', schema: SCHEMA } }));
      assert.equal(summary.status, 'completed', JSON.stringify(summary.error));
      const [{ product, amount }] = summary.output;
      assert.ok(['lamp', 'chair'].includes(product) && amount >= 1 && amount <= 9, JSON.stringify(summary.output));
      assert.equal(of('llm_done')[0].payload.finish_reason, 'stop');
    }
  },
  async 'tools are offered, and what it asks for is called or refused by its schema'(place) {
    const { summary, of } = await runs(place, flow({ prompt: 'Say something.', maxTokens: 80, maxTurns: 2, tools: ['own/echo'] }));
    // A model of random numbers says words or asks for a tool, as it falls: neither breaks the step. Where the server says that the
    // model's template has no place for tools, it is not asked.
    const code = summary.error?.details?.code;
    assert.ok(summary.status === 'completed' || ['TOOLS_UNSUPPORTED', 'MAX_TURNS', 'TRUNCATED', 'BAD_ANSWER'].includes(code), JSON.stringify(summary.error));
    // Each that is asked for is answered, by its tool or by why it was not called.
    if (code !== 'MAX_TURNS') assert.equal(of('llm_tool_use').length, of('llm_tool_result').length);
  },
  async 'an agent by source 002 gets a result of its contract'(place) {
    const agent = flow({ prompt: 'What and how many?', maxTokens: 400, transitions: ['tell', 'give_up'], maxReasks: 2 }, 'agent.task', { writes: ['product'] });
    agent.context = { schema: { type: 'object', properties: { product: { enum: ['lamp', 'chair'] } } } };
    agent.nodes.tell = { type: 'flow.noop' };
    agent.nodes.none = { type: 'flow.noop' };
    agent.edges.push({ from: 'ask.tell', to: 'tell' }, { from: 'ask.give_up', to: 'none' });
    const { summary } = await runs(place, agent);
    assert.equal(summary.status, 'completed', JSON.stringify(summary.error));
    assert.ok(['lamp', 'chair'].includes(summary.output[0].product), JSON.stringify(summary.output));
  },
  async 'a question that is longer than it reads is told as that'(place) {
    const { summary } = await runs(place, flow({ prompt: 'x '.repeat(20_000), maxTokens: 8 }));
    assert.equal(summary.error?.details?.code, 'CONTEXT_LENGTH', JSON.stringify(summary.error));
  },
  async 'a picture is refused in its words'(place) {
    const picture = place.file('a.png', '');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(picture, Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'));
    const file = place.file('llama.signalbox.json', flow({ prompt: 'What is this?', maxTokens: 8, images: [picture] }));
    const summary = (await place.run('run', file, '--allow-dir', place.folder)).json;
    assert.equal(summary.error?.details?.code, 'IMAGES_UNSUPPORTED', JSON.stringify(summary.error));
  },
};

/** Reports each case. */
export async function llama(report) {
  let server;
  await report('llama.cpp: it starts', async () => { server = await started(); });
  if (!server) return;
  const place = new Signalbox();
  const provide = async (address) => { assert.equal((await place.run('models', 'set', 'llama', '--kind', 'openai', '--url', `${address}/v1`)).code, 0); };
  try {
    await provide(server.address);
    await place.server('own', '--', process.execPath, join(import.meta.dirname, '../mcp/server.mjs'));
    for (const [name, one] of Object.entries(CASES)) await report(`llama.cpp: ${name}`, () => one(place));
    await report('llama.cpp: a stream that is cut is a broken connection, not an answer', async () => {
      const cut = await cutting(server.address, 800);
      try {
        await provide(cut.address);
        const { summary, of } = await runs(place, flow({ prompt: 'Hi', maxTokens: 400 }));
        assert.equal(summary.status, 'failed');
        assert.equal(summary.error?.details?.code, 'CONNECTION', JSON.stringify(summary.error));
        assert.ok(of('llm_token').length > 0, 'pieces came before');
      } finally {
        cut.end();
      }
    });
  } finally {
    server.end();
    place.end();
  }
}

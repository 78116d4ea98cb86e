// Active workflows as tools: the conformance suite's scenarios for servers, as far as they apply to any server, against `/mcp` of
// the real program; and a client of the protocol's own SDK over standard input and output.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { SUITE, nodeForSuite } from './conformance.mjs';
import { BINARY, Signalbox } from './signalbox.mjs';

const offered = (id, name, nodes, params, start = {}) => ({
  signalbox: 1, id, name, description: `${name} for the suite.`, ...(params ? { params } : {}), settings: { errorPolicy: 'fail' },
  nodes: { start: { type: 'trigger.manual', config: { offerAsTool: true, ...start } }, ...nodes },
  edges: ['start', ...Object.keys(nodes)].slice(0, -1).map((from, index) => ({ from: `${from}.success`, to: Object.keys(nodes)[index] })),
});
const set = (assign) => ({ type: 'data.set', config: { assign, keep: false } });

/** The schema that the suite looks for. */
const SCHEMA_2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object',
  $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } }, additionalProperties: false,
};

/** Workflows with the names of the tools that the scenarios call. */
const WORKFLOWS = [
  offered('test_simple_text', 'Simple text', { say: set({ text: 'This is a simple text response for testing.' }) }),
  offered('test_error_handling', 'An error', { fail: { type: 'flow.fail', config: { error: { message: 'This tool intentionally returns an error for testing' } } } }),
  offered('test_tool_with_progress', 'Progress', { one: set({ one: 1 }), two: set({ two: 2 }), three: set({ three: 3 }) }),
  offered('json_schema_2020_12_tool', 'Schema', { say: set({ ok: true }) }, SCHEMA_2020),
  offered('ask_a_person', 'Asks', { ask: { type: 'builtin.human_approval', config: { title: 'May it?' } } }),
];

const SCENARIOS = [
  'server-initialize', 'ping', 'tools-list', 'tools-call-simple-text', 'tools-call-error', 'tools-call-with-progress',
  'json-schema-2020-12', 'server-sse-multiple-streams', 'dns-rebinding-protection',
];

/** The suite sends no token: this puts one in, and the name of the server where the suite names this address. */
async function withToken(url, token) {
  const to = new URL(url);
  const server = createServer((asked, answer) => {
    const own = `127.0.0.1:${server.address().port}`;
    const name = (text) => text?.replace(`localhost:${server.address().port}`, to.host).replace(own, to.host);
    const headers = { ...asked.headers, host: name(asked.headers.host), authorization: `Bearer ${token}` };
    if (headers.origin) headers.origin = name(headers.origin);
    const on = request({ host: to.hostname, port: to.port, path: asked.url, method: asked.method, headers }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    on.on('error', () => answer.destroy());
    answer.on('close', () => on.destroy());
    asked.pipe(on);
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, close: () => { server.closeAllConnections(); server.close(); } };
}

async function activated() {
  const place = new Signalbox();
  for (const workflow of WORKFLOWS) {
    const file = place.file(`${workflow.id}.signalbox.json`, workflow);
    const done = await place.run('activate', file);
    assert.equal(done.code, 0, JSON.stringify(done.json));
  }
  return place;
}

export async function mcpServer(report) {
  const node = nodeForSuite();
  const place = await activated();
  try {
    await report('mcp server: a client of the SDK over standard input and output', () => overStdio(place));
    const serving = place.watch('serve', '--addr', '127.0.0.1:0');
    await serving.until((line) => line.url);
    const { url, tokenFile } = serving.lines.find((line) => line.url);
    const proxy = await withToken(url, readFileSync(tokenFile, 'utf8').trim().split(/\s+/).at(-1));
    try {
      for (const name of SCENARIOS) {
        await report(`conformance of the server: ${name}`, async () => {
          const done = await new Promise((ended) => {
            execFile(node, [SUITE, 'server', '--url', proxy.url, '--scenario', name], { cwd: place.folder, maxBuffer: 1 << 26 }, (error, out, err) => ended({ code: error ? error.code : 0, said: `${out}\n${err}` }));
          });
          assert.equal(done.code, 0, done.said);
        });
      }
    } finally {
      proxy.close();
      serving.kill();
      await serving.ended;
    }
  } finally {
    place.end();
  }
}

async function overStdio(place) {
  const client = new Client({ name: 'peer', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: BINARY, args: ['mcp'], env: place.env, stderr: 'inherit' }));
  try {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name).sort(), WORKFLOWS.map((workflow) => workflow.id).sort());
    const said = await client.callTool({ name: 'test_simple_text', arguments: {} });
    assert.deepEqual([said.isError, said.structuredContent], [false, { text: 'This is a simple text response for testing.' }]);
    const failed = await client.callTool({ name: 'test_error_handling', arguments: {} });
    assert.equal(failed.isError, true);
    assert.match(failed.content[0].text, /intentionally returns an error/);
    const unfit = await client.callTool({ name: 'json_schema_2020_12_tool', arguments: { surprise: 1 } });
    assert.equal(unfit.isError, true);
    const waits = await client.callTool({ name: 'ask_a_person', arguments: {} });
    assert.equal(waits.structuredContent.status, 'waiting');
    await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), /no_such_tool/);
  } finally {
    await client.close();
  }
}

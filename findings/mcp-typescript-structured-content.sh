#!/usr/bin/env bash
# The TypeScript client of MCP judges a result by whether the tools were listed before.
# Guess: the same call of the same tool is answered the same way at any time.
# Instead: once `listTools` was called, a result without `structuredContent` of a tool with an output schema
# throws; before that it is handed out.
# It matters: a flow that works when it calls a known tool directly fails after somebody adds a step that shows
# the list.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund '@modelcontextprotocol/sdk@1.32.2'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

console.log('@modelcontextprotocol/sdk', JSON.parse(readFileSync('node_modules/@modelcontextprotocol/sdk/package.json')).version);
const server = new Server({ name: 'server', version: '1' }, { capabilities: { tools: {} } });
const outputSchema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] };
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [{ name: 'sum', inputSchema: { type: 'object' }, outputSchema }] }));
server.setRequestHandler(CallToolRequestSchema, async () => ({ content: [{ type: 'text', text: '{"total":1}' }] }));
const client = new Client({ name: 'client', version: '1' });
const [near, far] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(far), client.connect(near)]);
async function call(when) {
  const found = await client.callTool({ name: 'sum', arguments: {} }).then((result) => result.content[0].text, (error) => error.message);
  console.log(`${when}:`, found);
  return found;
}
assert.equal(await call('before listTools'), '{"total":1}');
await client.listTools();
assert.match(await call('after listTools'), /did not return structured content/);
END
node main.mjs

#!/usr/bin/env bash
# The TypeScript server of MCP sends structured content that the TypeScript client refuses.
# Guess: server and client of one SDK check a result by the same schema and agree.
# Instead: the server's own check lets a field through that the schema does not name and sends it; the schema
# that it publishes forbids further fields (`additionalProperties: false`), so the client throws.
# It matters: a tool fails at its callers as soon as its source has one column more, while its own tests pass.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund '@modelcontextprotocol/sdk@1.32.2' 'zod@4.6.7'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

console.log('@modelcontextprotocol/sdk', JSON.parse(readFileSync('node_modules/@modelcontextprotocol/sdk/package.json')).version);
const server = new McpServer({ name: 'server', version: '1' });
server.registerTool('row', { outputSchema: { id: z.number() } }, async () => ({ content: [], structuredContent: { id: 1, added: 'later' } }));
const client = new Client({ name: 'client', version: '1' });
const [near, far] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(far), client.connect(near)]);
const sent = await client.callTool({ name: 'row', arguments: {} });
console.log('the server sends:', JSON.stringify(sent));
assert.deepEqual(sent.structuredContent, { id: 1, added: 'later' });
const { tools } = await client.listTools();
console.log('it publishes:', JSON.stringify(tools[0].outputSchema));
assert.equal(tools[0].outputSchema.additionalProperties, false);
const told = await client.callTool({ name: 'row', arguments: {} }).then(() => 'taken', (error) => error.message);
console.log('the client, once it knows that:', told);
assert.match(told, /additional properties/);
END
node main.mjs

#!/usr/bin/env bash
# n8n's expressions give undefined where JavaScript throws.
# Guess: an expression that reads a field of a missing object, or calls a method that a value does not have, fails its step,
# as the same code does in JavaScript and in a code node.
# Instead: both give undefined without an error; in a text around it, that becomes nothing at all.
# It matters: a misspelt field writes an empty value under a green tick, and an importer that keeps the error changes what
# the workflow does.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts 'n8n-workflow@2.41.0'
cat >main.cjs <<'END'
const assert = require('node:assert/strict');
const { readFileSync } = require('node:fs');
const { Workflow } = require('n8n-workflow');

console.log('n8n-workflow', JSON.parse(readFileSync('node_modules/n8n-workflow/package.json')).version);
const description = { displayName: 't', name: 't', group: [], version: 1, inputs: ['main'], outputs: ['main'], properties: [] };
const nodeTypes = { getByName: () => ({ description }), getByNameAndVersion: () => ({ description }), getKnownTypes: () => ({}) };
const node = { id: 'A', name: 'A', typeVersion: 1, type: 'test.set', position: [0, 0], parameters: {} };
const workflow = new Workflow({ id: 'w', name: 'w', nodes: [node], connections: {}, active: false, nodeTypes });
const items = [{ json: { name: 'Ada' } }];
const value = (text) => workflow.expression.getParameterValue(text, null, 0, 0, 'A', items, 'manual', {}, { data: { main: [items] }, node, source: { main: [] } });

(async () => {
  const seen = {};
  for (const text of ['={{ $json.name.toUpperCase() }}', '={{ $json.customer.address.city }}', '={{ $json.name.shout() }}', '=City: {{ $json.customer.address.city }}.']) seen[text] = await value(text);
  console.log(seen);
  assert.deepEqual(Object.values(seen), ['ADA', undefined, undefined, 'City: .']);
  assert.throws(() => items[0].json.customer.address.city, TypeError);
})();
END
node main.cjs

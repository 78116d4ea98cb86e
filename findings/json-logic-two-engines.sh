#!/usr/bin/env bash
# Two JavaScript engines for JsonLogic answer the same rules differently.
# Guess: a rule has one meaning: that is why it is kept as JSON.
# Instead: an empty text is "missing" in json-logic-js and there in json-logic-engine; an empty object is true
# in one and false in the other; `{"==": [null, 0]}` is false in one and true in the other.
# It matters: a rule that was tried in the browser lets through on the server what it stopped before.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'json-logic-js@2.0.5' 'json-logic-engine@5.0.7'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import jsonLogic from 'json-logic-js';
import { LogicEngine } from 'json-logic-engine';

console.log('json-logic-js', JSON.parse(readFileSync('node_modules/json-logic-js/package.json')).version);
console.log('json-logic-engine', JSON.parse(readFileSync('node_modules/json-logic-engine/package.json')).version);
const engine = new LogicEngine();
function both(rule, data) {
  const found = [jsonLogic.apply(rule, data), engine.run(rule, data)];
  console.log(JSON.stringify(rule), JSON.stringify(data), { 'json-logic-js': found[0], 'json-logic-engine': found[1] });
  return found;
}
assert.deepEqual(both({ missing: ['name'] }, { name: '' }), [['name'], []]);
assert.deepEqual(both({ if: [{ var: 'row' }, 'yes', 'no'] }, { row: {} }), ['yes', 'no']);
assert.deepEqual(both({ '==': [{ var: 'count' }, 0] }, { count: null }), [false, true]);
assert.deepEqual(both({ if: [{ var: 'rows' }, 'yes', 'no'] }, { rows: [] }), ['no', 'no']);
END
node main.mjs

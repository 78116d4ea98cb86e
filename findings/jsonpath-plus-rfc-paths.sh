#!/usr/bin/env bash
# jsonpath-plus answers paths of RFC 9535 with nothing, and compares loosely.
# Guess: `$.x[-1]` is the last entry, `$[?@.a == 1]` filters as `$[?(@.a == 1)]` does, and "1" is not 1.
# Instead: the first two find nothing and raise nothing; the filter with parentheses takes "1" for 1, and
# `$.x.length` is a number that the data does not hold.
# It matters: a path that works elsewhere takes the branch for "nothing found".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'jsonpath-plus@10.4.0'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { JSONPath } from 'jsonpath-plus';

console.log('jsonpath-plus', JSON.parse(readFileSync('node_modules/jsonpath-plus/package.json')).version);
function find(path, json) {
  const found = JSONPath({ path, json });
  console.log(path, JSON.stringify(json), '->', JSON.stringify(found));
  return found;
}
assert.deepEqual(find('$.x[-1]', { x: [1, 2] }), []);
assert.deepEqual(find('$.x[-1:]', { x: [1, 2] }), [2]);
assert.deepEqual(find('$[?@.a == 1]', [{ a: 1 }]), []);
assert.deepEqual(find('$[?(@.a == 1)]', [{ a: '1' }, { a: 1 }]), [{ a: '1' }, { a: 1 }]);
assert.deepEqual(find('$.x.length', { x: [1, 2] }), [2]);
END
node main.mjs

#!/usr/bin/env bash
# cel-js calculates with JavaScript numbers, and its `||` and `&&` do not absorb errors.
# Guess: `7 / 2` of two ints is 3, ints have 64 bits, and `(1/0 > 0) || true` is true, because the other side
# decides.
# Instead: `7 / 2` is 3.5, neighbours above 2^53 are equal, `1 + 1.0` (no overload in CEL) is 2, and the error
# wins even when the first side is already true.
# It matters: counts of pages or batches come out with a fraction, large ids are mixed up, and guards such as `n
# == 0 || total / n > 5` fail.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'cel-js@0.8.2'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { evaluate } from 'cel-js';

console.log('cel-js', JSON.parse(readFileSync('node_modules/cel-js/package.json')).version);
function value(text) {
  let result;
  try { result = evaluate(text); } catch (error) { result = `error: ${error.message}`; }
  console.log(text.padEnd(40), '->', result);
  return result;
}
assert.equal(value('7 / 2'), 3.5);
assert.equal(value('9007199254740993 == 9007199254740992'), true);
assert.equal(value('1 + 1.0'), 2);
assert.match(String(value('(1 / 0 > 0) || true')), /^error/);
assert.match(String(value('true || (1 / 0 > 0)')), /^error/);
END
node main.mjs

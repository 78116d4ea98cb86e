#!/usr/bin/env bash
# feelin calculates FEEL with binary numbers.
# Guess: `0.1 + 0.2 = 0.3` is true: FEEL has decimal numbers of 34 digits, because its rules are about money.
# Instead: it is false, and integers above 2^53 are equal to their neighbours.
# It matters: a decision table chooses another row than a DMN engine on the Java side.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'feelin@8.2.0'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { evaluate } from 'feelin';

console.log('feelin', JSON.parse(readFileSync('node_modules/feelin/package.json')).version);
function value(text) {
  const { value: found } = evaluate(text, {});
  console.log(text, '->', found);
  return found;
}
assert.equal(value('0.1 + 0.2 = 0.3'), false);
assert.equal(value('1.1 * 3 = 3.3'), false);
assert.equal(value('10000000000000000001 = 10000000000000000000'), true);
assert.equal(value('0.5 + 0.25 = 0.75'), true);
END
node main.mjs

#!/usr/bin/env bash
# parse-duration gives a number for texts that it does not understand.
# Guess: `1,5h` is an hour and a half or nothing, `1:30` is 90 seconds or minutes or nothing, `2-3 hours` is
# nothing.
# Instead: commas are dropped, so `1,5h` is 15 hours; what has no unit is milliseconds, so `1:30` is 1.03 ms and
# `2-3 hours` is three hours and 2 ms.
# It matters: a wait or a timeout that a person typed is ten times or a million times off.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'parse-duration@2.1.9'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import parseDuration from 'parse-duration';

console.log('parse-duration', JSON.parse(readFileSync('node_modules/parse-duration/package.json')).version);
const parse = parseDuration.default ?? parseDuration;
function milliseconds(text) {
  const found = parse(text);
  console.log(JSON.stringify(text), '->', found, 'ms');
  return found;
}
assert.equal(milliseconds('1.5h'), 5_400_000);
assert.equal(milliseconds('1,5h'), 54_000_000);
assert.equal(milliseconds('1:30'), 1.03);
assert.equal(milliseconds('2-3 hours'), 10_800_002);
END
node main.mjs

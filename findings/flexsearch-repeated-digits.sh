#!/usr/bin/env bash
# FlexSearch takes 1, 11 and 1111 for the same term.
# Guess: a search for 11 finds the document with 11, and numbers are compared digit by digit.
# Instead: the encoder that is used when none is chosen drops repeated characters, digits as letters; with
# `encoder: "Exact"` they stay apart.
# It matters: order 1111 is found as order 1, and the first hit may be somebody else's.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'flexsearch@0.8.212'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import flexsearch from 'flexsearch';

console.log('flexsearch', JSON.parse(readFileSync('node_modules/flexsearch/package.json')).version);
const { Index, Charset } = flexsearch;
function search(options, ...words) {
  const index = new Index(options);
  for (const [id, text] of Object.entries({ 1: 'order 1111', 2: 'order 11', 3: 'order 1', 4: 'order 2' })) index.add(Number(id), text);
  return words.map((word) => { const found = index.search(word); console.log(word, '->', found); return found; });
}
assert.deepEqual(search({}, '1111', '11', '1', '2'), [[1, 2, 3], [1, 2, 3], [1, 2, 3], [4]]);
assert.deepEqual(search({ encoder: Charset.Exact }, '1111', '11', '1'), [[1], [2], [3]]);
END
node main.mjs

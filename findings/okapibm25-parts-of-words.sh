#!/usr/bin/env bash
# okapibm25 counts a query word as a regular expression anywhere in the text.
# Guess: BM25 compares words: `lamp` does not stand in "lampshade", and `c++` is a word like others.
# Instead: `lampshade` scores exactly as `lamp` does, `Lamp` does not score, `a.b` finds `axb`, and `c++`
# throws.
# It matters: ranking by words is a ranking by pieces of words, and a search for "C++" or "(EU)" fails.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'okapibm25@1.4.1'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import okapibm25 from 'okapibm25';

console.log('okapibm25', JSON.parse(readFileSync('node_modules/okapibm25/package.json')).version);
const bm25 = okapibm25.default ?? okapibm25;
function scores(documents, word) {
  const found = bm25(documents, [word]);
  console.log(documents, word, '->', found);
  return found;
}
const [word, other, part] = scores(['red lamp', 'blue chair', 'lampshade green'], 'lamp');
assert.ok(word > 0 && other === 0 && part === word);
assert.deepEqual(scores(['Red Lamp', 'blue chair'], 'lamp'), [0, 0]);
assert.ok(scores(['axb here', 'c here', 'd here'], 'a.b')[0] > 0);
assert.throws(() => {
  try { bm25(['c++ code', 'java code'], ['c++']); } catch (error) { console.log('c++ ->', error.message); throw error; }
}, SyntaxError);
END
node main.mjs

#!/usr/bin/env bash
# Two tokenisers throw when the text to be counted names a special token.
# Guess: counting the tokens of a text of a user works for every text.
# Instead: a text with `<|endoftext|>` in it throws, in `countTokens` and in `isWithinTokenLimit` too, unless an
# option allows or ignores special tokens.
# It matters: a document about language models stops the flow that only wanted to know its length.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'gpt-tokenizer@4.0.0' 'js-tiktoken@1.0.21'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { countTokens, isWithinTokenLimit } from 'gpt-tokenizer';
import { getEncoding } from 'js-tiktoken';

console.log('gpt-tokenizer', JSON.parse(readFileSync('node_modules/gpt-tokenizer/package.json')).version);
console.log('js-tiktoken', JSON.parse(readFileSync('node_modules/js-tiktoken/package.json')).version);
const encoding = getEncoding('cl100k_base');
const ways = {
  'gpt-tokenizer countTokens': countTokens,
  'gpt-tokenizer isWithinTokenLimit': (text) => isWithinTokenLimit(text, 100),
  'js-tiktoken encode': (text) => encoding.encode(text).length,
};
for (const [name, count] of Object.entries(ways)) {
  console.log(name, 'of "the end":', count('the end'));
  assert.throws(() => {
    try { count('the mark <|endoftext|> ends a text'); } catch (error) { console.log(name, 'of a text with the mark:', error.message); throw error; }
  });
}
END
node main.mjs

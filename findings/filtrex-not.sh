#!/usr/bin/env bash
# `not` of filtrex belongs to the next value, not to the comparison.
# Guess: `not 1 == 2` is true: `not` binds weaker than a comparison where it is a word, as in Python and SQL.
# Instead: it is an error, because `not 1` is read first; `not (1 == 2)` is true.
# It matters: conditions of other languages fail only when they run, with a message about the type of the number.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > init.log
npm install --silent --no-audit --no-fund 'filtrex@3.1.0'
node - <<'END'
const assert = require('node:assert/strict');
const { compileExpression } = require('filtrex');

const give = (text) => {
  const result = compileExpression(text)({});
  return result instanceof Error ? `error: ${result.message}` : result;
};
console.log(`filtrex ${require('filtrex/package.json').version}`);
for (const text of ['not 1 == 2', 'not (1 == 2)']) console.log(`${text}: ${give(text)}`);
assert.match(String(give('not 1 == 2')), /^error/);
assert.equal(give('not (1 == 2)'), true);
END

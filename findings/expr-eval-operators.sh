#!/usr/bin/env bash
# In expr-eval `||` joins texts and `!` is the factorial.
# Guess: `||` is "or" and a leading `!` is "not", in a JavaScript library for expressions that users write; `&&`
# is not known either, so one would hear of it.
# Instead: `true || false` is the text "truefalse", so a condition with `||` holds whatever its sides are; `!a`
# of 3 is 6. `or` and `not` are the operators. Only `&&` is refused.
# It matters: a branch that should be rare is always taken.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'expr-eval@2.0.2'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import exprEval from 'expr-eval';

console.log('expr-eval', JSON.parse(readFileSync('node_modules/expr-eval/package.json')).version);
const { Parser } = exprEval;
function value(text, names = {}) {
  const found = Parser.evaluate(text, names);
  console.log(text, JSON.stringify(names), '->', JSON.stringify(found));
  return found;
}
assert.equal(value('true || false'), 'truefalse');
assert.equal(value('(x > 5) || (y > 5) ? "alarm" : "fine"', { x: 1, y: 1 }), 'alarm');
assert.equal(value('(x > 5) or (y > 5) ? "alarm" : "fine"', { x: 1, y: 1 }), 'fine');
assert.equal(value('!a', { a: 3 }), 6);
assert.equal(value('not a', { a: 3 }), false);
assert.throws(() => Parser.evaluate('a && b', { a: 1, b: 1 }), /parse error/);
END
node main.mjs

#!/usr/bin/env bash
# adaptive-expressions drops the remainder of a division when both numbers happen to be whole.
# Guess: `total / count` of 5 and 2 is 2.5: the values come from JSON, which has one kind of number; or it is 2 for every total.
# Instead: it is 2, and 2.75 for a total of 5.5; `5.0 / 2` is 2 as well, since the literal is a whole number too, and -5 / 2 is -3.
# It matters: averages, prices for a unit and shares in messages and cards are right or wrong by the data of the day.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'adaptive-expressions@4.23.3'
cat >divide.cjs <<'END'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const { Expression } = require("adaptive-expressions");

console.log("adaptive-expressions", JSON.parse(readFileSync("node_modules/adaptive-expressions/package.json", "utf8")).version);
for (const [text, data, expected] of [
  ["total / count", { total: 5, count: 2 }, 2],
  ["total / count", { total: 5.5, count: 2 }, 2.75],
  ["5.0 / 2", {}, 2],
  ["total / count", { total: -5, count: 2 }, -3],
]) {
  const { value, error } = Expression.parse(text).tryEvaluate(data);
  console.log(`${text} with ${JSON.stringify(data)}: ${value}`);
  assert.strictEqual(error, undefined);
  assert.strictEqual(value, expected);
}
END
node divide.cjs

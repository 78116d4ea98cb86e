#!/usr/bin/env bash
# fast-fuzzy takes 1.5 mg and 15 mg for the same text.
# Guess: a score of 1 means that two texts are the same but for capital letters; C# is found less well than C++ when one looks for C++.
# Instead: everything that is neither letter nor digit is dropped before texts are compared, so that C++ and C#, +5 and -5, $ and € score 1, and what
# is looked for may come second. `ignoreSymbols: false` turns it off.
# It matters: a list of articles or doses is matched with the wrong entry, and the score says that there is no doubt.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'fast-fuzzy@1.12.0'
cat >main.cjs <<'END'
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { fuzzy, search } = require("fast-fuzzy");

console.log("fast-fuzzy", JSON.parse(readFileSync("node_modules/fast-fuzzy/package.json")).version);
for (const [one, other] of [["1.5 mg", "15 mg"], ["C++", "C#"], ["+5", "-5"], ["$", "€"]]) {
  const scores = [fuzzy(one, other), fuzzy(one, other, { ignoreSymbols: false })];
  console.log(`${one} and ${other}: ${scores[0]}, with signs ${scores[1]}`);
  assert.equal(scores[0], 1);
  assert.ok(scores[1] < 1);
}
const found = search("1.5 mg", ["15 mg", "1.5 mg"], { returnMatchData: true }).map(({ item, score }) => [item, score]);
console.log("1.5 mg among 15 mg, 1.5 mg:", JSON.stringify(found));
assert.deepEqual(found, [["15 mg", 1], ["1.5 mg", 1]]);
END
node main.cjs

#!/usr/bin/env bash
# The unit `t` of convert-units is the short ton.
# Guess: `t` is the tonne of 1,000 kg, whose symbol it is next to the SI, in a list of units that has `mcg`, `mg`, `g` and `kg`.
# Instead: 1 t is 907.184 kg; the tonne is `mt`.
# It matters: freight and emissions come out 9 % too small.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'convert-units@2.3.4'
cat >tonne.cjs <<'END'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const convert = require("convert-units");

console.log("convert-units", JSON.parse(readFileSync("node_modules/convert-units/package.json", "utf8")).version);
for (const [unit, expected] of [["t", 907.184], ["mt", 1000]]) {
  const kilograms = convert(1).from(unit).to("kg");
  console.log(`1 ${unit} = ${kilograms} kg (${convert().describe(unit).singular}, ${convert().describe(unit).system})`);
  assert.ok(Math.abs(kilograms - expected) < 0.01, String(kilograms));
}
END
node tonne.cjs

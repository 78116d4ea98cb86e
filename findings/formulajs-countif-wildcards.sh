#!/usr/bin/env bash
# Formula.js knows wildcards in MATCH and not in COUNTIF.
# Guess: COUNTIF of a, b and ab with "a*" is 2, and "a" counts A as well, as in spreadsheet programs; MATCH of the same library finds "ab" by
# "a*".
# Instead: COUNTIF with a wildcard is 0, SUMIF too, and only "a" counts for "a".
# It matters: totals by prefix of an article or account number are 0 when a sheet's formulas are computed elsewhere, without an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund '@formulajs/formulajs@4.6.1' 'hyperformula@3.5.0'
cat >count.cjs <<'END'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const { COUNTIF, MATCH, SUMIF } = require("@formulajs/formulajs");
const { HyperFormula } = require("hyperformula");

for (const name of ["@formulajs/formulajs", "hyperformula"]) {
  console.log(name, JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version);
}
const TEXTS = ["b", "ab", "A"];
const NUMBERS = [1, 2, 4];
const sheet = HyperFormula.buildFromArray(
  [...TEXTS.map((text, at) => [text, NUMBERS[at]]), ['=COUNTIF(A1:A3, "a*")', '=SUMIF(A1:A3, "a*", B1:B3)', '=COUNTIF(A1:A3, "a")']],
  { licenseKey: "gpl-v3" },
);
const here = [COUNTIF(TEXTS, "a*"), SUMIF(TEXTS, "a*", NUMBERS), COUNTIF(TEXTS, "a"), MATCH("a*", TEXTS, 0)];
const there = [0, 1, 2].map((col) => sheet.getCellValue({ sheet: 0, row: 3, col }));
console.log("COUNTIF a*, SUMIF a*, COUNTIF a (and MATCH a*) of", TEXTS.join(", "), "- Formula.js:", here.join(", "), "HyperFormula:", there.join(", "));
assert.deepStrictEqual(here, [0, 0, 0, 2]);
assert.deepStrictEqual(there, [2, 6, 1]);
END
node count.cjs

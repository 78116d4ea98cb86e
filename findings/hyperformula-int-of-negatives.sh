#!/usr/bin/env bash
# HyperFormula's INT rounds toward zero.
# Guess: INT(-1.5) is -2, because INT rounds down in spreadsheet programs, where it differs from TRUNC in just this.
# Instead: it is -1, the same as TRUNC(-1.5); FLOOR.MATH(-1.5) is -2.
# It matters: days before a date, or shares of a refund, differ by one from the sheet that the formula was taken from.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'hyperformula@3.5.0'
cat >int.cjs <<'END'
const assert = require("node:assert");
const { HyperFormula } = require("hyperformula");

const CASES = [
  ["=INT(-1.5)", -1],
  ["=TRUNC(-1.5)", -1],
  ["=FLOOR.MATH(-1.5)", -2],
  ["=INT(1.5)", 1],
];
console.log("hyperformula", HyperFormula.version);
const sheet = HyperFormula.buildFromArray([CASES.map(([formula]) => formula)], { licenseKey: "gpl-v3" });
CASES.forEach(([formula, expected], column) => {
  const value = sheet.getCellValue({ sheet: 0, row: 0, col: column });
  console.log(formula, "->", value);
  assert.strictEqual(value, expected);
});
END
node int.cjs

#!/usr/bin/env bash
# HyperFormula's TEXT takes only a part of a number format, and writes the rest as it is.
# Guess: TEXT(1234.5, "#,##0.00") is 1,234.50 and TEXT(0.5, "0%") is 50 %, as in spreadsheet programs, or both are errors.
# Instead: the results are the texts `1235,##0.00` and `1%`.
# It matters: amounts and percentages in mails and reports are off, and no error says so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'hyperformula@3.5.0'
cat >formats.cjs <<'END'
const assert = require("node:assert");
const { HyperFormula } = require("hyperformula");

const CASES = [
  ['=TEXT(1234.5,"#,##0.00")', "1235,##0.00"],
  ['=TEXT(0.5,"0%")', "1%"],
  ['=TEXT(DATE(2024,3,5),"dd.mm.yyyy")', "05.03.2024"],
];
console.log("hyperformula", HyperFormula.version);
const sheet = HyperFormula.buildFromArray([CASES.map(([formula]) => formula)], { licenseKey: "gpl-v3" });
CASES.forEach(([formula, expected], column) => {
  const value = sheet.getCellValue({ sheet: 0, row: 0, col: column });
  console.log(formula, "->", JSON.stringify(value));
  assert.strictEqual(value, expected);
});
END
node formats.cjs

#!/usr/bin/env bash
# hot-formula-parser gives a power the precedence that mathematics has, not that of spreadsheets.
# Guess: `-2^2` is 4, as in Excel and LibreOffice, whose formulas it reads: there the sign belongs to the number.
# Instead: it is -4; fast-formula-parser and HyperFormula give 4. `2^3^2` is 64 in all three, as in spreadsheets.
# It matters: a formula copied from a sheet gets another sign.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > init.log
npm install --silent --no-audit --no-fund 'hot-formula-parser@4.0.0' 'fast-formula-parser@1.0.19' 'hyperformula@3.5.0'
node - <<'END'
const assert = require('node:assert/strict');
const { Parser } = require('hot-formula-parser');
const FormulaParser = require('fast-formula-parser');
const { HyperFormula } = require('hyperformula');

for (const [formula, wanted] of [['-2^2', [-4, 4, 4]], ['2^3^2', [64, 64, 64]]]) {
  const results = [
    new Parser().parse(formula).result,
    new FormulaParser().parse(formula, { row: 1, col: 1 }),
    HyperFormula.buildFromArray([[`=${formula}`]], { licenseKey: 'gpl-v3' }).getCellValue({ sheet: 0, row: 0, col: 0 }),
  ];
  console.log(`${formula}: hot-formula-parser ${results[0]}, fast-formula-parser ${results[1]}, HyperFormula ${results[2]}`);
  assert.deepEqual(results, wanted);
}
END

#!/usr/bin/env bash
# exceljs gives the value of merged cells once per cell.
# Guess: of a range of merged cells the first one holds the value and the others are empty, as in the file.
# Instead: each cell of the range has the value, when reading as well as after `mergeCells`.
# It matters: a total over three merged cells is three times the amount.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'exceljs@4.4.0'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import ExcelJS from 'exceljs';

console.log('exceljs', JSON.parse(readFileSync('node_modules/exceljs/package.json')).version);
const made = new ExcelJS.Workbook();
const sheet = made.addWorksheet('A');
sheet.getCell('A1').value = 100;
sheet.mergeCells('A1:C1');
sheet.getCell('A2').value = 5;
const read = new ExcelJS.Workbook();
await read.xlsx.load(await made.xlsx.writeBuffer());
const rows = [1, 2].map((row) => read.worksheets[0].getRow(row).values.slice(1));
console.log('100 in A1:C1, 5 in A2 ->', JSON.stringify(rows));
assert.deepEqual(rows, [[100, 100, 100], [5]]);
END
node main.mjs

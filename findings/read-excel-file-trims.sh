#!/usr/bin/env bash
# read-excel-file strips the blanks of texts.
# Guess: a cell "  10  " is read as that text: whether blanks matter is for the reader to say.
# Instead: blanks at both ends are gone (`trim: false` keeps them), and a cell of blanks only is null.
# It matters: keys of fixed width, indented outlines and passwords do not match what is in the file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'read-excel-file@9.3.17' 'exceljs@4.4.0'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import ExcelJS from 'exceljs';
import readSheet from 'read-excel-file/node';

console.log('read-excel-file', JSON.parse(readFileSync('node_modules/read-excel-file/package.json')).version);
const made = new ExcelJS.Workbook();
made.addWorksheet('A').addRow(['  10  ', '   ', 'x']);
await made.xlsx.writeFile('a.xlsx');
async function row(options) {
  const [{ data }] = await readSheet('a.xlsx', options);
  console.log(JSON.stringify(options), '->', JSON.stringify(data));
  return data[0];
}
assert.deepEqual(await row({}), ['10', null, 'x']);
assert.deepEqual(await row({ trim: false }), ['  10  ', '   ', 'x']);
END
node main.mjs

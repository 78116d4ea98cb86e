#!/usr/bin/env bash
# xlsx-template moves the rows below a table that it fills, and leaves their formulas as they were.
# Guess: when the row `${table:rows.net}` becomes three rows, `SUM(B2:B2)` below it becomes `SUM(B2:B4)`, and `B3*0.2`, which named the total, names it at
# its new place: `B5*0.2`. This is what Excel does when rows come in between.
# Instead: both stay: of 10, 20 and 30 the total is 10, and the tax is that of the second item.
# It matters: the invoice is right as long as it has one item, and wrong without an error when it has two.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'xlsx-template@1.4.7' 'exceljs@4.4.0'
cat >main.cjs <<'END'
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const ExcelJS = require("exceljs");
const XlsxTemplate = require("xlsx-template");

for (const name of ["xlsx-template", "exceljs"]) {
  console.log(name, JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version);
}
async function main() {
  const book = new ExcelJS.Workbook();
  const sheet = book.addWorksheet("Invoice");
  sheet.addRow(["Item", "Net"]);
  sheet.addRow(["${table:rows.item}", "${table:rows.net}"]);
  sheet.addRow(["Total", { formula: "SUM(B2:B2)" }]);
  sheet.addRow(["Tax", { formula: "B3*0.2" }]);
  const template = new XlsxTemplate(Buffer.from(await book.xlsx.writeBuffer()));
  template.substitute(1, { rows: [{ item: "a", net: 10 }, { item: "b", net: 20 }, { item: "c", net: 30 }] });
  const filled = new ExcelJS.Workbook();
  await filled.xlsx.load(template.generate({ type: "nodebuffer" }));
  const rows = filled.worksheets[0].getSheetValues().slice(1).map((row) => [row[1], row[2].formula ?? row[2]]);
  console.log(rows);
  assert.deepEqual(rows, [["Item", "Net"], ["a", 10], ["b", 20], ["c", 30], ["Total", "SUM(B2:B2)"], ["Tax", "B3*0.2"]]);
}
main();
END
node main.cjs

#!/usr/bin/env bash
# officeparser joins the words that a tab or a line break of a Word document holds apart.
# Guess: the text of `Total`, a tab and `100` has white space between them, and the lines of an address that are broken with Shift+Enter are lines.
# Instead: nothing stands in their place: "Total100", "Main Street 1Springfield".
# It matters: forms and price lists are set with tabs, addresses with line breaks; a search does not find the words, and "Item 2" and "10.00" are
# "Item 210.00".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'python-docx==1.2.0'
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'officeparser@7.8.0'
venv/bin/python - <<'END'
import docx

document = docx.Document()
document.add_paragraph("Total\t100")
document.add_paragraph("Main Street 1\nSpringfield")
paragraph = document.add_paragraph("Item 2")
paragraph.add_run("\t")
paragraph.add_run("10.00")
document.save("lines.docx")
END
cat >main.cjs <<'END'
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { parseOffice } = require("officeparser");

console.log("officeparser", JSON.parse(readFileSync("node_modules/officeparser/package.json")).version);
async function main() {
  const text = (await parseOffice("lines.docx")).toText();
  console.log(JSON.stringify(text));
  assert.deepEqual(text.split("\n").filter((line) => line !== ""), ["Total100", "Main Street 1Springfield", "Item 210.00"]);
}
main();
END
node main.cjs

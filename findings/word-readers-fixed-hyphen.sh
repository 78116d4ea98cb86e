#!/usr/bin/env bash
# Three readers of Word documents drop the hyphen that keeps a line together.
# Guess: a non-breaking hyphen (Ctrl+Shift+_ in Word) comes out as a hyphen, as it does in python-docx and mammoth.
# Instead: word-extractor, officeparser and docx2python give nothing for it: "-5 °C" is "5 °C", "A-100" is "A100", "0170-123" is "0170123".
# It matters: this hyphen is put where a line must not break: minus signs, part numbers, telephone numbers and dates. Amounts lose their sign.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'docx2python==3.7.1' 'python-docx==1.2.0'
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'word-extractor@1.0.4' 'officeparser@7.8.0' 'mammoth@1.13.0'
cat >main.py <<'END'
from importlib.metadata import version

import docx
from docx.oxml import parse_xml
from docx2python import docx2python

for name in ("python-docx", "docx2python"):
    print(name, version(name))
document = docx.Document()
for before, after in [("", "5 °C"), ("A", "100"), ("0170", "123")]:
    run = document.add_paragraph().add_run(before)
    run._r.append(parse_xml('<w:noBreakHyphen xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>'))
    run.add_text(after)
document.save("hyphens.docx")
found = [paragraph.text for paragraph in docx.Document("hyphens.docx").paragraphs]
print("python-docx:", found)
assert found == ["-5 °C", "A-100", "0170-123"]
found = docx2python("hyphens.docx").text.split()
print("docx2python:", found)
assert found == ["5", "°C", "A100", "0170123"]
END
cat >main.cjs <<'END'
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const mammoth = require("mammoth");
const { parseOffice } = require("officeparser");
const WordExtractor = require("word-extractor");

for (const name of ["mammoth", "word-extractor", "officeparser"]) {
  console.log(name, JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version);
}
const lines = (text) => text.split("\n").filter((line) => line !== "");
async function main() {
  const kept = lines((await mammoth.extractRawText({ path: "hyphens.docx" })).value);
  console.log("mammoth:", kept);
  assert.deepEqual(kept, ["\u20115 °C", "A\u2011100", "0170\u2011123"]);
  for (const [name, text] of [
    ["word-extractor", (await new WordExtractor().extract("hyphens.docx")).getBody()],
    ["officeparser", (await parseOffice("hyphens.docx")).toText()],
  ]) {
    console.log(`${name}:`, lines(text));
    assert.deepEqual(lines(text), ["5 °C", "A100", "0170123"]);
  }
}
main();
END
venv/bin/python main.py
node main.cjs

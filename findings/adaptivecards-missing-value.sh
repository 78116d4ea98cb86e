#!/usr/bin/env bash
# Adaptive Cards templates show an expression as it is written when its value is missing.
# Guess: `${order.id}` without an order is empty, or an error.
# Instead: the card shows the characters `${order.id}`, and a list that is missing gives one entry of such placeholders, while an empty list
# gives none.
# It matters: a message to customers goes out with the innards of its template, because one field was not there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'adaptivecards-templating@2.3.1' 'adaptive-expressions@4.23.3'
cat >card.cjs <<'END'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const { Template } = require("adaptivecards-templating");

for (const name of ["adaptivecards-templating", "adaptive-expressions"]) {
  console.log(name, JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version);
}
const LINES = { rows: [{ $data: "${lines}", text: "${article}" }] };
for (const [template, data, expected] of [
  [{ text: "Dear ${name}, order ${order.id}" }, { name: "Ada" }, { text: "Dear Ada, order ${order.id}" }],
  [{ text: "${order.id}" }, { name: "Ada" }, { text: "${order.id}" }],
  [LINES, { lines: [] }, { rows: [] }],
  [LINES, {}, { rows: [{ text: "${article}" }] }],
]) {
  const card = new Template(template).expand({ $root: data });
  console.log(JSON.stringify(template), "with", JSON.stringify(data), "gives", JSON.stringify(card));
  assert.deepStrictEqual(card, expected);
}
END
node card.cjs

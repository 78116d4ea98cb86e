#!/usr/bin/env bash
# nsyslog-parser leaves out an element of structured data that has a quotation mark in a value.
# Guess: RFC 5424 writes a quotation mark in a value as \", so that `note="a \"b\""` is read as a "b", or at least as it is written.
# Instead: the whole element is missing from the result, its other values with it; the next element is there, and nothing is reported.
# It matters: entries of an audit trail that come by syslog lose the data of just those entries in which somebody quoted something.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'nsyslog-parser@0.10.1'
cat >data.cjs <<'END'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const parse = require("nsyslog-parser");

const read = (note) => {
  const data = `[audit@32473 entry="3" note="${note}"][origin@32473 name="app"]`;
  const { structuredData } = parse(`<165>1 2024-03-05T12:00:00Z host.example app 42 ID47 ${data} text`);
  console.log(data, "->", JSON.stringify(structuredData));
  return structuredData.map((element) => element.$id);
};
console.log("nsyslog-parser", JSON.parse(readFileSync("node_modules/nsyslog-parser/package.json", "utf8")).version);
assert.deepStrictEqual(read("plain"), ["audit@32473", "origin@32473"]);
assert.deepStrictEqual(read('a \\"b\\"'), ["origin@32473"]);
END
node data.cjs

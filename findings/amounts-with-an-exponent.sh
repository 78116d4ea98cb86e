#!/usr/bin/env bash
# Three JavaScript libraries for amounts read 1.5E+3 as 1.53.
# Guess: the text "1.5E+3" is 1500, as JavaScript's own Number() has it, or it is refused.
# Instead: currency.js, accounting and numeral drop the letter and the sign and join the digits: 1.53.
# It matters: spreadsheets write numbers of many digits into CSV in this form (4.2E+11), and the amount or the number of an account becomes
# a small one, without an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'currency.js@2.0.4' 'accounting@0.4.1' 'numeral@2.0.6'
cat >exponent.cjs <<'END'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const accounting = require("accounting");
const currency = require("currency.js");
const numeral = require("numeral");

const READERS = {
  "currency.js": (text) => currency(text, { precision: 4 }).value,
  accounting: (text) => accounting.unformat(text),
  numeral: (text) => numeral(text).value(),
};
for (const [name, read] of Object.entries(READERS)) {
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  const got = ["1500", "1.5E+3", "4.2E+11"].map(read);
  console.log(name, version, 'reads "1500", "1.5E+3", "4.2E+11" as', got.join(", "));
  assert.deepStrictEqual(got, [1500, 1.53, 4.211]);
}
END
node exponent.cjs

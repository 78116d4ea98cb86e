#!/usr/bin/env bash
# The npm package iso8601-duration drops the minus of a duration.
# Guess: `-P1D` (XML Schema, ISO 8601-2, the TRIGGER of calendars) is a day back, or refused like a text that is no duration; `P-1D` is refused.
# Instead: it is one day forward: whatever stands before the P is skipped. `P-1D` is refused.
# It matters: a reminder 15 minutes before a meeting comes 15 minutes after its start.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'iso8601-duration@2.1.4'
cat >main.cjs <<'END'
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { end, parse, toSeconds } = require("iso8601-duration");

console.log("iso8601-duration", JSON.parse(readFileSync("node_modules/iso8601-duration/package.json")).version);
const START = new Date("2024-05-06T10:00:00Z");
for (const [text, seconds, day] of [
  ["PT15M", 900, "2024-05-06T10:15:00.000Z"],
  ["-PT15M", 900, "2024-05-06T10:15:00.000Z"],
  ["-P1D", 86400, "2024-05-07T10:00:00.000Z"],
]) {
  const found = [toSeconds(parse(text), START), end(parse(text), START).toISOString()];
  console.log(`${text}: ${found[0]} seconds, ${START.toISOString()} becomes ${found[1]}`);
  assert.deepEqual(found, [seconds, day]);
}
assert.throws(() => parse("P-1D"), RangeError);
console.log("P-1D: refused");
END
node main.cjs

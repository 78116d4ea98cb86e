#!/usr/bin/env bash
# spacetime changes to summer time on the same date in every year.
# Guess: noon of 26 October 2024 in Berlin, the day before clocks go back, is 10:00 UTC.
# Instead: its zones hold the dates of one year, so that this noon is 11:00 UTC; noon of 30 March 2024, the day before clocks go forward,
# is 10:00 UTC instead of 11:00. In other years the days between the dates of that year and of the year asked for are off by an hour.
# It matters: deadlines and business hours are wrong by an hour for a few days of most years.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'spacetime@7.15.0'
cat >dates.cjs <<'END'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const spacetime = require("spacetime");

const ZONE = "Europe/Berlin";
const inBerlin = new Intl.DateTimeFormat("sv-SE", { timeZone: ZONE, dateStyle: "short", timeStyle: "medium" });
const CASES = [
  ["2024-10-26T12:00:00", "2024-10-26T11:00:00.000Z", "2024-10-26 13:00:00"],
  ["2024-03-30T12:00:00", "2024-03-30T10:00:00.000Z", "2024-03-30 11:00:00"],
  ["2024-07-01T12:00:00", "2024-07-01T10:00:00.000Z", "2024-07-01 12:00:00"],
];
console.log("spacetime", JSON.parse(readFileSync("node_modules/spacetime/package.json", "utf8")).version);
for (const [local, utc, there] of CASES) {
  const instant = new Date(spacetime(local, ZONE).epoch);
  console.log(local, ZONE, "->", instant.toISOString(), "which is", inBerlin.format(instant), "there");
  assert.strictEqual(instant.toISOString(), utc);
  assert.strictEqual(inBerlin.format(instant), there);
}
END
node dates.cjs

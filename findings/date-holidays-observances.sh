#!/usr/bin/env bash
# date-holidays calls working days holidays.
# Guess: `isHoliday` says whether a day is a public holiday, so it is false for 14 February in Germany.
# Instead: it lists every day with a name: Valentine's Day, Ash Wednesday and Mother's Day are found (type "observance"), in the United
# States Christmas Eve as well (type "optional"). Only with `types: ["public"]` or a look at the type of each are they left out.
# It matters: a schedule that skips holidays by asking `if (holidays.isHoliday(day))` skips working days.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'date-holidays@3.37.0'
cat >holidays.cjs <<'END'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const Holidays = require("date-holidays");

console.log("date-holidays", JSON.parse(readFileSync("node_modules/date-holidays/package.json", "utf8")).version);
for (const [country, day, expected] of [
  ["DE", "2024-02-14", ["observance", "observance"]],
  ["DE", "2024-02-15", []],
  ["DE", "2024-10-03", ["public"]],
  ["US", "2024-12-24", ["optional"]],
]) {
  const found = new Holidays(country).isHoliday(`${day} 12:00:00`) || [];
  const onlyPublic = new Holidays(country, { types: ["public"] }).isHoliday(`${day} 12:00:00`);
  console.log(country, day, found.map(({ name, type }) => `${name} (${type})`).join(", ") || "none");
  assert.deepStrictEqual(found.map(({ type }) => type), expected);
  assert.strictEqual(Boolean(onlyPublic), expected.includes("public"));
}
END
node holidays.cjs

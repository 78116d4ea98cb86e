#!/usr/bin/env bash
# natural-cron.js answers a phrase that it does not understand with a schedule for every minute.
# Guess: "every weekday at 8" is understood or refused.
# Instead: it is `* * * * ? *`, each minute of each day, as is "twice a day"; "every monday at 9" is each minute of Mondays, and "every day
# except sunday" is each minute of Sundays. "monday to friday at 9am" is understood.
# It matters: a schedule that was typed in words starts 1440 runs a day, where one was meant.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund '@darkeyedevelopers/natural-cron.js@1.1.0'
cat >words.cjs <<'END'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const name = "@darkeyedevelopers/natural-cron.js";
const cronOf = require(name);

console.log(name, JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version);
for (const [phrase, expected] of [
  ["monday to friday at 9am", "0 9 ? * MON-FRI *"],
  ["every weekday at 8", "* * * * ? *"],
  ["twice a day", "* * * * ? *"],
  ["every monday at 9", "* * ? * MON *"],
  ["every day except sunday", "* * ? * SUN *"],
]) {
  const got = cronOf(phrase);
  console.log(`${phrase}: ${got}`);
  assert.strictEqual(got, expected);
}
END
node words.cjs

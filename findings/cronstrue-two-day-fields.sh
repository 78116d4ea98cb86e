#!/usr/bin/env bash
# cronstrue joins the two day fields of a cron line by "and".
# Guess: `0 0 1 * 1` is described as the first of the month or a Monday: cron runs when either field matches.
# Instead: "At 12:00 AM, on day 1 of the month, and on Monday", which reads like a first that is a Monday. cron-parser, as cron, runs it
# on each Monday and on each first.
# It matters: a person who checks a schedule by its description expects one or two runs a year and gets five a month.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > init.log
npm install --silent --no-audit --no-fund 'cronstrue@3.39.0' 'cron-parser@5.10.6'
node - <<'END'
const assert = require('node:assert/strict');
const cronstrue = require('cronstrue');
const { CronExpressionParser } = require('cron-parser');

const line = '0 0 1 * 1';
const text = cronstrue.toString(line);
console.log(`cronstrue ${require('cronstrue/package.json').version}: ${text}`);
assert.equal(text, 'At 12:00 AM, on day 1 of the month, and on Monday');
const runs = CronExpressionParser.parse(line, { currentDate: '2026-08-31T12:00:00Z', tz: 'UTC' });
const days = [];
for (let day = runs.next().toISOString(); day < '2026-10'; day = runs.next().toISOString()) days.push(day.slice(0, 10));
console.log(`cron-parser, September 2026: ${days.join(', ')}`);
assert.deepEqual(days, ['2026-09-01', '2026-09-07', '2026-09-14', '2026-09-21', '2026-09-28']);
END

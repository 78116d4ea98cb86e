#!/usr/bin/env bash
# ical.js begins a rule with BYSETPOS at its start date, whether or not the rule names that date.
# Guess: the last working day of each month, from 1 January 2024, is 31 January first: the 1st is not the last
# working day.
# Instead: 1 January is the first date and counts; with `FREQ=YEARLY;BYDAY=20MO` (the 20th Monday of the year)
# the dates are the Mondays of each week.
# It matters: payroll and closing flows run once too often, or every week.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'ical.js@2.2.1' 'rrule@2.8.1'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import ICAL from 'ical.js';
import rrule from 'rrule';

console.log('ical.js', JSON.parse(readFileSync('node_modules/ical.js/package.json')).version);
console.log('rrule', JSON.parse(readFileSync('node_modules/rrule/package.json')).version);
function dates(rule) {
  const iterator = ICAL.Recur.fromString(rule).iterator(ICAL.Time.fromString('2024-01-01T09:00:00'));
  const ical = [];
  for (let next = iterator.next(); next; next = iterator.next()) ical.push(next.toString().slice(0, 10));
  const other = rrule.rrulestr(`DTSTART:20240101T090000Z\nRRULE:${rule}`).all().map((date) => date.toISOString().slice(0, 10));
  console.log(rule, { 'ical.js': ical, rrule: other });
  return [ical, other];
}
assert.deepEqual(dates('FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3'), [['2024-01-01', '2024-01-31', '2024-02-29'], ['2024-01-31', '2024-02-29', '2024-03-29']]);
assert.deepEqual(dates('FREQ=YEARLY;BYDAY=20MO;COUNT=2'), [['2024-01-01', '2024-01-08'], ['2024-05-13', '2025-05-19']]);
END
node main.mjs

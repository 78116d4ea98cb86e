#!/usr/bin/env bash
# ical.js moves a yearly event of 29 February to 1 March.
# Guess: `FREQ=YEARLY` from 29 February happens in leap years only: RFC 5545 has invalid dates left out. So it
# does with the 31st of a month.
# Instead: ical.js gives 1 March in other years; `FREQ=MONTHLY` from the 31st leaves out short months. rrule
# leaves out both.
# It matters: two calendars, or a calendar and a flow that reads it, differ by a day in three years out of four.
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
function dates(start, rule) {
  const iterator = ICAL.Recur.fromString(rule).iterator(ICAL.Time.fromString(`${start}T09:00:00`));
  const ical = [];
  for (let next = iterator.next(); next; next = iterator.next()) ical.push(next.toString().slice(0, 10));
  const text = `DTSTART:${start.replaceAll('-', '')}T090000Z\nRRULE:${rule}`;
  const other = rrule.rrulestr(text).all().map((date) => date.toISOString().slice(0, 10));
  console.log(start, rule, { 'ical.js': ical, rrule: other });
  return [ical, other];
}
assert.deepEqual(dates('2024-02-29', 'FREQ=YEARLY;COUNT=3'), [['2024-02-29', '2025-03-01', '2026-03-01'], ['2024-02-29', '2028-02-29', '2032-02-29']]);
const [ical, other] = dates('2024-01-31', 'FREQ=MONTHLY;COUNT=3');
assert.deepEqual(ical, other);
END
node main.mjs

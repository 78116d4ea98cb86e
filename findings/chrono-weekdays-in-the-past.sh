#!/usr/bin/env bash
# chrono-node takes a weekday for the nearest one, which may be past.
# Guess: "Monday", said on a Wednesday about something to be done, is the Monday to come; "in a quarter of an
# hour" is 15 minutes.
# Instead: "Monday" and "every monday" are two days ago, "Friday" is in two days; `forwardDate` turns that off.
# "in a quarter of an hour" is three months from now.
# It matters: a reminder is set for a time that has gone by, on some days of the week only.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'chrono-node@2.10.3'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import * as chrono from 'chrono-node';

console.log('chrono-node', JSON.parse(readFileSync('node_modules/chrono-node/package.json')).version);
const wednesday = { instant: new Date('2024-05-15T12:00:00Z'), timezone: 0 };
function day(text, options) {
  const found = chrono.parseDate(text, wednesday, options).toISOString().slice(0, 10);
  console.log(text, options ?? '', '->', found);
  return found;
}
assert.equal(day('Monday'), '2024-05-13');
assert.equal(day('every monday'), '2024-05-13');
assert.equal(day('Friday'), '2024-05-17');
assert.equal(day('Monday', { forwardDate: true }), '2024-05-20');
assert.equal(day('in a quarter of an hour'), '2024-08-15');
assert.equal(day('in half an hour'), '2024-05-15');
END
node main.mjs

#!/usr/bin/env bash
# node-ical gives a text as an object when its line has a parameter.
# Guess: the summary of an event is a string, whether or not the calendar says in which language it is.
# Instead: `SUMMARY;LANGUAGE=de:Treffen` is `{ params: { LANGUAGE: "de" }, val: "Treffen" }`; without the
# parameter it is the string.
# It matters: events of one calendar server (Exchange writes the language) have "[object Object]" for a title.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'node-ical@0.26.1'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import ical from 'node-ical';

console.log('node-ical', JSON.parse(readFileSync('node_modules/node-ical/package.json')).version);
function summary(line) {
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', 'UID:1', 'DTSTART:20240506T100000Z', line, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
  const found = ical.sync.parseICS(text)['1'].summary;
  console.log(line, '->', found);
  return found;
}
assert.equal(summary('SUMMARY:Treffen'), 'Treffen');
const { params, val } = summary('SUMMARY;LANGUAGE=de:Treffen');
assert.deepEqual([{ ...params }, val], [{ LANGUAGE: 'de' }, 'Treffen']);
END
node main.mjs

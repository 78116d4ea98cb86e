#!/usr/bin/env bash
# eventsource-parser holds back the last event of a stream with lines that end in CR.
# Guess: CR alone ends a line (the HTML standard names CR, LF and CRLF), so `data: a` CR CR is a whole event and
# is handed out.
# Instead: a CR at the end of what arrived might be the first half of CRLF, so the event waits for the next
# byte. If none comes, it is lost.
# It matters: each event of such a server comes one event late, and the last one, mostly the result, never.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'eventsource-parser@3.1.1'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { createParser } from 'eventsource-parser';

console.log('eventsource-parser', JSON.parse(readFileSync('node_modules/eventsource-parser/package.json')).version);
function events(...pieces) {
  const found = [];
  const parser = createParser({ onEvent: (event) => found.push(event.data) });
  for (const piece of pieces) parser.feed(piece);
  console.log(JSON.stringify(pieces), '->', found);
  return found;
}
assert.deepEqual(events('data: a\n\n', 'data: b\n\n'), ['a', 'b']);
assert.deepEqual(events('data: a\r\n\r\n', 'data: b\r\n\r\n'), ['a', 'b']);
assert.deepEqual(events('data: a\r\r', 'data: b\r\r'), ['a']);
assert.deepEqual(events('data: a\r\r'), []);
END
node main.mjs

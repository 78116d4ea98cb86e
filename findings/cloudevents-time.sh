#!/usr/bin/env bash
# The JavaScript SDK of CloudEvents rewrites the time of an event, and makes one up.
# Guess: an event that is received and sent on has the `time` that it came with, or none: the attribute is
# optional.
# Instead: the time is written in UTC with milliseconds, so the offset and the microseconds are gone; an event
# that came without a time has the time of its parsing.
# It matters: events that are compared, sorted or deduplicated by their time change on the way, and old events
# look new.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'cloudevents@10.0.0'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { HTTP } from 'cloudevents';

console.log('cloudevents', JSON.parse(readFileSync('node_modules/cloudevents/package.json')).version);
function received(time) {
  const headers = { 'content-type': 'application/json', 'ce-specversion': '1.0', 'ce-id': '1', 'ce-type': 't', 'ce-source': '/s' };
  if (time) headers['ce-time'] = time;
  const event = HTTP.toEvent({ headers, body: '{}' });
  const sent = HTTP.binary(event).headers['ce-time'];
  console.log('in:', time, 'out:', sent);
  return sent;
}
assert.equal(received('2024-01-01T10:00:00.123456+02:00'), '2024-01-01T08:00:00.123Z');
const before = Date.now();
const made = received(undefined);
assert.ok(Date.parse(made) >= before && Date.parse(made) <= Date.now(), made);
END
node main.mjs

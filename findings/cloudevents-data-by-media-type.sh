#!/usr/bin/env bash
# The JavaScript SDK of CloudEvents reads data as JSON for one media type, and leaves headers encoded.
# Guess: data of `application/vnd.example+json` is parsed as `application/json` is (the specification says so),
# and header values are percent-decoded.
# Instead: data of a `+json` type stays a text, and `Euro%20%E2%82%AC` stays as it is, though the HTTP binding
# has receivers decode it.
# It matters: the same event is an object or a text depending on how exactly its sender names the type.
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
function received(type) {
  const headers = { 'content-type': type, 'ce-specversion': '1.0', 'ce-id': '1', 'ce-type': 't', 'ce-source': '/s', 'ce-label': 'Euro%20%E2%82%AC' };
  const { data, label } = HTTP.toEvent({ headers, body: '{"a":1}' });
  console.log(type, '-> data', JSON.stringify(data), 'label', label);
  return { data, label };
}
assert.deepEqual(received('application/json').data, { a: 1 });
assert.deepEqual(received('application/vnd.example+json').data, '{"a":1}');
assert.equal(received('application/json').label, 'Euro%20%E2%82%AC');
END
node main.mjs

#!/usr/bin/env bash
# structured-headers writes the decimal 1.0 as the integer 1.
# Guess: parsing a structured field (RFC 8941) and writing it again gives the same field: integer and decimal
# are different types there.
# Instead: both are JavaScript numbers, so `1.0` comes out as `1`, and `2.50` as `2.5`.
# It matters: a signature over the field does not hold, and a receiver that wants a decimal refuses the integer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'structured-headers@2.1.0'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { parseList, serializeList } from 'structured-headers';

console.log('structured-headers', JSON.parse(readFileSync('node_modules/structured-headers/package.json')).version);
function again(field) {
  const found = serializeList(parseList(field));
  console.log(field, '->', found);
  return found;
}
assert.equal(again('1.0, 0.5'), '1, 0.5');
assert.equal(again('text;q=1.0'), 'text;q=1');
END
node main.mjs

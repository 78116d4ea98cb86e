#!/usr/bin/env bash
# csvtojson makes objects and lists of column names with dots.
# Guess: a column `price.eur` gives the key `price.eur`.
# Instead: it gives `{"price": {"eur": …}}`; a name that ends in a number behind a dot, such as `v1.0`, gives a
# list. `flatKeys` turns it off.
# It matters: rows have another shape than their header says, and a later step does not find its columns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'csvtojson@2.0.14'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import csv from 'csvtojson';

console.log('csvtojson', JSON.parse(readFileSync('node_modules/csvtojson/package.json')).version);
async function rows(text, options) {
  const found = await csv(options).fromString(text);
  console.log(JSON.stringify(text), '->', JSON.stringify(found));
  return found;
}
assert.deepEqual(await rows('id,price.eur,price.usd\n1,2,3\n'), [{ id: '1', price: { eur: '2', usd: '3' } }]);
assert.deepEqual(await rows('id,v1.0\n1,2\n'), [{ id: '1', v1: ['2'] }]);
assert.deepEqual(await rows('id,price.eur\n1,2\n', { flatKeys: true }), [{ id: '1', 'price.eur': '2' }]);
END
node main.mjs

#!/usr/bin/env bash
# AlaSQL has no MAX of texts, and averages texts of digits wrongly.
# Guess: `MAX(day)` of ISO dates is the last one, as in any SQL, and `AVG` of the texts "1" and "2" is 1.5 or an
# error.
# Instead: MAX, MIN and SUM of texts are undefined; AVG joins the texts first, so "1" and "2" average to 6.
# It matters: "the latest date per customer" is empty, and an average over a CSV column is a number that looks
# right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'alasql@4.19.1'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import alasql from 'alasql';

console.log('alasql', JSON.parse(readFileSync('node_modules/alasql/package.json')).version);
function one(query, rows) {
  const [found] = alasql(query, [rows]);
  console.log(query, JSON.stringify(rows), '->', found);
  return found;
}
const DAYS = [{ day: '2024-01-05' }, { day: '2024-02-01' }];
assert.deepEqual(one('SELECT MAX(day) AS last, MIN(day) AS first FROM ?', DAYS), { last: undefined, first: undefined });
assert.deepEqual(one('SELECT SUM(n) AS s FROM ?', [{ n: '1.5' }, { n: '2' }]), { s: undefined });
assert.deepEqual(one('SELECT AVG(n) AS a FROM ?', [{ n: '1' }, { n: '2' }]), { a: 6 });
assert.deepEqual(one('SELECT AVG(n) AS a, MAX(n) AS m FROM ?', [{ n: 1 }, { n: 2 }]), { a: 1.5, m: 2 });
END
node main.mjs

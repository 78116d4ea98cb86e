#!/usr/bin/env bash
# What is equal in AlaSQL depends on the clause.
# Guess: one rule holds for WHERE, JOIN, DISTINCT and GROUP BY, and NULL equals nothing in a JOIN.
# Instead: 1 and "1" differ in WHERE and are the same in JOIN, DISTINCT and GROUP BY; NULL joins NULL; NULL and
# the text "null" are one group.
# It matters: rows without an id are joined with each other, and counts change when a CSV column arrives as
# text.
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
function rows(query, ...tables) {
  const found = alasql(query, tables);
  console.log(query, JSON.stringify(tables), '->', JSON.stringify(found));
  return found;
}
assert.equal(rows("SELECT * FROM ? WHERE id = '1'", [{ id: 1 }]).length, 0);
assert.equal(rows('SELECT l.id, r.x FROM ? l JOIN ? r ON l.id = r.id', [{ id: 1 }], [{ id: '1', x: 'a' }]).length, 1);
assert.equal(rows('SELECT DISTINCT id FROM ?', [{ id: 1 }, { id: '1' }]).length, 1);
assert.deepEqual(rows('SELECT id, SUM(n) AS n FROM ? GROUP BY id', [{ id: 1, n: 1 }, { id: '1', n: 1 }]).map((row) => row.n), [2]);
assert.equal(rows('SELECT l.id, r.x FROM ? l JOIN ? r ON l.id = r.id', [{ id: null }], [{ id: null, x: 'nobody' }]).length, 1);
assert.deepEqual(rows('SELECT id, SUM(n) AS n FROM ? GROUP BY id', [{ id: null, n: 1 }, { id: 'null', n: 1 }]).map((row) => row.n), [2]);
END
node main.mjs

#!/usr/bin/env bash
# parse-link-header keeps one link of each relation, and mixes parameters of the address into it.
# Guess: several links with one relation (`alternate`, `item`) are all there, and the attributes of a link are
# those of the header.
# Instead: the last one replaces the others, and the query of the address gives attributes: `?title=x` is the
# title of the link when the header names none.
# It matters: a crawler of an API loses items, and reads a title or a type that nobody stated.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'parse-link-header@2.0.0'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import parse from 'parse-link-header';

console.log('parse-link-header', JSON.parse(readFileSync('node_modules/parse-link-header/package.json')).version);
function links(header) {
  const found = JSON.parse(JSON.stringify(parse(header)));
  console.log(header, '->', found);
  return found;
}
const items = links('<https://example.com/1>; rel="item", <https://example.com/2>; rel="item"');
assert.deepEqual(items, { item: { url: 'https://example.com/2', rel: 'item' } });
const next = links('<https://example.com/?page=2&title=x>; rel="next"');
assert.deepEqual(next, { next: { url: 'https://example.com/?page=2&title=x', rel: 'next', page: '2', title: 'x' } });
END
node main.mjs

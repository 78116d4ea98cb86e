#!/usr/bin/env bash
# A resource template of the TypeScript SDK of MCP matches queries only whole and in order, and hands out values
# encoded.
# Guess: `find://notes{?q,lang}` matches `find://notes?q=a` and `find://notes?lang=en&q=a` (parameters are
# optional and have no order), and `note://{name}` gives "a b" for `note://a%20b`.
# Instead: only `?q=…&lang=…` is found, all else is "Resource not found"; the value is `a%20b`. (The Python SDK
# decodes it.)
# It matters: a resource can be listed and completed, and still not be read by the address that another client
# builds.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund '@modelcontextprotocol/sdk@1.32.2'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { UriTemplate } from '@modelcontextprotocol/sdk/shared/uriTemplate.js';

console.log('@modelcontextprotocol/sdk', JSON.parse(readFileSync('node_modules/@modelcontextprotocol/sdk/package.json')).version);
function match(template, address) {
  const found = new UriTemplate(template).match(address);
  console.log(template, address, '->', found);
  return found;
}
assert.deepEqual({ ...match('find://notes{?q,lang}', 'find://notes?q=a&lang=en') }, { q: 'a', lang: 'en' });
assert.equal(match('find://notes{?q,lang}', 'find://notes?lang=en&q=a'), null);
assert.equal(match('find://notes{?q,lang}', 'find://notes?q=a'), null);
assert.equal(match('find://notes{?q,lang}', 'find://notes'), null);
assert.deepEqual({ ...match('note://{name}', 'note://a%20b') }, { name: 'a%20b' });
END
node main.mjs

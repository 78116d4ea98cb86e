#!/usr/bin/env bash
# The npm package traceparent passes on a version of Trace Context that it does not know, without the rest of it.
# Guess: a header of a newer version is read as far as version 00 goes, and sent on as version 00, the one that the
# library speaks (W3C Trace Context, "Versioning of traceparent").
# Instead: the version stays 01 while the parts that came with it are dropped, so the next service gets a header that
# claims to be of a version whose rules its sender does not know. The package tctx sends 00.
# It matters: one hop with such a library makes the trace unreadable for a strict receiver of the newer version.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'traceparent@1.0.0' 'tctx@0.2.6'
cat >main.mjs <<'END'
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse } from 'tctx/traceparent';

const TraceParent = createRequire(import.meta.url)('traceparent');
const version = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version;
console.log('traceparent', version('traceparent'), 'tctx', version('tctx'));
const came = '01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more';
const passed = TraceParent.fromString(came).toString();
const other = String(parse(came));
console.log('came:       ', came, '\ntraceparent:', passed, '\ntctx:       ', other);
assert.equal(passed, '01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
assert.equal(other.slice(0, 3), '00-');
END
node main.mjs

#!/usr/bin/env bash
# fetch-event-stream drops every blank at the start of an event's data.
# Guess: one space after the colon belongs to the line and goes; what follows is data, as the HTML standard says, so that `data:  world`
# is " world".
# Instead: all white space behind the colon goes, and it is "world"; an indented line of several `data:` lines loses its indentation, and
# a line of blanks becomes empty. eventsource-parser keeps them.
# It matters: words of an answer that is streamed as plain text run together, and program code loses its indentation.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'fetch-event-stream@0.1.6' 'eventsource-parser@3.1.1'
cat >blanks.mjs <<'END'
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { createParser } from "eventsource-parser";
import { events } from "fetch-event-stream";

const STREAM = "data: Hello\n\ndata:  world\n\ndata: if a:\ndata:     b()\n\n";
const version = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version;

const here = [];
for await (const { data } of events(new Response(STREAM))) here.push(data);
const there = [];
createParser({ onEvent: ({ data }) => there.push(data) }).feed(STREAM);

console.log("fetch-event-stream", version("fetch-event-stream"), JSON.stringify(here));
console.log("eventsource-parser", version("eventsource-parser"), JSON.stringify(there));
assert.deepStrictEqual(here, ["Hello", "world", "if a:\nb()"]);
assert.deepStrictEqual(there, ["Hello", " world", "if a:\n    b()"]);
END
node blanks.mjs

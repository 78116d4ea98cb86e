#!/usr/bin/env bash
# fhirpath.js reads a text as a number when it is added to one.
# Guess: `'2' + 1` is an error or nothing: FHIRPath converts no text by itself.
# Instead: it is 3, whichever of them is the text, and also for a text of the resource.
# It matters: a rule that adds a code or an identifier by mistake gives a number in place of an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > init.log
npm install --silent --no-audit --no-fund 'fhirpath@5.2.2'
node - <<'END'
const assert = require('node:assert/strict');
const fhirpath = require('fhirpath');

const give = (expression) => {
  try { return fhirpath.evaluate({ code: '2' }, expression); } catch (error) { return `error: ${error.message.split('\n')[0]}`; }
};
console.log(`fhirpath ${require('fhirpath/package.json').version}`);
for (const expression of ["'2' + 1", 'code + 1', "1 + '2'", "1 + 2"]) console.log(`${expression}: ${JSON.stringify(give(expression))}`);
for (const expression of ["'2' + 1", "1 + '2'", 'code + 1']) assert.deepEqual(give(expression), [3]);
END

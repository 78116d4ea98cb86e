#!/usr/bin/env bash
# JSONata writes a number into a text with 15 significant digits, whole numbers too.
# Guess: `'order-' & id` has the digits of `id`, as JSON has them; a whole number below 2^53 is exact in JavaScript.
# Instead: `$string` and `&` round to 15 significant digits and fill up with zeros: 1234567890123456 becomes
# "1234567890123460", also inside an object that is written as JSON. The number itself stays as it was.
# It matters: an identifier of 16 digits that is put into an address or a key names another record, and nothing fails.
# A state machine with JSONata that joins such an identifier to a text has to carry it as a text from the beginning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund jsonata@2.1.0
cat > try.cjs <<'END'
const assert = require('node:assert');
const jsonata = require('jsonata');
console.log('jsonata', require('jsonata/package.json').version);
const data = { id: 1234567890123456, short: 123456789012345 };
const wanted = {
  'id': 1234567890123456,
  'id + 1': 1234567890123457,
  '$string(short)': '123456789012345',
  '$string(id)': '1234567890123460',
  "'order-' & id": 'order-1234567890123460',
  "$string({ 'id': id })": '{"id":1234567890123460}',
  '$string(0.1 + 0.2)': '0.3',
};
(async () => {
  for (const [expression, expected] of Object.entries(wanted)) {
    const found = await jsonata(expression).evaluate(data);
    console.log(`${expression}: ${JSON.stringify(found)}`);
    assert.deepStrictEqual(found, expected);
  }
})();
END
node try.cjs

#!/usr/bin/env bash
# An emulator of state machines encodes texts in Latin-1 before Base64, and reads Base64 back as Latin-1.
# Guess: `States.Base64Encode` encodes the UTF-8 bytes of a text, as `States.Hash` of the same emulator does.
# Instead: "Zürich" becomes "WvxyaWNo", which other programs read as broken text, and the Base64 of its UTF-8 bytes decodes to "ZÃ¼rich". A text with a
# character above U+00FF, such as the euro sign, ends the execution with an error. What it encodes it decodes again, so a round trip inside it looks right.
# It matters: a token or a file name that a state machine encodes in a test there is another one in the service and everywhere else.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund aws-local-stepfunctions@3.0.0
cat > try.mjs <<'END'
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { StateMachine } from 'aws-local-stepfunctions';
console.log('aws-local-stepfunctions', JSON.parse(readFileSync('node_modules/aws-local-stepfunctions/package.json', 'utf8')).version);
const evaluate = async (expression, text) => {
  const state = { Type: 'Pass', Parameters: { 'result.$': expression }, OutputPath: '$.result', End: true };
  return await new StateMachine({ StartAt: 'Only', States: { Only: state } }).run({ text }).result;
};
const utf8 = Buffer.from('Zürich', 'utf8').toString('base64');
const wanted = [
  ['States.Base64Encode($.text)', 'Zurich', 'WnVyaWNo'],
  ['States.Base64Encode($.text)', 'Zürich', 'WvxyaWNo'],
  ['States.Base64Decode($.text)', 'WvxyaWNo', 'Zürich'],
  ['States.Base64Decode($.text)', utf8, 'ZÃ¼rich'],
  ["States.Hash($.text, 'SHA-256')", 'Zürich', createHash('sha256').update('Zürich', 'utf8').digest('hex')],
];
for (const [expression, text, expected] of wanted) {
  const found = await evaluate(expression, text);
  console.log(`${expression} of ${JSON.stringify(text)}: ${JSON.stringify(found)}`);
  assert.strictEqual(found, expected);
}
await assert.rejects(() => evaluate('States.Base64Encode($.text)', '5 €'), /Invalid character/);
console.log('States.Base64Encode($.text) of "5 €": an error');
END
node try.mjs

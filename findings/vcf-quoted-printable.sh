#!/usr/bin/env bash
# vcf leaves the values of a contact as they are written in the file.
# Guess: `FN;ENCODING=QUOTED-PRINTABLE:Jan M=C3=BCller` is "Jan Müller", and `\,` in a name is a comma.
# Instead: both stay as they are, encoded and with the backslash; folded lines are joined.
# It matters: contacts exported by telephones (vCard 2.1) reach a mail or a customer list as "M=C3=BCller".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > init.log
npm install --silent --no-audit --no-fund 'vcf@2.1.2'
node - <<'END'
const assert = require('node:assert/strict');
const VCard = require('vcf');

console.log(`vcf ${require('vcf/package.json').version}`);
const read = (...lines) => new VCard().parse(['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n'));
const phone = read('VERSION:2.1', 'FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Jan M=C3=BCller', 'NOTE:first ', ' second');
const office = read('VERSION:3.0', 'FN:Roe\\, Jan', 'N:Roe;Jan;;;');
for (const [name, value, wanted] of [
  ['FN, encoded', phone.get('fn').valueOf(), 'Jan M=C3=BCller'],
  ['FN, escaped', office.get('fn').valueOf(), 'Roe\\, Jan'],
  ['NOTE, folded', phone.get('note').valueOf(), 'first second'],
]) {
  console.log(`${name}: ${value}`);
  assert.equal(value, wanted);
}
END

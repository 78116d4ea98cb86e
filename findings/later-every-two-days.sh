#!/usr/bin/env bash
# `every 2 days` of later begins anew with each month.
# Guess: two days are between one run and the next, also over the end of a month.
# Instead: it is each odd day of the month, so the 31st is followed by the 1st. `every 45 minutes` likewise runs at :00 and :45.
# It matters: what must not run on two days in a row, such as a payment, does so seven times a year.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > init.log
npm install --silent --no-audit --no-fund '@breejs/later@4.2.0'
node - <<'END'
const assert = require('node:assert/strict');
const later = require('@breejs/later');

later.date.UTC();
const next = (text, count, from) => later.schedule(later.parse.text(text)).next(count, new Date(from)).map((at) => at.toISOString().slice(0, 16));
console.log(`later ${require('@breejs/later/package.json').version}`);
const days = next('every 2 days', 4, '2026-01-29T00:00:00Z');
console.log(`every 2 days: ${days.join(', ')}`);
assert.deepEqual(days, ['2026-01-29T00:00', '2026-01-31T00:00', '2026-02-01T00:00', '2026-02-03T00:00']);
const minutes = next('every 45 minutes', 3, '2026-01-29T00:00:00Z');
console.log(`every 45 minutes: ${minutes.join(', ')}`);
assert.deepEqual(minutes, ['2026-01-29T00:00', '2026-01-29T00:45', '2026-01-29T01:00']);
END

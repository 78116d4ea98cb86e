#!/usr/bin/env bash
# postal-mime dissolves a forwarded message into the one that carries it.
# Guess: a part `message/rfc822` is an attachment; the attachments of the outer message are those that its
# sender added.
# Instead: the text of the inner message is joined to the outer text, its files appear as files of the outer
# message, and no attachment holds the message itself.
# It matters: an inbox flow takes what a stranger once wrote for words of the sender, and cannot hand on the
# original.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'postal-mime@4.0.0'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import PostalMime from 'postal-mime';

console.log('postal-mime', JSON.parse(readFileSync('node_modules/postal-mime/package.json')).version);
const message = [
  'From: a@example.com', 'To: b@example.com', 'Subject: Fwd', 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=x', '',
  '--x', 'Content-Type: text/plain', '', 'See below.',
  '--x', 'Content-Type: message/rfc822', '',
  'From: c@example.com', 'Subject: Invoice', 'Content-Type: multipart/mixed; boundary=y', '',
  '--y', 'Content-Type: text/plain', '', 'Original text',
  '--y', 'Content-Type: application/pdf', 'Content-Disposition: attachment; filename=invoice.pdf', '', 'x', '--y--', '--x--', '',
].join('\r\n');
const { text, attachments } = await PostalMime.parse(message);
const files = attachments.map((one) => `${one.filename} ${one.mimeType}`);
console.log(text);
console.log('attachments:', files);
assert.ok(text.includes('See below.') && text.includes('Original text') && text.includes('c@example.com'));
assert.deepEqual(files, ['invoice.pdf application/pdf']);
END
node main.mjs

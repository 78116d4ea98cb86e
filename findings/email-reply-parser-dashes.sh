#!/usr/bin/env bash
# email-reply-parser takes a list written with dashes for a signature.
# Guess: the reply of a mail without quotation and signature is the whole mail; a signature begins with a line `--`.
# Instead: a dash with a letter or digit behind it begins one as well, and nothing from there on is in the reply: "-apples" and "-pears"
# are gone. With a blank after the dash they stay.
# It matters: an order or an answer that arrives by mail loses its items, and what is left reads as complete.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'email-reply-parser==0.5.12'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version

from email_reply_parser import EmailReplyParser

print("email-reply-parser", version("email-reply-parser"))
for mail, expected in [
    ("Please send:\n\n-apples\n-pears\n\nThanks\n", "Please send:"),
    ("Please send:\n\n- apples\n- pears\n\nThanks\n", "Please send:\n\n- apples\n- pears\n\nThanks"),
]:
    reply = EmailReplyParser.parse_reply(mail)
    print(f"{mail!r}: {reply!r}")
    assert reply.strip() == expected, mail
END

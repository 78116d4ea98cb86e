#!/usr/bin/env bash
# chevron leaves out the entries of a list that are 0, empty or false.
# Guess: `{{#counts}}[{{.}}]{{/counts}}` with [3, 0, 5] is "[3][0][5]": a section is rendered once per entry of a list, whatever it is,
# and 0 is printed as 0.
# Instead: it is "[3][5]": of an entry that is false in Python nothing is rendered, not even the text around it. pystache renders all
# three, and chevron itself prints `{{n}}` with 0 as 0.
# It matters: tables in mails and prompts lose rows, and columns move.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'chevron==0.14.0' 'pystache==0.6.8'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version

import chevron
import pystache

print("chevron", version("chevron"), "pystache", version("pystache"))
TEMPLATE = "{{#counts}}[{{.}}]{{/counts}}"
DATA = {"counts": [3, 0, 5]}
here, there = chevron.render(TEMPLATE, DATA), pystache.render(TEMPLATE, DATA)
print(f"{TEMPLATE} with {DATA}: chevron {here}, pystache {there}")
assert here == "[3][5]" and there == "[3][0][5]"
assert chevron.render("{{n}}", {"n": 0}) == "0"
END

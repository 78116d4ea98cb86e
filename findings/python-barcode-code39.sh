#!/usr/bin/env bash
# A Code 39 label of python-barcode reads one character more than was asked for.
# Guess: `barcode.get("code39", "AB12")` is read by a scanner as AB12: the check character of Code 39 is optional, and scanners take it for data unless
# they are set up otherwise.
# Instead: the bars and the line of text below say AB12O. `Code39("AB12", add_checksum=False)` is AB12.
# It matters: no scanned label is found in the table that the labels were printed from.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'python-barcode==0.16.1'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version

import barcode
from barcode.codex import Code39

print("python-barcode", version("python-barcode"))
one = barcode.get("code39", "AB12")
other = Code39("AB12", add_checksum=False)
widths = [len(code.build()[0]) for code in (one, other)]
print(f"code39: {one.get_fullcode()}, {widths[0]} bars and gaps wide; without the check character: {other.get_fullcode()}, {widths[1]}")
assert (one.get_fullcode(), other.get_fullcode()) == ("AB12O", "AB12")
assert widths[0] > widths[1]
found = barcode.get("code128", "AB12").get_fullcode()
print("code128:", found)
assert found == "AB12"
END

#!/usr/bin/env bash
# num2words writes the amount 100 as "one euro".
# Guess: `num2words(100, to="currency")` is a hundred euros, as for 100.0, the text "100" and a Decimal.
# Instead: an int is taken for cents: "one euro, zero cents". Every other type is taken for euros.
# It matters: amounts from JSON are ints when they happen to be whole, so that an invoice or a cheque of 100 says "one euro" and one of 100.5 is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'num2words==0.5.14'
"$folder/venv/bin/python" - <<'END'
import json
from importlib.metadata import version

from num2words import num2words

print("num2words", version("num2words"))
EXPECTED = {"100.5": "one hundred euro, fifty cents", "100.0": "one hundred euro, zero cents", "100": "one euro, zero cents"}
for text, words in EXPECTED.items():
    found = num2words(json.loads(text), to="currency")
    print(text, "->", found)
    assert found == words, text
found = num2words(json.loads("100"), to="currency", lang="de")
print("100 in German ->", found)
assert found == "ein Euro und null Cent"
END

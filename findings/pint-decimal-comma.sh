#!/usr/bin/env bash
# pint drops a comma between digits when it reads a quantity.
# Guess: `1,5 kg` is 1.5 kg, or an error where only a point is known.
# Instead: the comma is dropped wherever it is: `1,5 kg` is 15 kg, and `0,25 l` is 0 litres (0 times 25), without
# a warning.
# It matters: weights and volumes of European order lists become ten times as large, or nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pint==0.25.3'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
from pint import UnitRegistry

units = UnitRegistry()
print("pint", version("pint"))
for text, wanted in [("1.5 kg", 1.5), ("1,5 kg", 15), ("0,25 l", 0), ("1,250 kg", 1250)]:
    quantity = units(text)
    print(f"{text!r}: {quantity}")
    assert quantity.magnitude == wanted, (text, quantity)
END

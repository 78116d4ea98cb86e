#!/usr/bin/env bash
# pint multiplies the parts of a quantity that is written with two units.
# Guess: `2 h 30 min` is two and a half hours, or an error.
# Instead: it is 60 hour * minute, and `5 ft 4 in` is an area: a space is a multiplication, also between a unit and the next number.
# It matters: durations and lengths as people write them become quantities of another dimension, which shows only when they are converted.
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
for text, wanted in [("2 h 30 min", "60 hour * minute"), ("5 ft 4 in", "20 foot * inch"), ("2 h + 30 min", "2.5 hour")]:
    quantity = units(text)
    print(f"{text!r}: {quantity} {dict(quantity.dimensionality)}")
    assert str(quantity) == wanted, (text, quantity)
assert units("5 ft 4 in").check("[area]")
END

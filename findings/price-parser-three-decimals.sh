#!/usr/bin/env bash
# price-parser takes three digits behind a point or comma for thousands, even behind a zero.
# Guess: `0.125` is an eighth: a number does not begin with "0" thousands.
# Instead: `0.125` is 125, `EUR 0.500` is 500, `0,125` is 125; with two or four digits the sign is a decimal
# one.
# It matters: unit prices (power, fuel, screws) are a thousand times too high.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'price-parser==0.5.1'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
from price_parser import Price

print("price-parser", version("price-parser"))
for text, wanted in [("0.125", "125"), ("EUR 0.500", "500"), ("0,125", "125"), ("0.12", "0.12"), ("0.1250", "0.1250"), ("1.125 EUR", "1125")]:
    amount = str(Price.fromstring(text).amount)
    print(f"{text!r}: {amount}")
    assert amount == wanted, (text, amount)
END

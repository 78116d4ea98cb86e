#!/usr/bin/env bash
# frictionless takes a column of numbers with decimal commas for places on the globe.
# Guess: a column of 1,5 and 2,5 is text, or numbers of a country that writes them so.
# Instead: it is "geopoint", and 1,5 is read as the longitude 1 and the latitude 5; a single 12,99 makes the column text,
# because there is no latitude of 99.
# It matters: tables of amounts and weights from much of Europe come out as pairs of numbers, without an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'frictionless==5.21.0'
cd "$folder"
printf 'item;kg;euro\nbolt;1,5;12,50\nnut;2,5;12,99\n' >weights.csv
venv/bin/python - <<'END'
from importlib.metadata import version

from frictionless import describe, extract

print("frictionless", version("frictionless"))
types = {field.name: field.type for field in describe("weights.csv").schema.fields}
first = next(iter(extract("weights.csv").values()))[0]
read = {name: [float(part) for part in value] if name == "kg" else value for name, value in first.items()}
print(types)
print(read)
assert types == {"item": "string", "kg": "geopoint", "euro": "string"}
assert read == {"item": "bolt", "kg": [1.0, 5.0], "euro": "12,50"}
END

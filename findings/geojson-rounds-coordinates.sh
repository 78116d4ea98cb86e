#!/usr/bin/env bash
# The Python package geojson rounds coordinates when it reads them.
# Guess: `loads` keeps the numbers of the file; rounding is asked for when writing.
# Instead: every position is cut to six decimals, in `loads` as in the constructors, in the geometry only;
# numbers in `properties` stay.
# It matters: reading and writing a file changes it: positions of surveys (millimetres need eight decimals) and
# anything that is compared or hashed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'geojson==3.3.0'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
import geojson

print("geojson", version("geojson"))
TEXT = '{"type": "Feature", "geometry": {"type": "Point", "coordinates": [13.12345678, 52.98765432]}, "properties": {"x": 13.12345678}}'
feature = geojson.loads(TEXT)
print("in: ", TEXT)
print("out:", geojson.dumps(feature))
assert feature["geometry"]["coordinates"] == [13.123457, 52.987654], feature
assert feature["properties"]["x"] == 13.12345678, feature
END

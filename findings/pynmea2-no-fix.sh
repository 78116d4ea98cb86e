#!/usr/bin/env bash
# pynmea2 puts a receiver without a position at 0 degrees north, 0 degrees east.
# Guess: the latitude of a sentence whose position fields are empty (no satellites yet, status V) is None, as its altitude and its speed are.
# Instead: `latitude` and `longitude` are 0.0, a place in the Atlantic. `lat` and `lon`, the fields as they were sent, are empty texts.
# It matters: vehicles in a tunnel or a garage jump to the coast of Africa, and a check "has a position" by None never fails.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pynmea2==1.19.0'
"$folder/venv/bin/python" - <<'END'
from functools import reduce
from importlib.metadata import version

import pynmea2

print("pynmea2", version("pynmea2"))


def read(sentence):
    checksum = reduce(lambda sum, character: sum ^ ord(character), sentence, 0)
    message = pynmea2.parse(f"${sentence}*{checksum:02X}", check=True)
    rest = getattr(message, "altitude", None) or getattr(message, "spd_over_grnd", None)
    print(f"{sentence}: latitude {message.latitude}, longitude {message.longitude}, altitude or speed {rest}, lat {message.lat!r}")
    return message.latitude, message.longitude, rest, message.lat


assert read("GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W")[2:] == (22.4, "4807.038")
assert read("GPRMC,123519,V,,,,,,,230394,,") == (0.0, 0.0, None, "")
assert read("GPGGA,123519,,,,,0,00,,,M,,M,,") == (0.0, 0.0, None, "")
END

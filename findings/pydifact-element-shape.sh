#!/usr/bin/env bash
# The shape of a data element in pydifact depends on the values of the message.
# Guess: a composite element such as C082 in NAD is always a list, with one entry or more.
# Instead: it is a text when only its first component is there, and a list when a second one is;
# `elements[1][0]` is then the first letter.
# It matters: code that was tried with one partner's messages takes "9" for the number of a party of another
# one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pydifact==0.2.3'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
from pydifact.segmentcollection import Interchange

print("pydifact", version("pydifact"))


def party(nad):
    text = f"UNA:+.? 'UNB+UNOC:3+A+B+240101:1000+1'UNH+1+ORDERS:D:96A:UN'{nad}'UNT+3+1'UNZ+1+1'"
    message = next(iter(Interchange.from_str(text).get_messages()))
    element = next(segment for segment in message.segments if segment.tag == "NAD").elements[1]
    print(f"{nad}: {element!r}, its first entry: {element[0]!r}")
    return element


assert party("NAD+BY+9876543::9") == ["9876543", "", "9"]
assert party("NAD+BY+9876543") == "9876543"
END

#!/usr/bin/env bash
# hl7apy escapes the formatting commands of a text that it read when it writes the message.
# Guess: parsing a message and writing it again gives the same message.
# Instead: `\.br\` (line break in a TX or FT value) becomes `\E\.br\E\`, that is, the literal characters; `\T\`
# stays as it was.
# It matters: a router that only passes messages on breaks the line breaks of every report.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'hl7apy==1.3.5'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
from hl7apy.parser import parse_message

print("hl7apy", version("hl7apy"))
MESSAGE = "\r".join([
    "MSH|^~\\&|LAB|A|EHR|B|20240101||ORU^R01|1|P|2.5",
    "PID|1||123^^^H^MR||Berg\\T\\Co^Anna",
    "OBX|1|TX|x||line one\\.br\\line two",
])
written = parse_message(MESSAGE).to_er7()
for name, text in [("in ", MESSAGE), ("out", written)]:
    print(name, text.split("\r")[-1])
assert written.split("\r")[1] == MESSAGE.split("\r")[1]
assert written.split("\r")[2] == "OBX|1|TX|x||line one\\E\\.br\\E\\line two", written
END

#!/usr/bin/env bash
# segno makes Micro QR codes of short texts.
# Guess: `segno.make("12345")` is a QR code, of version 1 since the text is short.
# Instead: it is a Micro QR code (M1, M2 …) whenever the text fits; `segno.make_qr` is needed for a code that
# every telephone reads.
# It matters: labels with short order numbers cannot be scanned by most readers, labels with addresses can.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'segno==1.6.6'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
import segno

print("segno", version("segno"))
for text, wanted in [("12345", True), ("HELLO", True), ("https://example.com", False)]:
    code = segno.make(text)
    print(f"{text!r}: {code.designator}, micro: {code.is_micro}; make_qr: {segno.make_qr(text).designator}")
    assert code.is_micro is wanted, text
assert not segno.make_qr("12345").is_micro
END

#!/usr/bin/env bash
# pycef does not undo the escapes of a CEF record, and an escaped pipe in the header moves fields.
# Guess: `na\|me` in the header is the name `na|me`, and `a \= b` in the extension is `a = b`, as the format says.
# Instead: the header ends at the escaped pipe, so that the name and the severity are lost and `na\|me|5|src` becomes the key of an
# extension; values keep their backslashes.
# It matters: alarms are sorted by severity, and addresses with a query have backslashes in them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pycef==1.11'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version

import pycef

print("pycef", version("pycef"))
PLAIN = "CEF:0|Example|App|1|100|name|5|src=10.0.0.1 msg=text"
ESCAPED = r"CEF:0|Example|App|1|100|na\|me|5|src=10.0.0.1 msg=a \= b"
plain, escaped = pycef.parse(PLAIN), pycef.parse(ESCAPED)
for text, result in ((PLAIN, plain), (ESCAPED, escaped)):
    print(text, "->", result)
assert plain["DeviceName"] == "name" and plain["src"] == "10.0.0.1", plain
assert escaped["DeviceName"] == "" and "src" not in escaped, escaped
assert escaped[r"na\|me|5|src"] == "10.0.0.1" and escaped["msg"] == r"a \= b", escaped
END

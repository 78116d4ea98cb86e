#!/usr/bin/env bash
# The Python SDK of A2A turns the integers of a message into floating-point numbers.
# Guess: data and metadata of a message are JSON, so `{"count": 3, "id": 9007199254740993}` comes out as it went
# in.
# Instead: they are kept in a protobuf Struct: 3 is written as 3.0, and ids above 2^53 become other ids.
# It matters: an agent that hands on an order number asks for another order, and peers that want an integer
# refuse 3.0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'a2a-sdk==1.3.0'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
from a2a.types import Message
from google.protobuf import json_format

print("a2a-sdk", version("a2a-sdk"))
TEXT = '{"messageId": "1", "role": "ROLE_USER", "parts": [{"data": {"id": 9007199254740993}}], "metadata": {"count": 3}}'
message = json_format.Parse(TEXT, Message())
written = json_format.MessageToJson(message, indent=None)
print("in: ", TEXT)
print("out:", written)
assert '"data": {"id": 9007199254740992.0}' in written, written
assert '"metadata": {"count": 3.0}' in written, written
END

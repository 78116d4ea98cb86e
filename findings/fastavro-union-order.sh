#!/usr/bin/env bash
# fastavro writes an integer as a floating-point number when that branch of a union comes first.
# Guess: of the union ["null", "double", "long"] the integer 9007199254740993 is written as the long: Python
# tells int and float apart.
# Instead: the first branch that could hold the value is taken, so it is written as a double and comes back as
# another number; with "long" first it is right. A dict is written as a map before a record that fits exactly.
# It matters: the order of types in a schema, which has no meaning for the reader, changes ids.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'fastavro==1.13.1'
"$folder/venv/bin/python" - <<'END'
import io
from importlib.metadata import version
import fastavro

print("fastavro", version("fastavro"))


def through(schema, value):
    buffer = io.BytesIO()
    fastavro.schemaless_writer(buffer, schema, value)
    branch = buffer.getvalue()[0] // 2
    buffer.seek(0)
    found = fastavro.schemaless_reader(buffer, schema)
    print(f"{schema}: {value!r} -> {found!r}, branch {branch}")
    return found, branch


BIG = 9007199254740993
assert through(["null", "double", "long"], BIG) == (9007199254740992.0, 1)
assert through(["null", "long", "double"], BIG) == (BIG, 1)
record = {"type": "record", "name": "Place", "fields": [{"name": "city", "type": "string"}]}
assert through([{"type": "map", "values": "string"}, record], {"city": "Ulm"})[1] == 0
END

#!/usr/bin/env bash
# fastjsonschema changes the data that it validates.
# Guess: `validate(schema, data)` looks at `data` and leaves it alone; `default` is an annotation.
# Instead: values of `default` are written into the object of the caller, at any depth, unless
# `use_default=False` is passed.
# It matters: what is stored, signed or compared after the check is not what came in.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'fastjsonschema==2.22.3'
"$folder/venv/bin/python" - <<'END'
import copy
from importlib.metadata import version
import fastjsonschema

print("fastjsonschema", version("fastjsonschema"))
SCHEMA = {"properties": {"retries": {"default": 3}, "mail": {"type": "object", "default": {}, "properties": {"cc": {"default": []}}}}}
data = {"mail": {"to": "a@example.com"}}
before = copy.deepcopy(data)
fastjsonschema.validate(SCHEMA, data)
print("before:", before)
print("after: ", data)
assert data == {"mail": {"to": "a@example.com", "cc": []}, "retries": 3}, data
fastjsonschema.validate(SCHEMA, before, use_default=False)
assert before == {"mail": {"to": "a@example.com"}}, before
END

#!/usr/bin/env bash
# cel-python refuses to compare values of different types, and writes booleans as Python does.
# Guess: `1 == 1.0` is true, `1 == "1"` is false (equality holds across types in CEL), `string(true)` is "true"
# and `string(1.0)` is "1".
# Instead: `==` between int and double, or int and string, is an error (so is `1 in [1.0]`); `string(true)` is
# "True", `string(1.0)` is "1.0". `1.5 < 2` works.
# It matters: a condition that another CEL implementation takes fails here as soon as a JSON number has a
# fraction, and texts that are built from booleans differ.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'cel-python==0.5.0'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
import celpy

print("cel-python", version("cel-python"))


def value(text):
    environment = celpy.Environment()
    try:
        result = environment.program(environment.compile(text)).evaluate({})
        result = str(result) if isinstance(result, celpy.celtypes.StringType) else bool(result)
    except celpy.CELEvalError:
        result = "error"
    print(f"{text:<16} -> {result!r}")
    return result


assert value("1 == 1.0") == "error"
assert value('1 == "1"') == "error"
assert value("1 in [1.0]") == "error"
assert value("1.5 < 2") is True
assert value("string(true)") == "True"
assert value("string(1.0)") == "1.0"
END

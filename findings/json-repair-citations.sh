#!/usr/bin/env bash
# json_repair gives a list when an answer with an object has a source in brackets.
# Guess: of an answer of a model such as `As [12] says: {"total": 1}` the object is taken out, as it is of `The answer: {"total": 1}`.
# Instead: the number in brackets counts as JSON too: the result is `[[12], {"total": 1}]`. So it does behind a fenced block ("Sources: [1]"), and a box
# of a task list (`[x]`) is the list `["x"]`.
# It matters: a flow works until a model begins to name its sources, and then reads `total` of a list.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'json-repair==0.64.6'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version

import json_repair

print("json_repair", version("json_repair"))
for text, expected in [
    ('The answer: {"total": 1}', {"total": 1}),
    ('As [12] says: {"total": 1}', [[12], {"total": 1}]),
    ('```json\n{"total": 1}\n```\nSources: [1], [2]', [{"total": 1}, [1], [2]]),
    ('[x] checked\n{"total": 1}', [["x"], {"total": 1}]),
]:
    found = json_repair.loads(text)
    print(repr(text), "->", found)
    assert found == expected, text
END

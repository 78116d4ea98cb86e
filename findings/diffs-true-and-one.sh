#!/usr/bin/env bash
# Two Python packages that compare JSON documents see no difference between true and 1.
# Guess: a setting that changes from `true` to `1`, or from `false` to `0`, is a change: JSON has booleans and numbers.
# Instead: jsondiff and dictdiffer report nothing, as Python holds True equal to 1. jsonpatch reports a replacement.
# It matters: a review of changes, or a copy that is kept up to date by differences, misses them, and a strict reader at the other end refuses the document.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'jsondiff==2.2.1' 'dictdiffer==0.10.0' 'jsonpatch==1.48'
"$folder/venv/bin/python" - <<'END'
import json
from importlib.metadata import version

import dictdiffer
import jsondiff
import jsonpatch

for name in ("jsondiff", "dictdiffer", "jsonpatch"):
    print(name, version(name))
for before, after in [('{"on": true}', '{"on": 1}'), ('{"on": false}', '{"on": 0}'), ('{"on": true}', '{"on": 2}')]:
    one, other = json.loads(before), json.loads(after)
    found = [len(jsondiff.diff(one, other)), len(list(dictdiffer.diff(one, other))), len(jsonpatch.make_patch(one, other).patch)]
    print(f"{before} to {after}: changes by jsondiff {found[0]}, dictdiffer {found[1]}, jsonpatch {found[2]}")
    assert found == ([1, 1, 1] if other["on"] == 2 else [0, 0, 1])
END

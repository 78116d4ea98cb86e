#!/usr/bin/env bash
# tablib puts the values of a JSON object into columns by their position.
# Guess: `[{"net": 1, "tax": 2}, {"tax": 3, "net": 4}]` has the column net with 1 and 4: the members of an object have no order.
# Instead: net is 1 and 3. The names of the first object are the columns, and of the others only the values are taken, in the order in which
# they stand; an object with other names of the same number is taken too, and one with fewer is refused.
# It matters: answers of services and of language models change the order of members from entry to entry, and amounts end up under the
# wrong heading.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'tablib==3.10.0'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version

from tablib import Dataset

print("tablib", version("tablib"))
for text, expected in [
    ('[{"net": 1, "tax": 2}, {"tax": 3, "net": 4}]', [{"net": 1, "tax": 2}, {"net": 3, "tax": 4}]),
    ('[{"net": 1, "tax": 2}, {"gross": 5, "id": 7}]', [{"net": 1, "tax": 2}, {"net": 5, "tax": 7}]),
]:
    rows = Dataset().load(text, format="json").dict
    print(text, "is read as", rows)
    assert rows == expected
END

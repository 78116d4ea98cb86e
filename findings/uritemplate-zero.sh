#!/usr/bin/env bash
# uritemplate expands the number 0 to nothing.
# Guess: `{?page}` with page = 0 is `?page=0`, as with 1.
# Instead: a value that is false in Python is written as the empty text, yet its name stays: `?page=`. The text
# "0" works.
# It matters: the first page of a zero-based list is asked for without its number, and many servers answer
# something else.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'uritemplate==4.2.0'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
import uritemplate

print("uritemplate", version("uritemplate"))
for page, wanted in [(1, "?page=1"), (0, "?page="), ("0", "?page=0"), (0.0, "?page="), (False, "?page="), (True, "?page=True")]:
    found = uritemplate.expand("{?page}", page=page)
    print(f"page={page!r}: {found}")
    assert found == wanted, found
END

#!/usr/bin/env bash
# CleverCSV splits a file of one column at the spaces within its values.
# Guess: a file whose lines hold one name each has one column: neither comma, semicolon nor tab is in it.
# Instead: the space is found to be the separator as soon as most values have one: full names, telephone
# numbers.
# It matters: imports of plain lists (names, addresses, telephone numbers) break into pieces of different
# length.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'clevercsv==0.8.5'
"$folder/venv/bin/python" - <<'END'
import io
from importlib.metadata import version
import clevercsv

print("clevercsv", version("clevercsv"))


def rows(text):
    dialect = clevercsv.Sniffer().sniff(text)
    found = list(clevercsv.reader(io.StringIO(text), dialect))
    print(repr(dialect.delimiter), found)
    return found


assert rows("name\nAnna Berg\nBo Ek\n") == [["name"], ["Anna", "Berg"], ["Bo", "Ek"]]
assert rows("phone\n+46 8 123\n+46 8 456\n") == [["phone"], ["+46", "8", "123"], ["+46", "8", "456"]]
assert rows("day\n2024-01-01\n2024-01-02\n") == [["day"], ["2024-01-01"], ["2024-01-02"]]
END

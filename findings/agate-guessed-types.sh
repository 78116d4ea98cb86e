#!/usr/bin/env bash
# agate, which csvkit reads with, guesses columns to be durations, dates and booleans that are none.
# Guess: the guess is text, number, date or boolean in the obvious sense: `12:00` is a time of day or text,
# `May` is text, `5 m` is text, a column of 0 and 1 is numbers.
# Instead: `12:00` is twelve minutes, `5 m` five minutes, `May` the first of May of the year 1, `Monday` a day
# in January of the year 1, 0 and 1 are False and True.
# It matters: opening hours, lengths, months and quantities leave the tool as other values.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'agate==1.14.2'
"$folder/venv/bin/python" - <<'END'
import io
from importlib.metadata import version
import agate

print("agate", version("agate"))


def column(*values):
    table = agate.Table.from_csv(io.StringIO("x\n" + "\n".join(values) + "\n"))
    found = type(table.column_types[0]).__name__, [str(row[0]) for row in table.rows]
    print(values, "->", *found)
    return found


assert column("12:00", "13:30") == ("TimeDelta", ["0:12:00", "0:13:30"])
assert column("5 m", "10 m") == ("TimeDelta", ["0:05:00", "0:10:00"])
assert column("May", "April") == ("Date", ["0001-05-01", "0001-04-01"])
assert column("Monday", "Friday") == ("Date", ["0001-01-08", "0001-01-05"])
assert column("1", "0", "1") == ("Boolean", ["True", "False", "True"])
END

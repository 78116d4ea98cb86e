#!/usr/bin/env bash
# xlsx2csv writes the number format in place of a number that has a quoted unit.
# Guess: a cell with the number 12 and the format `# "days"` comes out as 12, or as `12 days` like in a spreadsheet program.
# Instead: it comes out as `# "11ays"`, because the `d` is taken for the day of a date; 2 with `0.0 "h"` is `0.0 "12"`, and 12 with
# `0 "pcs"` is `0 "pcs"`. The numbers are lost, and nothing is reported.
# It matters: quantities with their unit (hours, days) reach a workflow as wrong texts.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'xlsx2csv==0.8.6' 'openpyxl==3.1.5'
cd "$folder"
venv/bin/python - <<'END'
import csv
import subprocess
from importlib.metadata import version

from openpyxl import Workbook

CELLS = [(12, '# "days"', '# "11ays"'), (2, '0.0 "h"', '0.0 "12"'), (12, '0 "pcs"', '0 "pcs"'), (1.5, '"EUR" 0.00', "1.5")]
book = Workbook()
for row, (value, form, _) in enumerate(CELLS, 1):
    cell = book.active.cell(row, 1, value)
    cell.number_format = form
book.save("units.xlsx")
subprocess.run(["venv/bin/xlsx2csv", "-d", "tab", "units.xlsx", "units.csv"], check=True)
print("xlsx2csv", version("xlsx2csv"))
with open("units.csv", newline="") as file:
    rows = [row[0] for row in csv.reader(file, delimiter="\t")]
for (value, form, expected), got in zip(CELLS, rows, strict=True):
    print(f"{value!r} with the format {form!r}: {got!r}")
    assert got == expected, (value, form, got)
END

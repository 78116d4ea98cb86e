#!/usr/bin/env bash
# pylightxl drops the days of a duration and the time of a date with a time.
# Guess: a cell of 36 hours with the format `[h]:mm:ss` is 36 hours, and noon of a day is that day with its
# time.
# Instead: 36 hours are the text `12:00:00`, and a date with a time, shown by a date format, is the text of the
# date alone.
# It matters: sums of working hours lose 24 hours at a time.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pylightxl==1.61' 'XlsxWriter==3.3.1'
"$folder/venv/bin/python" - <<'END'
import tempfile
from importlib.metadata import version
import pylightxl
import xlsxwriter

print("pylightxl", version("pylightxl"))
with tempfile.NamedTemporaryFile(suffix=".xlsx") as file:
    book = xlsxwriter.Workbook(file.name)
    sheet = book.add_worksheet("A")
    sheet.write_number(0, 0, 1.5, book.add_format({"num_format": "[h]:mm:ss"}))
    sheet.write_number(1, 0, 45000.5, book.add_format({"num_format": "yyyy-mm-dd"}))
    book.close()
    duration, day = (row[0] for row in pylightxl.readxl(file.name).ws("A").rows)
print("1.5 days as [h]:mm:ss:", repr(duration))
print("45000.5 as yyyy-mm-dd:", repr(day))
assert duration == "12:00:00", duration
assert day == "2023/03/15", day
END

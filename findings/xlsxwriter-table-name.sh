#!/usr/bin/env bash
# XlsxWriter stores formulas of tables without the name of the table.
# Guess: `=[@Quantity]*[@Price]` in a column of the table `Lines` is stored as Excel stores it,
# `Lines[[#This Row],[Quantity]]*Lines[[#This Row],[Price]]`, and the sum of a column as `SUBTOTAL(109,Lines[Amount])`.
# Instead: it is `[[#This Row],Quantity]*[[#This Row],Price]` and `SUBTOTAL(109,[Amount])`: no table and fewer brackets. Excel
# accepts both.
# It matters: LibreOffice shows #NAME? for these once it calculates them, and a program that looks for the table's name in formulas
# finds nothing. Written out in full, they work everywhere.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'XlsxWriter==3.3.1'
"$folder/venv/bin/python" - "$folder/book.xlsx" <<'END'
import re
import sys
import zipfile
from importlib.metadata import version
import xlsxwriter

print("XlsxWriter", version("XlsxWriter"))
book = xlsxwriter.Workbook(sys.argv[1])
sheet = book.add_worksheet("Data")
columns = [
    {"header": "Quantity"},
    {"header": "Price"},
    {"header": "Amount", "formula": "=[@Quantity]*[@Price]", "total_function": "sum"},
]
sheet.add_table("A1:C3", {"name": "Lines", "total_row": True, "columns": columns})
book.close()
with zipfile.ZipFile(sys.argv[1]) as archive:
    formulas = re.findall("<f>(.*?)</f>", archive.read("xl/worksheets/sheet1.xml").decode())
print("stored:", formulas)
assert formulas == ["[[#This Row],Quantity]*[[#This Row],Price]", "SUBTOTAL(109,[Amount])"], formulas
END

#!/usr/bin/env bash
# python-calamine reads the same time from XLSX as a value and from ODS as a text.
# Guess: one reader for both formats gives a cell of 36 h 30 min as the same Python value.
# Instead: it is a timedelta from XLSX and the text `PT36H30M00S` from ODS; dates are dates in both.
# It matters: a flow that was built with one kind of file adds up or compares texts with the other.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'python-calamine==0.9.1' 'XlsxWriter==3.3.1' 'odfpy==1.4.1'
"$folder/venv/bin/python" - <<'END'
import datetime
import pathlib
import tempfile
from importlib.metadata import version
import python_calamine
import xlsxwriter
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table, TableCell, TableRow
from odf.text import P

print("python-calamine", version("python-calamine"))
folder = pathlib.Path(tempfile.mkdtemp())
book = xlsxwriter.Workbook(folder / "a.xlsx")
sheet = book.add_worksheet("A")
sheet.write_number(0, 0, 36.5 / 24, book.add_format({"num_format": "[h]:mm:ss"}))
sheet.write_number(0, 1, 45418, book.add_format({"num_format": "yyyy-mm-dd"}))
book.close()

document = OpenDocumentSpreadsheet()
table, row = Table(name="A"), TableRow()
for cell, shown in [(TableCell(valuetype="time", timevalue="PT36H30M00S"), "36:30:00"), (TableCell(valuetype="date", datevalue="2024-05-06"), "2024-05-06")]:
    cell.addElement(P(text=shown))
    row.addElement(cell)
table.addElement(row)
document.spreadsheet.addElement(table)
document.save(folder / "a.ods")


def cells(name):
    found = python_calamine.CalamineWorkbook.from_path(str(folder / name)).get_sheet_by_index(0).to_python()[0]
    print(name, found)
    return found


assert cells("a.xlsx") == [datetime.timedelta(hours=36, minutes=30), datetime.date(2024, 5, 6)]
assert cells("a.ods") == ["PT36H30M00S", datetime.date(2024, 5, 6)]
END

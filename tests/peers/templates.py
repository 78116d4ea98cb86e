"""Templates of spreadsheets for templates.mjs, and what has to be in the filled ones.

templates.py make FOLDER
templates.py check MAKER TEMPLATE DATA RESULT
templates.py calculated MAKER DATA RESULT
"""

import datetime
import json
import sys
import zipfile
from pathlib import Path

import openpyxl
import xlsxwriter
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image
from openpyxl.formatting.rule import CellIsRule, ColorScaleRule, FormulaRule
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from PIL import Image as Picture

FIRST = 6  # The repeated row of both templates.


def data(count):
    lines = [{"name": f"=Article {n} <&>", "quantity": n % 7 + 1, "price": n * 1.25} for n in range(count)]
    return {"number": "R-17", "date": "2026-11-30", "customer": {"name": "Müller & Söhne"}, "lines": lines}


def make(folder):
    for count in [5, 1, 0, 2000]:
        (folder / f"data-{count}.json").write_text(json.dumps(data(count)))
    Picture.new("RGB", (120, 40), (200, 30, 30)).save(folder / "logo.png")
    make_openpyxl(folder)
    make_xlsxwriter(folder)


def make_openpyxl(folder):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Invoice"
    thin = Side(style="thin")
    sheet["A1"] = "Invoice {{number}}"
    sheet["A1"].font = Font(name="Arial", size=20, bold=True, color="FF1F3A5F")
    sheet["A2"] = "{{customer.name}}"
    sheet["E2"] = "{{date}}"
    sheet["E2"].number_format = "dd.mm.yyyy"
    sheet.add_image(Image(folder / "logo.png"), "G1")
    for column, title in enumerate(["No.", "Article", "Quantity", "Price", "Amount", "Sum so far"], 1):
        cell = sheet.cell(5, column, title)
        cell.font = Font(bold=True, color="FFFFFFFF")
        cell.fill = PatternFill("solid", fgColor="FF1F3A5F")
    row = ["{{lines.#}}", "{{lines.name}}", "{{lines.quantity}}", "{{lines.price}}", "=C6*D6", "=SUM(E$6:E6)"]
    for column, text in enumerate(row, 1):
        cell = sheet.cell(FIRST, column, text)
        cell.border = Border(bottom=thin, left=thin, right=thin)
        if column >= 4:
            cell.number_format = "#,##0.00"
    sheet.row_dimensions[FIRST].height = 21
    sheet["B7"], sheet["E7"] = "Net", "=SUM(E6:E6)"
    sheet["E7"].font = Font(bold=True)
    sheet["D8"], sheet["E8"] = 0.19, "=E7*D8"
    sheet["D8"].number_format = "0%"
    sheet["E9"] = "=E7+E8"
    sheet["E9"].comment = Comment("What the customer pays", "me")
    sheet.merge_cells("A11:F11")
    sheet["A11"] = "Thank you, {{customer.name}}!"
    sheet["A11"].alignment = Alignment(horizontal="center")
    red = PatternFill(bgColor="FFFFC7CE")
    sheet.conditional_formatting.add("E6:E6", CellIsRule(operator="greaterThan", formula=["$E$9*0.4"], fill=red))
    scale = ColorScaleRule(start_type="min", start_color="FFFFFF", end_type="max", end_color="63BE7B")
    sheet.conditional_formatting.add("C6:C6", scale)
    sheet.conditional_formatting.add("A6:F6", FormulaRule(formula=["$C6>=3"], font=Font(italic=True)))
    choice = DataValidation(type="list", formula1="$H$7:$H$9", allow_blank=True)
    sheet.add_data_validation(choice)
    choice.add("B6")
    for row, text in enumerate(["a", "b", "c"], 7):
        sheet.cell(row, 8, text)
    sheet["B13"] = "Terms"
    sheet["B13"].hyperlink = "https://example.org/terms"
    chart = BarChart()
    chart.title = "Amounts"
    chart.add_data(Reference(sheet, min_col=5, min_row=5, max_row=6), titles_from_data=True)
    chart.set_categories(Reference(sheet, min_col=2, min_row=6, max_row=6))
    sheet.add_chart(chart, "A15")
    sheet.print_area = "A1:F30"
    sheet.print_title_rows = "5:5"
    sheet.freeze_panes = "A6"
    sheet.auto_filter.ref = "A5:F6"
    sheet.oddHeader.right.text = "Invoice {{number}}"
    other = book.create_sheet("Summary")
    for row, text in enumerate(["=Invoice!E9", "=COUNTA(Invoice!B6:B6)", "=MAX(Invoice!E6)", "=SUM(amounts)", "=total*1"], 1):
        other.cell(row, 1, text)
    book.defined_names["amounts"] = DefinedName("amounts", attr_text="Invoice!$E$6:$E$6")
    book.defined_names["total"] = DefinedName("total", attr_text="Invoice!$E$9")
    book.save(folder / "openpyxl.xlsx")


def make_xlsxwriter(folder):
    book = xlsxwriter.Workbook(folder / "xlsxwriter.xlsx")
    sheet = book.add_worksheet("Invoice")
    bold, red = book.add_format({"bold": True}), book.add_format({"font_color": "red"})
    money = book.add_format({"num_format": "#,##0.00", "border": 1})
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    sheet.write_rich_string("A1", "Invoice ", bold, "{{num", red, "ber}}", " of {{customer.name}}")
    sheet.write("E2", "{{date}}", day)
    sheet.insert_image("G1", folder / "logo.png")
    columns = [
        {"header": "No."},
        {"header": "Article", "total_string": "Net"},
        {"header": "Quantity"},
        {"header": "Price"},
        {"header": "Amount"},
    ]
    sheet.add_table("A5:E7", {"name": "Lines", "total_row": True, "columns": columns})
    for column, text in enumerate(["{{lines.#}}", "{{lines.name}}", "{{lines.quantity}}", "{{lines.price}}"]):
        sheet.write(FIRST - 1, column, text)
    # The library leaves the name of the table out, and LibreOffice needs it.
    sheet.write_formula("E6", "=Lines[[#This Row],[Quantity]]*Lines[[#This Row],[Price]]", money)
    sheet.write_formula("E7", "=SUBTOTAL(109,Lines[Amount])", money)
    sheet.set_row(FIRST - 1, 21)
    sheet.conditional_format("E6", {"type": "data_bar", "data_bar_2010": True})
    sheet.conditional_format("C6", {"type": "cell", "criteria": ">=", "value": "$C$7/2", "format": red})
    sheet.add_sparkline("F6", {"range": "Invoice!C6:E6"})
    sheet.add_sparkline("F7", {"range": "Invoice!E6:E6"})
    sheet.write_comment("B9", "A note")
    sheet.write_formula("B9", "=Lines[[#Totals],[Amount]]*1.19")
    sheet.write_array_formula("C9:C9", "{=SUM(C6:C6*D6:D6)}")
    sheet.insert_textbox("A11", "Thank you, {{customer.name}}!")
    chart = book.add_chart({"type": "line"})
    chart.add_series({"categories": "=Invoice!$B$6:$B$6", "values": "=Invoice!$E$6:$E$6", "name": "=Invoice!$E$5"})
    chart.set_title({"name": "Invoice {{number}}"})
    sheet.insert_chart("A16", chart)
    sheet.data_validation("B6", {"validate": "list", "source": "=$H$7:$H$9"})
    sheet.set_header("&R{{number}}")
    sheet.print_area("A1:F30")
    other = book.add_worksheet("Summary")
    other.write_formula("A1", "=Invoice!B9")
    other.write_formula("A2", "=SUM(Lines[Amount])")
    other.write_formula("A3", "=COUNTA(Invoice!B6:B6)")
    book.close()


def check(maker, template, given, result):
    lines = given["lines"]
    count = max(len(lines), 1)
    more = count - 1
    last = FIRST + more
    before, after = (openpyxl.load_workbook(path, rich_text=False) for path in (template, result))
    old, new = before["Invoice"], after["Invoice"]
    assert after.calculation.fullCalcOnLoad, "the file is calculated when it is opened"
    looks(old, new, count)
    title = "Invoice R-17" if maker == "openpyxl" else "Invoice R-17 of Müller & Söhne"
    assert new["A1"].value == title, new["A1"].value
    assert new["E2"].value == datetime.datetime(2026, 11, 30), new["E2"].value
    for index, line in enumerate(lines):
        row = FIRST + index
        values = [new.cell(row, column).value for column in range(1, 5)]
        assert values == [index + 1, line["name"], line["quantity"], line["price"]], values
        assert new.cell(row, 2).data_type in ("s", "inlineStr"), "a text is no formula"
        assert new.row_dimensions[row].height == 21
    assert bool(new.row_dimensions[FIRST].hidden) == (not lines), "an empty list hides its row"
    assert len(new._images) == len(old._images) == 1 and len(new._charts) == len(old._charts) == 1
    formats = {str(area.sqref): [rule.formula for rule in area.rules] for area in new.conditional_formatting}
    (checks,) = new.data_validations.dataValidation
    assert str(checks.sqref) == (f"B6:B{last}" if more else "B6"), checks.sqref
    assert checks.formula1.lstrip("=") == f"$H${7 + more}:$H${9 + more}", checks.formula1
    area = lambda text: f"{text}6:{text}{last}" if more else f"{text}6"
    chart = new._charts[0]
    series = chart.series[0]
    assert series.val.numRef.f.endswith(f"$E$6:$E${last}") or (not more and series.val.numRef.f.endswith("$E$6")), series.val.numRef.f
    assert chart.anchor._from.row == (14 if maker == "openpyxl" else 15) + more
    if maker == "openpyxl":
        assert [str(merged) for merged in new.merged_cells.ranges] == [f"A{11 + more}:F{11 + more}"]
        assert formats[area("E")][0] == [f"$E${9 + more}*0.4"] and formats[f"A6:F{last}"][0] == ["$C6>=3"], formats
        assert new.print_area == f"'Invoice'!$A$1:$F${30 + more}", new.print_area
        assert new.print_title_rows == "$5:$5" and new.freeze_panes == "A6" and new.auto_filter.ref == f"A5:F{last}"
        assert new.oddHeader.right.text == "Invoice R-17"
        assert new[f"E{9 + more}"].comment.text == "What the customer pays"
        assert new[f"B{13 + more}"].hyperlink.target == "https://example.org/terms"
        assert after.defined_names["amounts"].attr_text == f"Invoice!$E$6:$E${last}"
        assert after.defined_names["total"].attr_text == f"Invoice!$E${9 + more}"
        if lines:
            assert new[f"F{last}"].value == f"=SUM(E$6:E{last})", new[f"F{last}"].value
        assert after["Summary"]["A2"].value == f"=COUNTA(Invoice!B6:B{last})"
    else:
        assert new.tables["Lines"].ref == f"A5:E{last + 1}" and new.tables["Lines"].autoFilter.ref == f"A5:E{last}"
        assert new[f"B{9 + more}"].comment.text == "A note"
        # What openpyxl does not read.
        with zipfile.ZipFile(result) as archive:
            sheet = archive.read("xl/worksheets/sheet1.xml").decode()
            drawing = archive.read("xl/drawings/drawing1.xml").decode()
        sparklines = sheet.count("<x14:sparkline>")
        assert sparklines == count + 1, sparklines
        assert f"<xm:f>Invoice!C{last}:E{last}</xm:f><xm:sqref>F{last}</xm:sqref>" in sheet
        assert f"<xm:sqref>E6:E{last}</xm:sqref>" in sheet or not more
        assert "Thank you, Müller &amp; Söhne!" in drawing
    nothing_lost(template, result)


def looks(old, new, count):
    """Every cell looks as that of the template, and columns are as wide."""
    for row in old.iter_rows():
        for cell in row:
            moved = cell.row + (count - 1 if cell.row > FIRST else 0)
            copies = range(FIRST, FIRST + count) if cell.row == FIRST else [moved]
            for at in copies:
                made = new.cell(at, cell.column)
                one = lambda cell: [repr(part) for part in (cell.font, cell.fill, cell.border, cell.alignment, cell.number_format)]
                assert one(made) == one(cell), (one(made), one(cell), made.coordinate, cell.coordinate)
    for name, column in old.column_dimensions.items():
        assert new.column_dimensions[name].width == column.width


def nothing_lost(template, result):
    """The same parts; those without references and placeholders have the same bytes."""
    with zipfile.ZipFile(template) as one, zipfile.ZipFile(result) as other:
        assert one.namelist() == other.namelist(), set(one.namelist()) ^ set(other.namelist())
        for name in one.namelist():
            if "styles" in name or "theme" in name or "media" in name or "rels" in name or "docProps" in name:
                assert one.read(name) == other.read(name), name


def calculated(maker, given, result):
    """What LibreOffice calculated."""
    lines = given["lines"]
    amounts = [line["quantity"] * line["price"] for line in lines]
    net = sum(amounts)
    book = openpyxl.load_workbook(result, data_only=True)
    column = [row[0].value for row in book["Summary"].iter_rows(max_col=1)]
    if maker == "openpyxl":
        wanted = [net * 1.19, len(lines), max(amounts, default=0), net, net * 1.19]
    else:
        wanted = [net * 1.19, net, len(lines)]
        cell = book["Invoice"][f"C{9 + max(len(lines), 1) - 1}"]
        assert abs(cell.value - net) < 1e-6, cell.value
    assert len(column) >= len(wanted)
    for found, value in zip(column, wanted):
        assert isinstance(found, (int, float)) and abs(found - value) < 1e-6 * max(1, value), (column, wanted)


def main():
    command, *words = sys.argv[1:]
    if command == "make":
        make(Path(words[0]))
    elif command == "check":
        maker, template, given, result = words
        check(maker, template, json.loads(Path(given).read_text()), result)
    else:
        maker, given, result = words
        calculated(maker, json.loads(Path(given).read_text()), result)


main()

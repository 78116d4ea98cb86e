#!/usr/bin/env bash
# umya-spreadsheet loses small charts, data bars and some charts of a workbook that is read and written without a change.
# Guess: a workbook that is only opened and saved has the charts, the data bars and the small charts in cells (sparklines) that it had.
# Instead: of a workbook of XlsxWriter the sparklines and the newer settings of the data bar are gone, of one of openpyxl the chart.
# Nothing is said.
# It matters: a template that is filled by this library loses pictures of its numbers, which nobody sees in its cells.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'XlsxWriter==3.3.1' 'openpyxl==3.1.5'
"$folder/venv/bin/python" - "$folder" <<'END'
import sys
from importlib.metadata import version
import openpyxl
import xlsxwriter
from openpyxl.chart import BarChart, Reference

print("XlsxWriter", version("XlsxWriter"), "openpyxl", version("openpyxl"))
book = xlsxwriter.Workbook(f"{sys.argv[1]}/a.xlsx")
sheet = book.add_worksheet("Data")
sheet.write_row("A1", [1, 3, 2])
sheet.conditional_format("A1:C1", {"type": "data_bar", "data_bar_2010": True})
sheet.add_sparkline("D1", {"range": "Data!A1:C1"})
book.close()
book = openpyxl.Workbook()
sheet = book.active
for value in [1, 3, 2]:
    sheet.append([value])
chart = BarChart()
chart.add_data(Reference(sheet, min_col=1, min_row=1, max_row=3))
sheet.add_chart(chart, "C1")
book.save(f"{sys.argv[1]}/b.xlsx")
END
mkdir -p "$folder/copy/src"
cat > "$folder/copy/Cargo.toml" <<'FILE'
[package]
name = "copy"
version = "0.1.0"
edition = "2021"

[dependencies]
umya-spreadsheet = "=3.1.1"

[workspace]
FILE
cat > "$folder/copy/src/main.rs" <<'FILE'
use std::path::Path;

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let book = umya_spreadsheet::reader::xlsx::read(Path::new(&names[0])).expect("it is read");
    umya_spreadsheet::writer::xlsx::write(&book, Path::new(&names[1])).expect("it is written");
}
FILE
cargo build --quiet --manifest-path "$folder/copy/Cargo.toml" --target-dir "$folder/target"
grep -A1 'name = "umya-spreadsheet"' "$folder/copy/Cargo.lock"
for name in a b; do "$folder/target/debug/copy" "$folder/$name.xlsx" "$folder/$name-copy.xlsx"; done
"$folder/venv/bin/python" - "$folder" <<'END'
import sys
import zipfile


def text(name):
    with zipfile.ZipFile(f"{sys.argv[1]}/{name}.xlsx") as archive:
        parts = [part for part in archive.namelist() if part.endswith(".xml")]
        return "".join(archive.read(part).decode() for part in parts)


def counts(name):
    words = ["<x14:sparkline>", "<x14:dataBar", ":chartSpace", "<chartSpace"]
    return {word: text(name).count(word) for word in words}


for name in ["a", "a-copy", "b", "b-copy"]:
    print(name, counts(name))
assert counts("a")["<x14:sparkline>"] == 1 and counts("a-copy")["<x14:sparkline>"] == 0
assert counts("a")["<x14:dataBar"] == 1 and counts("a-copy")["<x14:dataBar"] == 0
assert "chartSpace" in text("b") and "chartSpace" not in text("b-copy")
END

#!/usr/bin/env bash
# The Python package formulas reads the text 1,500 as a day of the year 2400.
# Guess: `VALUE("1,500")` is 1500, as in the spreadsheet programs that the package stands in for, or #VALUE! if it knows no thousands separator.
# Instead: what is no plain number is read as a date, so that it is 182623 (the number of that day), `VALUE("1,234,567")` is 85469, and `VALUE("1,234.50")`
# is #VALUE!.
# It matters: a workbook that cleans amounts out of texts calculates with numbers of days, and the result is large but a number.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'formulas==1.3.4'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version

import formulas

print("formulas", version("formulas"))
for formula, expected in [
    ('=VALUE("1500")', "1500.0"),
    ('=VALUE("1,500")', "182623.0"),
    ('=VALUE("1,234,567")', "85469.0"),
    ('=VALUE("1,234.50")', "#VALUE!"),
    ('=TEXT(VALUE("1,500"),"yyyy-mm-dd")', "2400-01-01"),
]:
    found = formulas.Parser().ast(formula)[1].compile()()
    while hasattr(found, "tolist"):
        found = found.tolist()
    while isinstance(found, list):
        found = found[0]
    print(formula, "->", found)
    assert str(found) == expected, formula
END

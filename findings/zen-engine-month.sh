#!/usr/bin/env bash
# A month of zen-engine has two lengths: 30 days and 10 hours and a half, or a month of the calendar.
# Guess: `date("2024-01-31") + duration("1 month")` and `d("2024-01-31").add("1 month")` are the same day, the last one of February.
# Instead: the second is 29 February; the first adds a twelfth of a mean year, and is 1 March at 10:33:36. A year is 365.25 days there.
# It matters: a decision table says that a term has run out on another day than the table next to it, and a date compared with one at midnight is later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'zen-engine==2.1.3'
"$folder/venv/bin/python" - <<'END'
from datetime import datetime, timezone
from importlib.metadata import version

import zen

print("zen-engine", version("zen-engine"))


def shown(expression):
    value = zen.evaluate_expression(expression, {})
    if isinstance(value, float):
        value = datetime.fromtimestamp(value, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    print(expression, "->", value)
    return value


assert shown('d("2024-01-31").add("1 month").format("%Y-%m-%d %H:%M:%S")') == "2024-02-29 00:00:00"
assert shown('date("2024-01-31") + duration("1 month")') == "2024-03-01 10:33:36"
assert shown('d("2023-01-01").add("1 year").format("%Y-%m-%d %H:%M:%S")') == "2024-01-01 00:00:00"
assert shown('date("2023-01-01") + duration("1 year")') == "2024-01-01 06:00:00"
END

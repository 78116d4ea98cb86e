#!/usr/bin/env bash
# pycron never fires on weekday 7.
# Guess: 7 is Sunday, as 0 is: crontab(5) has both. Or a line with 7 is refused.
# Instead: `0 0 * * 7` matches no day of the week, and `5-7` matches Friday and Saturday only; `0` and `SUN` are Sunday.
# It matters: a schedule that was taken from a crontab is accepted and never runs, or leaves out one of its days.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pycron==3.3.0'
"$folder/venv/bin/python" - <<'END'
from datetime import datetime, timedelta
from importlib.metadata import version

import pycron

print("pycron", version("pycron"))
MONDAY = datetime(2024, 1, 1)
for field, expected in [("0", ["Sun"]), ("SUN", ["Sun"]), ("7", []), ("5-7", ["Fri", "Sat"]), ("1-5", ["Mon", "Tue", "Wed", "Thu", "Fri"])]:
    week = [MONDAY + timedelta(days=more) for more in range(7)]
    days = [f"{day:%a}" for day in week if pycron.is_now(f"0 0 * * {field}", day)]
    print(f"0 0 * * {field}: {', '.join(days) or 'never'}")
    assert days == expected, field
END

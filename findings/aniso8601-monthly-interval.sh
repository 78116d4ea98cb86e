#!/usr/bin/env bash
# aniso8601 repeats a monthly interval every 30 days.
# Guess: `R3/2024-01-15T00:00:00Z/P1M` is the 15th of January, of February and of March.
# Instead: a month is 30 days and a year 365 by default, so it is 15 January, 14 February, 15 March, and `P1Y`
# from 2024 ends on 31 December of the same year.
# It matters: "monthly" jobs drift through the calendar.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'aniso8601==10.0.1'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
import aniso8601

print("aniso8601", version("aniso8601"))


def dates(text):
    found = [str(at.date()) for at in aniso8601.parse_repeating_interval(text)]
    print(text, "->", found)
    return found


assert dates("R3/2024-01-15T00:00:00Z/P1M") == ["2024-01-15", "2024-02-14", "2024-03-15"]
assert dates("R2/2024-01-01T00:00:00Z/P1Y") == ["2024-01-01", "2024-12-31"]
END

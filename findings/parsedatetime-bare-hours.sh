#!/usr/bin/env bash
# parsedatetime reads "tomorrow at 17" as tomorrow at nine.
# Guess: an hour without minutes and without "pm" is an hour: tomorrow at 17:00, or the text is not understood.
# Instead: the number is left out and the day's start takes its place, 09:00; the status says "a date" as for "tomorrow" alone. "tomorrow at 5pm" and
# "tomorrow at 17:00" are read.
# It matters: reminders that people or models word so go off at nine in the morning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'parsedatetime==2.6'
"$folder/venv/bin/python" - <<'END'
from datetime import datetime
from importlib.metadata import version

import parsedatetime

NOW = datetime(2026, 1, 15, 12, 0)
CASES = {
    "tomorrow": (datetime(2026, 1, 16, 9), 1),
    "tomorrow at 17": (datetime(2026, 1, 16, 9), 1),
    "tomorrow at 5": (datetime(2026, 1, 16, 9), 1),
    "tomorrow at 5pm": (datetime(2026, 1, 16, 17), 3),
    "tomorrow at 17:00": (datetime(2026, 1, 16, 17), 3),
}
print("parsedatetime", version("parsedatetime"), "asked on", NOW)
calendar = parsedatetime.Calendar()
for text, expected in CASES.items():
    got = calendar.parseDT(text, NOW)
    print(f"{text}: {got[0]}, status {got[1]}")
    assert got == expected, (text, got)
END

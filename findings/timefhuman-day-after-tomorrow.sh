#!/usr/bin/env bash
# timefhuman takes the day after tomorrow for tomorrow.
# Guess: "day after tomorrow" is two days away, and "in an hour and a half" is 90 minutes; or the text is not understood.
# Instead: the first is tomorrow and the second is one hour: the words that it does not know are skipped. "monday to friday", said on a
# Wednesday, ends three days before it begins.
# It matters: reminders and deadlines that people type are set too early, and the text looks as if it had been understood.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'timefhuman==0.1.5'
"$folder/venv/bin/python" - <<'END'
from datetime import datetime
from importlib.metadata import version

from timefhuman import tfhConfig, timefhuman

print("timefhuman", version("timefhuman"))
NOW = tfhConfig(now=datetime(2024, 1, 3, 12))
for text, expected in [
    ("tomorrow", [datetime(2024, 1, 4)]),
    ("day after tomorrow", [datetime(2024, 1, 4)]),
    ("in an hour and a half", [datetime(2024, 1, 3, 13)]),
    ("monday to friday", [(datetime(2024, 1, 8), datetime(2024, 1, 5))]),
]:
    found = timefhuman(text, config=NOW)
    print(f"{text}, said on Wednesday, 3 January 2024, 12:00: {found}")
    assert found == expected, text
END

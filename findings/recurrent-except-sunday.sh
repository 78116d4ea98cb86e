#!/usr/bin/env bash
# recurrent leaves out one Sunday for "except sunday", and every Sunday for "except sundays".
# Guess: "daily except sunday" is a rule for six days of the week.
# Instead: it is a daily rule with the next Sunday as its only exception (EXDATE); the plural gives an exception for each Sunday, as an
# EXRULE, which RFC 5545 has withdrawn, so that other readers of the rule may drop it.
# It matters: a schedule that was written in words is right in the first week, when somebody looks at it, and wrong from the second on.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'recurrent==0.4.1' 'python-dateutil==2.9.0.post0'
"$folder/venv/bin/python" - <<'END'
from datetime import datetime
from importlib.metadata import version

from dateutil.rrule import rrulestr
from recurrent import RecurringEvent

print("recurrent", version("recurrent"))
START = datetime(2024, 1, 1)
for text, expected in [("daily except sunday", [14, 21, 28]), ("daily except sundays", [])]:
    rule = RecurringEvent(now_date=START).parse(text)
    days = rrulestr(rule, dtstart=START).between(START, datetime(2024, 1, 31), inc=True)
    sundays = [day.day for day in days if day.weekday() == 6]
    print(f"{text}: {rule!r}, Sundays of January 2024 that are left in: {sundays}")
    assert sundays == expected, text
END

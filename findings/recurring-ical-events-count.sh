#!/usr/bin/env bash
# recurring-ical-events gives one event more than COUNT when the start does not fit the rule.
# Guess: `COUNT=2` gives two events.
# Instead: with DTSTART on a Monday and `BYDAY=WE;COUNT=2` it gives three: the start, and two Wednesdays.
# dateutil gives the two Wednesdays; the RFC counts the start as the first of two.
# It matters: a series of ten lessons is planned eleven times.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'recurring-ical-events==3.8.2' 'icalendar==7.3.2' 'python-dateutil==2.9.0.post0'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
import icalendar
import recurring_ical_events
from dateutil.rrule import rrulestr

print("recurring-ical-events", version("recurring-ical-events"), "icalendar", version("icalendar"), "python-dateutil", version("python-dateutil"))


def dates(rule):
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VEVENT", "UID:1", "DTSTART:20240401T090000Z", f"RRULE:{rule}", "END:VEVENT", "END:VCALENDAR", ""]
    calendar = icalendar.Calendar.from_ical("\r\n".join(lines))
    found = sorted(str(event["DTSTART"].dt.date()) for event in recurring_ical_events.of(calendar).between((2024, 1, 1), (2025, 1, 1)))
    other = [str(at.date()) for at in rrulestr(f"DTSTART:20240401T090000Z\nRRULE:{rule}")]
    print(rule, "->", found, "dateutil:", other)
    return found, other


assert dates("FREQ=WEEKLY;BYDAY=WE;COUNT=2") == (["2024-04-01", "2024-04-03", "2024-04-10"], ["2024-04-03", "2024-04-10"])
assert dates("FREQ=WEEKLY;BYDAY=MO;COUNT=2") == (["2024-04-01", "2024-04-08"], ["2024-04-01", "2024-04-08"])
END

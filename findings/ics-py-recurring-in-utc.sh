#!/usr/bin/env bash
# ics.py writes a recurring event of a time zone with UTC times, and keeps its rule.
# Guess: an event each week at 09:00 in Berlin (`DTSTART;TZID=Europe/Berlin`) that is read and written again keeps its zone.
# Instead: it is written as `DTSTART:…T080000Z` with the same `RRULE`, and the zone is gone: from the last Sunday in March the event
# takes place at 10:00 in Berlin.
# It matters: a workflow that adds a participant to such an event moves half of its dates by an hour.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'ics==0.7.3'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version

from ics import Calendar

ZONE = """BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:STANDARD
DTSTART:19961027T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19810329T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
END:DAYLIGHT
END:VTIMEZONE
"""
EVENT = """BEGIN:VEVENT
UID:weekly@example.org
DTSTAMP:20240101T000000Z
DTSTART;TZID=Europe/Berlin:20240108T090000
DTEND;TZID=Europe/Berlin:20240108T100000
RRULE:FREQ=WEEKLY
SUMMARY:Meeting
END:VEVENT
"""
TEXT = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Example//EN\n{ZONE}{EVENT}END:VCALENDAR\n"
print("ics", version("ics"))
print(EVENT)
written = Calendar(TEXT.replace("\n", "\r\n")).serialize().replace("\r\n", "\n")
print(written)
assert "DTSTART:20240108T080000Z\n" in written, written
assert "RRULE:FREQ=WEEKLY\n" in written, written
assert "Europe/Berlin" not in written, written
END

#!/usr/bin/env bash
# icalevents still reports an event at its old time when it was moved beyond the days that are asked for.
# Guess: one event of a daily series is moved from 2 January to 10 January (RECURRENCE-ID), so it is on 10 January and never on the 2nd.
# Instead: asked for 1 to 7 January, the library reports it on the 2nd; asked for the whole month, it reports it on the 10th only.
# It matters: a flow that asks for the next days, as all do, acts on appointments that were put off.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'icalevents==0.3.1' 'icalendar==7.3.2'
"$folder/venv/bin/python" - <<'END'
from datetime import datetime, timezone
from importlib.metadata import version

from icalevents.icalevents import events

print("icalevents", version("icalevents"))
CALENDAR = b"""BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//example//moved//EN
BEGIN:VEVENT
UID:series@example.com
DTSTAMP:20240101T000000Z
DTSTART:20240101T090000Z
DTEND:20240101T100000Z
RRULE:FREQ=DAILY;COUNT=3
SUMMARY:Review
END:VEVENT
BEGIN:VEVENT
UID:series@example.com
DTSTAMP:20240101T000000Z
RECURRENCE-ID:20240102T090000Z
DTSTART:20240110T120000Z
DTEND:20240110T130000Z
SUMMARY:Review, put off
END:VEVENT
END:VCALENDAR
"""
for last, expected in [(7, [1, 2, 3]), (31, [1, 3, 10])]:
    found = events(
        string_content=CALENDAR,
        start=datetime(2024, 1, 1, tzinfo=timezone.utc),
        end=datetime(2024, 1, last, tzinfo=timezone.utc),
    )
    days = sorted(event.start.day for event in found)
    print(f"from 1 to {last} January: events on {days}")
    assert days == expected, last
END

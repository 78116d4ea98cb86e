#!/usr/bin/env bash
# APScheduler reads the weekday numbers and the two day fields of a crontab line in its own way.
# Guess: `CronTrigger.from_crontab("0 0 * * 1")` fires on Mondays, as crontab does, and `0 0 1 * 1` on every
# first of a month and on every Monday.
# Instead: 1 is Tuesday, 0 is Monday, 7 is refused, and both day fields must hold at once. Names (`mon`) work.
# It matters: a schedule that is moved from crontab runs a day late every week, and says nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'APScheduler==3.11.3'
"$folder/venv/bin/python" - <<'END'
from datetime import datetime, timedelta, timezone
from importlib.metadata import version
from apscheduler.triggers.cron import CronTrigger

print("APScheduler", version("APScheduler"))


def days(line, count=3):
    trigger, found, at = CronTrigger.from_crontab(line, timezone="UTC"), [], datetime(2024, 1, 1, tzinfo=timezone.utc)
    while len(found) < count:
        at = trigger.get_next_fire_time(None, at)
        found.append(at.strftime("%a %Y-%m-%d"))
        at += timedelta(minutes=1)
    print(f"{line!r}: {found}")
    return found


assert days("0 0 * * 1") == ["Tue 2024-01-02", "Tue 2024-01-09", "Tue 2024-01-16"]
assert days("0 0 * * 0")[0] == "Mon 2024-01-01"
assert days("0 0 * * mon")[0] == "Mon 2024-01-01"
assert days("0 0 1 * 1") == ["Tue 2024-10-01", "Tue 2025-04-01", "Tue 2025-07-01"]
try:
    days("0 0 * * 7")
except ValueError as error:
    print("'0 0 * * 7':", error)
else:
    raise SystemExit("7 was taken")
END

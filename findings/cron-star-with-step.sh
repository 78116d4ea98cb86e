#!/usr/bin/env bash
# Two cron libraries disagree on whether `*/2` in the day-of-month field is a restriction.
# Guess: when both day fields are restricted either may match, so `0 0 */2 * 1` is every odd day and every
# Monday, in each library.
# Instead: cronsim does as the original cron does: a field that begins with a star counts as a star, so both
# must match (Mondays on odd days). croniter takes it as a restriction, so either may match. Without the star
# (`1-31/2`) both agree.
# It matters: the same line of a schedule starts a workflow twice a month or about 18 times.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'cronsim==2.8' 'croniter==7.0.0'
"$folder/venv/bin/python" - <<'END'
from datetime import datetime
from importlib.metadata import version
from croniter import croniter
from cronsim import CronSim

START = datetime(2024, 1, 1)


def january(iterator):
    found = []
    for at in iterator:
        if at.month != 1:
            return found
        found.append(at.day)


def both(line):
    sim, iter_ = january(CronSim(line, START)), january(croniter(line, START, ret_type=datetime).all_next(datetime))
    print(f"{line!r}\n  cronsim  {version('cronsim')}: {sim}\n  croniter {version('croniter')}: {iter_}")
    return sim, iter_


sim, iter_ = both("0 0 */2 * 1")
assert sim == [15, 29], sim
assert iter_ == [3, 5, 7, 8, 9, 11, 13, 15, 17, 19, 21, 22, 23, 25, 27, 29, 31], iter_
sim, iter_ = both("0 0 1-31/2 * 1")
assert sim == iter_
END

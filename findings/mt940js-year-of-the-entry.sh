#!/usr/bin/env bash
# mt940js puts an entry of January into the January before.
# Guess: `:61:2312310102…` has the value date 31 December 2023 and the entry date 2 January 2024: the entry date has no year, and banks book
# within days.
# Instead: the year of the value date is taken for both, so that the entry date is 2 January 2023, and 31 December 2024 for a value date of 2
# January 2024. mt-940 for Python gives 2024 and 2023.
# It matters: the statements around New Year have bookings a year away, which searches by period miss or find twice.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'mt940js@1.3.5'
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'mt-940==5.1.1'
cat >entry.cjs <<'END'
const { readFileSync } = require("node:fs");
const { Parser } = require("mt940js");
const day = (date) => new Date(date).toISOString().slice(0, 10);
const [statement] = new Parser().parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(statement.transactions.map(({ date, entryDate }) => [day(date), day(entryDate)])));
END
venv/bin/python - <<'END'
import json
import subprocess
from importlib.metadata import version

import mt940

STATEMENT = """:20:START
:25:12345678/123
:28C:1/1
:60F:C231229EUR1000,00
:61:2312310102C100,00NTRFONE
:61:2401021231C10,00NTRFTWO
:62F:C240102EUR1110,00
"""
with open("node_modules/mt940js/package.json") as file:
    print("mt940js", json.load(file)["version"], "mt-940", version("mt-940"))
there = json.loads(subprocess.check_output(["node", "entry.cjs"], input=STATEMENT.encode()))
here = [[str(one.data["date"]), str(one.data["entry_date"])] for one in mt940.parse(STATEMENT)]
print("value date, entry date: mt940js", there, "mt-940", here)
assert there == [["2023-12-31", "2023-01-02"], ["2024-01-02", "2024-12-31"]]
assert here == [["2023-12-31", "2024-01-02"], ["2024-01-02", "2023-12-31"]], here
END

#!/usr/bin/env bash
# The Python package dbf hands out the rows of a dBASE file that were deleted.
# Guess: going through a table gives the rows that are there; a row that was deleted, and only not yet cleared away, is left out, as dbfread does.
# Instead: it comes like the others, with its values, and counts in `len`; only `dbf.is_deleted` tells.
# It matters: files of old trade and map programs are full of deleted rows; customers and articles come back when they are brought over.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'dbf==0.99.11' 'dbfread==2.0.7'
venv/bin/python - <<'END'
from importlib.metadata import version

import dbf

for name in ("dbf", "dbfread"):
    print(name, version(name))
with dbf.Table("articles.dbf", "name C(10); net N(8,2)", codepage="cp1252").open(dbf.READ_WRITE) as table:
    table.append(("lamp", 10))
    table.append(("chair", 20))
    with table[1] as row:
        dbf.delete(row)
END
venv/bin/python - <<'END'
import dbf
import dbfread

with dbf.Table("articles.dbf").open() as table:
    found = [(row.name.strip(), row.net, dbf.is_deleted(row)) for row in table]
    count = len(table)
print("dbf:", found, "count", count)
assert found == [("lamp", 10, False), ("chair", 20, True)] and count == 2
found = [dict(row) for row in dbfread.DBF("articles.dbf")]
print("dbfread:", found)
assert found == [{"NAME": "lamp", "NET": 10}]
END

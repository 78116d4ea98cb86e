#!/usr/bin/env bash
# fastparquet reads the date 9999-12-31 as a day of 1816.
# Guess: a date that nanoseconds of 64 bits cannot hold comes out as a Python date, in a coarser unit or as an error: Parquet keeps dates as days.
# Instead: the days are multiplied until the number wraps round: 9999-12-31 is 29 March 1816 and 0001-01-01 is 30 August 1754, without a warning.
# It matters: "valid until 9999-12-31" is the usual way to write "for ever" in tables of prices and contracts; read this way, all of them have run out.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'fastparquet==2026.9.0' 'pyarrow==26.0.1' 'pandas==2.3.3'
cd "$folder"
venv/bin/python - <<'END'
from datetime import date
from importlib.metadata import version

import fastparquet
import pyarrow
import pyarrow.parquet

for name in ("fastparquet", "pandas", "pyarrow"):
    print(name, version(name))
DAYS = [date(2024, 1, 2), date(9999, 12, 31), date(1, 1, 1)]
pyarrow.parquet.write_table(pyarrow.table({"until": pyarrow.array(DAYS)}), "days.parquet")
assert pyarrow.parquet.read_table("days.parquet")["until"].to_pylist() == DAYS
found = [day.date() for day in fastparquet.ParquetFile("days.parquet").to_pandas()["until"]]
for before, after in zip(DAYS, found):
    print(before, "->", after)
assert found == [date(2024, 1, 2), date(1816, 3, 29), date(1754, 8, 30)]
END

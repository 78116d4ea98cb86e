#!/usr/bin/env bash
# fastparquet writes microseconds as nanoseconds when it writes INT96.
# Guess: a column of datetime64[us], which is what pandas 3 makes of dates, is written with times="int96" as the moments
# that it has.
# Instead: each moment is a thousandth of itself: 2024-02-29 13:05 is 1970-01-20 18:46 in the file, without a warning. With
# datetime64[ns], or times="int64", it is right.
# It matters: INT96 is what older Spark, Hive and Impala want, and the dates are wrong for every reader.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'fastparquet==2026.9.0' 'pyarrow==26.0.1' 'pandas==3.1.1'
cd "$folder"
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
import fastparquet
import pandas as pd
import pyarrow.parquet as pq

print("fastparquet", version("fastparquet"), "pandas", version("pandas"), "pyarrow", version("pyarrow"))
moment = pd.to_datetime(["2024-02-29 13:05:00"])
found = {}
for unit in ("us", "ns"):
    for times in ("int96", "int64"):
        frame = pd.DataFrame({"at": moment.astype(f"datetime64[{unit}]")})
        fastparquet.write("at.parquet", frame, times=times, write_index=False)
        found[unit, times] = str(pq.read_table("at.parquet")["at"][0].as_py())
        print(f"datetime64[{unit}] as {times}: {found[unit, times]}")
assert found["us", "int96"].startswith("1970-01-20 18:46")
assert all(found[way].startswith("2024-02-29 13:05") for way in found if way != ("us", "int96"))
END

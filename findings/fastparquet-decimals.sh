#!/usr/bin/env bash
# fastparquet reads the decimals of a Parquet file as floating-point numbers.
# Guess: a column DECIMAL(23, 3) is read as decimals, or refused: the file says how many digits it has.
# Instead: it is float64, so 12345678901234567890.123 comes back as 1.2345678901234567e+19, without a warning.
# pyarrow reads the same file to the digit.
# It matters: amounts and identifiers that are stored exactly are changed by the reader.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'fastparquet==2026.9.0' 'pyarrow==26.0.1' 'pandas==3.1.1'
cd "$folder"
"$folder/venv/bin/python" - <<'END'
from decimal import Decimal
from importlib.metadata import version
import fastparquet
import pyarrow as pa
import pyarrow.parquet as pq

print("fastparquet", version("fastparquet"), "pyarrow", version("pyarrow"))
value = Decimal("12345678901234567890.123")
pq.write_table(pa.table({"amount": pa.array([value], pa.decimal128(23, 3))}), "amount.parquet")
exact = pq.read_table("amount.parquet")["amount"][0].as_py()
found = fastparquet.ParquetFile("amount.parquet").to_pandas()["amount"]
print(f"written {value}, pyarrow {exact}, fastparquet {found.iloc[0]!r} ({found.dtype})")
assert exact == value
assert str(found.dtype) == "float64" and Decimal(float(found.iloc[0])) != value
END

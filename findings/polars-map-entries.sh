#!/usr/bin/env bash
# Polars keeps one entry of a map that has a key twice.
# Guess: a map of Parquet with the entries k=1 and k=2 is read with both of them, as it is stored, or refused.
# Instead: the map has k=2 only. DuckDB and pyarrow show both entries of the same file.
# It matters: headers, tags and attributes that may occur twice lose values, and which one depends on the reader.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'polars==2.1.0' 'pyarrow==26.0.1' 'duckdb==2.0.1'
cd "$folder"
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

print("polars", version("polars"), "pyarrow", version("pyarrow"), "duckdb", version("duckdb"))
made = pa.table({"tags": pa.array([[("k", 1), ("k", 2)]], pa.map_(pa.string(), pa.int64()))})
pq.write_table(made, "tags.parquet")
arrow = pq.read_table("tags.parquet")["tags"][0].as_py()
duck = duckdb.sql("SELECT len(map_keys(tags)) FROM 'tags.parquet'").fetchall()[0][0]
found = str(pl.read_parquet("tags.parquet")["tags"])
print(f"pyarrow {arrow}, DuckDB {duck} keys, Polars {found}")
assert arrow == [("k", 1), ("k", 2)] and duck == 2
assert '"k": 2' in found and '"k": 1' not in found
END

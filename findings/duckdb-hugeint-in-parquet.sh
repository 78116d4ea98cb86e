#!/usr/bin/env bash
# DuckDB writes whole numbers of 128 bits to Parquet as floating-point numbers.
# Guess: a HUGEINT is written as a decimal of 38 or 39 digits, which Parquet has, or refused.
# Instead: the column is DOUBLE, and 12345678901234567890123 is 1.2345678901234568e+22 in the file. sum() of a
# BIGINT column is a HUGEINT, so a sum above 2^53 that is exact in a query is another number in the file.
# It matters: an export to Parquet changes totals that the same query prints right. A cast to DECIMAL(38, 0) helps.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'duckdb==2.0.1'
cd "$folder"
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
import duckdb

print("duckdb", version("duckdb"))
query = "SELECT sum(x) AS total FROM (VALUES (9007199254740992::BIGINT), (1)) t(x)"
exact = duckdb.sql(query).fetchall()[0][0]
duckdb.sql(f"COPY ({query}) TO 'total.parquet' (FORMAT parquet)")
duckdb.sql(f"COPY (SELECT total::DECIMAL(38, 0) AS total FROM ({query})) TO 'cast.parquet' (FORMAT parquet)")
kind = duckdb.sql("SELECT type FROM parquet_schema('total.parquet') WHERE name = 'total'").fetchall()[0][0]
found = duckdb.sql("SELECT total FROM 'total.parquet'").fetchall()[0][0]
cast = duckdb.sql("SELECT total FROM 'cast.parquet'").fetchall()[0][0]
print(f"the query says {exact}, the file has {found!r} as {kind}, with a cast {cast}")
assert (exact, kind, int(found), int(cast)) == (9007199254740993, "DOUBLE", 9007199254740992, 9007199254740993)
END

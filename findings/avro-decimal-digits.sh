#!/usr/bin/env bash
# The Python package avro writes 1.5 as 0.15 where the schema has two decimal places.
# Guess: a decimal with fewer places than the schema's scale is filled up with zeros (1.5 becomes 1.50), or refused; one with more places is refused.
# Instead: its digits are written as they are and read with the scale of the schema: 1.5 is 0.15 and 100 is 1.00. More places are refused. fastavro fills up.
# It matters: whole amounts in a file are a hundredth of what was written, and no reader can tell.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'avro==1.12.2' 'fastavro==1.13.1'
"$folder/venv/bin/python" - <<'END'
import io
import json
from decimal import Decimal
from importlib.metadata import version

import avro.io
import avro.schema
import fastavro

for name in ("avro", "fastavro"):
    print(name, version(name))
SCHEMA = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}


def by_avro(value):
    schema = avro.schema.parse(json.dumps(SCHEMA))
    data = io.BytesIO()
    avro.io.DatumWriter(schema).write(value, avro.io.BinaryEncoder(data))
    data.seek(0)
    return avro.io.DatumReader(schema).read(avro.io.BinaryDecoder(data))


def by_fastavro(value):
    data = io.BytesIO()
    fastavro.schemaless_writer(data, SCHEMA, value)
    data.seek(0)
    return fastavro.schemaless_reader(data, SCHEMA)


for text, wrong, right in [("1.50", "1.50", "1.50"), ("1.5", "0.15", "1.50"), ("100", "1.00", "100.00")]:
    value = Decimal(text)
    print(f"{text}: avro {by_avro(value)}, fastavro {by_fastavro(value)}")
    assert (str(by_avro(value)), str(by_fastavro(value))) == (wrong, right), text
END

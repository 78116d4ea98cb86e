#!/usr/bin/env bash
# fastjsonschema takes a schema that declares draft 2020-12 and does not apply its keywords.
# Guess: a validator that does not know the declared `$schema` refuses the schema.
# Instead: it compiles it as draft 7: `prefixItems`, `dependentRequired`, `unevaluatedProperties`, `minContains`
# and whatever stands beside `$ref` check nothing.
# It matters: data that the schema forbids passes without a word.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'fastjsonschema==2.22.3'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
import fastjsonschema

print("fastjsonschema", version("fastjsonschema"))
DRAFT = "https://json-schema.org/draft/2020-12/schema"
CASES = [
    ({"prefixItems": [{"type": "string"}]}, [1]),
    ({"dependentRequired": {"card": ["address"]}}, {"card": 1}),
    ({"properties": {"a": {}}, "unevaluatedProperties": False}, {"b": 1}),
    ({"contains": {"const": 1}, "minContains": 2}, [1]),
    ({"$defs": {"text": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/text", "maxLength": 2}}}, {"a": "too long"}),
]
for schema, data in CASES:
    fastjsonschema.validate({"$schema": DRAFT, **schema}, data)
    print("passes:", data, "against", schema)
try:
    fastjsonschema.validate({"$schema": DRAFT, "type": "string"}, 1)
except fastjsonschema.JsonSchemaValueException as error:
    print("refused as it should be:", error)
else:
    raise SystemExit("type was not checked either")
END

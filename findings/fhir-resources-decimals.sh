#!/usr/bin/env bash
# fhir.resources does not keep the digits of decimals.
# Guess: `1.00` comes back as `1.00`: FHIR says that the precision of a decimal is part of its value, and the
# field is a Decimal.
# Instead: the number goes through a float first: 1.00 becomes 1.0, 0.10 becomes 0.1 and long numbers change.
# It matters: a measured 1.00 mg says more than 1.0 mg, and a signed or compared resource is another one after
# reading and writing it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'fhir.resources==8.3.0'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
from fhir.resources.observation import Observation

print("fhir.resources", version("fhir.resources"))
for digits, wanted in [("1.00", "1.0"), ("0.10", "0.1"), ("100000000000000.123", "100000000000000.12")]:
    text = '{"resourceType":"Observation","status":"final","code":{"text":"dose"},"valueQuantity":{"value":%s,"unit":"mg"}}' % digits
    observation = Observation.model_validate_json(text)
    written = observation.model_dump_json()
    print(f"{digits} -> {observation.valueQuantity.value!r} -> {written}")
    assert f'"value":{wanted},' in written, written
END

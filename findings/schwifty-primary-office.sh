#!/usr/bin/env bash
# schwifty takes the two forms of a primary office's BIC for different banks.
# Guess: `DEUTDEFF` and `DEUTDEFFXXX` are equal: by ISO 9362 a code of eight characters is the primary office, as is the branch `XXX`.
# Instead: they compare and hash as texts, so they are unequal and two entries of a set.
# It matters: payments of one bank are grouped apart, and a bank that is on a list is not found there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'schwifty==2026.10.1'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
from schwifty import BIC

short, long = BIC("DEUTDEFF"), BIC("DEUTDEFFXXX")
print("schwifty", version("schwifty"))
print(f"{short} == {long}: {short == long}; bank {short.bank_code} and {long.bank_code}, branch {short.branch_code!r} and {long.branch_code!r}")
assert short.is_valid and long.is_valid
assert short != long and len({short, long}) == 2
END

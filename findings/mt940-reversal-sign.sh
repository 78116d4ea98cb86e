#!/usr/bin/env bash
# mt-940 gives a reversed credit the sign of a credit.
# Guess: amounts are signed, so that opening balance and transactions add up to the closing balance: a reversed
# credit (RC) is negative, as a debit (D) is.
# Instead: only D is negative. RC is positive, so that a payment and its reversal count twice.
# It matters: totals over a bank statement are wrong as soon as one payment was returned.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'mt-940==5.1.1'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
import mt940

print("mt-940", version("mt-940"))
STATEMENT = """:20:START
:25:12345678/123
:28C:1/1
:60F:C240101EUR1000,00
:61:2401020102C100,00NTRFONE
:61:2401030103RC100,00NTRFTWO
:61:2401040104D30,00NTRFTHREE
:61:2401050105RD30,00NTRFFOUR
:62F:C240105EUR1000,00
"""
statement = mt940.parse(STATEMENT)
signed = {one.data["status"]: one.data["amount"].amount for one in statement}
for status, amount in signed.items():
    print(f"{status:<2} {amount}")
difference = statement.data["final_closing_balance"].amount.amount - statement.data["final_opening_balance"].amount.amount
print("closing less opening:", difference, "sum of the transactions:", sum(signed.values()))
assert signed["D"] == -30 and signed["RC"] == 100 and signed["RD"] == 30
assert difference == 0 and sum(signed.values()) == 200
END

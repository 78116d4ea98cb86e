#!/usr/bin/env bash
# bankstatementparser does not tell booked entries from those that are only announced.
# Guess: an intraday report (camt.052) with the states BOOK, PDNG and INFO gives the state of each entry, or the booked ones only.
# Instead: a row has no state, and the total counts what is pending and what is for information like money that has moved.
# It matters: an invoice is taken for paid by a payment that can still fail, and the total is that of no account.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'bankstatementparser==0.0.29'
cd "$folder"
cat >report.xml <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.052.001.08"><BkToCstmrAcctRpt>
<GrpHdr><MsgId>M1</MsgId><CreDtTm>2024-01-05T10:00:00</CreDtTm></GrpHdr>
<Rpt><Id>R1</Id><CreDtTm>2024-01-05T10:00:00</CreDtTm>
<Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>
<Ntry><Amt Ccy="EUR">100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2024-01-02</Dt></BookgDt><ValDt><Dt>2024-01-02</Dt></ValDt></Ntry>
<Ntry><Amt Ccy="EUR">55.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>PDNG</Cd></Sts><ValDt><Dt>2024-01-06</Dt></ValDt></Ntry>
<Ntry><Amt Ccy="EUR">7.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>INFO</Cd></Sts><ValDt><Dt>2024-01-08</Dt></ValDt></Ntry>
</Rpt></BkToCstmrAcctRpt></Document>
END
venv/bin/python - <<'END'
from importlib.metadata import version

from bankstatementparser import Camt052Parser

print("bankstatementparser", version("bankstatementparser"))
parser = Camt052Parser("report.xml")
rows = parser.parse().to_dict("records")
for row in rows:
    print({name: str(value) for name, value in row.items()})
amounts = [float(row["Amount"]) for row in rows]
total = float(parser.get_summary()["total_amount"])
print("amounts:", amounts, "total:", total)
assert amounts == [100, 55, 7] and total == 162
assert not any("BOOK" in str(row) or "PDNG" in str(row) or "INFO" in str(row) for row in rows)
END

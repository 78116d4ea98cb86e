#!/usr/bin/env bash
# ofxparse moves a booking of the evening to the next day.
# Guess: `20240115233000[-5:EST]` is a time with its zone, or at least 15 January, the day that the bank states.
# Instead: the offset is subtracted and forgotten: the date is 2024-01-16 04:30 without a zone, while a date
# without a time stays as it is.
# It matters: statements that are grouped by day or month have bookings in the wrong period.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'ofxparse==0.21'
"$folder/venv/bin/python" - <<'END'
import io
from importlib.metadata import version
import ofxparse

print("ofxparse", version("ofxparse"))
HEAD = "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nSECURITY:NONE\nENCODING:USASCII\nCHARSET:1252\nCOMPRESSION:NONE\nOLDFILEUID:NONE\nNEWFILEUID:NONE\n\n"


def posted(date):
    status = "<STATUS><CODE>0<SEVERITY>INFO</STATUS>"
    text = f"{HEAD}<OFX><SIGNONMSGSRSV1><SONRS>{status}<DTSERVER>20240101<LANGUAGE>ENG</SONRS></SIGNONMSGSRSV1><BANKMSGSRSV1><STMTTRNRS><TRNUID>1{status}"
    text += "<STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>2<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST><DTSTART>20240101<DTEND>20240131"
    text += f"<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>{date}<TRNAMT>-1.00<FITID>1<NAME>A</STMTTRN></BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
    (found,) = ofxparse.OfxParser.parse(io.BytesIO(text.encode())).account.statement.transactions
    print(date, "->", found.date, "zone:", found.date.tzinfo)
    assert found.date.tzinfo is None
    return str(found.date)


assert posted("20240115233000.000[-5:EST]") == "2024-01-16 04:30:00"
assert posted("20240131233000.000[-5:EST]") == "2024-02-01 04:30:00"
assert posted("20240115") == "2024-01-15 00:00:00"
END

#!/usr/bin/env bash
# syslog-rfc5424-parser keeps the last of several values with one name.
# Guess: a record with two values `ip` in one element gives both: RFC 5424 allows a name to come several times, and its own example for a host
# with two addresses does so.
# Instead: an element is a plain dictionary, and the first value is overwritten without a word.
# It matters: a search of audit records for an address misses the records in which it came first.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'syslog-rfc5424-parser==0.3.2'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version

from syslog_rfc5424_parser import SyslogMessage

print("syslog-rfc5424-parser", version("syslog-rfc5424-parser"))
RECORD = '<34>1 2024-01-01T00:00:00Z host app 1 ID1 [origin ip="192.0.2.1" ip="192.0.2.2"] signed in'
data = SyslogMessage.parse(RECORD).as_dict()["sd"]
print(RECORD, data)
assert data == {"origin": {"ip": "192.0.2.2"}}
END

#!/usr/bin/env bash
# Three packages for canonical JSON write three things for one integer.
# Guess: what a package for canonical JSON (RFC 8785) signs is the value that it was given: 9007199254740993 is
# written with its digits, or refused.
# Instead: jcs writes 9007199254740992, rfc8785 refuses it, canonicaljson keeps the digits; 1.0 is `1` for the
# first two and `1.0` for the third.
# It matters: two different values have one signature, and a signature of one library does not hold in another.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'jcs==0.2.1' 'rfc8785==0.1.4' 'canonicaljson==2.0.0'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
import canonicaljson
import jcs
import rfc8785


def show(name, write, value):
    try:
        found = write(value).decode()
    except Exception as error:
        found = type(error).__name__
    print(f"{name:<13} {version(name):<6} {value!r} -> {found}")
    return found


def all_three(value):
    return [show("jcs", jcs.canonicalize, value), show("rfc8785", rfc8785.dumps, value), show("canonicaljson", canonicaljson.encode_canonical_json, value)]


assert all_three(9007199254740993) == ["9007199254740992", "IntegerDomainError", "9007199254740993"]
assert all_three(1.0) == ["1", "1", "1.0"]
END

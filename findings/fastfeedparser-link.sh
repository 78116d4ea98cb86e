#!/usr/bin/env bash
# fastfeedparser may give the address for editing an entry as its link.
# Guess: the link of an Atom entry is the page to read: the one with the relation `alternate` or with none, which is the same (RFC 4287). Addresses are
# completed with `xml:base`.
# Instead: a link without a relation does not count as `alternate`: the first link is taken, though it says `edit` or `replies`. Addresses stay as they are
# written.
# It matters: messages about news point to an address that asks for a password, or to no place at all, for the feeds of some programs only.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'fastfeedparser==0.6.5'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version

import fastfeedparser

print("fastfeedparser", version("fastfeedparser"))
for links, expected in [
    ('<link href="http://news.example/1"/><link rel="edit" href="http://news.example/edit/1"/>', "http://news.example/1"),
    ('<link rel="edit" href="http://news.example/edit/1"/><link href="http://news.example/1"/>', "http://news.example/edit/1"),
    ('<link rel="replies" href="http://news.example/1/comments"/><link href="http://news.example/1"/>', "http://news.example/1/comments"),
    ('<link rel="replies" href="http://news.example/1/comments"/><link rel="alternate" href="http://news.example/1"/>', "http://news.example/1"),
    ('<link href="1"/>', "1"),
]:
    feed = f"""<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://news.example/"><title>News</title><id>urn:1</id>
<updated>2024-01-01T00:00:00Z</updated><entry><id>urn:2</id><title>One</title><updated>2024-01-01T00:00:00Z</updated>{links}</entry></feed>"""
    found = fastfeedparser.parse(feed).entries[0]["link"]
    print(f"{links} -> {found}")
    assert found == expected
END

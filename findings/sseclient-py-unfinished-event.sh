#!/usr/bin/env bash
# sseclient-py hands out the event that was under way when the stream ended.
# Guess: an event that its empty line does not end is dropped, as the HTML standard says, so that a cut stream
# shows.
# Instead: it comes as an event like the others, with the part of its data that had arrived.
# It matters: the last message of a cut connection is taken for a whole one (half of an answer of a model, a
# list without its last line).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'sseclient-py==1.9.0'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
import sseclient

print("sseclient-py", version("sseclient-py"))


class Source:
    def __init__(self, body):
        self.body = body

    def __iter__(self):
        yield self.body


def data(body):
    found = [event.data for event in sseclient.SSEClient(Source(body)).events()]
    print(body, "->", found)
    return found


assert data(b"data: one\n\ndata: first line\ndata: second line\n\n") == ["one", "first line\nsecond line"]
assert data(b"data: one\n\ndata: first line\n") == ["one", "first line"]
END

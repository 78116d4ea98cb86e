#!/usr/bin/env bash
# httpx-sse hands out an event for a block of a stream that has no data.
# Guess: a block with only `event:`, `id:` or `retry:` gives no event: the HTML standard drops an event whose
# data is empty.
# Instead: it gives an event with the data "", named by the block, or `message`.
# It matters: a client that parses the data of each event as JSON fails on the keep-alives and the first
# `retry:` of real servers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'httpx-sse==0.4.3' 'httpx==0.28.1'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
import httpx
import httpx_sse

print("httpx-sse", version("httpx-sse"))


def events(body):
    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, content=body)
    found = [(one.event, one.data, one.id, one.retry) for one in httpx_sse.EventSource(response).iter_sse()]
    print(body, "->", found)
    return found


assert events(b"event: ping\n\n") == [("ping", "", "", None)]
assert events(b"retry: 3000\n\n") == [("message", "", "", 3000)]
assert events(b"id: 7\n\n") == [("message", "", "7", None)]
assert events(b": a comment\n\ndata: {}\n\n") == [("message", "{}", "", None)]
END

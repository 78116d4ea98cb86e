#!/usr/bin/env bash
# Of several `--exclude-path-regex` options of schemathesis the last one counts.
# Guess: an option of a filter that is given twice leaves out both (as `--exclude-path` does), or is refused.
# Instead: the later replaces the earlier without a word.
# It matters: operations that must not be called, such as those that delete, are called.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'schemathesis==4.32.5'
"$folder/venv/bin/python" - "$folder" <<'END'
import collections
import http.server
import json
import pathlib
import subprocess
import sys
import threading
from importlib.metadata import version

folder = pathlib.Path(sys.argv[1])
print("schemathesis", version("schemathesis"))

paths = {f"/{name}": {"get": {"responses": {"200": {"description": "OK"}}}} for name in ("keep", "first", "second")}
(folder / "openapi.json").write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths}))


class Server(http.server.BaseHTTPRequestHandler):
    asked = []

    def do_GET(self):
        self.asked.append(self.path)
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *args):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()


def asked(*options):
    Server.asked.clear()
    command = [str(folder / "venv/bin/schemathesis"), "run", str(folder / "openapi.json"), "--url", f"http://127.0.0.1:{server.server_port}",
               "--phases", "fuzzing", "--checks", "not_a_server_error", "--no-color", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert Server.asked, done.stdout + done.stderr
    return list(Server.asked)

for options, wanted in [
    (["--exclude-path-regex", "^/first$", "--exclude-path-regex", "^/second$"], {"/keep", "/first"}),
    (["--exclude-path-regex", "^/(first|second)$"], {"/keep"}),
    (["--exclude-path", "/first", "--exclude-path", "/second"], {"/keep"}),
]:
    # It also asks paths that the schema does not name, to see what the server says to them.
    found = {path.split("?")[0] for path in asked("--max-examples", "3", *options)} & set(paths)
    print(options, "->", sorted(found))
    assert found == wanted, found
END

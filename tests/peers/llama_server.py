"""How llama.py and models.py serve a model: the server of llama.cpp, in this process, on a free port of loopback.

It needs the Python package `xllamacpp`.
"""

import sys

import xllamacpp


def serve(path, name, context):
    """Serves the model in the file `path` under `name`, prints the address, and ends with the standard input."""
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    # Some versions take one name and one host, others several.
    params.model_alias = {name} if isinstance(params.model_alias, set) else name
    params.hostnames = ["127.0.0.1"] if isinstance(params.hostnames, list) else params.hostnames
    params.port = 0
    params.n_ctx = context
    params.n_parallel = 1
    params.warmup = False
    params.use_jinja = True
    params.cpuparams.n_threads = 2
    # Held in a variable: the server ends with its object.
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    # Whoever started this process holds its standard input open.
    sys.stdin.read()

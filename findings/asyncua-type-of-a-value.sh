#!/usr/bin/env bash
# An OPC UA server of asyncua refuses 5 for a Double and takes 3 for an array.
# Guess: writing the integer 5 to a variable of type Double writes 5.0, and writing one number to a variable
# that holds a list is refused.
# Instead: the type on the wire is guessed from the Python value (Int64), and the server compares types only: 5
# is refused with BadTypeMismatch, while the array is replaced by a number.
# It matters: set points that happen to be whole fail, and an array variable loses its shape for all who read
# it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'asyncua==2.1.0'
"$folder/venv/bin/python" - <<'END'
import asyncio
import logging
import socket
from importlib.metadata import version
from asyncua import Client, Server, ua

logging.disable(logging.CRITICAL)
print("asyncua", version("asyncua"))
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    ADDRESS = f"opc.tcp://127.0.0.1:{probe.getsockname()[1]}/"


async def write(client, variable, value):
    node = client.get_node(variable.nodeid)
    try:
        await node.write_value(value)
        told = "taken"
    except ua.UaStatusCodeError as error:
        told = type(error).__name__
    kept = await node.read_value()
    print(f"write {value!r}: {told}, the variable holds {kept!r}")
    return told, kept


async def main():
    server = Server()
    await server.init()
    server.set_endpoint(ADDRESS)
    space = await server.register_namespace("urn:example")
    speed = await server.nodes.objects.add_variable(space, "speed", 1.5)
    levels = await server.nodes.objects.add_variable(space, "levels", [1, 2])
    for variable in (speed, levels):
        await variable.set_writable()
    async with server, Client(ADDRESS) as client:
        assert await write(client, speed, 5) == ("BadTypeMismatch", 1.5)
        assert await write(client, speed, 5.0) == ("taken", 5.0)
        assert await write(client, levels, 3) == ("taken", 3)


asyncio.run(main())
END

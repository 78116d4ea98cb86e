#!/usr/bin/env bash
# The Python SDK of MCP parses a text argument as JSON when its parameter is `str | None`.
# Guess: an argument whose schema allows a string reaches the function as that string.
# Instead: for `str` it does. For `str | None` the text `null` becomes None, and a text that is a JSON object or
# list is parsed and then refused, because it is no string.
# It matters: a tool with an optional text (a file's content, a template, a filter) fails on JSON, and on JSON
# only.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'mcp==2.3.0'
"$folder/venv/bin/python" - <<'END'
import asyncio
import logging
from importlib.metadata import version
from mcp import Client
from mcp.server.mcpserver import MCPServer

logging.disable(logging.CRITICAL)
print("mcp", version("mcp"))
server = MCPServer("text")


@server.tool()
def plain(text: str) -> str:
    return repr(text)


@server.tool()
def optional(text: str | None = None) -> str:
    return repr(text)


async def main():
    async with Client(server) as client:
        for text, wanted in [("hello", "'hello'"), ("5", "'5'"), ("null", "None"), ('{"a": 1}', "refused"), ("[1]", "refused")]:
            found = {}
            for tool in ("plain", "optional"):
                result = await client.call_tool(tool, {"text": text})
                found[tool] = "refused" if result.is_error else result.content[0].text
            print(f"{text!r}: str gives {found['plain']}, str | None gives {found['optional']}")
            assert found == {"plain": repr(text), "optional": wanted}, found


asyncio.run(main())
END

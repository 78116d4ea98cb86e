#!/usr/bin/env bash
# The Python SDK of MCP answers a list as one content block per entry.
# Guess: a tool that returns `["a", "b"]` answers one text block with the JSON `["a", "b"]`, as it does with a
# dict.
# Instead: it answers two text blocks, `a` and `b`; an empty list answers no content at all, and so does None.
# Structured content is there only when the return type was declared with its entries.
# It matters: a caller that reads the first block gets the first row, and "nothing was found" looks like an
# empty answer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'mcp==2.3.0'
"$folder/venv/bin/python" - <<'END'
import asyncio
from importlib.metadata import version
from mcp import Client
from mcp.server.mcpserver import MCPServer

print("mcp", version("mcp"))
server = MCPServer("lists")


@server.tool()
def two():
    return ["a", "b"]


@server.tool()
def none_found():
    return []


@server.tool()
def one_object() -> dict:
    return {"rows": ["a", "b"]}


async def main():
    async with Client(server) as client:
        for tool, wanted in [("two", ["a", "b"]), ("none_found", []), ("one_object", ['{\n  "rows": [\n    "a",\n    "b"\n  ]\n}'])]:
            result = await client.call_tool(tool, {})
            texts = [block.text for block in result.content]
            print(f"{tool}: {texts}, structured: {result.structured_content}")
            assert texts == wanted and result.structured_content is None, texts


asyncio.run(main())
END

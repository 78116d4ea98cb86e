#!/usr/bin/env bash
# Three Markdown libraries read one table in three ways when a cell has code with a pipe.
# Guess: `x|y` in backticks is one cell with code in each of them, as it is anywhere else in Markdown.
# Instead: Markdown (Python-Markdown) makes one cell, markdown-it-py two cells with half the code each, mistune no table at all.
# It matters: a report that a step writes as Markdown loses a column, or its table, where it is shown.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'Markdown==3.11.3' 'markdown-it-py==4.3.0' 'mistune==3.4.0'
"$folder/venv/bin/python" - <<'END'
import re
from importlib.metadata import version
import markdown
import mistune
from markdown_it import MarkdownIt

text = "| a | b |\n|---|---|\n| `x|y` | z |\n"
libraries = {
    "Markdown": lambda: markdown.markdown(text, extensions=["tables"]),
    "markdown-it-py": lambda: MarkdownIt("commonmark").enable("table").render(text),
    "mistune": lambda: mistune.create_markdown(plugins=["table"])(text),
}
found = {}
for name, read in libraries.items():
    found[name] = re.findall(r"<td[^>]*>(.*?)</td>", read())
    print(name, version(name), found[name])
assert found == {"Markdown": ["<code>x|y</code>", "z"], "markdown-it-py": ["`x", "y`"], "mistune": []}, found
END

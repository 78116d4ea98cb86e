#!/usr/bin/env bash
# The splitter for Markdown headers of langchain-text-splitters removes the indentation of every line.
# Guess: a splitter divides a text; what stands between two headers stays as it is, program code in fences first
# of all.
# Instead: each line is stripped, in fenced code and nested lists too, and empty lines are dropped.
# It matters: Python and YAML in documentation mean something else, or nothing, when a model gets them from the
# index.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'langchain-text-splitters==1.1.3'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
from langchain_text_splitters import MarkdownHeaderTextSplitter

print("langchain-text-splitters", version("langchain-text-splitters"))
FENCE = "`" * 3
TEXT = f"# Head\n{FENCE}python\nif ready:\n    start()\n{FENCE}\n\n- outer\n    - inner\n"
(part,) = MarkdownHeaderTextSplitter([("#", "head")]).split_text(TEXT)
print(TEXT)
print("->")
print(part.page_content)
assert "if ready:\nstart()" in part.page_content
assert "- outer\n- inner" in part.page_content
END

#!/usr/bin/env bash
# Converters of HTML to Markdown write 10 to the power of 3 as 103.
# Guess: `10<sup>3</sup>` comes out as 10^3^, 10<sup>3</sup>, 10³ or the like: Markdown allows HTML where it has no sign for something.
# Instead: the mark is dropped and the digits are joined, in turndown, node-html-markdown, markdownify, html2text and html-to-markdown: 10<sup>3</sup>
# is 103, 5 m<sup>2</sup> is 5 m2, and a footnote behind a price of 20 is 201.
# It matters: pages are converted for language models and for search; figures in them are other figures, and nothing shows it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'markdownify==1.2.3' 'html2text==2025.4.15' 'html-to-markdown==3.21.2'
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'turndown@7.2.5' 'node-html-markdown@2.0.0'
cat >main.py <<'END'
from importlib.metadata import version

import html2text
import html_to_markdown
import markdownify

HTML = "<p>10<sup>3</sup> items, 5 m<sup>2</sup>, 20<sup>1</sup> euros</p>"
for name, found in [
    ("markdownify", markdownify.markdownify(HTML)),
    ("html2text", html2text.html2text(HTML)),
    ("html-to-markdown", html_to_markdown.convert(HTML).content),
]:
    print(name, version(name), "->", found.strip())
    assert found.strip() == "103 items, 5 m2, 201 euros"
END
cat >main.cjs <<'END'
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { NodeHtmlMarkdown } = require("node-html-markdown");
const TurndownService = require("turndown");

const HTML = "<p>10<sup>3</sup> items, 5 m<sup>2</sup>, 20<sup>1</sup> euros</p>";
for (const [name, found] of [
  ["turndown", new TurndownService().turndown(HTML)],
  ["node-html-markdown", NodeHtmlMarkdown.translate(HTML)],
]) {
  console.log(name, JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version, "->", found);
  assert.equal(found.trim(), "103 items, 5 m2, 201 euros");
}
END
venv/bin/python main.py
node main.cjs

#!/usr/bin/env bash
# Two engines for Liquid templates calculate differently.
# Guess: `{{ 7 | divided_by: 2 }}` is 3 in each, as the documentation of Liquid has it (the type of the divisor decides), and 2.5 is rounded to 3.
# Instead: LiquidJS divides to 3.5; python-liquid gives 3, and rounds to the nearest even number: 2.5 to 2, 0.125 to 0.12, where LiquidJS has 3 and 0.13.
# It matters: the same template shows other prices in the preview of the browser than in the mail from the server.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'python-liquid==2.3.6'
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'liquidjs@10.30.1'
cat >templates.json <<'END'
[
  ["{{ 7 | divided_by: 2 }}", "3", "3.5"],
  ["{{ 7 | divided_by: 2.0 }}", "3.5", "3.5"],
  ["{{ 2.5 | round }}", "2", "3"],
  ["{{ 0.125 | round: 2 }}", "0.12", "0.13"]
]
END
cat >main.py <<'END'
import json
from importlib.metadata import version

from liquid import Environment

print("python-liquid", version("python-liquid"))
for template, expected, _ in json.load(open("templates.json")):
    found = Environment().from_string(template).render()
    print(template, "->", found)
    assert found == expected, template
END
cat >main.cjs <<'END'
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { Liquid } = require("liquidjs");

console.log("liquidjs", JSON.parse(readFileSync("node_modules/liquidjs/package.json")).version);
for (const [template, , expected] of JSON.parse(readFileSync("templates.json"))) {
  const found = new Liquid().parseAndRenderSync(template);
  console.log(template, "->", found);
  assert.equal(found, expected);
}
END
venv/bin/python main.py
node main.cjs

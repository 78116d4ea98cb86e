#!/usr/bin/env bash
# The switch of Node-RED takes nothing for a number.
# Guess: the rules "== 0" and "< 10" with the type "number" match numbers, and perhaps texts of digits; an empty text or null goes to
# "otherwise".
# Instead: the rules compare as JavaScript does without types: "== 0" matches an empty text, a blank, false and an empty list, "< 10" matches
# null and an empty text, and "== 1" matches true. "is empty" matches the empty text and not 0.
# It matters: a reading or an amount that is missing takes the branch of a real value, such as "stock is 0".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'node-red@4.1.15' 'node-red-node-test-helper@0.3.6'
cat >switch.cjs <<'END'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const helper = require("node-red-node-test-helper");
const switchNode = require("@node-red/nodes/core/function/10-switch.js");

helper.init(require.resolve("node-red"));
console.log("node-red", JSON.parse(readFileSync("node_modules/node-red/package.json", "utf8")).version);

const branchOf = (rule, payload) =>
  new Promise((resolve) => {
    const flow = [
      { id: "rule", type: "switch", property: "payload", propertyType: "msg", rules: [rule, { t: "else" }], checkall: "true", outputs: 2, wires: [["yes"], ["no"]] },
      { id: "yes", type: "helper" },
      { id: "no", type: "helper" },
    ];
    helper.load(switchNode, flow, () => {
      for (const id of ["yes", "no"]) helper.getNode(id).on("input", () => helper.unload().then(() => resolve(id === "yes")));
      helper.getNode("rule").receive({ payload });
    });
  });

const ZERO = { t: "eq", v: "0", vt: "num" };
const BELOW_10 = { t: "lt", v: "10", vt: "num" };
(async () => {
  await new Promise((resolve) => helper.startServer(resolve));
  for (const [name, rule, payload, expected] of [
    ["== 0", ZERO, 0, true],
    ["== 0", ZERO, "", true],
    ["== 0", ZERO, " ", true],
    ["== 0", ZERO, false, true],
    ["== 0", ZERO, [], true],
    ["== 0", ZERO, "none", false],
    ["< 10", BELOW_10, null, true],
    ["< 10", BELOW_10, "", true],
    ["== 1", { t: "eq", v: "1", vt: "num" }, true, true],
    ["is empty", { t: "empty" }, 0, false],
  ]) {
    const matches = await branchOf(rule, payload);
    console.log(`${name} (number), ${JSON.stringify(payload)}: ${matches ? "matches" : "otherwise"}`);
    assert.strictEqual(matches, expected);
  }
  helper.stopServer(() => process.exit(0));
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
END
node switch.cjs

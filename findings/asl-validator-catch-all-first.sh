#!/usr/bin/env bash
# asl-validator passes error rules of a state machine that the language forbids.
# Guess: a catcher behind one for `States.ALL` is reported: the States Language says that this name stands alone and in the last rule, since
# nothing after it can match.
# Instead: the definition is valid, and so is `States.ALL` beside another name, in catchers and retriers. A missing target or a state that
# cannot be reached is reported.
# It matters: the rule for the one error that was meant to be handled never runs, and the check before the upload has said yes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'asl-validator@4.0.0'
cat >rules.cjs <<'END'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const exported = require("asl-validator");
const validate = exported.default ?? exported;

console.log("asl-validator", JSON.parse(readFileSync("node_modules/asl-validator/package.json", "utf8")).version);
const machine = (rules) => ({
  StartAt: "Pay",
  States: {
    Pay: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:pay", ...rules, End: true },
    Report: { Type: "Succeed" },
  },
});
const caught = (...names) => names.map((ErrorEquals) => ({ ErrorEquals, Next: "Report" }));
for (const [name, rules, expected] of [
  ["States.ALL last", { Catch: caught(["Declined"], ["States.ALL"]) }, true],
  ["States.ALL first", { Catch: caught(["States.ALL"], ["Declined"]) }, true],
  ["States.ALL with another name", { Catch: caught(["States.ALL", "Declined"]) }, true],
  ["retry of States.ALL first", { Retry: [{ ErrorEquals: ["States.ALL"] }, { ErrorEquals: ["Declined"] }], Catch: caught(["States.ALL"]) }, true],
  ["a state that nothing leads to", {}, false],
]) {
  const { isValid } = validate(machine(rules));
  console.log(`${name}: ${isValid ? "valid" : "not valid"}`);
  assert.strictEqual(isValid, expected, name);
}
END
node rules.cjs

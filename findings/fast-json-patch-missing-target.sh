#!/usr/bin/env bash
# fast-json-patch takes a patch for something that is not there.
# Guess: `remove` and `replace` of a missing member, and `copy` from one, fail: RFC 6902 says that the target must exist.
# Instead: `remove` does nothing, `replace` adds the member, `copy` writes null, and `replace` at index 3 of a list of one leaves two
# holes, which JSON shows as null. They fail only if the check of operations is asked for. rfc6902 reports each as missing.
# It matters: a patch made for an older state is reported as applied, and the document has what nobody wrote.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'fast-json-patch@3.1.1' 'rfc6902@5.4.0'
cat >patch.cjs <<'END'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const fast = require("fast-json-patch");
const strict = require("rfc6902");

for (const name of ["fast-json-patch", "rfc6902"]) {
  console.log(name, JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version);
}
const CASES = [
  [{ op: "remove", path: "/phone" }, '{"lines":["a"]}'],
  [{ op: "replace", path: "/phone", value: "1" }, '{"lines":["a"],"phone":"1"}'],
  [{ op: "replace", path: "/lines/3", value: "d" }, '{"lines":["a",null,null,"d"]}'],
];
for (const [operation, expected] of CASES) {
  const got = JSON.stringify(fast.applyPatch({ lines: ["a"] }, [operation]).newDocument);
  const [error] = strict.applyPatch({ lines: ["a"] }, [operation]);
  console.log(JSON.stringify(operation), "fast-json-patch:", got, "rfc6902:", error?.name);
  assert.strictEqual(got, expected);
  assert.strictEqual(error?.name, "MissingError");
  assert.throws(() => fast.applyPatch({ lines: ["a"] }, [operation], true));
}
const copied = fast.applyPatch({}, [{ op: "copy", from: "/phone", path: "/fax" }]).newDocument;
console.log("copy from a missing member:", copied);
assert.deepStrictEqual(copied, { fax: null });
END
node patch.cjs

#!/usr/bin/env bash
# djv refuses a price of 19.99 under `multipleOf: 0.01`.
# Guess: 19.99 is a multiple of 0.01, as JSON Schema means it for decimal numbers, so that the document is valid.
# Instead: djv compares binary remainders, so that 19.99 and 0.07 are invalid and 3 is valid. z-schema and jsen accept all three.
# It matters: answers of models and forms whose amounts are checked to cents fail on some prices and pass with others.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'z-schema@12.5.0' 'djv@2.1.4' 'jsen@0.6.6'
cat >cents.cjs <<'END'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const Djv = require("djv");
const jsen = require("jsen");
const zSchema = require("z-schema");

const SCHEMA = { type: "number", multipleOf: 0.01 };
const ZSchema = zSchema.default ?? zSchema.ZSchema ?? zSchema;
const djv = new Djv();
djv.addSchema("price", SCHEMA);
const validators = {
  "z-schema": (() => {
    const validator = ZSchema.create({});
    return (value) => {
      try {
        return validator.validate(value, SCHEMA) === true;
      } catch {
        return false;
      }
    };
  })(),
  djv: (value) => djv.validate("price", value) === undefined,
  jsen: jsen(SCHEMA),
};
const EXPECTED = { "z-schema": [true, true, true], djv: [false, false, true], jsen: [true, true, true] };
for (const [name, valid] of Object.entries(validators)) {
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  const got = [19.99, 0.07, 3].map((value) => valid(value));
  console.log(name, version, "19.99, 0.07, 3 are multiples of 0.01:", got.join(", "));
  assert.deepStrictEqual(got, EXPECTED[name]);
}
END
node cents.cjs

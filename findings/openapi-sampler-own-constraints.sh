#!/usr/bin/env bash
# openapi-sampler gives examples that do not fit the schema which they are made from.
# Guess: a sample of `multipleOf: 7, minimum: 3` is 7, and three items with `uniqueItems` differ; what cannot be met is an error.
# Instead: it gives 3, and [0, 0, 0]; ajv refuses both by the same schema. Bounds and lengths alone are met.
# It matters: mock answers and example requests made from an API description are refused by the API, or by the check of a test.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > init.log
npm install --silent --no-audit --no-fund 'openapi-sampler@1.7.10' 'ajv@8.17.1'
node - <<'END'
const assert = require('node:assert/strict');
const { sample } = require('openapi-sampler');
const Ajv = require('ajv');

console.log(`openapi-sampler ${require('openapi-sampler/package.json').version}`);
const ajv = new Ajv();
for (const [schema, wanted, fits] of [
  [{ type: 'integer', exclusiveMinimum: 5 }, 6, true],
  [{ type: 'integer', multipleOf: 7, minimum: 3 }, 3, false],
  [{ type: 'array', minItems: 3, uniqueItems: true, items: { type: 'integer' } }, [0, 0, 0], false],
]) {
  const value = sample(schema);
  const isValid = ajv.validate(schema, value);
  console.log(`${JSON.stringify(schema)}: ${JSON.stringify(value)}, ${isValid ? 'valid' : ajv.errorsText()}`);
  assert.deepEqual([value, isValid], [wanted, fits]);
}
END

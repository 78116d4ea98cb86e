#!/usr/bin/env bash
# parse-prometheus-text-format joins the histograms of all label sets into one.
# Guess: a histogram with the labels path="/a" and path="/b" gives two histograms, as a counter with these labels gives two values.
# Instead: there is one, without labels; of each bucket the last one in the text is left, so that buckets of both stand side by side, and the sums and
# the counts are gone. Summaries are joined in the same way.
# It matters: a check of latencies per route reads one route, under the name of all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'parse-prometheus-text-format@1.1.1'
cat >main.cjs <<'END'
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const parse = require("parse-prometheus-text-format");

console.log("parse-prometheus-text-format", JSON.parse(readFileSync("node_modules/parse-prometheus-text-format/package.json")).version);
const TEXT = `# TYPE requests counter
requests{path="/a"} 900
requests{path="/b"} 2
# TYPE seconds histogram
seconds_bucket{path="/a",le="1"} 900
seconds_bucket{path="/a",le="5"} 900
seconds_bucket{path="/a",le="+Inf"} 900
seconds_sum{path="/a"} 90
seconds_count{path="/a"} 900
seconds_bucket{path="/b",le="1"} 0
seconds_bucket{path="/b",le="+Inf"} 2
seconds_sum{path="/b"} 20
seconds_count{path="/b"} 2
# TYPE size summary
size{path="/a",quantile="0.5"} 10
size_sum{path="/a"} 9000
size_count{path="/a"} 900
size{path="/b",quantile="0.5"} 70
size_sum{path="/b"} 140
size_count{path="/b"} 2
`;
const [counter, histogram, summary] = (parse.default ?? parse)(TEXT).map((family) => family.metrics);
console.log(TEXT);
console.log(JSON.stringify({ counter, histogram, summary }, null, 1));
assert.deepEqual(counter.map((one) => one.labels.path), ["/a", "/b"]);
assert.equal(histogram.length, 1);
assert.deepEqual({ ...histogram[0].buckets }, { 1: "0", 5: "900", "+Inf": "2" });
assert.deepEqual([histogram[0].labels, histogram[0].count, histogram[0].sum], [undefined, undefined, undefined]);
assert.equal(summary.length, 1);
assert.deepEqual([summary[0].labels, summary[0].count, { ...summary[0].quantiles }], [undefined, undefined, { 0.5: "70" }]);
END
node main.cjs

#!/usr/bin/env bash
# rss-parser puts the words of an Atom entry into another order.
# Guess: the content of an entry of `type="xhtml"` comes out as it stands in the feed: one, two, three.
# Instead: text that stands between elements is joined and put before them, and elements of one name come together, so that "Do <b>not</b>
# pay" becomes "Do pay not", in the markup and in the text without markup. Content of `type="html"` is kept.
# It matters: what a flow reads, sums up or sends on from a feed says something else, and each word of it is in the source.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'rss-parser@3.13.0'
cat >order.cjs <<'END'
const assert = require("node:assert");
const { readFileSync } = require("node:fs");
const Parser = require("rss-parser");

console.log("rss-parser", JSON.parse(readFileSync("node_modules/rss-parser/package.json", "utf8")).version);
const feed = (content) => `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Feed</title><entry>
<id>urn:example:1</id><title>Entry</title><updated>2024-01-01T00:00:00Z</updated>${content}</entry></feed>`;
(async () => {
  for (const [type, content, expected] of [
    ["xhtml", '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Do <b>not</b> pay</div></content>', "Do  paynot"],
    ["html", '<content type="html">Do &lt;b&gt;not&lt;/b&gt; pay</content>', "Do not pay"],
  ]) {
    const { content: markup, contentSnippet } = (await new Parser().parseString(feed(content))).items[0];
    console.log(`${type}: ${JSON.stringify(markup)}, without markup ${JSON.stringify(contentSnippet)}`);
    assert.strictEqual(contentSnippet, expected);
  }
})();
END
node order.cjs

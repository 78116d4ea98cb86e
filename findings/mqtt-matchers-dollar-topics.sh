#!/usr/bin/env bash
# Two libraries that match MQTT topics let wildcards match topics that begin with a dollar sign.
# Guess: a filter that begins with `#` or `+` leaves out topics such as `$SYS/uptime`, as brokers do (MQTT 5.0, section 4.7.2).
# Instead: `#` and `+/uptime` match `$SYS/uptime` in both.
# It matters: a program that receives all messages over one connection and distributes them by such a library gives the broker's statistics to
# handlers of `#`, which never see them when they subscribe at the broker themselves.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund mqtt-match@3.0.0 mqtt-pattern@2.1.1
cat > try.cjs <<'END'
const assert = require('node:assert');
const { readFileSync } = require('node:fs');
const match = require('mqtt-match');
const pattern = require('mqtt-pattern');
const libraries = { 'mqtt-match': match.default ?? match, 'mqtt-pattern': pattern.matches };
const wanted = [
  // filter, topic, what a broker says, what both libraries say
  ['#', 'sport/news', true, true],
  ['sport/#', 'sport', true, true],
  ['$SYS/#', '$SYS/uptime', true, true],
  ['#', '$SYS/uptime', false, true],
  ['+/uptime', '$SYS/uptime', false, true],
];
for (const [name, matches] of Object.entries(libraries)) {
  console.log(name, JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version);
  for (const [filter, topic, broker, expected] of wanted) {
    const found = matches(filter, topic);
    console.log(`  ${filter} matches ${topic}: ${found} (a broker: ${broker})`);
    assert.strictEqual(found, expected);
  }
}
END
node try.cjs

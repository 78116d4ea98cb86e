#!/usr/bin/env bash
# A library that matches MQTT topics lets `+` match no empty level.
# Guess: `+` stands for one level, also for an empty one: `+/+` matches `/finance`, and `sensors/+` matches `sensors/` (MQTT 5.0, section 4.7.1.3).
# Instead: `+` wants at least one character; a topic with an empty level matches only where the filter has the same empty level, or `#`.
# It matters: a device that publishes below `/` or leaves out a part of its topic is heard by a broker's subscription and not by a handler behind the library.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund mqtt-pattern@2.1.1
cat > try.cjs <<'END'
const assert = require('node:assert');
const { readFileSync } = require('node:fs');
const { matches, exec } = require('mqtt-pattern');
console.log('mqtt-pattern', JSON.parse(readFileSync('node_modules/mqtt-pattern/package.json', 'utf8')).version);
const wanted = [
  // filter, topic, what a broker says, what the library says
  ['+/+', 'bank/finance', true, true],
  ['/+', '/finance', true, true],
  ['sensors/#', 'sensors/', true, true],
  ['+/+', '/finance', true, false],
  ['sensors/+', 'sensors/', true, false],
  ['sensors/+/state', 'sensors//state', true, false],
];
for (const [filter, topic, broker, expected] of wanted) {
  const found = matches(filter, topic);
  console.log(`${filter} matches ${topic}: ${found} (a broker: ${broker})`);
  assert.strictEqual(found, expected);
}
console.log('sensors/+id/state takes from sensors//state:', exec('sensors/+id/state', 'sensors//state'));
assert.strictEqual(exec('sensors/+id/state', 'sensors//state'), null);
END
node try.cjs

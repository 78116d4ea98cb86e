#!/usr/bin/env bash
# Restate answers a second request with the same idempotency key with the first result, whatever the second one says.
# Guess: the same key with another body is refused (409 or 422), as payment services and the draft for Idempotency-Key do; or it is compared at least.
# Instead: the second request gets status 200 and the result of the first, and its body is dropped. The same key at another object counts as another key.
# It matters: a workflow that makes a key of too little, such as the day, has its further orders confirmed and never carried out.
set -euo pipefail
folder=$(mktemp -d)
server= service=
trap '{ kill -9 $server $service && wait; } 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund '@restatedev/restate-server@1.7.12' '@restatedev/restate-sdk@1.9.0'
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY
read -r node ingress admin port < <(node -e '
const net = require("node:net");
const all = [0, 1, 2, 3].map(() => net.createServer().listen(0, "127.0.0.1"));
Promise.all(all.map((one) => new Promise((done) => one.once("listening", done)))).then(() => {
  console.log(all.map((one) => one.address().port).join(" "));
  all.forEach((one) => one.close());
});')
cat >orders.mjs <<'EOF'
import * as restate from '@restatedev/restate-sdk';
const orders = restate.object({
  name: 'Orders',
  handlers: { add: async (ctx, pieces) => { const sum = ((await ctx.get('sum')) ?? 0) + pieces; ctx.set('sum', sum); return sum; } },
});
restate.serve({ services: [orders], port: Number(process.argv[2]) });
EOF
export RESTATE_DISABLE_TELEMETRY=true RESTATE_LISTEN_MODE=tcp RESTATE_DEFAULT_NUM_PARTITIONS=2 RESTATE_LOG_FILTER=error
export RESTATE_BIND_ADDRESS=127.0.0.1:$node RESTATE_ADVERTISED_ADDRESS=http://127.0.0.1:$node
export RESTATE_INGRESS__BIND_ADDRESS=127.0.0.1:$ingress RESTATE_ADMIN__BIND_ADDRESS=127.0.0.1:$admin
# The program itself: the one in .bin is a script that starts it.
"node_modules/@restatedev/restate-server-$(node -p 'process.platform + "-" + process.arch')/bin/restate-server" --base-dir data >server.log 2>&1 & server=$!
node orders.mjs "$port" >/dev/null 2>&1 & service=$!
until curl --silent --fail --output /dev/null "127.0.0.1:$admin/health" && curl --silent --fail --output /dev/null "127.0.0.1:$ingress/restate/health"; do sleep 0.2; done
until curl --silent --http2-prior-knowledge --output /dev/null "127.0.0.1:$port/discover"; do sleep 0.2; done
curl --silent --fail --output /dev/null "127.0.0.1:$admin/deployments" --json "{\"uri\":\"http://127.0.0.1:$port\"}"
add() {
  local got
  got=$(curl --silent --max-time 20 "127.0.0.1:$ingress/Orders/$1/add" --json "$2" --header 'idempotency-key: 2026-12-01' --write-out ' %{http_code}')
  echo "Orders/$1: $2 pieces with the key 2026-12-01: $got"
  [ "$got" = "$3" ]
}
grep '"version"' node_modules/@restatedev/restate-server/package.json
add ada 1 '1 200'
add ada 50 '1 200'
add bob 7 '7 200'
echo "Behaves as described."

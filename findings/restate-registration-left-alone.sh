#!/usr/bin/env bash
# Restate says that a registration replaces the one at the same address if `force` is left out, and does nothing then.
# Guess: POST /deployments for a known address does what its description says (GET /openapi: `force`, default true): the services are read again.
# Instead: left out it counts as false. The answer is 200 with the services of before, none is read, and the new ones stay unknown until `"force": true`.
# It matters: a deployment script reports success, new handlers are not found, and calls to handlers that are gone are tried again and again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund '@restatedev/restate-server@1.7.12' '@restatedev/restate-sdk@1.9.0'
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY
cat >service.mjs <<'EOF'
import * as restate from '@restatedev/restate-sdk';
const [name, port] = process.argv.slice(2);
restate.serve({ services: [restate.service({ name, handlers: { hello: async () => name } })], port: Number(port) });
EOF
cat >check.mjs <<'EOF'
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const freePort = async () => {
  const one = createServer().listen(0, '127.0.0.1');
  await once(one, 'listening');
  const { port } = one.address();
  one.close();
  await once(one, 'close');
  return port;
};
const [node, ingress, admin, port] = [await freePort(), await freePort(), await freePort(), await freePort()];
const env = {
  ...process.env, RESTATE_DISABLE_TELEMETRY: 'true', RESTATE_LISTEN_MODE: 'tcp', RESTATE_DEFAULT_NUM_PARTITIONS: '2', RESTATE_LOG_FILTER: 'error',
  RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`, RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
  RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`, RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
};
// The program itself: the one in .bin is a script that starts it.
const program = `node_modules/@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`;
const server = spawn(program, ['--base-dir', 'data'], { env, stdio: 'ignore' });
process.on('exit', () => server.kill('SIGKILL'));
const until = async (what) => { while (!await what().catch(() => false)) await new Promise((done) => setTimeout(done, 200)); };
await until(async () => (await fetch(`http://127.0.0.1:${admin}/health`)).ok);
const serve = async (name) => {
  const child = spawn('node', ['service.mjs', name, String(port)], { stdio: 'ignore' });
  await until(() => new Promise((done) => connect(port, '127.0.0.1').once('connect', function () { this.destroy(); done(true); }).once('error', () => done(false))));
  return async () => { child.kill('SIGKILL'); await once(child, 'exit'); };
};
const register = async (more) => {
  const answer = await fetch(`http://127.0.0.1:${admin}/deployments`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ uri: `http://127.0.0.1:${port}`, ...more }),
  });
  const names = (await answer.json()).services.map((one) => one.name).sort();
  console.log(`registered with ${JSON.stringify(more)}: ${answer.status}, services ${names.join(', ')}`);
  return [answer.status, ...names];
};
const described = JSON.stringify((await (await fetch(`http://127.0.0.1:${admin}/openapi`)).json()).components.schemas.RegisterDeploymentRequest);
assert(/"force":\{[^}]*"default":true/.test(described), 'the description of force');
console.log('the description says: "force" is true by default');
const stop = await serve('Before');
assert.deepStrictEqual(await register({}), [201, 'Before']);
await stop();
const end = await serve('After');
assert.deepStrictEqual(await register({}), [200, 'Before']);
assert.deepStrictEqual(await register({ force: false }), [200, 'Before']);
assert.deepStrictEqual(await register({ force: true }), [200, 'After']);
await end();
process.exit(0);
EOF
grep '"version"' node_modules/@restatedev/restate-server/package.json
node check.mjs

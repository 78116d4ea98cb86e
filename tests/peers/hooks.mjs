// Webhooks against the senders' own libraries: what these sign is taken, anything else is not. Run only when it is named: the part
// of Slack is a Python package (hooks-requirements.txt), installed below the target folder.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sign as github } from '@octokit/webhooks-methods';
import { createSHA256HMAC } from '@shopify/shopify-api/runtime';
import '@shopify/shopify-api/adapters/node';
import { Webhook as Standard } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as Svix } from 'svix';
import { Signalbox, TOKEN } from './signalbox.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODIES = ['{"id":"evt_1","event_id":"Ev1","text":"grüße"}', '{ "id" : "evt_2",\n"event_id":"Ev2" }', JSON.stringify({ id: 'evt_3', event_id: 'Ev3', big: 'x'.repeat(100_000) })];

/** Python with slack_sdk. */
function python() {
  const folder = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'peers/hooks');
  const [program, mark] = [join(folder, 'bin/python'), join(folder, 'installed.txt')];
  const requirements = join(import.meta.dirname, 'hooks-requirements.txt');
  const wanted = readFileSync(requirements, 'utf8');
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
    mkdirSync(folder, { recursive: true });
    execFileSync(process.env.SIGNALBOX_TEST_PYTHON ?? 'python3', ['-m', 'venv', '--clear', folder], { stdio: 'inherit' });
    execFileSync(join(folder, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', '-r', requirements], { stdio: 'inherit' });
    writeFileSync(mark, wanted);
  }
  return program;
}

const SLACK = 'import sys\nfrom slack_sdk.signature import SignatureVerifier\nprint(SignatureVerifier(sys.argv[1]).generate_signature(timestamp=sys.argv[2], body=sys.stdin.buffer.read()))';

/** The headers that each sender makes for a body at a time (in seconds). */
const SENDERS = {
  github: async (body, _, n) => ({ 'x-hub-signature-256': await github(SECRET, body), 'x-github-delivery': `d${n}` }),
  stripe: (body, at) => ({ 'stripe-signature': new Stripe('sk_test_peer').webhooks.generateTestHeaderString({ payload: body, secret: SECRET, timestamp: at }) }),
  slack: (body, at) => ({ 'x-slack-request-timestamp': String(at), 'x-slack-signature': execFileSync(python(), ['-c', SLACK, SECRET, String(at)], { input: body, encoding: 'utf8' }).trim() }),
  shopify: async (body, _, n) => ({ 'x-shopify-hmac-sha256': await createSHA256HMAC(SECRET, body, 'base64'), 'x-shopify-webhook-id': `s${n}` }),
  svix: (body, at, n) => ({ 'svix-id': `msg_${n}`, 'svix-timestamp': String(at), 'svix-signature': new Svix(SECRET).sign(`msg_${n}`, new Date(at * 1_000), body) }),
  standard: (body, at, n) => ({ 'webhook-id': `msg_${n}`, 'webhook-timestamp': String(at), 'webhook-signature': new Standard(SECRET).sign(`msg_${n}`, new Date(at * 1_000), body) }),
};
const PRESETS = { svix: 'standard' };
const HAVE_A_TIME = ['stripe', 'slack', 'svix', 'standard'];

async function activate(url, id, auth) {
  const flow = {
    signalbox: 1, id, name: id, edges: [{ from: 't.success', to: 'a' }],
    nodes: { t: { type: 'trigger.webhook', config: { path: id, auth } }, a: { type: 'flow.noop' } },
  };
  for (const [method, path, body] of [['PUT', `/workflows/${id}`, flow], ['POST', `/workflows/${id}/activation`, {}]]) {
    const answer = await fetch(url + path, { method, headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }, body: JSON.stringify(body) });
    assert.equal(answer.status, 200, await answer.text());
  }
}

export async function hooks(report) {
  const place = new Signalbox();
  assert.equal((await place.run('secret', 'choose', 'file')).code, 0);
  assert.equal((await place.told(`${SECRET}\n`, 'secret', 'set', 'peer', '--host', 'example.org')).code, 0);
  const { child, url } = await place.serve();
  const send = async (id, headers, body) => {
    const answer = await fetch(`${url}/hooks/${id}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
    return { status: answer.status, json: await answer.json() };
  };
  try {
    for (const [sender, headersOf] of Object.entries(SENDERS)) {
      await report(`hooks: ${sender}`, async () => {
        await activate(url, sender, { type: 'hmac', preset: PRESETS[sender] ?? sender, secret: 'secret://peer' });
        const now = Math.floor(Date.now() / 1_000);
        for (const [n, body] of BODIES.entries()) {
          const headers = await headersOf(body, now, n);
          const first = await send(sender, headers, body);
          assert.equal(first.status, 202, JSON.stringify(first.json));
          assert.deepEqual(await send(sender, headers, body), first, 'a replay gets the first answer');
          assert.equal((await send(sender, headers, `${body} `)).status, 401, 'another body');
          for (const left of Object.keys(headers).filter((name) => !['x-github-delivery', 'x-shopify-webhook-id'].includes(name))) {
            const { [left]: _, ...fewer } = headers;
            assert.equal((await send(sender, fewer, body)).status, 401, `without ${left}`);
          }
        }
        if (HAVE_A_TIME.includes(sender)) {
          for (const apart of [-400, 400]) assert.equal((await send(sender, await headersOf(BODIES[0], now + apart, 9), BODIES[0])).status, 401, `${apart} s`);
          assert.equal((await send(sender, await headersOf(BODIES[0], now - 200, 0), BODIES[0])).status, 202);
        }
      });
    }
  } finally {
    child.kill();
    await once(child, 'exit');
    place.end();
  }
}

// People who sign in to the real program by an identity provider of others, and its HTTPS with the clients of others: curl and openssl.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { identityProvider, SECRET } from './identity-provider.mjs';
import { BINARY, Signalbox } from './signalbox.mjs';

const run = promisify(execFile);
const TOKEN = 'peers-builder-0123456789';
const sha256 = (text) => createHash('sha256').update(text).digest('hex');

async function freePort() {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address();
  holder.close();
  await once(holder, 'close');
  return port;
}

/** A certificate for this machine, in two files of the folder. */
function certificate(folder, name) {
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-addext', 'basicConstraints=CA:FALSE'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30', '-keyout', `${name}.key`, '-out', `${name}.pem`, ...names], { cwd: folder, stdio: 'ignore' });
}

/** Replaces both files, as a tool for renewals does. */
function install(folder, name) {
  for (const kind of ['pem', 'key']) {
    copyFileSync(join(folder, `${name}.${kind}`), join(folder, 'fresh'));
    renameSync(join(folder, 'fresh'), join(folder, `server.${kind}`));
  }
}

/** One request; `ca`: which certificate is trusted. */
function ask(url, { method = 'GET', headers = {}, body, ca } = {}) {
  return new Promise((done, fail) => {
    const request = (url.startsWith('https:') ? secure : plain)(url, { method, headers, agent: false, ...(ca ? { ca } : {}) }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => { text += chunk; }).on('end', () => done({ status: response.statusCode, headers: response.headers, text, json: () => JSON.parse(text) })).on('error', fail);
    });
    request.on('error', fail).end(body);
  });
}

/** What a browser does at the provider: cookies, redirects, the form. Ends where the browser comes back to `base`. */
class Browser {
  cookies = new Map();

  constructor(base) { this.base = base; }

  async at(address, options = {}) {
    let [url, next] = [address, options];
    for (;;) {
      if (url.startsWith(this.base)) return { back: url };
      const answer = await ask(url, { ...next, headers: { ...next.headers, cookie: [...this.cookies].map((pair) => pair.join('=')).join('; ') } });
      for (const line of answer.headers['set-cookie'] ?? []) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
        this.cookies.set(name, value);
      }
      if (!answer.headers.location) return { ...answer, url };
      [url, next] = [new URL(answer.headers.location, url).href, {}];
    }
  }

  async post(address, fields) {
    return this.at(address, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: new URLSearchParams(fields).toString() });
  }
}

class Served {
  log = '';

  /** The program with HTTPS and the provider. */
  static async start(provider, { place = new Signalbox(), port, more = [] } = {}) {
    const one = new Served();
    one.place = place;
    certificate(place.folder, 'one');
    certificate(place.folder, 'two');
    install(place.folder, 'one');
    const [tokens, secret] = [place.file('tokens', `builder ${TOKEN} program\n`, 0o600), place.file('secret', `${SECRET}\n`, 0o600)];
    const args = ['serve', '--ui', '--addr', `127.0.0.1:${port}`, '--token-file', tokens, '--tls-cert', 'server.pem', '--tls-key', 'server.key', '--oidc-issuer', provider.issuer, '--oidc-client-id', 'signalbox', '--oidc-client-secret-file', secret, '--oidc-scope', 'groups', '--oidc-role', 'builder=team-automation', '--oidc-role', 'operator=desk', '--oidc-name', 'Example ID', ...more];
    one.child = spawn(BINARY, ['--json', '--log', 'info', ...args], { cwd: place.folder, env: place.env, stdio: ['ignore', 'pipe', 'pipe'] });
    one.child.stderr.setEncoding('utf8').on('data', (chunk) => { one.log += chunk; });
    const ended = once(one.child, 'exit').then(([code]) => { throw new Error(`serve ended with ${code}: ${one.log}`); });
    ended.catch(() => undefined);
    const [line] = await Promise.race([once(createInterface({ input: one.child.stdout }), 'line'), ended]);
    one.url = JSON.parse(line).url;
    one.ca = readFileSync(join(place.folder, 'one.pem'));
    return one;
  }

  post(path, body, token) {
    return ask(`${this.url}${path}`, { method: 'POST', ca: this.ca, headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) }, body: JSON.stringify(body) });
  }

  async until(words) {
    while (!this.log.includes(words)) await Promise.race([once(this.child.stderr, 'data'), once(this.child, 'exit').then(() => { throw new Error(this.log); })]);
  }

  /** What the page does up to the way back from the provider. */
  async begin() {
    const binding = randomBytes(32).toString('hex');
    const begun = await this.post('/sign-in/begin', { bindingHash: sha256(binding) });
    assert.equal(begun.status, 200, begun.text);
    return { binding, address: begun.json().address };
  }

  async finish(back, binding) {
    const come = await ask(back, { ca: this.ca });
    if (come.status !== 303) return come;
    const [, handover] = /^\/#signed-in=([0-9a-f]{64})$/.exec(come.headers.location);
    return this.post('/sign-in/finish', { binding, handover });
  }

  /** Signs a person in, from the page to the session. */
  async signIn(login, browser = new Browser(this.url)) {
    const { binding, address } = await this.begin();
    const shown = await browser.at(address);
    const { back } = shown.back ? shown : await browser.post(shown.url, { login, password: login });
    return this.finish(back, binding);
  }

  async rpc(command, body, token) {
    const answer = await this.post(`/rpc/${command}`, body, token);
    return { status: answer.status, ...(answer.text ? answer.json() : {}) };
  }

  /** Entries of the chain, the newest first. */
  async entries(...events) {
    const { rows, entries } = await this.rpc('audit_list', { limit: 200 }, TOKEN);
    return (rows ?? entries).filter(({ event }) => events.includes(event));
  }

  close() {
    this.child.kill();
    this.place.end();
  }
}

const PARTS = {
  async 'a person signs in, acts under the own name and signs out'(served, provider) {
    assert.deepEqual((await ask(`${served.url}/sign-in`, { ca: served.ca })).json(), { provider: 'Example ID', person: null });
    const signed = await served.signIn('ada');
    assert.equal(signed.status, 200, signed.text);
    const { token } = signed.json();
    assert.deepEqual(await served.rpc('who', {}, token), { status: 200, operatorId: 'user:ada@example.org', role: 'builder', via: 'rest' });
    const about = await ask(`${served.url}/sign-in`, { ca: served.ca, headers: { authorization: `Bearer ${token}` } });
    assert.deepEqual(about.json().person, { name: 'ada@example.org', shownName: 'Ada Lovelace', email: 'ada@example.org', role: 'builder' });
    assert.equal((await served.post('/audit/record', { timestamp: '2020-01-01T00:00:00.000Z', runId: 'r-1', nodeId: 'n-1', event: 'DOOR_OPENED', level: 'INFO', actor: { type: 'human', id: 'user:ceo', role: 'operator' }, metadata: {} }, token)).status, 200);
    const [own] = await served.entries('DOOR_OPENED');
    assert.equal(own.actor.id, 'user:ada@example.org');
    const out = await served.post('/sign-in/end', {}, token);
    assert.match(out.json().providerAddress, new RegExp(`^${provider.issuer}/session/end\\?client_id=signalbox$`));
    assert.equal((await served.rpc('who', {}, token)).status, 401);
    const [left, came] = await served.entries('USER_SIGNED_IN', 'USER_SIGNED_OUT');
    assert.deepEqual([left.event, left.actor.id, came.event, came.actor.id], ['USER_SIGNED_OUT', 'user:ada@example.org', 'USER_SIGNED_IN', 'user:ada@example.org']);
  },
  async 'roles come from the groups of the userinfo answer; who has none is refused in words'(served) {
    const { token } = (await served.signIn('grace')).json();
    assert.equal((await served.rpc('who', {}, token)).role, 'operator');
    assert.equal((await served.rpc('secret_set', { name: 'x', kind: 'bearer', hosts: ['a.example'], value: 'v' }, token)).status, 403);
    const refused = await served.signIn('visitor');
    assert.equal(refused.status, 403);
    const { code, message } = refused.json().error;
    assert.equal(code, 'SIGN_IN_NO_ROLE');
    assert.match(message, /visitor@example\.org is known to Example ID, and has no role here/);
    const [entry] = await served.entries('USER_SIGN_IN_REFUSED');
    assert.match(entry.summary, /visitor@example\.org/);
  },
  async 'nobody gets the name of somebody else'(served) {
    assert.equal((await served.signIn('ada')).status, 200);
    const refused = await served.signIn('twin');
    assert.deepEqual([refused.status, refused.json().error.code], [403, 'NAME_TAKEN'], refused.text);
    const freed = await served.place.run('people', 'forget', 'ada@example.org', '--as', 'user:admin');
    assert.equal(freed.json.forgotten.subject, 'f3b1-ada');
    assert.equal((await served.signIn('twin')).status, 200);
    assert.equal((await served.signIn('ada')).json().error.code, 'NAME_TAKEN');
    await served.place.run('people', 'forget', 'ada@example.org');
    assert.equal((await served.signIn('ada')).status, 200);
  },
  async 'changed keys are fetched; a declined sign-in is reported'(served, provider) {
    provider.rotate();
    const signed = await served.signIn('ada');
    assert.equal(signed.status, 200, signed.text);
    const { binding, address } = await served.begin();
    const browser = new Browser(served.url);
    const { url } = await browser.at(address);
    const { back } = await browser.post(`${url}/decline`, {});
    const declined = await served.finish(back, binding);
    assert.match(declined.json().error.message, /declined/);
  },
  async 'tokens that have ended or are for another client are refused'(served, provider) {
    // The clock of the provider is ten minutes slow.
    const now = Date.now;
    Date.now = () => now() - 600_000;
    const over = await served.signIn('ada').finally(() => { Date.now = now; });
    assert.deepEqual([over.status, over.json().error.code], [403, 'SIGN_IN_FAILED'], over.text);
    assert.match(over.json().error.message, /its ID token has expired/);
    // The token of another client of the same provider, which a thief has.
    const verifier = randomBytes(32).toString('hex');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const redirect = `${served.url}/sign-in/callback`;
    const browser = new Browser(served.url);
    const shown = await browser.at(`${provider.issuer}/auth?${new URLSearchParams({ client_id: 'billing', response_type: 'code', scope: 'openid', redirect_uri: redirect, code_challenge: challenge, code_challenge_method: 'S256', nonce: 'n' })}`);
    const { back } = await browser.post(shown.url, { login: 'ada', password: 'ada' });
    const given = await ask(`${provider.issuer}/token`, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${Buffer.from(`billing:${SECRET}-2`).toString('base64')}` }, body: new URLSearchParams({ grant_type: 'authorization_code', code: new URL(back).searchParams.get('code'), redirect_uri: redirect, code_verifier: verifier }).toString() });
    provider.state.substitute = given.json().id_token;
    assert.ok(provider.state.substitute, given.text);
    const other = await served.signIn('ada');
    assert.match(other.json().error.message, /its ID token is for another client/);
    delete provider.state.substitute;
    assert.equal((await served.signIn('ada')).status, 200);
  },
  async 'the page that began gets the session, once, and no other'(served) {
    const { binding, address } = await served.begin();
    const browser = new Browser(served.url);
    const { url } = await browser.at(address);
    const { back } = await browser.post(url, { login: 'ada', password: 'ada' });
    const come = await ask(back, { ca: served.ca });
    const handover = come.headers.location.split('=')[1];
    assert.equal(come.headers['set-cookie'], undefined);
    const thief = await served.post('/sign-in/finish', { binding: 'f'.repeat(64), handover });
    assert.deepEqual([thief.status, thief.json().error.code], [403, 'SIGN_IN_UNKNOWN']);
    assert.equal((await served.post('/sign-in/finish', { binding, handover })).status, 200);
    assert.equal((await served.post('/sign-in/finish', { binding, handover })).status, 403, 'once');
    assert.equal((await ask(back, { ca: served.ca })).status, 400, 'the way back holds once, too');
    assert.equal((await ask(`${served.url}/sign-in/callback?code=x&state=y`, { ca: served.ca })).status, 400);
    const elsewhere = await ask(`${served.url}/sign-in/begin`, { method: 'POST', ca: served.ca, headers: { 'content-type': 'application/json', origin: 'https://evil.example' }, body: JSON.stringify({ bindingHash: sha256('x') }) });
    assert.equal(elsewhere.status, 403);
  },
  async 'curl and openssl speak with it; a renewed certificate is served without a restart'(served) {
    const { folder } = served.place;
    const { host } = new URL(served.url);
    const curl = async (...args) => (await run('curl', ['--silent', '--show-error', '--cacert', join(folder, 'one.pem'), ...args])).stdout;
    assert.match(await curl(`${served.url}/healthz`), /"ok"/);
    assert.equal((await curl('--http2', '--output', '/dev/null', '--write-out', '%{http_version}', `${served.url}/healthz`)), '2');
    assert.match(await curl(`http://${host}/healthz`), /HTTPS_ONLY/);
    const presented = async (...args) => {
      const asked = run('openssl', ['s_client', '-connect', host, ...args]);
      asked.child.stdin.end();
      return (await asked).stdout;
    };
    for (const version of ['-tls1_2', '-tls1_3']) assert.match(await presented(version, '-alpn', 'h2'), /ALPN protocol: h2/);
    await assert.rejects(presented('-tls1_1'), 'older versions are not spoken');
    const before = /-----BEGIN CERTIFICATE-----[^]*-----END CERTIFICATE-----/.exec(await presented())[0];
    writeFileSync(join(folder, 'server.key'), 'nothing');
    await served.until('The changed certificate is not used');
    assert.match(await presented(), new RegExp(before.split('\n')[3].replaceAll('+', '\\+')), 'the old one stays');
    install(folder, 'two');
    await served.until('New connections use the renewed certificate');
    assert.ok(!(await presented()).includes(before), 'the new one is there');
    await assert.rejects(curl(`${served.url}/healthz`), /certificate/);
    served.ca = readFileSync(join(folder, 'two.pem'));
    const [entry] = await served.entries('SERVER_CERTIFICATE_CHANGED');
    assert.ok(entry);
    const [started] = await served.entries('SERVER_STARTED');
    assert.match(started.summary, /https:\/\/127\.0\.0\.1/);
  },
};

export async function signIn(report) {
  const port = await freePort();
  const provider = await identityProvider(`https://127.0.0.1:${port}`);
  const served = await Served.start(provider, { port });
  try {
    for (const [name, part] of Object.entries(PARTS)) await report(`sign-in: ${name}`, () => part(served, provider));
  } finally {
    served.close();
    provider.close();
  }
}

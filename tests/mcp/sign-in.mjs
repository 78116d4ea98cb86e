// A tool server that wants somebody to sign in, and the authorization server that it names, for tests and without
// dependencies. `--port FILE`: where the address of the tool server is written, and in FILE.issuer that of the other; `--log FILE`: a line of JSON per request;
// `--set FILE`: JSON that is read anew with each request and says how both behave:
//   first     seconds that the token for a code lasts (3600, as every other)
//   forgets   so many of the tokens that were given first are not known any more
//   refresh   false: no refresh token; "refused": it is not taken
//   hostile   what is wrong: see HOSTILE
//   client    the id of a client that was registered by hand; any redirect address is its own
//   holds     true: the token endpoint does not answer as long as that stands there
//   moved     true: the metadata of the tool server is at another address, which it names, and no longer at the usual one
// Its tools say back what they were sent. The authorization server signs everybody in at once, as a browser with a session would see it. Codes hold once, for one
// client, one redirect address and one verifier; refresh tokens are rotated, and an old one ends the sign-in.
import { createHash, randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const option = (name) => process.argv[process.argv.indexOf(name) + 1];
const settings = () => {
  try {
    return JSON.parse(readFileSync(option('--set'), 'utf8'));
  } catch {
    return {};
  }
};
const log = (entry) => appendFileSync(option('--log'), `${JSON.stringify(entry)}\n`);
const listen = (handler) => new Promise((done) => {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => handler(request, response, Buffer.concat(chunks).toString('utf8')));
  }).listen(0, '127.0.0.1', () => done({ server, base: `http://127.0.0.1:${server.address().port}` }));
});
const json = (response, status, body, headers = {}) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** What may be wrong; each names what is touched by it. */
const HOSTILE = ['resource', 'issuer', 'iss', 'no-iss', 'state', 'huge', 'html', 'redirect', 'token-redirect', 'no-pkce', 'plain', 'metadata-address', 'endpoint', 'token-html', 'mac', 'denied'];

/** Nothing may ever be sent here. */
const canary = await listen((request, response) => {
  log({ at: 'canary', path: request.url });
  json(response, 200, {});
});

const codes = new Map();
const clients = new Map();
/** Token → the rights that it has. */
const tokens = new Map();
/** Refresh token → sign-in. */
const refreshes = new Map();
const ended = new Set();

/** Until it may answer. */
const released = async () => {
  while (settings().holds) await new Promise((done) => setTimeout(done, 10));
};

const issuer = await listen(async (request, response, body) => {
  const { hostile, first = 3600, refresh } = settings();
  if (hostile && !HOSTILE.includes(hostile)) throw new Error(`${hostile} is no way to be hostile`);
  const url = new URL(request.url, issuer.base);
  const form = Object.fromEntries(new URLSearchParams(body));
  log({ at: 'issuer', path: url.pathname, method: request.method, query: Object.fromEntries(url.searchParams), form, authorization: request.headers.authorization });
  switch (url.pathname) {
    case '/.well-known/oauth-authorization-server':
      return json(response, 200, {
        issuer: hostile === 'issuer' ? 'https://other.example' : issuer.base,
        authorization_endpoint: hostile === 'endpoint' ? 'file:///etc/passwd' : `${issuer.base}/authorize`,
        token_endpoint: `${issuer.base}/token`, registration_endpoint: `${issuer.base}/register`, revocation_endpoint: `${issuer.base}/revoke`,
        response_types_supported: ['code'], grant_types_supported: ['authorization_code', 'refresh_token'], token_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true, ...(hostile === 'no-pkce' ? {} : { code_challenge_methods_supported: ['S256'] }),
      });
    case '/register': {
      const wish = JSON.parse(body);
      const client = { client_id: `client-${randomUUID()}`, redirect_uris: wish.redirect_uris, token_endpoint_auth_method: 'none' };
      clients.set(client.client_id, client);
      return json(response, 201, client);
    }
    case '/authorize': {
      const asked = Object.fromEntries(url.searchParams);
      const client = asked.client_id === settings().client ? { redirect_uris: [asked.redirect_uri] } : clients.get(asked.client_id);
      if (!client?.redirect_uris.includes(asked.redirect_uri) || asked.code_challenge_method !== 'S256' || asked.response_type !== 'code') return json(response, 400, { error: 'invalid_request' });
      const back = new URL(asked.redirect_uri);
      back.searchParams.set('state', hostile === 'state' ? 'another' : asked.state);
      if (hostile === 'denied') {
        back.searchParams.set('error', 'access_denied');
      } else {
        const code = `code-${randomUUID()}`;
        codes.set(code, asked);
        back.searchParams.set('code', code);
      }
      if (hostile !== 'no-iss') back.searchParams.set('iss', hostile === 'iss' ? 'https://other.example' : issuer.base);
      return response.writeHead(302, { location: String(back) }).end();
    }
    case '/token': {
      await released();
      if (hostile === 'token-redirect') return response.writeHead(307, { location: `${canary.base}/token` }).end();
      if (hostile === 'token-html') return response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Signed in!</p>');
      let scope;
      let id;
      if (form.grant_type === 'authorization_code') {
        const asked = codes.get(form.code);
        codes.delete(form.code);
        const proof = createHash('sha256').update(form.code_verifier ?? '').digest('base64url');
        if (!asked || asked.client_id !== form.client_id || asked.redirect_uri !== form.redirect_uri || asked.code_challenge !== proof || asked.resource !== form.resource) return json(response, 400, { error: 'invalid_grant' });
        scope = asked.scope ?? '';
        id = randomUUID();
      } else {
        const old = refreshes.get(form.refresh_token);
        if (!old || ended.has(old.id) || old.used || refresh === 'refused') {
          if (old) ended.add(old.id);
          return json(response, 400, { error: 'invalid_grant' });
        }
        old.used = true;
        ({ scope, id } = old);
      }
      const access = `access-${randomUUID()}`;
      const expires = form.grant_type === 'authorization_code' ? first : 3600;
      tokens.set(access, { id, scopes: scope.split(' '), number: tokens.size });
      const next = `refresh-${randomUUID()}`;
      if (refresh !== false) refreshes.set(next, { id, scope });
      return json(response, 200, { access_token: access, token_type: hostile === 'mac' ? 'mac' : 'Bearer', expires_in: expires, scope, ...(refresh === false ? {} : { refresh_token: next }) });
    }
    case '/api': {
      // A service that takes the tokens and says back what it was sent.
      const known = tokens.get(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]);
      const good = known && !ended.has(known.id) && known.number >= (settings().forgets ?? 0);
      return json(response, good ? 200 : 401, { sent: request.headers.authorization });
    }
    case '/revoke':
      ended.add(refreshes.get(form.token)?.id ?? tokens.get(form.token)?.id);
      return response.writeHead(200).end();
    default:
      return json(response, 404, {});
  }
});

const TOOLS = [
  { name: 'look', description: 'Looks something up.', inputSchema: { type: 'object', properties: {} } },
  { name: 'change', description: 'Changes something; wants the right to.', inputSchema: { type: 'object', properties: {} } },
];

const resource = await listen((request, response, body) => {
  const { hostile, forgets = 0, moved } = settings();
  const place = moved ? '/metadata' : '/.well-known/oauth-protected-resource/mcp';
  log({ at: 'server', path: request.url, method: request.method, authorization: request.headers.authorization });
  if (request.url === place) {
    if (hostile === 'huge') return json(response, 200, { resource: `${resource.base}/mcp`, pad: 'x'.repeat(1 << 20) });
    if (hostile === 'html') return response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>');
    if (hostile === 'redirect') return response.writeHead(302, { location: `${canary.base}/metadata` }).end();
    return json(response, 200, {
      resource: hostile === 'resource' ? 'https://other.example/mcp' : `${resource.base}/mcp`,
      authorization_servers: [hostile === 'plain' ? 'http://signin.example' : issuer.base], scopes_supported: ['tools', 'change'],
    });
  }
  if (request.url !== '/mcp') return json(response, 404, {});
  if (request.method !== 'POST') return response.writeHead(405).end();
  const message = JSON.parse(body);
  const known = tokens.get(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]);
  const metadata = hostile === 'metadata-address' ? 'http://169.254.169.254/latest' : `${resource.base}${place}`;
  if (!known || ended.has(known.id) || known.number < forgets) {
    return json(response, 401, {}, { 'www-authenticate': `Bearer realm="tools", resource_metadata="${metadata}", scope="tools"` });
  }
  if (message.params?.name === 'change' && !known.scopes.includes('change')) {
    return json(response, 403, {}, { 'www-authenticate': `Bearer error="insufficient_scope", scope="tools change", resource_metadata="${metadata}"` });
  }
  const answer = (result) => json(response, 200, { jsonrpc: '2.0', id: message.id, result });
  switch (message.method) {
    case 'initialize':
      return answer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'sign-in-test', version: '1.0.0' } });
    case 'tools/list':
      return answer({ tools: TOOLS });
    case 'tools/call':
      return answer({ content: [{ type: 'text', text: `${message.params.name} is done for ${request.headers.authorization}` }] });
    case 'ping':
      return answer({});
    default:
      return response.writeHead(202).end();
  }
});
writeFileSync(`${option('--port')}.issuer`, issuer.base);
writeFileSync(option('--port'), `${resource.base}/mcp`);

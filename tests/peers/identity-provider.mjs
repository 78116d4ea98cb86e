// An identity provider of others (npm `oidc-provider`) on loopback: people, a page on which they sign in, keys that are changed, and
// what a provider does wrong.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

/** Who has an account; the password is the name. */
export const PEOPLE = {
  ada: { sub: 'f3b1-ada', name: 'Ada Lovelace', email: 'ada@example.org', email_verified: true, preferred_username: 'ada', groups: ['staff', 'team-automation'] },
  grace: { sub: '77c2-grace', name: 'Grace Hopper', email: 'grace@example.org', email_verified: true, preferred_username: 'grace', groups: ['desk'] },
  visitor: { sub: '19aa-visitor', name: 'A Visitor', email: 'visitor@example.org', email_verified: true, preferred_username: 'visitor', groups: ['guests'] },
  // Another account that calls itself like one of the others.
  twin: { sub: '0bad-twin', name: 'Ada Lovelace', email: 'ada@example.org', email_verified: true, preferred_username: 'ada', groups: ['desk'] },
};

export const SECRET = 'peer-client-secret-0123456789';

function key(kind) {
  const { privateKey } = kind === 'RSA' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: kind === 'RSA' ? 'RS256' : 'ES256' };
}

const page = (uid, wrong) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Example ID</title><meta name="color-scheme" content="light dark">
<body style="font: 16px system-ui; max-width: 20rem; margin: 15vh auto"><h1>Example ID</h1>${wrong ? '<p role="alert">Wrong name or password.</p>' : ''}
<form method="post" action="/interaction/${uid}"><p><label>Name <input name="login" autofocus></label></p><p><label>Password <input name="password" type="password"></label></p>
<p><button>Sign in</button></p></form><form method="post" action="/interaction/${uid}/decline"><button>Decline</button></form></body></html>`;

async function form(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return new URLSearchParams(text);
}

/** A provider for a server at `base`. */
export async function identityProvider(base, { port = 0 } = {}) {
  const people = structuredClone(PEOPLE);
  const byId = (id) => Object.values(people).find(({ sub }) => sub === id);
  const state = { asked: [] };
  const server = createServer((request, response) => { void answer(request, response); });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${server.address().port}`;
  let provider;
  /** From here on with other keys; sessions and codes stay. */
  function withKeys(kind) {
    const client = { redirect_uris: [`${base}/sign-in/callback`], response_types: ['code'], grant_types: ['authorization_code', 'refresh_token'], id_token_signed_response_alg: kind === 'RSA' ? 'RS256' : 'ES256' };
    provider = new Provider(issuer, {
      clients: [{ ...client, client_id: 'signalbox', client_secret: SECRET }, { ...client, client_id: 'billing', client_secret: `${SECRET}-2` }],
      jwks: { keys: [key(kind)] },
      cookies: { keys: ['peer'] },
      scopes: ['openid', 'offline_access', 'groups'],
      claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email', 'email_verified'], groups: ['groups'] },
      features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true }, revocation: { enabled: true } },
      findAccount: (_, id) => { const person = byId(id); return person && { accountId: id, claims: () => person }; },
      issueRefreshToken: () => true,
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      // Who signs in has consented.
      async loadExistingGrant(context) {
        const grant = new context.oidc.provider.Grant({ clientId: context.oidc.client.clientId, accountId: context.oidc.session.accountId });
        grant.addOIDCScope('openid profile email groups');
        await grant.save();
        return grant;
      },
      ttl: { IdToken: 300, AccessToken: 300, RefreshToken: 86_400, Grant: 86_400, Interaction: 600, Session: 86_400 },
    });
    provider.on('server_error', (_, error) => { console.error(error); });
    provider.use(async (context, next) => {
      await next();
      if (context.path !== '/token') return;
      state.asked.push(context.body?.error ?? 'given');
      // A token that was given to another client comes along instead.
      if (state.substitute && context.body?.id_token) context.body = { ...context.body, id_token: state.substitute };
    });
  }
  async function answer(request, response) {
    const found = /^\/interaction\/([\w-]+)(\/decline)?$/.exec(request.url);
    if (!found) { provider.callback()(request, response); return; }
    if (request.method === 'GET') { response.setHeader('content-type', 'text/html'); response.end(page(found[1])); return; }
    const given = await form(request);
    const person = people[given.get('login')];
    if (found[2]) { await provider.interactionFinished(request, response, { error: 'access_denied', error_description: 'declined' }); return; }
    if (!person || given.get('password') !== given.get('login')) { response.statusCode = 403; response.setHeader('content-type', 'text/html'); response.end(page(found[1], true)); return; }
    await provider.interactionFinished(request, response, { login: { accountId: person.sub } });
  }
  withKeys('RSA');
  return { issuer, people, state, rotate: () => withKeys('EC'), close: () => { server.closeAllConnections(); server.close(); } };
}

// By itself, for a walk in a browser: `node identity-provider.mjs BASE PORT`.
if (process.argv[1] === import.meta.filename) {
  const one = await identityProvider(process.argv[2], { port: Number(process.argv[3] ?? 0) });
  console.log(JSON.stringify({ issuer: one.issuer, clientId: 'signalbox', secret: SECRET, people: Object.keys(PEOPLE) }));
}

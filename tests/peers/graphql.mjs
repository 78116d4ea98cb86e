// A GraphQL server of the reference implementation (graphql, graphql-http): asked what it offers, and its operations called by the
// real program.
import { buildSchema, getIntrospectionQuery, graphqlSync, GraphQLError } from 'graphql';
import { createHandler } from 'graphql-http/lib/use/http';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { Signalbox } from './signalbox.mjs';

const TOKEN = 'peers-graphql-0123456789';
const SCHEMA = buildSchema(`
  scalar DateTime
  enum State { OPEN CLOSED }
  interface Actor { login: String! }
  type User implements Actor { login: String!, email: String, issues(first: Int, after: String): IssueConnection! }
  type Bot implements Actor { login: String!, owner: String! }
  type Issue { id: ID!, title: String!, state: State!, createdAt: DateTime!, author: Actor, old: String @deprecated }
  type PageInfo { hasNextPage: Boolean!, endCursor: String }
  type IssueEdge { node: Issue, cursor: String! }
  type IssueConnection { edges: [IssueEdge], pageInfo: PageInfo! }
  input NewIssue { title: String!, state: State = OPEN, labels: [String!], parent: NewIssue }
  input Who @oneOf { id: ID, login: String }
  type Created { issue: Issue }
  type Query {
    echo(text: String!, numbers: [Float!]): String!
    user(by: Who!): User
    issues(state: State, first: Int, after: String, last: Int, before: String): IssueConnection!
    issue(id: ID!): Issue
    count: Int!
  }
  type Mutation { createIssue(input: NewIssue!): Created, failing: Created }
  type Subscription { issues: Issue }
`);
for (const [name, of] of [['Actor', (value) => value.owner ? 'Bot' : 'User']]) SCHEMA.getType(name).resolveType = of;

const created = [];
const issue = (n) => ({ id: `I${n}`, title: `Issue ${n}`, state: n % 2 ? 'OPEN' : 'CLOSED', createdAt: '2026-01-01T00:00:00Z', author: n % 3 ? { login: 'ada' } : { login: 'robot', owner: 'ada' } });
const refused = (message, code) => new GraphQLError(message, { extensions: { code } });

function connection({ state, first = 2, after }) {
  assert.ok(first <= 100, 'a page of this size is not given');
  const all = Array.from({ length: 7 }, (_, n) => issue(n)).filter((one) => !state || one.state === state);
  const from = after ? all.findIndex((one) => one.id === after) + 1 : 0;
  // A page of this server has three at most, whatever is asked for.
  const page = all.slice(from, from + Math.min(first, 3));
  return { edges: page.map((node) => ({ node, cursor: node.id })), pageInfo: { hasNextPage: from + page.length < all.length, endCursor: page.at(-1)?.id } };
}

const ROOT = {
  echo: ({ text, numbers }) => `${text} ${(numbers ?? []).join('+')}`,
  user: ({ by }) => {
    if (by.login === 'secret') throw refused('You may not see this user', 'FORBIDDEN');
    return by.login === 'nobody' ? null : { login: by.login ?? by.id, email: () => { throw refused('No email without a right', 'ODD'); }, issues: connection };
  },
  issues: connection,
  issue: ({ id }) => { if (id === 'gone') throw refused('There is no such issue', 'NOT_FOUND'); return issue(Number(id.slice(1))); },
  count: 7,
  createIssue: ({ input }) => { created.push(input); return { issue: { ...issue(9), ...input } }; },
  failing: () => ({ issue: () => { throw refused('It broke off', 'ODD'); } }),
};

/** The server; it wants a token. */
async function serving() {
  const handler = createHandler({ schema: SCHEMA, rootValue: ROOT });
  const host = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"no token"}');
      return;
    }
    void handler(request, response);
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  return host;
}

const call = (operation, params, more = {}) => ({
  signalbox: 1, id: 'peer', name: 'Peer', settings: { errorPolicy: 'fail' }, edges: [],
  nodes: { call: { type: 'connector.call', config: { connector: 'tracker', operation, params, credential: 'secret://tracker', ...more } } },
});

export async function graphql(report) {
  const host = await serving();
  const place = new Signalbox();
  const address = `http://127.0.0.1:${host.address().port}/graphql`;
  const run = async (...step) => {
    const file = join(place.folder, 'peer.signalbox.json');
    writeFileSync(file, JSON.stringify(call(...step)));
    return (await place.run('run', file)).json;
  };
  const output = async (...step) => {
    const summary = await run(...step);
    assert.equal(summary.status, 'completed', JSON.stringify(summary));
    return summary.output;
  };
  const failed = async (code, ...step) => {
    const summary = await run(...step);
    assert.deepEqual([summary.status, summary.error?.details?.code], ['failed', code], JSON.stringify(summary));
    return summary.error;
  };
  await report('graphql: what a service offers becomes operations', async () => {
    await place.run('secret', 'choose', 'file');
    const kept = await place.told(`${TOKEN}\n`, 'secret', 'set', 'tracker', '--host', `http://127.0.0.1:${host.address().port}`);
    assert.equal(kept.code, 0, kept.err + JSON.stringify(kept.json));
    const without = await place.run('connectors', 'add', '--graphql', address);
    assert.equal(without.json.error?.code ?? without.json.code, 'NO_INTROSPECTION', JSON.stringify(without.json));
    const added = await place.run('connectors', 'add', '--graphql', address, '--credential', 'secret://tracker', '--name', 'tracker');
    assert.equal(added.code, 0, JSON.stringify(added.json));
    assert.deepEqual([added.json.operations, added.json.leftOut], [8, 1]);
    // What the service was asked with is what new steps begin with.
    assert.equal((await place.run('connectors', 'show', 'tracker')).json.credential, 'secret://tracker');
    const shown = (await place.run('connectors', 'show', 'tracker', 'user')).json;
    assert.deepEqual([shown.effects, shown.params.$defs.Who.maxProperties], ['read', 1]);
  });
  await report('graphql: variables carry every value, also one that looks like a document', async () => {
    const text = '") { x } # \\ "é\n{{1}}';
    assert.deepEqual(await output('echo', { text: "='\") { x } # é'", numbers: [1, 2.5] }), ['") { x } # é 1+2.5']);
    assert.deepEqual(await output('createIssue', { input: { title: 'a "b"', parent: { title: 'c', labels: ['x'] } } }, { fields: 'issue { id title state }' }), [{ issue: { id: 'I9', title: 'a "b"', state: 'OPEN' } }]);
    assert.equal(created.at(-1).parent.labels[0], 'x', text);
  });
  await report('graphql: connections are items with all pages', async () => {
    const all = await output('issues', {});
    assert.deepEqual(all.map((one) => one.id), ['I0', 'I1', 'I2', 'I3', 'I4', 'I5', 'I6']);
    assert.deepEqual((await output('issues', { state: 'OPEN' }, { limit: 2 })).map((one) => one.id), ['I1', 'I3']);
    const nested = await output('user.issues', { by: { login: 'ada' } }, { fields: 'id author { login ... on Bot { owner } }', limit: 4 });
    assert.deepEqual(nested.map((one) => one.author.owner ?? null), ['ada', null, null, 'ada']);
  });
  await report('graphql: errors are typed, with data and without', async () => {
    assert.deepEqual(await output('user', { by: { login: 'ada' } }, { fields: 'login' }), [{ login: 'ada' }]);
    const partial = await failed('GRAPHQL_ERRORS', 'user', { by: { login: 'ada' } });
    assert.ok(partial.message.includes('No email without a right (at user.email)') && partial.message.includes('a part of the data'), partial.message);
    assert.equal(partial.details.partialData, true);
    await failed('AUTH', 'user', { by: { login: 'secret' } });
    await failed('NOT_FOUND', 'issue', { id: 'gone' });
    assert.equal((await failed('GRAPHQL_ERRORS', 'failing', {})).details.effect, 'unknown');
    await failed('AUTH', 'count', {}, { credential: undefined });
  });
  await report('graphql: a selection is checked before anything is sent', async () => {
    const invalid = async (fields) => JSON.stringify(await run('issue', { id: 'I1' }, { fields }));
    assert.match(await invalid('titel'), /Did you mean 'title'/);
    assert.match(await invalid('id } count'), /There should be a field at/);
    assert.match(await invalid('author'), /author \{ login \}/);
  });
  await report('graphql: the answer to an introspection is imported as a file', async () => {
    const file = join(place.folder, 'introspection.json');
    writeFileSync(file, JSON.stringify(graphqlSync({ schema: SCHEMA, source: getIntrospectionQuery({ oneOf: true }) })));
    const added = await place.run('connectors', 'add', '--graphql', file, '--address', address, '--name', 'tracker', '--replace');
    assert.equal(added.code, 0, JSON.stringify(added.json));
    assert.deepEqual(await output('count', {}), [7]);
  });
  host.close();
  place.end();
}

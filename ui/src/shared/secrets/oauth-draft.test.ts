import { expect, test } from 'vitest';
import type { ConnectorEntry, OAuthClient } from '../../api/types.ts';
import { EMPTY, clientOf, draftOf, hostsOf, isComplete, withConnector } from './oauth-draft.ts';

const GMAIL: ConnectorEntry = {
  name: 'gmail', title: 'Gmail', description: '', keywords: [], own: false, variables: [], operations: [],
  signIn: {
    oauth: { authorizationUrl: 'https://accounts.google.com/auth', tokenUrl: 'https://oauth2.googleapis.com/token', scopes: ['mail', 'send'], parameters: { access_type: 'offline' }, clientAuthentication: 'body' },
    hosts: ['gmail.googleapis.com'],
  },
};

test('a connector gives everything but the client', () => {
  const draft = { ...withConnector(EMPTY, GMAIL), clientId: ' id-1 ' };
  expect(isComplete(draft, '')).toBe(true);
  expect(hostsOf(draft, GMAIL)).toEqual(['gmail.googleapis.com', 'oauth2.googleapis.com']);
  const client = clientOf(draft);
  expect(client).toEqual({ grant: 'authorizationCode', clientId: 'id-1', service: GMAIL.signIn?.oauth });
  expect(clientOf(draftOf(client))).toEqual(client);
});

test('another service needs its addresses, and a program that signs in as itself a secret', () => {
  const draft = { ...EMPTY, clientId: 'id-1', tokenUrl: 'https://login.example/token' };
  expect(isComplete(draft, 'x')).toBe(false);
  expect(isComplete({ ...draft, authorizationUrl: 'https://login.example/authorize' }, '')).toBe(true);
  expect(isComplete({ ...draft, grant: 'clientCredentials' }, '')).toBe(false);
  expect(isComplete({ ...draft, grant: 'clientCredentials' }, 'secret')).toBe(true);
  expect(isComplete({ ...draft, grant: 'deviceCode' }, '')).toBe(false);
  expect(clientOf({ ...draft, scopes: 'a, b  c', user: 'ada@example.com' })).toEqual({
    grant: 'authorizationCode', clientId: 'id-1', user: 'ada@example.com', service: { tokenUrl: 'https://login.example/token', scopes: ['a', 'b', 'c'], clientAuthentication: 'basic' },
  } satisfies OAuthClient);
});

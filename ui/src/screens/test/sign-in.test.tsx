// People who sign in by an identity provider: from the page to the session and out again, and a session that ends.
import { createHash, webcrypto } from 'node:crypto';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { replaceToken, setTransport, tokenOfPage } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import { loadSignIn, noteRefused } from '../../api/sign-in.ts';
import { whenRefused } from '../../api/transport/http.ts';
import { demoHost } from '../../test/fixtures.ts';
import { App } from '../app.tsx';

const HANDOVER = 'ab'.repeat(32);
const PERSON = { name: 'ada@example.org', shownName: 'Ada Lovelace', email: 'ada@example.org', role: 'operator' };
type Answer = { status?: number; body: unknown };
let asked: { path: string; token: string | null; body: Record<string, string> }[];
let answers: { [path: string]: Answer };

beforeEach(() => {
  queryClient.clear();
  sessionStorage.clear();
  replaceToken('');
  asked = [];
  answers = { '/sign-in': { body: { provider: 'Example ID', person: null } } };
  vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
    const path = new URL(url).pathname;
    asked.push({ path, token: new Headers(init.headers).get('authorization'), body: typeof init.body === 'string' ? JSON.parse(init.body) as Record<string, string> : {} });
    const { status = 200, body } = answers[path] ?? { status: 404, body: {} };
    return new Response(JSON.stringify(body), { status });
  });
  // The page of a test has no hashes.
  vi.stubGlobal('crypto', webcrypto);
  window.history.replaceState(null, '', '#/inbox');
});
afterEach(async () => {
  answers = {};
  await loadSignIn('');
  whenRefused(() => ({ provider: null }));
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  window.history.replaceState(null, '', '#');
});

/** A host that knows nobody until `let in`. */
function host() {
  const one = { ...demoHost(), host: 'http' as const };
  const { settings_get: settings } = one.handlers;
  one.handlers.settings_get = (...args) => {
    if (tokenOfPage() === '') throw new ApiError({ code: 'AUTH', message: 'No token.', hint: '' });
    return settings?.(...args) as never;
  };
  setTransport(one);
  return one;
}

it('sends the browser to the provider, and fetches the session for what this page keeps when it has come back', async () => {
  host();
  answers['/sign-in/begin'] = { body: { address: '#/inbox' } };
  const page = render(<App />);
  fireEvent.click(await screen.findByRole('button', { name: 'Sign in with Example ID' }));
  // Where the browser goes is not seen here: it does not leave the page in a test.
  await expect.poll(() => sessionStorage.getItem('signalbox.signIn') ?? '').toContain('#/inbox');
  const { bindingHash } = asked.find(({ path }) => path === '/sign-in/begin')?.body ?? {};
  page.unmount();
  // The browser has come back.
  answers['/sign-in/finish'] = { body: { token: 'session-1' } };
  answers['/sign-in'] = { body: { provider: 'Example ID', person: PERSON } };
  window.history.replaceState(null, '', `#signed-in=${HANDOVER}`);
  render(<App />);
  await screen.findByRole('button', { name: 'Your account' });
  expect(window.location.hash).toMatch(/^#\/inbox/);
  const sent = asked.find(({ path }) => path === '/sign-in/finish')?.body ?? {};
  expect(sent['handover']).toBe(HANDOVER);
  expect(sent['binding']).toMatch(/^[0-9a-f]{64}$/);
  expect(bindingHash).toBe(createHash('sha256').update(sent['binding'] ?? '').digest('hex'));
  expect([tokenOfPage(), sessionStorage.getItem('signalbox.signIn')]).toEqual(['session-1', null]);
  expect(asked.at(-1)).toMatchObject({ path: '/sign-in', token: 'Bearer session-1' });
});

it('says why somebody is not let in, and lets them try again', async () => {
  host();
  answers['/sign-in/finish'] = { status: 403, body: { error: { code: 'SIGN_IN_NO_ROLE', message: 'visitor is known to Example ID, and has no role here.', hint: 'Ask who runs this server.' } } };
  window.history.replaceState(null, '', `#signed-in=${HANDOVER}`);
  render(<App />);
  await screen.findByText('You have no access to this server');
  screen.getByText(/visitor is known to Example ID, and has no role here\. Ask who runs/);
  screen.getByRole('button', { name: 'Sign in again with Example ID' });
});

it('tells that a session has ended on the screen that is open, and signs out', async () => {
  host();
  answers['/sign-in'] = { body: { provider: 'Example ID', person: PERSON } };
  replaceToken('session-1');
  render(<App />);
  fireEvent.click(await screen.findByRole('button', { name: 'Your account' }));
  screen.getByText('ada@example.org, operator');
  act(() => noteRefused());
  screen.getByText('Your session has ended');
  answers['/sign-in/end'] = { body: { providerAddress: 'https://id.example/end' } };
  fireEvent.click(screen.getByText('Sign out'));
  await expect.poll(tokenOfPage).toBe('');
  expect(asked.find(({ path }) => path === '/sign-in/end')?.token).toBe('Bearer session-1');
  expect(sessionStorage.getItem('signalbox.signedOut')).toBe('https://id.example/end');
});

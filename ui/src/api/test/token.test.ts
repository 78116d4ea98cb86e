// The address of a host that began anew, opened in a page that is open: only what follows `#` differs.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const sent: string[] = [];
let client: typeof import('../client.ts');
let unlisten: () => void;

beforeEach(async () => {
  sent.length = 0;
  sessionStorage.clear();
  vi.stubGlobal('fetch', async (_url: string, { headers }: { headers: Record<string, string> }) => {
    sent.push(headers['authorization'] ?? '');
    return new Response('{}');
  });
  window.history.replaceState(null, '', '#token=old');
  vi.resetModules();
  client = await import('../client.ts');
  unlisten = client.listenForToken();
  await client.call('who', {});
});
afterEach(() => {
  unlisten();
  vi.unstubAllGlobals();
  window.history.replaceState(null, '', '#');
});

/** As a browser does where only what follows `#` differs. */
function opens(hash: string): void {
  const oldURL = window.location.href;
  window.history.pushState(null, '', hash);
  window.dispatchEvent(new HashChangeEvent('hashchange', { oldURL, newURL: window.location.href }));
}

it('what is asked next goes with the new token, the page stays where it was, and the token is in no address', async () => {
  opens('#/workflow/w');
  const seen: string[] = [];
  const route = () => seen.push(window.location.hash);
  window.addEventListener('hashchange', route);
  const told = vi.fn();
  const quiet = client.whenTokenChanges(told);
  opens('#token=n%2Bw');
  window.removeEventListener('hashchange', route);
  expect(told).toHaveBeenCalledTimes(1);
  expect(seen).toEqual(['#/workflow/w']);
  await client.call('who', {});
  expect(sent).toEqual(['Bearer old', 'Bearer n+w']);
  expect(sessionStorage.getItem('signalbox.token')).toBe('n+w');
  quiet();
  opens('#/runs');
  opens('#token=third');
  expect(told).toHaveBeenCalledTimes(1);
});

it('an address that leads somewhere leads there', () => {
  opens('#token=new&/run/r');
  expect(window.location.hash).toBe('#/run/r');
});

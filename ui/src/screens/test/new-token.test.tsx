// A page that was refused, and gets the address that the host printed when it began anew.
import { act, render, screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { listenForToken, setTransport } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import { demoHost } from '../../test/fixtures.ts';
import { App } from '../app.tsx';

beforeEach(() => queryClient.clear());

it('a page that could not begin begins with the new address, and one that has begun asks everything again', async () => {
  const host = demoHost();
  const { settings_get: settings } = host.handlers;
  host.handlers.settings_get = () => { throw new ApiError({ code: 'AUTH', message: 'An old key.', hint: '' }); };
  setTransport(host);
  const unlisten = listenForToken();
  window.history.replaceState(null, '', '#/runs');
  render(<App />);
  await screen.findByText('This address does not sign you in');
  if (settings) host.handlers.settings_get = settings;
  const opens = () => act(async () => {
    window.history.pushState(null, '', '#token=new');
    window.dispatchEvent(new HashChangeEvent('hashchange', { oldURL: 'http://localhost/#/runs' }));
    await Promise.resolve();
  });
  await opens();
  await screen.findByRole('heading', { name: 'Runs' });
  expect(window.location.hash).toBe('#/runs');
  const asked = () => host.calls.filter((call) => call.command === 'run_list').length;
  const before = asked();
  await opens();
  await expect.poll(asked).toBeGreaterThan(before);
  unlisten();
  window.history.replaceState(null, '', '#');
});

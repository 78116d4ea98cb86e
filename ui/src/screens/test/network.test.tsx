// Proxy and authorities: what a builder sets and tests, and what a wrong one says.
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { queryClient } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { useMessages } from '../../kit/messages.ts';
import { renderOnce } from '../../test/render.tsx';
import { NetworkSection } from '../parts/network.tsx';

afterEach(() => {
  cleanup();
  queryClient.clear();
  useMessages.setState({ shown: [], past: [] });
});
const who = (role: string) => () => ({ operatorId: 'user:ada', role, via: 'app' }) as Commands['who']['response'];
type Network = Commands['network_get']['response'];
const NONE: Network = { proxy: 'environment', exceptions: [], fingerprints: [] };

it('a proxy with exceptions is saved and tested', async () => {
  let now = NONE;
  const { fake } = renderOnce(<NetworkSection />, {
    who: who('builder'), secret_list: () => [], network_get: () => now,
    network_set: ({ proxy, address, exceptions }) => now = { ...NONE, proxy, exceptions: exceptions ?? [], ...(address ? { address, inUse: 'proxy.example.org:3128' } : {}) },
    network_test: () => ({ ok: false, through: 'proxy.example.org:3128', error: 'Nothing answers.' }),
  });
  fireEvent.click(await screen.findByRole('radio', { name: 'Address' }));
  fireEvent.change(screen.getByRole('textbox', { name: 'Proxy address' }), { target: { value: 'http://proxy.example.org:3128' } });
  fireEvent.change(screen.getByRole('textbox', { name: 'Exceptions' }), { target: { value: 'intranet.example.org\n10.0.0.0/8' } });
  fireEvent.change(screen.getByRole('textbox', { name: 'Address to test' }), { target: { value: 'https://example.org' } });
  // What is tested is what is saved.
  expect(screen.getByRole('button', { name: 'Send a test request' }).hasAttribute('disabled')).toBe(true);
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('In use: proxy.example.org:3128')).toBeTruthy();
  expect(fake.calls.find((call) => call.command === 'network_set')?.payload).toEqual({ proxy: 'address', address: 'http://proxy.example.org:3128', exceptions: ['intranet.example.org', '10.0.0.0/8'], authorities: '' });
  await waitFor(() => expect(screen.getByRole('button', { name: 'Send a test request' }).hasAttribute('disabled')).toBe(false));
  fireEvent.click(screen.getByRole('button', { name: 'Send a test request' }));
  expect(await screen.findByText('Nothing answers. Sent through the proxy proxy.example.org:3128.')).toBeTruthy();
});

it('a viewer sees what is in use and changes nothing', async () => {
  renderOnce(<NetworkSection />, { who: who('operator'), secret_list: () => [], network_get: () => ({ ...NONE, inUse: 'a:1', fingerprints: ['ab'.repeat(32)], error: 'NO_PROXY is wrong.' }) });
  expect(await screen.findByText('In use: a:1')).toBeTruthy();
  expect(screen.getByText('NO_PROXY is wrong.')).toBeTruthy();
  expect(screen.getByText('AB:AB:AB:AB:AB:AB:AB:AB')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
});

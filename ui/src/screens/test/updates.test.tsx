// Newer releases: what a builder sets, what was found and how it is installed, and a notice that can be hidden.
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { queryClient } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { useMessages } from '../../kit/messages.ts';
import { renderOnce } from '../../test/render.tsx';
import { UpdateNotice, UpdatesSection } from '../parts/updates.tsx';

afterEach(() => {
  cleanup();
  queryClient.clear();
  localStorage.clear();
  useMessages.setState({ shown: [], past: [] });
});
const who = (role: string) => () => ({ operatorId: 'user:ada', role, via: 'app' }) as Commands['who']['response'];
type Updates = Commands['updates_get']['response'];
const OFF: Updates = { on: false, keyIds: [], local: false, version: '0.1.0', installation: 'deb' };
const FOUND: Updates = {
  ...OFF, on: true, address: 'https://example.org/releases.json', key: 'ab', keyIds: ['0123456789abcdef'], checkedAt: new Date().toISOString(),
  update: { version: '0.2.0', date: '2026-11-30', security: true, notes: { en: 'Closes a hole.', zh: '修复漏洞。' }, commands: ['sudo apt install ./a.deb'] },
};

it('the check is off until a list and a key are given', async () => {
  let now = OFF;
  const { fake } = renderOnce(<UpdatesSection />, { who: who('builder'), updates_get: () => now, updates_set: ({ on, address, key }) => now = { ...OFF, on, keyIds: ['k'], ...(address ? { address } : {}), ...(key ? { key } : {}) } });
  const daily = await screen.findByRole('switch', { name: 'Check once a day' });
  expect(daily.hasAttribute('data-disabled')).toBe(true);
  expect(screen.getByRole('button', { name: 'Check now' }).hasAttribute('disabled')).toBe(true);
  fireEvent.change(screen.getByRole('textbox', { name: 'List of releases' }), { target: { value: 'http://127.0.0.1:9/r.json' } });
  fireEvent.change(screen.getByRole('textbox', { name: 'Public key of the publisher' }), { target: { value: 'ab' } });
  fireEvent.click(screen.getByRole('switch', { name: 'Allow an address of this machine' }));
  fireEvent.click(daily);
  await waitFor(() => expect(fake.calls.find((call) => call.command === 'updates_set')?.payload).toEqual({ on: true, address: 'http://127.0.0.1:9/r.json', key: 'ab', local: true }));
});

it('a newer release is shown with its notes and the commands of this installation, and a refused list with the reason', async () => {
  renderOnce(<UpdatesSection />, { who: who('operator'), updates_get: () => ({ ...FOUND, trouble: { code: 'UPDATE_LIST_UNSIGNED', message: 'Not signed.', hint: 'Ask the publisher.' } }) });
  expect(await screen.findByText('Signalbox 0.2.0 is available and closes security holes')).toBeTruthy();
  expect(screen.getByText('Closes a hole.')).toBeTruthy();
  expect(screen.getByText('sudo apt install ./a.deb')).toBeTruthy();
  expect(screen.getByText('Not signed. Ask the publisher.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
});

it('the notice stays hidden until the next release', async () => {
  renderOnce(<UpdateNotice />, { who: who('operator'), updates_get: () => FOUND });
  fireEvent.click(await screen.findByRole('button', { name: 'Hide until the next release' }));
  expect(screen.queryByRole('button', { name: 'What is new' })).toBeNull();
  expect(localStorage.getItem('signalbox.update.hidden')).toBe('0.2.0');
});

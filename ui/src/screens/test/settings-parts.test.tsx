// Parts of the settings that tell why something cannot be used, and change it.
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import type { AuditStatus, Commands } from '../../api/types.ts';
import type { FakeTransport } from '../../api/transport/fake.ts';
import { SecretsSection } from '../../features/secrets/secrets-section.tsx';
import { useMessages } from '../../kit/messages.ts';
import { renderOnce } from '../../test/render.tsx';
import { AuditKeySection } from '../parts/audit-key.tsx';

afterEach(() => {
  vi.useRealTimers();
  cleanup();
  queryClient.clear();
  useMessages.setState({ shown: [], past: [] });
});
const asked = (fake: FakeTransport, command: string) => fake.calls.filter((call) => call.command === command).map((call) => call.payload);
const who = (role: string) => () => ({ operatorId: 'user:ada', role, via: 'app' }) as Commands['who']['response'];
const refresh = () => act(() => queryClient.invalidateQueries({ queryKey: ['audit_status'] }));

const KEY = { keyId: '21fe', fingerprint: '21fe31df', where: 'file', at: '/data/audit.key' } as const;
const LOST = { where: 'system', message: 'The key is not in the key store any more.', hint: 'Begin with a new one.', locked: false, lost: true } as const;
const status = (part: Partial<AuditStatus>): AuditStatus => ({ state: 'intact', ...part }) as AuditStatus;

it('the key that signs is moved, and the message says where it is now', async () => {
  let now = status({ key: KEY });
  const { fake } = renderOnce(<AuditKeySection />, { who: who('builder'), audit_status: () => now, audit_key_choose: ({ where }) => { now = status({ key: { ...KEY, where } }); return now; } });
  fireEvent.click(await screen.findByRole('button', { name: 'Move to the key store' }));
  expect(await screen.findByText('The key was moved to the system key store')).toBeTruthy();
  // Whoever can read files can sign then: asked first.
  fireEvent.click(await screen.findByRole('button', { name: 'Move to a file…' }));
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'Keep the key in a file?' })).getByRole('button', { name: 'Move to a file' }));
  expect(await screen.findByText('The key was moved to a file in the data folder')).toBeTruthy();
  expect(asked(fake, 'audit_key_choose')).toEqual([{ where: 'system' }, { where: 'file' }]);
});

it('a new key goes where it was said when it was asked', async () => {
  let now = status({ unsigned: LOST });
  const { fake } = renderOnce(<AuditKeySection />, { who: who('builder'), audit_status: () => now, audit_key_choose: () => status({ key: KEY }) });
  fireEvent.click(await screen.findByRole('button', { name: 'Create a new key…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Sign with a new key from now on?' });
  now = status({ unsigned: { ...LOST, where: 'file', message: 'Another trouble.' } });
  await refresh();
  await screen.findByText('Another trouble.');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Create a new key' }));
  await waitFor(() => expect(asked(fake, 'audit_key_choose')).toEqual([{ where: 'system', new: true }]));
});

it('nobody is asked for a new key any more when the old one is back', async () => {
  let now = status({ unsigned: LOST });
  renderOnce(<AuditKeySection />, { who: who('builder'), audit_status: () => now });
  fireEvent.click(await screen.findByRole('button', { name: 'Create a new key…' }));
  await screen.findByRole('dialog');
  now = status({ key: KEY });
  await refresh();
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  now = status({ unsigned: LOST });
  await refresh();
  await screen.findByRole('button', { name: 'Create a new key…' });
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('who may not change the key sees it without buttons', async () => {
  renderOnce(<AuditKeySection />, { who: who('viewer'), audit_status: () => status({ key: KEY }) });
  expect(await screen.findByText('A file in the data folder')).toBeTruthy();
  expect(screen.queryByRole('button')).toBeNull();
});

it('a part that unreadable says why, and is read again', async () => {
  let fails = true;
  renderOnce(<AuditKeySection />, { who: who('builder'), audit_status: () => {
    if (fails) throw new ApiError({ code: 'STORE', message: 'The store is busy.', hint: 'Try again.' });
    return status({ key: KEY });
  } });
  // Its place is held while it is asked.
  expect(screen.getByRole('region', { name: 'Audit signing key' })).toBeTruthy();
  expect(await screen.findByText('The store is busy.')).toBeTruthy();
  fails = false;
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('A file in the data folder')).toBeTruthy();
});

it('a locked key store of the system asks the person only when a button is pressed', async () => {
  let state: 'locked' | 'ready' = 'locked';
  const { fake } = renderOnce(<SecretsSection />, {
    secret_status: () => ({ state, key: 'system', keyAt: 'the key ring', file: '/data/secrets', system: 'Secret Service', ...(state === 'locked' ? { message: 'The key ring is locked.', hint: 'Unlock it.' } : {}) }),
    secret_unlock: () => { state = 'ready'; return {} as never; }, secret_list: () => [],
  });
  expect(await screen.findByText('The key ring is locked.')).toBeTruthy();
  expect(asked(fake, 'secret_unlock')).toEqual([]);
  // A passphrase has no place here: the system asks.
  expect(screen.queryByLabelText('Passphrase')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: /^Unlock the system key store/ }));
  expect(await screen.findByText('No secrets yet')).toBeTruthy();
  expect(asked(fake, 'secret_unlock')).toEqual([{}]);
});

it('a secret that was added at a terminal is listed without a reload, and an active workflow without a file is named', async () => {
  vi.useFakeTimers();
  const names: string[] = [];
  renderOnce(<SecretsSection />, {
    secret_status: () => ({ state: 'ready', key: 'file', keyAt: '/key', file: '/data/secrets', system: 'Secret Service' }),
    secret_list: () => names.map((name) => ({ name, kind: 'bearer', hosts: ['https://a.example'], createdAt: '', updatedAt: '' })),
    secret_uses: () => [{ workflowId: 'shop', name: 'Shop', active: true, steps: ['Ask'] }],
  });
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  await pass(100);
  expect(screen.getByText('No secrets yet')).toBeTruthy();
  names.push('from-terminal');
  await pass(10_000);
  expect(screen.getByText('from-terminal')).toBeTruthy();
  const uses = screen.getByText('Used by').closest('details')!;
  uses.open = true;
  fireEvent(uses, new Event('toggle'));
  await pass(100);
  expect(screen.getByText('Shop (active, not in the library): Ask')).toBeTruthy();
});

// Files that audit records are copied to: what a builder sees and does, what a viewer is not offered.
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { queryClient } from '../../api/queries.ts';
import type { AuditSinkView, Commands } from '../../api/types.ts';
import { useMessages } from '../../kit/messages.ts';
import { renderOnce } from '../../test/render.tsx';
import { SinkBanner } from '../parts/sink-banner.tsx';
import { SinksSection } from '../parts/sinks.tsx';

afterEach(() => {
  cleanup();
  queryClient.clear();
  useMessages.setState({ shown: [], past: [] });
});
const who = (role: string) => () => ({ operatorId: 'user:ada', role, via: 'app' }) as Commands['who']['response'];
const FILE: AuditSinkView = { id: 's1', name: 'file', kind: 'file', paused: false, place: '/var/log/audit.jsonl', next: 1204, waiting: 3, at: '2026-11-23T06:00:00.000Z', error: '/var/log/audit.jsonl does not take entries: no space.' };

it('a file that fails says why and what waits; copying by hand tells when it works again', async () => {
  let now: AuditSinkView[] = [FILE];
  const { fake } = renderOnce(<SinksSection />, { who: who('builder'), audit_sinks: () => now, audit_sink_now: () => now = [{ ...FILE, next: 1207, waiting: 0, error: undefined } as unknown as AuditSinkView], audit_sink_remove: () => now = [] });
  expect((await screen.findByRole('alert')).textContent).toContain('no space');
  expect(screen.getByText('3 wait')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Copy now' }));
  expect(await screen.findByText('All copies are up to date')).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  fireEvent.click(await screen.findByRole('button', { name: 'Remove /var/log/audit.jsonl' }));
  expect(await screen.findByText('No copies')).toBeTruthy();
  expect(fake.calls.filter((call) => call.command === 'audit_sink_remove').map((call) => call.payload)).toEqual([{ id: 's1' }]);
});

it('a file that was begun anew says what is not in it', async () => {
  renderOnce(<SinksSection />, { who: who('viewer'), audit_sinks: () => [{ ...FILE, begins: 1200 }] });
  expect(await screen.findByText(/^4 entries, the last at .*\. It starts at entry 1,200: earlier ones are not in this file\.$/)).toBeTruthy();
});

it('a viewer sees the files and is offered nothing', async () => {
  renderOnce(<SinksSection />, { who: who('viewer'), audit_sinks: () => [FILE] });
  expect(await screen.findByText('/var/log/audit.jsonl')).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole('button')).toBeNull());
});

it('what was not told is no empty list: why, and a way to ask again', async () => {
  let there = false;
  renderOnce(<SinksSection />, { who: who('viewer'), audit_sinks: () => { if (!there) throw Object.assign(new Error('x'), { code: 'STORE', message: 'The store is locked.', hint: '' }); return []; } });
  expect(await screen.findByText('The store is locked.')).toBeTruthy();
  expect(screen.queryByText('No copies')).toBeNull();
  there = true;
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('No copies')).toBeTruthy();
});

it('a server is added with its kind, and is tested, paused and resumed', async () => {
  let now: AuditSinkView[] = [];
  const DB: AuditSinkView = { id: 's2', name: 'postgres', kind: 'postgres', place: 'postgresql://ada@db.example/audit', paused: false, next: 9, waiting: 0, at: '2026-11-23T06:00:00.000Z', credential: 'secret://db' };
  const { fake } = renderOnce(<SinksSection />, {
    who: who('builder'), secret_list: () => [], audit_sinks: () => now, audit_sink_add: () => now = [DB], audit_sink_test: () => ({ ok: false, error: 'It answered 403.' }),
    audit_sink_pause: ({ paused }: { paused: boolean }) => now = [{ ...DB, paused, waiting: paused ? 2 : 0 }],
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Copy to a server…' }));
  const address = screen.getByLabelText('Address of the server');
  fireEvent.change(address, { target: { value: 'postgresql://ada@127.0.0.1/audit' } });
  expect(screen.getByRole('button', { name: 'Add the copy' })).toHaveProperty('disabled', true);
  fireEvent.change(address, { target: { value: 'postgresql://ada@db.example/audit' } });
  fireEvent.click(screen.getByRole('button', { name: 'Add the copy' }));
  expect(await screen.findByText('New entries are copied there')).toBeTruthy();
  expect(await screen.findByText('PostgreSQL')).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Add the copy' })).toBeNull());
  expect(fake.calls.find((call) => call.command === 'audit_sink_add')?.payload).toEqual({ kind: 'postgres', url: 'postgresql://ada@db.example/audit' });
  fireEvent.click(screen.getByRole('button', { name: 'Test postgresql://ada@db.example/audit' }));
  expect(await screen.findByText('It answered 403.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Pause postgresql://ada@db.example/audit' }));
  expect(await screen.findByText('paused')).toBeTruthy();
  expect(screen.getByText('2 wait')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Resume postgresql://ada@db.example/audit' }));
  await waitFor(() => expect(screen.queryByText('paused')).toBeNull());
});

it('the audit screen says which copy is late; a paused one is not', async () => {
  const paused = { ...FILE, id: 's9', paused: true, error: 'It is off.' };
  renderOnce(<SinkBanner />, { who: who('operator'), audit_sinks: () => [FILE, paused] });
  expect(await screen.findByText(/no space\. 3 wait/)).toBeTruthy();
  expect(screen.queryByText(/It is off/)).toBeNull();
});

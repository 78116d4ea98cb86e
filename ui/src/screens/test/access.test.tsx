// Who reaches the server: sessions of people, and tokens of programs.
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import { queryClient } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import type { FakeTransport } from '../../api/transport/fake.ts';
import { useMessages } from '../../kit/messages.ts';
import { renderOnce } from '../../test/render.tsx';
import { AccessSection } from '../parts/access.tsx';

afterEach(() => {
  cleanup();
  queryClient.clear();
  useMessages.setState({ shown: [], past: [] });
});
const asked = (fake: FakeTransport, command: string) => fake.calls.filter((call) => call.command === command).map((call) => call.payload);
const who = () => ({ operatorId: 'user:ada', role: 'builder', via: 'app' }) as Commands['who']['response'];

type Session = Commands['session_list']['response'][number];
const session = (part: Partial<Session>): Session => ({ id: 's1', person: 'user:ada@example.org', shownName: 'Ada', role: 'builder', issuer: 'https://id.example.org', limited: false, since: '2026-11-30T08:00:00.000Z', usedAt: '2026-11-30T09:00:00.000Z', own: true, ...part });
type Token = Commands['token_list']['response'][number];
const token = (part: Partial<Token>): Token => ({ name: 'nightly', role: 'operator', person: 'user:ada', madeAt: '2026-11-30T08:00:00.000Z', expired: false, quota: {}, started: { minute: 0, day: 0, open: 0 }, ...part });

it('another person is signed out after a question; the own session is left to "Sign out"', async () => {
  let all = [session({}), session({ id: 's2', person: 'user:bob@example.org', shownName: 'Bob', role: 'viewer', own: false })];
  const { fake } = renderOnce(<AccessSection />, { who, workspace_list: () => [], token_list: () => [], session_list: () => all, session_end: ({ id }) => { all = all.filter((one) => one.id !== id); return {}; } });
  expect(await screen.findByText('Ada (ada@example.org)')).toBeTruthy();
  expect(screen.getByText('This session')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'End the session of Ada' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'End the session of Bob' }));
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'End the session of Bob?' })).getByRole('button', { name: 'End session' }));
  await waitFor(() => expect(screen.queryByText('Bob (bob@example.org)')).toBeNull());
  expect(asked(fake, 'session_end')).toEqual([{ id: 's2' }]);
});

it('a token is shown once when it is made, and is revoked after a question', async () => {
  let all = [token({ name: 'old', expired: true, expiresAt: '2026-11-29T08:00:00.000Z' })];
  const { fake } = renderOnce(<AccessSection />, {
    who, workspace_list: () => [], session_list: () => [], token_list: () => all,
    token_add: ({ name, role }) => { const entry = token({ name, role }); all = [entry, ...all]; return { token: 'sbx_0123', entry }; },
    token_revoke: ({ name }) => { all = all.filter((one) => one.name !== name); return {}; },
  });
  expect(await screen.findByText('Expired')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'New token…' }));
  const form = within(await screen.findByRole('dialog', { name: 'New access token' }));
  const name = form.getByRole('textbox', { name: /^Name/ });
  fireEvent.change(name, { target: { value: 'OLD' } });
  expect(form.getByText('There is a token with this name.')).toBeTruthy();
  fireEvent.change(name, { target: { value: 'nightly' } });
  fireEvent.click(form.getByRole('button', { name: 'Make token' }));
  const made = within(await screen.findByRole('dialog', { name: 'The token nightly' }));
  expect(made.getByText('sbx_0123')).toBeTruthy();
  fireEvent.click(made.getAllByRole('button', { name: 'Done' })[0]!);
  await waitFor(() => expect(screen.queryByText('sbx_0123')).toBeNull());
  expect(asked(fake, 'token_add')).toEqual([{ name: 'nightly', role: 'viewer', expiresDays: 90 }]);
  fireEvent.click(await screen.findByRole('button', { name: 'Revoke the token nightly' }));
  fireEvent.click(within(await screen.findByRole('dialog', { name: 'Revoke the token nightly?' })).getByRole('button', { name: 'Revoke' }));
  await waitFor(() => expect(screen.queryByText('nightly')).toBeNull());
});

type Workspace = Commands['workspace_list']['response'][number];
const workspace = (part: Partial<Workspace>): Workspace => ({ name: 'sales', workflows: [], quota: {}, started: { minute: 0, day: 0, open: 0 }, madeAt: '2026-11-30T08:00:00.000Z', ...part });

it('a token is limited to workspaces, except that of a builder, and has a quota', async () => {
  const { fake } = renderOnce(<AccessSection />, {
    who, session_list: () => [], workspace_list: () => [workspace({}), workspace({ name: 'hr' })], token_list: () => [token({ name: 'portal', workspaces: ['hr'] })],
    token_add: ({ name, role }) => ({ token: 'sbx_0123', entry: token({ name, role }) }),
  });
  expect(await screen.findByText(/^operator in hr/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'New token…' }));
  const form = within(await screen.findByRole('dialog', { name: 'New access token' }));
  fireEvent.change(form.getByRole('textbox', { name: /^Name/ }), { target: { value: 'desk' } });
  fireEvent.click(form.getByRole('checkbox', { name: 'sales' }));
  expect(form.getByText(/do not exist for it/)).toBeTruthy();
  const perDay = form.getByRole('textbox', { name: /^Runs a day/ });
  fireEvent.change(perDay, { target: { value: 'many' } });
  expect(form.getByRole('button', { name: 'Make token' }).hasAttribute('disabled')).toBe(true);
  fireEvent.change(perDay, { target: { value: '500' } });
  fireEvent.click(form.getByRole('button', { name: 'Make token' }));
  await screen.findByRole('dialog', { name: 'The token desk' });
  expect(asked(fake, 'token_add')).toEqual([{ name: 'desk', role: 'viewer', expiresDays: 90, workspaces: ['sales'], quota: { perDay: 500 } }]);
});

it('a workspace is made with a quota, and workflows are moved into it and out again', async () => {
  let all: Workspace[] = [];
  const { fake } = renderOnce(<AccessSection />, {
    who, session_list: () => [], token_list: () => [], workspace_list: () => all,
    workflow_list: () => [{ id: 'quotes', name: 'Quotes' }] as Commands['workflow_list']['response'],
    workspace_put: ({ name, quota }) => (all = [workspace({ name, quota: quota ?? {}, started: { minute: 1, day: 7, open: 2 } })]),
    workspace_assign: ({ workflowId, workspace: to }) => (all = all.map((one) => ({ ...one, workflows: to === one.name ? [workflowId] : [] }))),
  });
  expect(await screen.findByText('No workspaces')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'New workspace…' }));
  const form = within(await screen.findByRole('dialog', { name: 'New workspace' }));
  fireEvent.change(form.getByRole('textbox', { name: /^Name/ }), { target: { value: 'sales' } });
  fireEvent.change(form.getByRole('textbox', { name: 'Runs a minute' }), { target: { value: '60' } });
  fireEvent.change(form.getByLabelText('Runs a day for each person (UTC)'), { target: { value: '20' } });
  fireEvent.click(form.getByRole('button', { name: 'Create workspace' }));
  expect(await screen.findByText('1 of 60 this minute · 7 today · 2 under way · each person 20 a day · no workflows')).toBeTruthy();
  expect(asked(fake, 'workspace_put')).toEqual([{ name: 'sales', quota: { perMinute: 60, personPerDay: 20 } }]);
  fireEvent.click(screen.getByRole('button', { name: 'Workflows of sales' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Workflows of sales' }));
  await userEvent.click(dialog.getByRole('combobox', { name: 'Workflow' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Quotes (quotes)' }));
  fireEvent.click(dialog.getByRole('button', { name: 'Move here' }));
  fireEvent.click(await dialog.findByRole('button', { name: 'Move Quotes out' }));
  await waitFor(() => expect(asked(fake, 'workspace_assign')).toEqual([{ workflowId: 'quotes', workspace: 'sales' }, { workflowId: 'quotes' }]));
});

// Access that is limited to workspaces is not led to what is about the whole server, and asks for none of it.
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commands } from '../../api/bindings.gen.ts';
import { setTransport } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import type { FakeTransport } from '../../api/transport/fake.ts';
import { demoHost } from '../../test/fixtures.ts';
import { App } from '../app.tsx';

let host: FakeTransport;
beforeEach(() => {
  host = demoHost();
  host.handlers.who = () => ({ operatorId: 'user:sam', role: 'operator', via: 'rest', workspaces: { limited: true, roles: [{ name: 'sales', role: 'operator' }] } });
  setTransport(host);
  queryClient.clear();
  window.location.hash = '';
});
afterEach(cleanup);

const refused = () => [...new Set(host.calls.map((one) => one.command).filter((name) => commands[name].wholeServer))];
async function at(hash: string, command: keyof typeof commands) {
  window.location.hash = hash;
  render(<App />);
  const rail = await screen.findByRole('navigation', { name: 'Main' });
  await waitFor(() => expect(host.calls.map((one) => one.command)).toContain(command));
  return rail;
}

it('the rail has the screens of a workspace', async () => {
  const rail = await at('#/workflows', 'workflow_list');
  expect(within(rail).getAllByRole('link').map((link) => link.textContent)).toEqual(['Workflows', 'Runs', 'Inbox', 'Audit', 'Catalog', 'Help', 'Settings']);
  expect(refused()).toEqual([]);
});

it('runs are listed without groups of failures and without health', async () => {
  await at('#/runs', 'run_list');
  expect(screen.queryByRole('button', { name: 'Health' })).toBeNull();
  expect(screen.queryByRole('radiogroup', { name: 'What to show' })).toBeNull();
  expect(refused()).toEqual([]);
});

it('entries of the audit chain are listed, and the chain is verified by others', async () => {
  await at('#/audit', 'audit_list');
  expect(screen.queryByRole('button', { name: 'Verify chain' })).toBeNull();
  expect(refused()).toEqual([]);
});

it('the inbox has the tasks, without statistics and delegations of all', async () => {
  await at('#/inbox', 'task_list');
  expect(screen.queryByRole('button', { name: 'Statistics' })).toBeNull();
  expect(refused()).toEqual([]);
});

it('settings are those of the person', async () => {
  await at('#/settings', 'app_info');
  const parts = await screen.findByRole('navigation', { name: 'Parts of the settings' });
  expect(within(parts).getAllByRole('link').map((link) => link.textContent)).toEqual(['Notifications', 'Appearance', 'Shortcuts', 'About']);
  expect(refused()).toEqual([]);
});

it('a limited token, which has no settings of a person, opens the page', async () => {
  host.handlers.settings_get = () => { throw new ApiError({ code: 'WORKSPACE_ONLY', message: 'The command settings_get is about what a person keeps.', hint: 'Sign in as the person.' }); };
  await at('#/runs', 'run_list');
  expect(screen.queryByText(/what a person keeps/)).toBeNull();
  expect(host.calls.filter((one) => one.command === 'settings_set')).toEqual([]);
});

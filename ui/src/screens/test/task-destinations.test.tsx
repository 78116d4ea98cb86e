import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import type { FakeTransport } from '../../api/transport/fake.ts';
import { Elsewhere } from '../../features/inbox/elsewhere.tsx';
import type { Task } from '../../features/inbox/types.ts';
import { formatPerson } from '../../i18n/index.ts';
import { demoHost } from '../../test/fixtures.ts';
import { App } from '../app.tsx';

const JIRA: Commands['task_destination_list']['response'][number] = {
  id: 'd', name: 'Jira', service: 'Jira', place: 'https://jira.example.org/rest/api/3', config: { name: 'Jira', connector: 'jira', minPriority: 50, workflows: ['pay'] },
  decisionsPath: '/task-hooks/d', decisions: { Done: 'approve' }, madeBy: 'user:anna', madeAt: '2026-11-22T10:00:00.000Z', waiting: 0, failed: 1, open: 2, opened: 3,
};
const COPY: Commands['task_copy_log']['response'][number] = {
  id: 'c', destination: 'd', name: 'Jira', taskId: 't1', title: 'Pay?', state: 'failed', error: 'no answer (TIMEOUT)', attempts: 9, triedAt: '2026-11-22T10:00:00.000Z', opened: 0,
};
const KIND: Commands['task_destination_kinds']['response'][number] = {
  connector: 'jira', title: 'Jira', description: 'An issue for each task.', variables: [{ name: 'site', title: 'site', description: 'Your site.' }],
  settings: [{ name: 'project', title: 'Project', description: 'Key.' }, { name: 'type', title: 'Issue type', description: '', default: 'Task' }],
  templates: {}, anonymous: false, decisions: 'In Jira, under WebHooks.', values: {},
};
let host: FakeTransport;
beforeEach(() => {
  host = demoHost();
  setTransport(host);
  queryClient.clear();
  host.handlers.who = () => ({ operatorId: 'user:anna', role: 'builder', via: 'app' });
  host.handlers.task_destination_list = () => [JIRA];
  host.handlers.task_destination_kinds = () => [KIND];
  host.handlers.task_copy_log = () => [COPY];
  host.handlers.secret_list = () => [{ name: 'jira', kind: 'basic', hosts: ['jira.example.org'], createdAt: '2026-11-22T10:00:00.000Z', updatedAt: '2026-11-22T10:00:00.000Z' }];
});
afterEach(cleanup);
const asked = (command: string) => host.calls.filter((call) => call.command === command).map((call) => call.payload);
const section = async () => {
  window.location.hash = '#/settings';
  render(<App />);
  return within(await screen.findByRole('region', { name: 'Task destinations' }));
};

describe('task destinations', () => {
  it('show where tasks go, what decides, and what failed; they are tested and sent again', async () => {
    host.handlers.task_destination_test = () => ({ ok: false, error: 'There is no project with this key (NOT_FOUND).' });
    host.handlers.task_copy_again = () => ({ ...COPY, state: 'current', externalId: 'ABC-12' });
    const part = await section();
    expect(await part.findByText('Decisions at /task-hooks/d: Done = approve · looked at 3 times')).toBeTruthy();
    expect(part.getByText(/pay · ≥ 50 · 2 open tasks$/)).toBeTruthy();
    expect(await part.findByText('no answer (TIMEOUT)')).toBeTruthy();
    fireEvent.click(part.getByRole('button', { name: 'Test Jira' }));
    expect(await screen.findByText('There is no project with this key (NOT_FOUND).')).toBeTruthy();
    fireEvent.click(part.getByRole('button', { name: 'Send again: Pay?' }));
    expect(await screen.findByText('It is up to date there')).toBeTruthy();
    expect(asked('task_copy_again')).toEqual([{ id: 'c' }]);
  });

  it('are added with the fields of their service', async () => {
    host.handlers.task_destination_add = () => [JIRA];
    const part = await section();
    await userEvent.click(await part.findByRole('button', { name: 'Add destination…' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Add a destination for tasks' }));
    await userEvent.click(dialog.getByRole('combobox', { name: 'Service' }));
    await userEvent.click(await screen.findByRole('option', { name: 'Jira' }));
    const add = dialog.getByRole<HTMLButtonElement>('button', { name: 'Add' });
    expect(add.disabled).toBe(true);
    await userEvent.type(dialog.getByRole('textbox', { name: /Site/ }), 'acme');
    await userEvent.type(dialog.getByRole('textbox', { name: /Project/ }), 'ABC');
    await userEvent.type(dialog.getByRole('textbox', { name: /Workflows/ }), 'pay, orders');
    await userEvent.click(dialog.getByRole('checkbox', { name: 'Take decisions from there' }));
    await userEvent.click(dialog.getByRole('combobox', { name: 'Secret of its webhooks' }));
    await userEvent.click(await screen.findByRole('option', { name: 'jira' }));
    await userEvent.type(dialog.getByRole('textbox', { name: /Values that decide/ }), 'Done = approve');
    await userEvent.click(add);
    await waitFor(() => expect(asked('task_destination_add')).toEqual([{
      name: 'Jira', connector: 'jira', variables: { site: 'acme' }, settings: { project: 'ABC' }, workflows: ['pay', 'orders'], assignees: [], minPriority: 0,
      decisions: { secret: 'secret://jira', values: { Done: 'approve' } },
    }]));
  });

  it('are told at the task, and a name that a service reports is shown as that', () => {
    const task = { elsewhere: [{ ...COPY, externalId: 'ABC-12', link: 'https://jira.example.org/browse/ABC-12', state: 'current', error: undefined }, { ...COPY, id: 'e', name: 'Desk' }, { ...COPY, id: 'f', name: 'Bad', externalId: '7', link: 'javascript:alert(1)', error: undefined, state: 'current' }] } as unknown as Task;
    render(<Elsewhere task={task} />);
    const link = screen.getByRole('link', { name: 'ABC-12' });
    expect([link.getAttribute('href'), link.getAttribute('rel')]).toEqual(['https://jira.example.org/browse/ABC-12', 'noopener noreferrer']);
    expect(screen.getByText('could not be created: no answer (TIMEOUT)')).toBeTruthy();
    expect(screen.getAllByRole('link')).toHaveLength(1);
    expect(formatPerson('reported:Jira/Ada_Lovelace')).toBe('Ada_Lovelace (as Jira reports)');
  });
});

import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import type { FakeTransport } from '../../api/transport/fake.ts';
import { demoHost } from '../../test/fixtures.ts';
import { App } from '../app.tsx';

const DESK: Commands['webhook_list']['response'][number] = { id: 'w', url: 'https://desk.example/hook', events: ['task.created'], secret: 'secret://desk', madeBy: 'user:anna', madeAt: '2026-11-22T10:00:00.000Z', waiting: 0, failed: 1 };
let host: FakeTransport;
beforeEach(() => {
  host = demoHost();
  setTransport(host);
  queryClient.clear();
  host.handlers.webhook_list = () => [DESK];
  host.handlers.webhook_log = () => [{ id: 'msg_1', webhook: 'w', event: 'task.created', taskId: 't1', state: 'failed', madeAt: '2026-11-22T10:00:00.000Z', attempts: 30, status: 503, error: 'it answered 503' }];
  host.handlers.secret_list = () => [{ name: 'desk', kind: 'bearer', hosts: ['desk.example'], createdAt: '2026-11-22T10:00:00.000Z', updatedAt: '2026-11-22T10:00:00.000Z' }];
});
afterEach(cleanup);
const asked = (command: string) => host.calls.filter((call) => call.command === command).map((call) => call.payload);
const section = async () => {
  window.location.hash = '#/settings';
  render(<App />);
  return within(await screen.findByRole('region', { name: 'Webhooks' }));
};

describe('messages about tasks', () => {
  it('let a builder add, remove and send again', async () => {
    host.handlers.who = () => ({ operatorId: 'user:anna', role: 'builder', via: 'app' });
    const part = await section();
    expect(await part.findByText('Tried 30 times: it answered 503')).toBeTruthy();
    expect(await part.findByRole('button', { name: 'Add' })).toBeTruthy();
    expect(part.getByRole('button', { name: 'Remove https://desk.example/hook' })).toBeTruthy();
    expect(part.getByRole('button', { name: /^Send again/ })).toBeTruthy();
  });

  it('ask before one is removed, with what would be lost, and the focus stays in the part', async () => {
    host.handlers.who = () => ({ operatorId: 'user:anna', role: 'builder', via: 'app' });
    let list: Commands['webhook_list']['response'] = [{ ...DESK, waiting: 3 }];
    host.handlers.webhook_list = () => list;
    host.handlers.webhook_remove = () => { list = []; return list; };
    const part = await section();
    // A name, not the way it is written in a file.
    expect(await part.findByText(/^signed with desk/)).toBeTruthy();
    fireEvent.click(await part.findByRole('button', { name: 'Remove https://desk.example/hook' }));
    const dialog = await screen.findByRole('dialog', { name: 'Remove this address?' });
    expect(dialog.textContent).toContain('https://desk.example/hook');
    expect(dialog.textContent).toContain('3 waiting messages are not sent');
    expect(asked('webhook_remove')).toEqual([]);
    fireEvent.click(within(dialog).getByRole('button', { name: 'Remove' }));
    expect(await part.findByText('No webhooks')).toBeTruthy();
    expect(asked('webhook_remove')).toEqual([{ id: 'w' }]);
    await waitFor(() => expect(document.activeElement).toBe(part.getByRole('heading', { name: 'Webhooks' })));
  });

  it('add an address with its secret, and send a message again', async () => {
    host.handlers.who = () => ({ operatorId: 'user:anna', role: 'builder', via: 'app' });
    host.handlers.webhook_add = () => [];
    host.handlers.webhook_again = ({ id }) => ({ id, webhook: 'w', event: 'task.created', taskId: 't1', state: 'taken', madeAt: '2026-11-22T10:00:00.000Z', attempts: 31 });
    const part = await section();
    const add = await part.findByRole<HTMLButtonElement>('button', { name: 'Add' });
    expect(add.disabled).toBe(true);
    await userEvent.type(part.getByRole('textbox', { name: 'Webhook address' }), 'https://chat.example/hook');
    await userEvent.click(part.getByRole('combobox', { name: 'Signing secret' }));
    await userEvent.click(await screen.findByRole('option', { name: 'desk' }));
    await userEvent.click(part.getByRole('checkbox', { name: 'overdue' }));
    await userEvent.click(add);
    await waitFor(() => expect(asked('webhook_add')).toEqual([{ url: 'https://chat.example/hook', secret: 'secret://desk', events: ['task.created', 'task.escalated', 'task.answered', 'task.closed', 'workflow.failed', 'workflow.health'] }]));
    // An address of this machine is allowed by whoever adds it.
    await userEvent.type(part.getByRole('textbox', { name: 'Webhook address' }), 'http://127.0.0.1:8080/hook');
    await userEvent.click(part.getByRole('combobox', { name: 'Signing secret' }));
    await userEvent.click(await screen.findByRole('option', { name: 'desk' }));
    expect(add.disabled).toBe(true);
    await userEvent.click(part.getByRole('checkbox', { name: 'This address is on this machine; allow it' }));
    await userEvent.click(add);
    await waitFor(() => expect(asked('webhook_add').at(-1)).toMatchObject({ url: 'http://127.0.0.1:8080/hook', allowLocal: true }));
    await userEvent.click(part.getByRole('button', { name: /^Send again/ }));
    expect(await screen.findByText('Delivered')).toBeTruthy();
    expect(asked('webhook_again')).toEqual([{ id: 'msg_1' }]);
  });

  it('say why they unreadable', async () => {
    host.handlers.who = () => ({ operatorId: 'user:anna', role: 'builder', via: 'app' });
    host.handlers.webhook_list = () => { throw new ApiError({ code: 'STORE', message: 'The store is busy.', hint: '' }); };
    expect(await (await section()).findByText('The store is busy.')).toBeTruthy();
  });

  it('let an operator look only', async () => {
    host.handlers.who = () => ({ operatorId: 'user:bob', role: 'operator', via: 'rest' });
    const part = await section();
    expect(await part.findByText('Tried 30 times: it answered 503')).toBeTruthy();
    expect(part.getByText('1 message failed')).toBeTruthy();
    // The way to its task is all there is to press.
    expect(part.getAllByRole('button').map((button) => button.textContent)).toEqual(['Task']);
  });

  it('are not there for a viewer', async () => {
    host.handlers.who = () => ({ operatorId: 'user:guest', role: 'viewer', via: 'rest' });
    host.handlers.webhook_list = () => { throw new ApiError({ code: 'FORBIDDEN', message: 'This needs the role operator.', hint: 'Use a token with that role.' }); };
    window.location.hash = '#/settings';
    render(<App />);
    expect(await screen.findByRole('region', { name: 'Shortcuts' })).toBeTruthy();
    expect(screen.queryByRole('region', { name: 'Webhooks' })).toBeNull();
  });
});

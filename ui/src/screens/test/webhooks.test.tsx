import { cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import type { FakeTransport } from '../../api/transport/fake.ts';
import { demoHost } from '../../test/fixtures.ts';
import { App } from '../app.tsx';

let host: FakeTransport;
beforeEach(() => {
  host = demoHost();
  setTransport(host);
  queryClient.clear();
  host.handlers.webhook_list = () => [{ id: 'w', url: 'https://desk.example/hook', events: ['task.created'], secret: 'secret://desk', madeBy: 'user:anna', madeAt: '2026-11-22T10:00:00.000Z', waiting: 0, failed: 1 }];
  host.handlers.webhook_log = () => [{ id: 'msg_1', webhook: 'w', event: 'task.created', taskId: 't1', state: 'failed', madeAt: '2026-11-22T10:00:00.000Z', attempts: 30, status: 503, error: 'it answered 503' }];
  host.handlers.secret_list = () => [{ name: 'desk', kind: 'bearer', hosts: ['desk.example'], createdAt: '2026-11-22T10:00:00.000Z', updatedAt: '2026-11-22T10:00:00.000Z' }];
});
afterEach(cleanup);
const section = async () => {
  window.location.hash = '#/settings';
  render(<App />);
  return within(await screen.findByRole('region', { name: 'Messages about tasks' }));
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

  it('let an operator look only', async () => {
    host.handlers.who = () => ({ operatorId: 'user:bob', role: 'operator', via: 'rest' });
    const part = await section();
    expect(await part.findByText('Tried 30 times: it answered 503')).toBeTruthy();
    expect(part.getByText('1 was given up')).toBeTruthy();
    // The way to its task is all there is to press.
    expect(part.getAllByRole('button').map((button) => button.textContent)).toEqual(['Its task']);
  });

  it('are not there for a viewer', async () => {
    host.handlers.who = () => ({ operatorId: 'user:guest', role: 'viewer', via: 'rest' });
    host.handlers.webhook_list = () => { throw new ApiError({ code: 'FORBIDDEN', message: 'This needs the role operator.', hint: 'Use a token with that role.' }); };
    window.location.hash = '#/settings';
    render(<App />);
    expect(await screen.findByRole('region', { name: 'Shortcuts' })).toBeTruthy();
    expect(screen.queryByRole('region', { name: 'Messages about tasks' })).toBeNull();
  });
});

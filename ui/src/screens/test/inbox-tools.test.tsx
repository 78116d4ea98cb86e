/** A call of a tool that a person is asked about: how far it was let through is said before it is sent, and for good. */
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sendNow, useSends } from '../../features/inbox/sending.ts';
import type { Task } from '../../features/inbox/types.ts';
import { Toaster } from '../../kit/index.ts';
import { task } from '../../test/people.ts';
import { detail, freshInbox, showInbox } from './inbox-page.tsx';

beforeEach(freshInbox);
afterEach(() => { cleanup(); window.location.hash = ''; });
const sends = () => useSends.getState().sends;

function call(more: Partial<Task> = {}, asked: Record<string, unknown> = {}): Task {
  const one = task(1, { reason: 'tool_call', allowedActions: ['approve', 'reject'], suggestions: [], redacted: [], schema: undefined, ...more });
  return { ...one, error: { ...one.error, details: { toolCall: { server: 'bank', tool: 'pay', why: 'A payment', rule: 'payments', place: '/settings/toolRules/0', hints: {}, ...asked } } } } as Task;
}

it('ts_081 once and for the run are told apart while it can be taken back, and when it was sent', async () => {
  render(<Toaster label="Messages" closeLabel="Discard" more={String} none="" at={String} />);
  const host = await showInbox('#/inbox/task-1', [call()]);
  fireEvent.click(await within(await detail()).findByRole('button', { name: 'Allow for this run' }));
  const strip = screen.getByRole('region', { name: /decisions/i });
  expect(within(strip).getByText('Allow for this run')).toBeTruthy();
  expect(document.querySelector('.ib-act')?.textContent).toContain('Allow for this run');
  await act(async () => { sendNow(sends()[0]?.id ?? ''); await Promise.resolve(); });
  await waitFor(() => expect(host.calls('task_complete')).toMatchObject([{ action: 'approve', toolGrant: 'run' }]));
  expect(await screen.findByText(/^Allowed for this run: /)).toBeTruthy();
});

it('ts_081 once is sent as once, and said in the words of its button', async () => {
  const host = await showInbox('#/inbox/task-1', [call()]);
  fireEvent.click(await within(await detail()).findByRole('button', { name: /^Allow once/ }));
  expect(within(screen.getByRole('region', { name: /decisions/i })).getByText('Allow once')).toBeTruthy();
  await act(async () => { sendNow(sends()[0]?.id ?? ''); await Promise.resolve(); });
  await waitFor(() => expect(host.calls('task_complete')).toMatchObject([{ action: 'approve', toolGrant: 'once' }]));
});

it('the record says for what it holds, and what was approved to be spent', async () => {
  const decision = { action: 'approve' as const, toolGrant: 'run' as const, operatorId: 'user:ada', at: new Date().toISOString(), durationMs: 1_000, via: 'app' };
  await showInbox('#/inbox/task-1', [call({ state: 'done', decision })]);
  const box = await detail();
  expect((await within(box).findByText('Applies to')).nextElementSibling?.textContent).toContain('in the run');
  expect(within(box).getByText('Decision', { selector: 'dt' }).nextElementSibling?.textContent).toBe('Allowed for this run');
  cleanup();
  freshInbox();
  await showInbox('#/inbox/task-1', [task(1, { state: 'done', decision: { ...decision, toolGrant: undefined, action: 'retry', budgetMicros: 2_500_000 } })]);
  expect((await within(await detail()).findByText('May spend more')).nextElementSibling?.textContent).toBe('2.50');
});

it('a rule is told by its name, whatever that is', async () => {
  await showInbox('#/inbox/task-1', [call({}, { rule: 'hints' })]);
  expect((await within(await detail()).findByText('Rule')).nextElementSibling?.textContent).toBe('hints');
  cleanup();
  freshInbox();
  await showInbox('#/inbox/task-1', [call({}, { rule: 'hints', place: 'hints' })]);
  expect((await within(await detail()).findByText('Rule')).nextElementSibling?.textContent).toMatch(/^none: /);
});

it('a question of an agent is filled in like a form, and not corrected like a failure', async () => {
  const schema = { type: 'object', required: ['answer'], properties: { answer: { type: 'string', title: 'Answer' } } };
  await showInbox('#/inbox/task-1', [task(1, { reason: 'question', title: 'Paint: Painter asks', instructions: 'Which colour?', errorMessage: "The agent 'Painter' asks: Which colour?", allowedActions: ['submit', 'reject', 'abort'], input: {}, schema, suggestions: [], redacted: [] })]);
  const box = await detail();
  expect(await within(box).findByRole('button', { name: /^Submit/ })).toBeTruthy();
  expect(await within(box).findByLabelText(/^Answer/)).toBeTruthy();
  expect(within(box).queryByText('Correct the input')).toBeNull();
  expect(within(box).getByText('Which colour?')).toBeTruthy();
  expect(within(box).queryByText(/The agent 'Painter' asks/), 'once, and not as an error').toBeNull();
  expect(box.querySelector('.ib-what .c-err')).toBeNull();
});

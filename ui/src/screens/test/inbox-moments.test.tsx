// What a person does before the last answer has come, and what the inbox says where something cannot be done.
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import { runAction } from '../../kit/action.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { useMessages } from '../../kit/messages.ts';
import { someTasks, task } from '../../test/people.ts';
import { detail, freshInbox, key, showInbox } from './inbox-page.tsx';

beforeEach(freshInbox);
afterEach(() => { cleanup(); window.location.hash = ''; });

/** A check that is answered when the test says so. */
async function slowCheck() {
  const host = await showInbox('#/inbox/task-2');
  let open: () => void = () => undefined;
  const opened = new Promise<void>((done) => { open = done; });
  let asked = 0;
  host.on({ task_check: async () => {
    asked += 1;
    await opened;
    return { valid: true, violations: [], patch: [] };
  } });
  const box = await detail();
  const field = await within(box).findByLabelText(/Supplier number/);
  await userEvent.clear(field);
  await userEvent.type(field, 'S-2041');
  await waitFor(() => expect(asked).toBeGreaterThan(0));
  expect(within(box).getByText('Checking')).toBeTruthy();
  return { box, field, answer: () => act(async () => { open(); await opened; }) };
}

it('a decision that waits for the check is asked for when the check has come', async () => {
  const { box, answer } = await slowCheck();
  fireEvent.click(within(box).getByRole('button', { name: /Correct and retry/ }));
  expect(screen.queryByRole('dialog')).toBeNull();
  await answer();
  expect(await screen.findByRole('dialog', { name: 'Send this correction?' })).toBeTruthy();
});

it('another decision takes its place: no late question stands before the newer one', async () => {
  const { box, answer } = await slowCheck();
  fireEvent.click(within(box).getByRole('button', { name: /Correct and retry/ }));
  fireEvent.click(within(box).getByRole('button', { name: /^Abort/ }));
  expect(await screen.findByRole('dialog', { name: 'Abort the run?' })).toBeTruthy();
  await answer();
  expect(await screen.findByText('Valid for this step')).toBeTruthy();
  expect(screen.getByRole('dialog', { name: 'Abort the run?' })).toBeTruthy();
});

it('who goes on writing is not asked about what was there before', async () => {
  const { box, field, answer } = await slowCheck();
  fireEvent.click(within(box).getByRole('button', { name: /Correct and retry/ }));
  await userEvent.type(field, '9');
  await answer();
  expect(await screen.findByText('Valid for this step')).toBeTruthy();
  expect(screen.queryByRole('dialog')).toBeNull();
});

const somethingElse = () => render(<Dialog open onClose={() => undefined} title="Other" closeLabel="Discard">…</Dialog>);

it('what waited for the check is not forgotten without a word when something else is open', async () => {
  const { box, answer } = await slowCheck();
  fireEvent.click(within(box).getByRole('button', { name: /Correct and retry/ }));
  somethingElse();
  await screen.findByRole('dialog', { name: 'Other' });
  await answer();
  await waitFor(() => expect(useMessages.getState().shown.map((one) => one.text)).toContain('Not decided: Correct and retry'));
  expect(screen.queryByRole('dialog', { name: 'Send this correction?' })).toBeNull();
});

it('and is asked for when that was closed again in time', async () => {
  const { box, answer } = await slowCheck();
  fireEvent.click(within(box).getByRole('button', { name: /Correct and retry/ }));
  const other = somethingElse();
  await screen.findByRole('dialog', { name: 'Other' });
  other.unmount();
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await answer();
  expect(await screen.findByRole('dialog', { name: 'Send this correction?' })).toBeTruthy();
});

it('says why a view cannot be saved', async () => {
  await showInbox('#/inbox');
  fireEvent.click(await screen.findByRole('button', { name: 'Saved views' }));
  const save = await screen.findByRole('menuitem', { name: /Save this view/ });
  expect(save.textContent).toContain('choose a filter first');
  expect(save.getAttribute('aria-disabled')).toBe('true');
});

it('has its keys also where the figures stand', async () => {
  const host = await showInbox('#/inbox');
  host.on({ task_stats: () => ({ created: 0, open: 0, decided: 0, expired: 0, actions: [], causes: [], workflows: [], people: [] }) as never });
  fireEvent.click(screen.getByRole('button', { name: 'Statistics' }));
  await screen.findByText('No tasks in this period');
  key('/');
  expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Search tasks' }));
});

it('has no keys there for a list that is not seen', async () => {
  const host = await showInbox('#/inbox/task-0');
  host.on({ task_stats: () => ({ created: 0, open: 0, decided: 0, expired: 0, actions: [], causes: [], workflows: [], people: [] }) as never });
  await detail();
  fireEvent.click(screen.getByRole('button', { name: 'Statistics' }));
  await screen.findByText('No tasks in this period');
  act(() => (document.activeElement as HTMLElement).blur());
  key('j');
  expect(window.location.hash).toBe('#/inbox/task-0');
  expect(runAction('inbox.select')).toBe(false);
});

it('a question that was asked meanwhile is not taken away by a decision that waited', async () => {
  const { box, answer } = await slowCheck();
  fireEvent.click(within(box).getByRole('button', { name: /Correct and retry/ }));
  fireEvent.click(within(box).getByRole('button', { name: /^Snooze/ }));
  expect(await screen.findByRole('dialog', { name: 'Snooze until' })).toBeTruthy();
  await answer();
  expect(await screen.findByText('Valid for this step')).toBeTruthy();
  expect(screen.getByRole('dialog', { name: 'Snooze until' })).toBeTruthy();
  expect(screen.queryByRole('dialog', { name: 'Send this correction?' })).toBeNull();
});

it('after a snooze the next task is open; one that wakes up says so', async () => {
  const host = await showInbox('#/inbox/task-2');
  await detail();
  key('z');
  fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'In an hour' }));
  await waitFor(() => expect(window.location.hash).toBe('#/inbox/task-3'));
  act(() => { window.location.hash = '#/inbox/task-2'; });
  fireEvent.click(await screen.findByRole('button', { name: 'Wake up' }));
  await waitFor(() => expect(host.calls('task_snooze')).toHaveLength(2));
  await waitFor(() => expect(useMessages.getState().shown.at(-1)?.text).toBe('The task is back in the list'));
});

it('the keys go on from where a task stood that has left the list', async () => {
  const host = await showInbox('#/inbox/task-5');
  await detail();
  const gone = host.tasks.get('task-5');
  if (gone) host.tasks.set('task-5', { ...gone, snoozedUntil: new Date(Date.now() + 9e6).toISOString() });
  const rows = (await screen.findAllByRole('row')).length;
  await act(() => queryClient.invalidateQueries({ queryKey: ['task_list'] }));
  await waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(rows - 1));
  expect(window.location.hash).toBe('#/inbox/task-5');
  key('j');
  await waitFor(() => expect(window.location.hash).toBe('#/inbox/task-6'));
});

it('tasks that somebody has put off are not decided along', async () => {
  const tasks = someTasks();
  const off = tasks.find((one) => one.id === 'task-5');
  if (off) off.snoozedUntil = new Date(Date.now() + 9e6).toISOString();
  await showInbox('#/inbox/task-1', tasks);
  await detail();
  await screen.findByRole('button', { name: /Other path/ });
  key('X', { shiftKey: true });
  expect(await screen.findByRole('heading', { name: '13 tasks with the same failure' })).toBeTruthy();
});

it('says that it is not known what runs a second time, and asks all the same', async () => {
  const host = await showInbox('#/inbox/ended', [task(1, { id: 'ended', state: 'done', decision: { action: 'skip', operatorId: 'user:ada', at: '2026-11-22T02:03:04Z', durationMs: 1, via: 'app' } })]);
  let answer: () => void = () => undefined;
  const asked = new Promise<void>((done) => { answer = done; });
  host.on({ rerun_look: async () => { await asked; throw new ApiError({ code: 'STORE', message: 'The store unreadable', hint: '' }); } });
  fireEvent.click(await screen.findByRole('button', { name: 'Reopen…' }));
  // It is there before it says anything: only then it is read aloud.
  const place = within(await screen.findByRole('dialog')).getByRole('status');
  answer();
  await within(place).findByText('Could not determine which steps run again. The store unreadable');
});

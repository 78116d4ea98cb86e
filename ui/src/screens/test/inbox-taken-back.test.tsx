// A decision about many that is taken back (D2.7): the choice stands as it stood, and nothing was sent.
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { queueSend, useSends } from '../../features/inbox/sending.ts';
import { someTasks } from '../../test/people.ts';
import { detail, freshInbox, key, showInbox } from './inbox-page.tsx';

beforeEach(freshInbox);
afterEach(() => { cleanup(); window.location.hash = ''; });

const bulk = () => screen.findByRole('region', { name: 'Selected tasks' });
const note = async () => within(await bulk()).findByRole<HTMLTextAreaElement>('textbox', { name: /^Note/ });
const ticked = async () => within(await bulk()).getAllByRole('checkbox').map((box) => box.getAttribute('aria-checked') === 'true');
const strip = () => screen.findByRole('region', { name: 'Decisions being sent' });

async function chooseThree() {
  const host = await showInbox('#/inbox/task-0');
  await detail();
  await screen.findByRole('button', { name: /Other path/ });
  key('x');
  key('J', { shiftKey: true });
  key('J', { shiftKey: true });
  await screen.findByRole('heading', { name: '3 tasks with the same failure' });
  return host;
}

it('by its key: rows, what was left out, and the note are there, and it can be sent again', async () => {
  const host = await chooseThree();
  await userEvent.type(await note(), 'Closed by the supplier');
  fireEvent.click(within(await bulk()).getAllByRole('checkbox')[1] as HTMLElement);
  fireEvent.click(screen.getByRole('button', { name: /^Abort: 2/ }));
  fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: /^Abort/ }));
  expect(useSends.getState().sends).toMatchObject([{ taskIds: ['task-0', 'task-2'], action: 'abort' }]);
  await detail();
  key('z', { ctrlKey: true });
  expect(await screen.findByRole('heading', { name: '3 tasks with the same failure' })).toBeTruthy();
  expect((await note()).value).toBe('Closed by the supplier');
  expect(await ticked()).toEqual([true, false, true]);
  expect(useSends.getState().sends).toEqual([]);
  fireEvent.click(screen.getByRole('button', { name: /^Retry as is: 2/ }));
  expect(useSends.getState().sends).toMatchObject([{ taskIds: ['task-0', 'task-2'], action: 'retry', notes: 'Closed by the supplier' }]);
  expect(host.calls('task_complete_many')).toEqual([]);
});

it('from another screen: the correction is there with its note', async () => {
  const host = await showInbox('#/inbox/task-1');
  fireEvent.click(await screen.findByRole('button', { name: 'Use' }));
  await screen.findByText('Valid for this step');
  fireEvent.click(screen.getByRole('button', { name: 'Review all' }));
  await screen.findByText('14 fit');
  await userEvent.type(await note(), 'Nordwind');
  fireEvent.click(screen.getByRole('button', { name: /^Correct and retry: 14/ }));
  act(() => { window.location.hash = '#/runs'; });
  await screen.findByText('elsewhere');
  fireEvent.click(within(await strip()).getByRole('button', { name: /^Undo/ }));
  expect(await screen.findByRole('heading', { name: '14 tasks with the same failure' })).toBeTruthy();
  expect((await note()).value).toBe('Nordwind');
  expect((await bulk()).querySelector('.ib-bulk-what')?.textContent).toContain('"S-2041"');
  expect(await screen.findByRole('button', { name: /^Correct and retry: 14/ })).toBeTruthy();
  expect(host.calls('task_complete_many')).toEqual([]);
});

it('a page that has not seen the choice makes it again from the decision, with what is still open', async () => {
  const tasks = someTasks().map((one) => (one.id === 'task-4' ? { ...one, state: 'done' as const } : one));
  await showInbox('#/inbox/approve', tasks);
  await detail();
  act(() => { queueSend({ taskIds: ['task-2', 'task-3', 'task-4'], title: '3 tasks', action: 'correct', notes: 'Nordwind', patch: [{ op: 'replace', path: '/supplierId', value: 'S-2041' }] }); });
  fireEvent.click(within(await strip()).getByRole('button', { name: /^Undo/ }));
  expect(await screen.findByRole('heading', { name: '2 tasks with the same failure' })).toBeTruthy();
  expect((await note()).value).toBe('Nordwind');
  expect(await screen.findByRole('button', { name: /^Correct and retry: 2/ })).toBeTruthy();
});

it('leaves out what was decided in another way meanwhile, and a later choice begins with an empty note', async () => {
  await chooseThree();
  await userEvent.type(await note(), 'Too late');
  fireEvent.click(screen.getByRole('button', { name: /^Retry as is: 3/ }));
  const [send] = useSends.getState().sends;
  act(() => useSends.setState({ sends: send ? [{ ...send, taskIds: ['task-0', 'task-2'] }] : [] }));
  key('z', { ctrlKey: true });
  expect(await screen.findByRole('heading', { name: '2 tasks with the same failure' })).toBeTruthy();
  key('Escape');
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Selected tasks' })).toBeNull());
  await detail();
  await screen.findByRole('button', { name: /Other path/ });
  key('x');
  expect((await note()).value).toBe('');
});

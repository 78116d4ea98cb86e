/** A task that somebody else works on, and a model that is asked for a correction. */
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../api/error.ts';
import { task } from '../../test/people.ts';
import { detail, freshInbox, key, showInbox } from './inbox-page.tsx';

beforeEach(freshInbox);
afterEach(() => { cleanup(); window.location.hash = ''; });
const MODELS = { providers: [], default: { provider: 'house', model: 'small' } };
const THEIRS = { claimedBy: 'user:grace', claimExpiresAt: new Date(Date.now() + 600_000).toISOString() };

it('what would be refused on a task of somebody else is not offered', async () => {
  const host = await showInbox('#/inbox/task-2', [task(2, { ...THEIRS, heldSince: new Date().toISOString() })]);
  host.on({ model_list: () => MODELS });
  const box = await detail();
  expect(await within(box).findByRole('button', { name: 'Take over' })).toBeTruthy();
  for (const name of [/^Snooze/, /^Wake up/, /^Continue/]) expect(within(box).queryByRole('button', { name })).toBeNull();
  expect((await within(box).findByRole<HTMLButtonElement>('button', { name: 'Suggest a correction' })).disabled).toBe(true);
  await userEvent.click(within(box).getByRole('button', { name: 'More' }));
  expect(await screen.findByRole('menuitem', { name: /^Reassign/ })).toBeTruthy();
  expect(screen.queryByRole('menuitem', { name: /^Put on hold/ })).toBeNull();
  await userEvent.keyboard('{Escape}');
  key('z');
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('on a task of somebody else nothing is typed that could not be sent, and it says why', async () => {
  await showInbox('#/inbox/task-2', [task(2, THEIRS)]);
  const box = await detail();
  expect((await within(box).findByLabelText<HTMLInputElement>(/Supplier number/)).readOnly).toBe(true);
  expect(box.querySelector<HTMLTextAreaElement>('[data-note]')?.disabled).toBe(true);
  expect(within(box).getByText('grace is working on this task: take it over first')).toBeTruthy();
});

it('what somebody else has is left out of a decision about many', async () => {
  await showInbox('#/inbox/task-2', [task(2), task(3, THEIRS)]);
  await within(await detail()).findByLabelText(/Supplier number/);
  key('x');
  key('J', { shiftKey: true });
  const bulk = await screen.findByRole('region', { name: 'Selected tasks' });
  expect(within(bulk).getByText('1 more is left out: it is claimed by somebody else')).toBeTruthy();
  expect(within(bulk).getByText('1 of 1 selected')).toBeTruthy();
});

describe('a model that is asked', () => {
  const found = (supplierId: string) => ({ source: 'llm' as const, correctedInput: { supplierId }, rationale: `It is ${supplierId}`, valid: true, changes: [`supplierId: ${supplierId}`] });
  /** Every question waits for the test to answer it. */
  const asking = async (n: number) => {
    const questions: { answer(one: ReturnType<typeof found>): void; fail(error: ApiError): void }[] = [];
    const host = await showInbox(`#/inbox/task-${String(n)}`, [task(n, { suggestions: [] }), task(9, { suggestions: [] })]);
    host.on({ model_list: () => MODELS, task_unsuggest: () => ({}), task_suggest: () => new Promise((answer, fail) => { questions.push({ answer, fail }); }) });
    const box = within(await detail());
    const press = async (name: string) => fireEvent.click(await box.findByRole('button', { name }));
    return { host, questions, box, press };
  };
  const errorText = (work: () => void) => act(async () => { work(); await Promise.resolve(); });

  it('says what it found; a question that was stopped says nothing, even after another was asked', async () => {
    const { host, questions, box, press } = await asking(2);
    await press('Suggest a correction');
    await press('Stop');
    expect(host.calls('task_unsuggest')).toEqual([{ taskId: 'task-2' }]);
    await press('Suggest a correction');
    await waitFor(() => expect(questions).toHaveLength(2));
    await errorText(() => questions[0]?.fail(new ApiError({ code: 'CANCELLED', message: 'The question was stopped.', hint: '' })));
    expect(box.queryByText('No suggestion')).toBeNull();
    expect(box.getByRole('button', { name: 'Stop' })).toBeTruthy();
    await errorText(() => questions[1]?.answer(found('S-2041')));
    expect(await box.findByText('It is S-2041')).toBeTruthy();
    expect(box.getByRole('button', { name: 'Suggest another' })).toBeTruthy();
  });

  it('is stopped when the task is left, and its late answer is none', async () => {
    const { host, questions, press } = await asking(3);
    await press('Suggest a correction');
    act(() => { window.location.hash = '#/inbox/task-9'; });
    await waitFor(() => expect(host.calls('task_unsuggest')).toEqual([{ taskId: 'task-3' }]));
    await errorText(() => questions[0]?.answer(found('S-1')));
    act(() => { window.location.hash = '#/inbox/task-3'; });
    expect(await screen.findByRole('button', { name: 'Suggest a correction' })).toBeTruthy();
    expect(screen.queryByText('It is S-1')).toBeNull();
  });
});

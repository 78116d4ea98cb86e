/** A budget that is used up: what a person approves, and what is tried again in vain. */
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../api/error.ts';
import { anyUsedUp, cannotTryAgain, failsAsIs, usualMore } from '../../features/inbox/budget.ts';
import { sendNow, useSends } from '../../features/inbox/sending.ts';
import type { Task } from '../../features/inbox/types.ts';
import { task } from '../../test/people.ts';
import { detail, freshInbox, key, showInbox } from './inbox-page.tsx';

beforeEach(freshInbox);
afterEach(() => { cleanup(); window.location.hash = ''; });
const sends = () => useSends.getState().sends;

const usedUp = (n: number, scope: string, more: Partial<Task> = {}) => {
  const one = task(n, { errorCode: 'BUDGET_EXCEEDED', createdAt: new Date().toISOString(), allowedActions: ['retry', 'skip'], suggestions: [], redacted: [], ...more });
  return { ...one, error: { ...one.error, details: { code: 'BUDGET_EXCEEDED', scope, limitMicros: 100_000_000, spentMicros: 100_000_000, runSpentMicros: 2_000_000 } } } as Task;
};

describe('n_09 what is offered', () => {
  it('is the budget again where it was that of the run, and no amount where it was that of a day', () => {
    expect(['run', 'workflow_day', 'day'].map((scope) => usualMore(usedUp(1, scope)))).toEqual(['100.00', '', '']);
  });
  it('without an amount is said to fail again: of a day until it is over, of a run ever after', () => {
    const one = usedUp(1, 'day', { createdAt: '2026-11-22T20:00:00Z' });
    const [that, next] = [Date.parse('2026-11-22T23:59:00Z'), Date.parse('2026-11-23T00:01:00Z')];
    const ofRun = { ...one, error: usedUp(1, 'run').error };
    expect([that, next].map((now) => [failsAsIs(one, '', now), failsAsIs(ofRun, '', now)])).toEqual([[true, true], [false, true]]);
    expect([failsAsIs(one, '0.5', that), failsAsIs(one, undefined, that)]).toEqual([false, false]);
    expect(cannotTryAgain('no')).toMatch(/^Enter an amount/);
    expect(['', '0.5', undefined].map(cannotTryAgain)).toEqual([undefined, undefined, undefined]);
    expect([anyUsedUp([task(2), one]), anyUsedUp([task(2)])]).toEqual([true, false]);
  });
  it('of a day is not approved by one key', async () => {
    await showInbox('#/inbox/task-1', [usedUp(1, 'day')]);
    const box = await detail();
    const retry = await within(box).findByRole<HTMLButtonElement>('button', { name: /Retry as is/ });
    expect(retry.disabled).toBe(false);
    // No key is shown that is refused.
    expect(retry.querySelector('.kbd')).toBeNull();
    expect(within(box).getByRole('button', { name: /^Skip/ }).querySelector('.kbd')).not.toBeNull();
    expect(within(box).getByText(/unless somebody has raised it. Enter how much more this run may spend/)).toBeTruthy();
    expect(within(box).queryByText(/Leave it empty/)).toBeNull();
    key('a');
    expect(sends()).toEqual([]);
    await userEvent.type(within(box).getByRole('textbox', { name: 'How much more it may spend' }), '0.5');
    fireEvent.click(within(box).getByRole('button', { name: /Approve 0.50 more and retry/ }));
    expect(sends()).toMatchObject([{ action: 'retry', budgetMicros: 500_000 }]);
    // What is on its way says the amount, too.
    expect(within(await screen.findByRole('region', { name: 'Decisions being sent' })).getByText('Approve 0.50 more and retry')).toBeTruthy();
  });
  it('is nothing when somebody has raised the budget: a press tries again as it is', async () => {
    await showInbox('#/inbox/task-1', [usedUp(1, 'day')]);
    fireEvent.click(await within(await detail()).findByRole('button', { name: /Retry as is/ }));
    expect(sends()).toMatchObject([{ action: 'retry' }]);
    expect(sends()[0]).not.toHaveProperty('budgetMicros');
  });
});

it('n_09 the amount stays in reach after a send that failed', async () => {
  const host = await showInbox('#/inbox/task-1', [usedUp(1, 'run')]);
  host.on({ task_complete: () => { throw new ApiError({ code: 'STALE', message: 'The task has changed.', hint: 'Review it again.' }); } });
  const box = await detail();
  fireEvent.click(await within(box).findByRole('button', { name: /Approve 100.00 more/ }));
  expect(within(box).queryByRole('textbox', { name: 'How much more it may spend' })).toBeNull();
  await act(async () => { sendNow(sends()[0]?.id ?? ''); await Promise.resolve(); });
  await waitFor(() => expect(sends()).toMatchObject([{ state: 'failed' }]));
  expect(await within(box).findByRole('textbox', { name: 'How much more it may spend' })).toBeTruthy();
});

it('n_09 many are tried again together by a press, and what comes of it is said', async () => {
  await showInbox('#/inbox/task-1', [usedUp(1, 'run'), task(2, { allowedActions: ['retry', 'skip'] })]);
  await detail();
  await screen.findByRole('button', { name: /Approve 100.00 more/ });
  key('x');
  key('J', { shiftKey: true });
  const bulk = await screen.findByRole('region', { name: 'Selected tasks' });
  expect(within(bulk).getByText(/^A budget is used up/)).toBeTruthy();
  expect(within(bulk).getByRole('button', { name: /Skip/ })).toBeTruthy();
  key('a');
  expect(sends()).toEqual([]);
  expect(within(bulk).getByRole('button', { name: /Retry as is/ }).querySelector('.kbd')).toBeNull();
  fireEvent.click(within(bulk).getByRole('button', { name: /Retry as is/ }));
  expect(sends()).toMatchObject([{ action: 'retry', taskIds: ['task-1', 'task-2'] }]);
});

it('n_09 says of a budget only what can be done: with an approval beside it nothing is in common', async () => {
  await showInbox('#/inbox/task-1', [usedUp(1, 'day'), task(2, { kind: 'approval', allowedActions: ['approve'] })]);
  await screen.findByRole('button', { name: /Retry as is/ });
  key('x');
  key('J', { shiftKey: true });
  const bulk = await screen.findByRole('region', { name: 'Selected tasks' });
  expect(within(bulk).queryByText(/^A budget is used up/)).toBeNull();
});

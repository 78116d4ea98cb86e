/** A budget that is used up: what a person approves, and what is tried again in vain. */
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../api/error.ts';
import { cannotTryAgain, stillUsedUp, usualMore } from '../../features/inbox/budget.ts';
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
  it('of a day has to be an amount until the day is over', () => {
    const one = usedUp(1, 'day', { createdAt: '2026-11-22T20:00:00Z' });
    const [that, next] = [Date.parse('2026-11-22T23:59:00Z'), Date.parse('2026-11-23T00:01:00Z')];
    expect(cannotTryAgain(one, '', that)).toMatch(/^Write how much more/);
    expect(cannotTryAgain(one, '', next)).toBeUndefined();
    expect(cannotTryAgain(one, '0.5', that)).toBeUndefined();
    expect(cannotTryAgain(one, 'no', next)).toMatch(/^Write an amount/);
    expect(cannotTryAgain({ ...one, error: usedUp(1, 'run').error }, '', that)).toBeUndefined();
    expect(cannotTryAgain(one, undefined, that)).toBeUndefined();
    expect([that, next].map((now) => stillUsedUp([task(2), one], now))).toEqual([true, false]);
  });
  it('of a day is not approved by one key', async () => {
    await showInbox('#/inbox/task-1', [usedUp(1, 'day')]);
    const box = await detail();
    const retry = await within(box).findByRole<HTMLButtonElement>('button', { name: /Retry as is/ });
    expect(retry.disabled).toBe(true);
    expect(retry.title).toMatch(/^Write how much more/);
    expect(within(box).getByText(/^Write how much more this run may spend/)).toBeTruthy();
    expect(within(box).queryByText(/Leave it empty/)).toBeNull();
    key('a');
    expect(sends()).toEqual([]);
    await userEvent.type(within(box).getByRole('textbox', { name: 'How much more it may spend' }), '0.5');
    fireEvent.click(within(box).getByRole('button', { name: /Approve 0.50 more, try again/ }));
    expect(sends()).toMatchObject([{ action: 'retry', budgetMicros: 500_000 }]);
  });
});

it('n_09 the amount stays in reach after a send that failed', async () => {
  const host = await showInbox('#/inbox/task-1', [usedUp(1, 'run')]);
  host.on({ task_complete: () => { throw new ApiError({ code: 'STALE', message: 'The task has changed.', hint: 'Look at it again.' }); } });
  const box = await detail();
  fireEvent.click(await within(box).findByRole('button', { name: /Approve 100.00 more/ }));
  expect(within(box).queryByRole('textbox', { name: 'How much more it may spend' })).toBeNull();
  await act(async () => { sendNow(sends()[0]?.id ?? ''); await Promise.resolve(); });
  await waitFor(() => expect(sends()).toMatchObject([{ state: 'failed' }]));
  expect(await within(box).findByRole('textbox', { name: 'How much more it may spend' })).toBeTruthy();
});

it('n_09 many are not tried again together while a budget is used up', async () => {
  await showInbox('#/inbox/task-1', [usedUp(1, 'run'), task(2, { allowedActions: ['retry', 'skip'] })]);
  await detail();
  await screen.findByRole('button', { name: /Approve 100.00 more/ });
  key('x');
  key('J', { shiftKey: true });
  const bulk = await screen.findByRole('region', { name: 'Chosen tasks' });
  expect(within(bulk).getByText(/^Not tried again together/)).toBeTruthy();
  expect(within(bulk).queryByRole('button', { name: /Retry as is/ })).toBeNull();
  expect(within(bulk).getByRole('button', { name: /Skip/ })).toBeTruthy();
});

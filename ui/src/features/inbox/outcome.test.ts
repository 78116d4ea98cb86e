// @vitest-environment node
import { expect, it } from 'vitest';
import { outcomeOf } from './outcome.tsx';

type Args = Parameters<typeof outcomeOf>;
const task = (action: string, more: object = {}) => ({ nodeId: 'call', decision: { action }, ...more }) as unknown as Args[0];
const run = (status: string, state: string) => ({ status, steps: { call: { state } } }) as unknown as Args[1];

it('says of a retry whether it worked', () => {
  expect(outcomeOf(task('retry'), run('completed', 'SUCCEEDED')).text).toBe('inbox.outcome.worked');
  expect(outcomeOf(task('correct'), run('failed', 'FAILED')).text).toBe('inbox.outcome.failedAgain');
  expect(outcomeOf(task('retry'), run('paused', 'AWAITING_HITL')).text).toBe('inbox.outcome.asksAgain');
  expect(outcomeOf(task('retry'), run('running', 'RUNNING')).text).toBe('inbox.outcome.runs');
});

it('tells the run where one step stands for many calls, and after other decisions', () => {
  expect(outcomeOf(task('retry', { path: 'each[2]' }), run('completed', 'FAILED')).text).toBe('inbox.outcome.completed');
  expect(outcomeOf(task('skip'), run('failed', 'SUCCEEDED')).text).toBe('inbox.outcome.failed');
});

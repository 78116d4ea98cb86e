import { describe, expect, it } from 'vitest';
import { freshFailures, noticeOf } from '../failure-attention.ts';

const failure = (n: number) => ({ workflowId: 'daily', workflowName: 'Daily report', runId: `run-${String(n)}`, failedAt: '2026-11-28T09:00:00.000Z' });

describe('what the system says of failures', () => {
  it('is what came since the first look, once', () => {
    const known = new Set<string>();
    expect(freshFailures([failure(1)], known)).toEqual([]);
    expect(freshFailures([failure(2), failure(1)], known).map((one) => one.runId)).toEqual(['run-2']);
    expect(freshFailures([failure(2)], known)).toEqual([]);
  });
  it('knows that nothing had failed from not having looked', () => {
    const known = new Set<string>();
    expect(freshFailures([], known)).toEqual([]);
    expect(freshFailures([failure(1)], known)).toHaveLength(1);
  });
  it('names the workflow and leads to the run', () => {
    expect(noticeOf(failure(1))).toEqual({ title: 'Daily report failed', body: 'Open the run to see why. This workflow is not mentioned again for an hour.', runId: 'run-1' });
  });
  it('knows a source that cannot be read by its time', () => {
    const source = { workflowId: 'orders', workflowName: 'Orders', failedAt: '2026-11-28T09:00:00.000Z' };
    const known = new Set<string>(['']);
    expect(freshFailures([source], known)).toEqual([source]);
    expect(freshFailures([source], known)).toEqual([]);
    expect(noticeOf(source).body).toContain('Its source cannot be read');
  });
});

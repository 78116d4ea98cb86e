import { expect, it } from 'vitest';
import { createRunFold, type RunEventLike } from '../../run/run-state.ts';
import { roughly, scaleOf } from './timeline-model.ts';

it('a fold says in a few letters how long it is', () => {
  expect([4200, 59_700, 740_000, 3 * 3_600_000, 50 * 3_600_000].map(roughly)).toEqual(['4 s', '1 min', '12 min', '3 h', '2 d']);
});

it('a tick has room for all of its words, before the end of the line and before the next tick', () => {
  const fold = createRunFold('R');
  const at = (type: string, seq: number, ms: number): RunEventLike => ({ runId: 'R', seq, ts: new Date(ms).toISOString(), type, stepId: 'work', path: null, visit: 1, attempt: 0, payload: {} });
  fold.apply([at('step_start', 1, 0), at('step_done', 2, 112_000)]);
  const { ticks } = scaleOf(fold.view.table, 0, 112_000);
  expect(ticks.length).toBeGreaterThan(1);
  for (const [n, tick] of ticks.entries()) expect(tick.at + tick.text.length * 0.018, tick.text).toBeLessThanOrEqual(ticks[n + 1]?.at ?? 1);
});

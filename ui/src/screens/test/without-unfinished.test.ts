import { expect, it } from 'vitest';
import { ApiError } from '../../api/error.ts';
import type { Workflow } from '../../api/types.ts';
import { withoutUnfinished } from '../builder/without-unfinished.ts';

const FLOW = {
  signalbox: 1, id: 'w', name: 'W',
  nodes: { start: { type: 'trigger.manual' }, fetch: { type: 'http.request' }, split: { type: 'data.split' }, keep: { type: 'data.filter' }, beside: { type: 'http.request' }, ask: { type: 'builtin.human_decision' } },
  edges: [
    { from: 'start.success', to: 'fetch' }, { from: 'start.success', to: 'beside' }, { from: 'fetch.success', to: 'split' }, { from: 'fetch.error', to: 'ask' }, { from: 'split.success', to: 'keep' },
  ],
  layout: { keep: [0, 0] },
} as unknown as Workflow;

const refusal = (...at: readonly [code: string, step: string][]) => new ApiError({
  code: 'INVALID_WORKFLOW', message: 'no', hint: '', details: { diagnostics: at.map(([code, step]) => ({ severity: 'error', code, path: `/nodes/${step}/config`, message: '', hint: '' })) },
} as never);

it('a run up to a step leaves out unfinished steps behind and beside it', () => {
  const sent = withoutUnfinished(FLOW, 'split', refusal(['MISSING_CONFIG', 'keep'], ['MISSING_CONFIG', 'beside']));
  expect(Object.keys(sent?.nodes ?? {})).toEqual(['start', 'fetch', 'split', 'ask']);
  expect(sent?.edges.map((edge) => edge.to)).toEqual(['fetch', 'split', 'ask']);
});

it('what the run comes to, and what is wrong rather than missing, still keeps it from starting', () => {
  for (const cause of [refusal(['MISSING_CONFIG', 'fetch']), refusal(['MISSING_CONFIG', 'ask']), refusal(['BAD_EXPRESSION', 'keep']), refusal(['MISSING_CONFIG', 'keep'], ['MISSING_CONFIG', 'split']), new Error('gone')]) {
    expect(withoutUnfinished(FLOW, 'split', cause)).toBeNull();
  }
});

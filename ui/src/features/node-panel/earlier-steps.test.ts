import { expect, it } from 'vitest';
import type { Workflow } from '../../api/types.ts';
import { earlierSteps } from './earlier-steps.ts';

it('steps before a step are listed nearest first, each once, and from inside a loop those before the loop', () => {
  const node = (parent?: string) => ({ type: 'flow.noop', typeVersion: 1, ...(parent === undefined ? {} : { parent }) });
  const document = {
    signalbox: 1, id: 'w', name: 'w',
    nodes: { start: node(), orders: node(), other: node(), each: node(), first: node('each'), second: node('each'), after: node() },
    edges: [
      { from: 'start.success', to: 'orders' }, { from: 'start.success', to: 'other' }, { from: 'orders.success', to: 'each' }, { from: 'other.success', to: 'each' },
      { from: 'first.success', to: 'second' }, { from: 'each.success', to: 'after' },
    ],
  } as unknown as Workflow;
  expect(earlierSteps(document, 'second')).toEqual(['first', 'orders', 'other', 'start']);
  expect(earlierSteps(document, 'after')).toEqual(['each', 'orders', 'other', 'start']);
  expect(earlierSteps(document, 'start')).toEqual([]);
});

import { expect, it } from 'vitest';
import type { Workflow } from '../../api/types.ts';
import { staleSteps } from './stale.ts';

const RAN = {
  nodes: {
    a: { type: 'data.set', config: { assign: { n: 1, m: 2 } } }, b: { type: 'data.set' }, side: { type: 'data.set' },
    each: { type: 'flow.loop' }, put: { type: 'data.set', parent: 'each' }, last: { type: 'data.set' },
  },
  edges: [{ from: 'a.success', to: 'b' }, { from: 'b.success', to: 'each' }, { from: 'each.success', to: 'last' }, { from: 'side.success', to: 'last' }],
} as unknown as Workflow;
const all = () => true;
const edited = (nodes: object, edges = RAN.edges): Workflow => ({ ...RAN, nodes: { ...RAN.nodes, ...nodes }, edges } as unknown as Workflow);
const stale = (now: Workflow, has: (id: string) => boolean = all) => Object.fromEntries(staleSteps(now, RAN, has));

it('c16: a changed step is stale, and all that follow it, those in frames too', () => {
  expect(stale(RAN)).toEqual({});
  expect(stale(edited({ b: { type: 'data.set', config: { assign: { x: 1 } } } }))).toEqual({ b: 'own', each: 'before', put: 'before', last: 'before' });
  expect(stale(edited({ side: { type: 'data.set', disabled: true } }))).toEqual({ side: 'own', last: 'before' });
  expect(stale(edited({ put: { type: 'data.set', parent: 'each', if: 'true' } }))).toEqual({ put: 'own', each: 'before', last: 'before' });
  expect(stale(edited({ each: { type: 'flow.loop', config: { source: '=[1]' } } }))).toEqual({ each: 'own', put: 'before', last: 'before' });
});

it('c16: names, notes, order and places on the canvas change nothing', () => {
  expect(stale(edited({ a: { config: { assign: { m: 2, n: 1 } }, type: 'data.set', title: 'Other', description: 'words' } }))).toEqual({});
  expect(stale({ ...edited({}, RAN.edges.toReversed()), layout: { a: [5, 5] } } as unknown as Workflow)).toEqual({});
});

it('c16: another wire is a change of the step that it leads to', () => {
  expect(stale(edited({}, RAN.edges.filter((edge) => edge.to !== 'b')))).toEqual({ b: 'own', each: 'before', put: 'before', last: 'before' });
  expect(stale(edited({}, [...RAN.edges, { from: 'a.error', to: 'side' }]))).toEqual({ side: 'own', last: 'before' });
});

it('c16: what is done about an error makes no result old that came without one', () => {
  const wires = (...more: { from: string; to: string }[]) => [...RAN.edges, ...more] as Workflow['edges'];
  const retry = { handler: { type: 'builtin.error_handler' } };
  // Back to the step that failed, also to one that begins the workflow.
  for (const step of ['a', 'b']) expect(stale(edited(retry, wires({ from: `${step}.error`, to: 'handler' }, { from: 'handler.retry', to: step })), (id) => id !== 'handler')).toEqual({});
  // Beside the green way into a step behind it.
  expect(stale(edited({ ...retry, context: { type: 'data.set' } }, wires({ from: 'b.error', to: 'handler' }, { from: 'handler.fallback', to: 'context' }, { from: 'context.success', to: 'each' })), (id) => id in RAN.nodes)).toEqual({});
  expect(stale(edited({ b: { type: 'data.set', errorHandling: { retryPolicy: { maxAttempts: 5 } } } }))).toEqual({});
  // What ran after a failure is old when what it is about has changed.
  const ran = edited(retry, wires({ from: 'a.error', to: 'handler' }));
  expect(Object.fromEntries(staleSteps({ ...ran, nodes: { ...ran.nodes, a: { type: 'data.set' } } } as Workflow, ran, (id) => id === 'handler'))).toEqual({ handler: 'before' });
});

it('c16: what was taken out of a frame changes it, what is new or never ran has no result that could be stale', () => {
  const { put: _, ...without } = RAN.nodes as unknown as Record<string, object>;
  expect(stale({ ...RAN, nodes: without } as unknown as Workflow)).toEqual({ each: 'own', last: 'before' });
  expect(stale(edited({ fresh: { type: 'data.set' }, a: { type: 'data.set' } }), (id) => id === 'b')).toEqual({ b: 'before' });
});

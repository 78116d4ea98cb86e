import { expect, it } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { fakeTransport } from '../../api/transport/fake.ts';
import type { Workflow } from '../../api/types.ts';
import { madeWith, originsOf } from './origins.ts';
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
const stale = (now: Workflow, has: (id: string) => boolean = all) => Object.fromEntries([...staleSteps(now, RAN)].filter(([id]) => has(id)));

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
  expect(staleSteps({ ...ran, nodes: { ...ran.nodes, a: { type: 'data.set' } } } as Workflow, ran).get('handler')).toBe('before');
});

it('c16: what was taken out of a frame changes it, what is new or never ran has no result that could be stale', () => {
  const { put: _, ...without } = RAN.nodes as unknown as Record<string, object>;
  expect(stale({ ...RAN, nodes: without } as unknown as Workflow)).toEqual({ each: 'own', last: 'before' });
  expect(stale(edited({ fresh: { type: 'data.set' }, a: { type: 'data.set' } }), (id) => id === 'b')).toEqual({ b: 'before' });
});

const B_ONLY = { ...RAN, nodes: { a: RAN.nodes['a'], b: RAN.nodes['b'] }, edges: [{ from: 'a.success', to: 'b' }] } as unknown as Workflow;
const newA = (n: number): Workflow => ({ ...B_ONLY, nodes: { ...B_ONLY.nodes, a: { type: 'data.set', config: { assign: { n } } } } } as unknown as Workflow);
const keptMarks = (now: Workflow, ran: Workflow, origins: Record<string, Workflow>) => Object.fromEntries(staleSteps(now, ran, madeWith(ran, new Map(Object.entries(origins)))));

it('c16: a kept result is compared with what it was made with, not with the definition of the run that keeps it', () => {
  // A was edited, then B was run alone: both are still as old as they were.
  expect(keptMarks(newA(7), newA(7), { a: B_ONLY })).toEqual({ a: 'own', b: 'before' });
  // A is as it was when its result was made: the edit between has touched nothing.
  expect(keptMarks(B_ONLY, newA(7), { a: B_ONLY })).toEqual({});
  // B itself was edited after it had run.
  expect(keptMarks({ ...newA(7), nodes: { ...newA(7).nodes, b: { type: 'data.set', if: 'true' } } } as unknown as Workflow, newA(7), { a: newA(7) })).toEqual({ b: 'own' });
  // Where some iterations were kept and others ran, one that is old is enough; a frame that was kept as a whole is as old as its origin.
  const put = edited({ put: { type: 'data.set', parent: 'each', if: 'true' } });
  expect(keptMarks(put, put, { 'each[0]/put': RAN })).toMatchObject({ put: 'own' });
  expect(keptMarks(RAN, put, { 'each[0]/put': RAN })).toMatchObject({ put: 'own' });
  expect(keptMarks(RAN, put, { each: RAN, 'each[0]/put': RAN })).toEqual({});
});

it('c16: follows kept results back to the run that made them', async () => {
  const [first, second, third] = [newA(1), newA(2), newA(3)];
  const runs: Record<string, object> = { 'r-1': { definition: first, kept: [] }, 'r-2': { definition: second, kept: ['a'], parentRunId: 'r-1' } };
  const fake = fakeTransport({ run_get: (({ runId }: { runId: string }) => {
    const run = runs[runId];
    if (!run) throw new ApiError({ code: 'NOT_FOUND', message: 'no', hint: '' } as never);
    return run;
  }) as never });
  setTransport(fake);
  const made = await originsOf(['a', 'b'], 'r-2', null);
  expect([made.get('a'), made.get('b')]).toEqual([first, second]);
  // What the run on the screen knows of its own is not asked for again.
  const asked = fake.calls.length;
  const shown = await originsOf(['a', 'b'], 'r-3', { runId: 'r-3', definition: third, origins: new Map([['a', first]]) });
  expect([shown.get('a'), shown.get('b')]).toEqual([first, third]);
  expect(fake.calls).toHaveLength(asked);
  // A run that was deleted: what is left counts as made with the oldest that could be read.
  delete runs['r-1'];
  expect((await originsOf(['a'], 'r-2', null)).get('a')).toBe(second);
  expect((await originsOf(['a'], 'r-1', null)).size).toBe(0);
});

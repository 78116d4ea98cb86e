import { expect, it } from 'vitest';
import { ApiError } from '../../api/error.ts';
import { setTransport } from '../../api/client.ts';
import { foldRun, type RunEventLike } from '../../run/run-state.ts';
import { fakeTransport } from '../../api/transport/fake.ts';
import type { NodeDescriptor, Workflow } from '../../api/types.ts';
import { asksFirst, lastThatReached, stepPlace } from './step-runs.ts';

const DRAWN = { id: 'w', nodes: { each: { type: 'flow.loop' }, put: { type: 'data.set', parent: 'each' }, heal: { type: 'fix' }, last: { type: 'data.set' } }, edges: [] } as unknown as Workflow;
const CATALOG = [{ type: 'fix', role: 'recovery' }] as unknown as NodeDescriptor[];
const log = (...list: [type: string, stepId: string | null, path?: string][]): RunEventLike[] =>
  list.map(([type, stepId, path], i) => ({ runId: 'r', seq: i + 1, ts: new Date(1_000 * i).toISOString(), type, stepId, visit: 1, attempt: 0, ...(path ? { path } : {}), payload: type === 'step_start' ? { input: [{ item: 0, data: {} }] } : {} }));
const going = foldRun(log(['workflow_start', null], ['step_start', 'each'], ['step_start', 'put', 'each[0]']), DRAWN);
const over = foldRun(log(['workflow_start', null], ['step_start', 'each'], ['step_start', 'put', 'each[0]'], ['step_done', 'put', 'each[0]'], ['step_done', 'each'], ['workflow_done', null]), DRAWN);
const twice = foldRun(log(['workflow_start', null], ['step_start', 'each'], ['step_start', 'put', 'each[0]'], ['step_done', 'put', 'each[0]'], ['step_start', 'put', 'each[1]'], ['step_done', 'put', 'each[1]'], ['step_done', 'each'], ['workflow_done', null]), DRAWN);

it('c16: says where a step can run, and what is in the way', () => {
  const place = (kind: 'only' | 'to' | 'from', id: string, view: typeof over | null = over) => stepPlace(kind, view, DRAWN, CATALOG, id);
  expect(place('only', 'last')).toEqual({ name: 'last' });
  expect(place('to', 'last', null)).toEqual({ name: 'last' });
  expect(place('from', 'put')).toEqual({ name: 'each[0]/put' });
  // In a frame: up to it in any iteration, alone in the one that is chosen, else in its newest.
  expect([place('to', 'put'), place('to', 'put', null), place('only', 'put'), place('only', 'put', null)]).toEqual([{ name: 'put' }, { name: 'put' }, { name: 'each[0]/put' }, { name: 'put' }]);
  expect([place('only', 'put', twice), place('from', 'put', twice)]).toEqual([{ name: 'each[1]/put' }, { why: 'iteration' }]);
  expect(place('from', 'put', null)).toEqual({ why: 'iteration' });
  expect(place('only', 'heal')).toEqual({ why: 'recovery' });
  expect(place('to', 'last', going)).toEqual({ why: 'goesOn' });
  expect(place('to', 'nobody')).toBeNull();
});

const step = (more: object) => ({ stepId: 'last', title: 'Last', kind: 'x', fate: 'again', change: 'none', effect: 'none', repeats: false, calls: 1, asks: false, ...more });
const plan = (more: object = {}) => ({ stepId: 'last', masked: false, context: {}, input: [], params: {}, steps: [step({})], answers: [], waits: false, sameDefinition: true, ...more });

it('c16: asks before what writes, who is asked again and what is given up; not before what stays or is left out', () => {
  const asks = (more: object) => asksFirst(plan(more) as never);
  expect(asks({})).toBe(false);
  expect(asks({ waits: true })).toBe(true);
  expect(asks({ steps: [step({ effect: 'write' })] })).toBe(true);
  expect(asks({ steps: [step({ effect: 'write', fate: 'open' })] })).toBe(true);
  expect(asks({ steps: [step({ asks: true })] })).toBe(true);
  expect(asks({ steps: [step({ effect: 'write', fate: 'kept' }), step({ effect: 'write', fate: 'left', asks: true })] })).toBe(false);
});

it('c16: takes the run on the screen, else the newest that reached the step', async () => {
  const reached = new Set(['r-3']);
  const fake = fakeTransport({
    rerun_look: (({ runId }: { runId: string }) => {
      if (!reached.has(runId)) throw new ApiError({ code: 'STEP_NEVER_RAN', message: 'no', hint: '' } as never);
      return plan();
    }) as never,
    run_list: (() => ({ runs: ['r-1', 'r-2', 'r-3', 'r-4'].map((runId) => ({ runId })) })) as never,
  });
  setTransport(fake);
  expect((await lastThatReached('last', true, DRAWN, 'r-2'))?.runId).toBe('r-3');
  const asked = fake.calls.filter((call) => call.command === 'rerun_look').map((call) => call.payload as { runId: string; until?: string; definition: string });
  expect(asked.map((call) => call.runId)).toEqual(['r-2', 'r-1', 'r-3']);
  expect(asked[0]).toMatchObject({ until: 'last', definition: 'current' });
  reached.add('r-2');
  expect((await lastThatReached('last', false, DRAWN, 'r-2'))?.runId).toBe('r-2');
  reached.clear();
  expect(await lastThatReached('last', false, DRAWN, null)).toBeNull();
});

it('c16: a step in a frame without a place on the screen runs where it ran last', async () => {
  const fake = fakeTransport({
    rerun_look: (({ stepId }: { stepId: string }) => {
      if (stepId === 'put') throw new ApiError({ code: 'STEP_NEVER_RAN', message: 'no', hint: '', details: { ran: ['each[0]/put', 'each[1]/put'] } } as never);
      return plan({ stepId });
    }) as never,
    run_list: (() => ({ runs: [{ runId: 'r-1' }] })) as never,
  });
  setTransport(fake);
  expect((await lastThatReached('put', true, DRAWN, null))?.plan.stepId).toBe('each[1]/put');
  expect(fake.calls.filter((call) => call.command === 'rerun_look').map((call) => call.payload)).toMatchObject([{ stepId: 'put', until: 'put' }, { stepId: 'each[1]/put', until: 'put' }]);
});

// A long run of which only the first and the newest events are read: what it says is what the whole run says, or says that it is not loaded.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIRST, FIRST_EVENTS } from '../test/walkthrough.ts';
import { eventAt, isPartial, placeOf, seqOf } from './event-gap.ts';
import { bringAll, eventsOf, firstParts } from './run-parts.ts';
import { wholeHead, type Standing } from './run-fold-skip.ts';
import { viewAt } from './run-paths.ts';
import { createRunFold, foldRun, type RunDefinition, type RunEventLike, type RunView } from './run-state.ts';
import type { NodeState } from '../api/types.ts';

const T = Date.parse('2026-11-21T23:00:00.000Z');
const LOOPS: RunDefinition = {
  nodes: {
    start: { type: 'trigger.manual' }, each: { type: 'flow.loop' }, work: { type: 'data.set', parent: 'each' }, again: { type: 'data.set', parent: 'each' },
    mid: { type: 'data.set' }, second: { type: 'flow.loop' }, more: { type: 'data.set', parent: 'second' }, last: { type: 'data.aggregate' },
  },
  edges: [{ from: 'start.success', to: 'each' }, { from: 'each.success', to: 'mid' }, { from: 'mid.success', to: 'second' }, { from: 'second.success', to: 'last' }, { from: 'work.success', to: 'again' }],
  context: { initial: { seen: 0, kept: 'x' } },
};

/** Two loops one after the other; `failing`: calls with a first attempt that fails. */
function twoLoops(first: number, second: number, failing: (n: number) => boolean, goesOn = false): RunEventLike[] {
  const all: RunEventLike[] = [];
  const add = (type: string, stepId: string | null, payload: unknown, more: Partial<RunEventLike> = {}): void =>
    void all.push({ runId: 'R', seq: all.length + 1, ts: new Date(T + all.length * 10).toISOString(), type, stepId, payload, ...(stepId ? { visit: 1, attempt: 0 } : {}), ...more });
  const begin = (id: string, more: Partial<RunEventLike> = {}, config: unknown = {}) => add('step_start', id, { type: LOOPS.nodes[id]?.type, meta: {}, resolvedInputs: null, config, input: [{ item: 0, data: 1 }] }, more);
  const end = (id: string, more: Partial<RunEventLike> = {}) => add('step_done', id, { outputs: null, ports: { success: 1 }, items: {} }, more);
  const call = (id: string, n: number, path?: string): void => {
    const at = path === undefined ? {} : { path };
    begin(id, at);
    if (failing(n)) {
      add('step_error', id, { error: { type: 'Timeout', message: 'No response', details: { code: 'TIMEOUT' } } }, at);
      add('retry_scheduled', id, { attempt: 1, delayMs: 5 }, at);
      begin(id, { ...at, attempt: 1 });
      end(id, { ...at, attempt: 1 });
    } else end(id, at);
  };
  add('workflow_start', null, { name: 'Loops', version: 'v', params: { a: 1 }, seed: '0' });
  call('start', 1);
  begin('each', {}, { while: 'true' });
  for (let n = 0; n < first; n++) {
    call('work', n, `each[${String(n)}]`);
    add('var_changed', 'work', { name: '$seen', oldValue: Math.max(0, n - 1), newValue: n }, { path: `each[${String(n)}]` });
    call('again', n + 1, `each[${String(n)}]`);
  }
  end('each');
  call('mid', 3);
  begin('second', {}, { source: Array.from({ length: second }, (_, n) => n) });
  for (let n = 0; n < second; n++) call('more', n, `second[${String(n)}]`);
  if (goesOn) return all;
  end('second');
  call('last', 5);
  add('workflow_done', null, { duration_ms: all.length * 10 });
  return all;
}

const TOLD: { readonly [state: string]: NodeState } = { idle: 'PENDING', unreached: 'PENDING', running: 'RUNNING', retrying: 'RETRYING', waiting: 'RUNNING', asks: 'AWAITING_HITL', done: 'SUCCEEDED', failed: 'FAILED', handled: 'ERROR_HANDLED', skipped: 'SKIPPED', cancelled: 'CANCELLED', kept: 'SUCCEEDED' };

/** What the host says of a run: read off its whole fold. */
const standing = (whole: RunView): Standing => ({
  status: whole.status, lastSeq: whole.lastSeq, context: { ...whole.variables }, openTasks: whole.tasks.map((task) => task.taskId),
  steps: Object.fromEntries(Object.entries(whole.nodes).map(([id, run]) => [id, { state: TOLD[run.state] as NodeState, visits: run.calls, attempts: run.calls }])),
  ...(whole.stopped ? { stopped: { reason: 'request', since: '' } } : {}),
});

function inParts(events: readonly RunEventLike[], definition: RunDefinition, head: number, from: number) {
  const fold = createRunFold('R', definition);
  const whole = foldRun(events, definition);
  const brought = bringAll(fold, events.slice(0, head), events.slice(from - 1), standing(whole));
  return { fold, whole, brought };
}

/** All that a view in part claims. */
function expectSame(view: RunView, whole: RunView): void {
  const claimed = ({ status, lastSeq, name, params, startedAt, endedAt, durationMs, stopId, error, failedStepId, variables, tasks, stopped, resumedFrom }: RunView) => ({ status, lastSeq, name, params, startedAt, endedAt, durationMs, stopId, error, failedStepId, variables, tasks: tasks.map((task) => task.taskId), stopped, resumedFrom });
  expect(claimed(view)).toEqual(claimed(whole));
  for (const [id, run] of Object.entries(whole.nodes)) {
    const mine = view.nodes[id];
    expect([id, mine?.state]).toEqual([id, run.state]);
    expect([id, (mine?.calls ?? 0) + (mine?.unloaded ?? 0)]).toEqual([id, run.calls]);
  }
  for (const card of view.cards) {
    const same = whole.cards.find((one) => one.startSeq === card.startSeq) ?? whole.cards.find((one) => one.endSeq === card.startSeq);
    if (card.startUnknown || card.endUnknown) expect(card.durationMs).toBeUndefined();
    else expect([card.startSeq, card.nodeId, card.status, card.endSeq, card.durationMs]).toEqual([same?.startSeq, same?.nodeId, same?.status, same?.endSeq, same?.durationMs]);
  }
}

describe('a run of which the middle is not loaded', () => {
  const never = (): boolean => false;
  const cases: [string, RunEventLike[], RunDefinition][] = [
    ['two loops', twoLoops(30, 20, never), LOOPS],
    ['with errors and retries', twoLoops(30, 20, (n) => n % 7 === 3), LOOPS],
    ['that goes on', twoLoops(20, 20, never, true), LOOPS],
    ['the walkthrough', FIRST_EVENTS, FIRST],
  ];
  it.each(cases)('%s: says the same as the whole run, wherever it is cut', (_, events, definition) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: events.length - 2 }), fc.integer({ min: 2, max: events.length }), (head, from) => {
        const { fold, whole, brought } = inParts(events, definition, head, Math.max(from, head + 1));
        if (!brought) return;
        expectSame(fold.view, whole);
        // Before the gap nothing is missing.
        const gap = fold.view.gap;
        const early = fold.at((gap?.from ?? 1) - 1);
        const wanted = foldRun(events.slice(0, (gap?.from ?? 1) - 1), definition);
        expect(isPartial(early)).toBe(false);
        expect(early.nodes).toEqual(wanted.nodes);
        expect(early.variables).toEqual(wanted.variables);
        // Behind it a moment has the variables and the running steps of then.
        const seq = Math.max(from, head + 1);
        if (seq < events.length) expect(fold.at(seq).variables).toEqual(foldRun(events.slice(0, seq), definition).variables);
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  it('keeps the state of a moment whatever is looked at before, and goes on with what comes', () => {
    const events = twoLoops(400, 300, never, true);
    const { fold } = inParts(events.slice(0, 2_600), LOOPS, 50, 1_900);
    fold.apply(events.slice(2_600));
    expect(fold.view.lastSeq).toBe(events.length);
    expect(fold.apply(events.slice(1_000, 1_010))).toMatchObject({ applied: 0, duplicates: 10 });
    const once = fold.at(2_000);
    fold.at(10);
    expect(fold.at(2_000).nodes).toEqual(once.nodes);
    // A moment that is not loaded is the last one before.
    expect(fold.at(1_000).lastSeq).toBe((fold.view.gap?.from ?? 0) - 1);
  });

  it('closes a loop that ended in between without a time, and leaves its number of rounds open', () => {
    const events = twoLoops(30, 30, never);
    const { fold, whole } = inParts(events, LOOPS, 20, events.length - 40);
    const card = fold.view.cards.find((one) => one.nodeId === 'each');
    expect(card).toMatchObject({ status: 'done', endUnknown: true });
    expect(card?.durationMs).toBeUndefined();
    expect(fold.view.loops.get('each')).toMatchObject({ total: null, lost: true });
    expect(fold.view.loops.get('second')?.seen).toBe(30);
    expect(fold.view.nodes['mid']).toMatchObject({ state: 'done', calls: 0, unloaded: 1 });
    expect(whole.loops.get('each')?.total).toBe(30);
  });

  it('an iteration that is not loaded is not said to have been skipped', () => {
    const events = twoLoops(60, 5, never);
    const { fold } = inParts(events, LOOPS, 20, 250);
    const at = (n: number) => viewAt(fold.view, LOOPS, { each: n }).nodes['work'];
    expect(at(0)).toMatchObject({ state: 'done' });
    expect(at(20)).toMatchObject({ state: 'idle' });
    expect(at(20)?.unloaded).toBeGreaterThan(0);
    expect(at(59)).toMatchObject({ state: 'done' });
    expect(at(59)?.unloaded).toBeUndefined();
  });

  it('an error among events that are not loaded shows on its step', () => {
    const events = twoLoops(60, 5, (n) => n === 20);
    const whole = foldRun(events, LOOPS);
    const known = standing(whole);
    const fold = createRunFold('R', LOOPS);
    bringAll(fold, events.slice(0, 20), events.slice(280), { ...known, steps: { ...known.steps, work: { state: 'ERROR_HANDLED', visits: 60, attempts: 61 } } });
    expect(fold.view.nodes['work']).toMatchObject({ state: 'handled', floor: 'handled' });
  });

  it('stops where the host says, also where that was set among events that are not loaded', () => {
    const events = twoLoops(30, 20, never, true);
    const fold = createRunFold('R', LOOPS);
    bringAll(fold, events.slice(0, 20), events.slice(100), { ...standing(foldRun(events, LOOPS)), breakpoints: [{ node: 'last' }] });
    expect(fold.view.breakpoints).toEqual([{ node: 'last' }]);
  });

  it('reads all of it where a question to a person or a stop would be missed', () => {
    const events = twoLoops(30, 20, never, true);
    const known = standing(foldRun(events, LOOPS));
    const fold = createRunFold('R', LOOPS);
    expect(bringAll(fold, events.slice(0, 20), events.slice(100), { ...known, openTasks: ['t'] })).toBe(false);
    expect(bringAll(fold, events.slice(0, 20), events.slice(100), { ...known, stopped: { reason: 'request', since: '' } })).toBe(false);
    expect(fold.view.lastSeq).toBe(0);
  });
});

it('numbers of events and their places among the loaded ones', () => {
  const gap = { from: 4, to: 8 };
  expect([1, 3, 4, 8, 9, 10].map((seq) => placeOf(gap, seq))).toEqual([0, 2, -1, -1, 3, 4]);
  expect([0, 2, 3, 4].map((place) => seqOf(gap, place))).toEqual([1, 3, 9, 10]);
  expect([placeOf(undefined, 7), seqOf(undefined, 6)]).toEqual([6, 7]);
  const events = [1, 2, 3, 9, 10].map((seq): RunEventLike => ({ runId: 'R', seq, ts: '', type: 'x' }));
  expect([1, 5, 9, 11].map((seq) => eventAt({ events, gap }, seq)?.seq)).toEqual([1, undefined, 9, undefined]);
  expect([eventsOf({ events, gap }, 9, 10)?.length, eventsOf({ events, gap }, 3, 9), eventsOf({ events, gap }, 9, 11)]).toEqual([2, undefined, undefined]);
});

it('the first part ends where nothing in a loop is open and nobody is asked', () => {
  const events = twoLoops(3, 2, (n) => n === 1);
  for (let n = 1; n <= events.length; n++) {
    const view = foldRun(events.slice(0, wholeHead(events.slice(0, n))), LOOPS);
    expect([...view.slots.values()].filter((run) => run.open > 0 || run.state === 'retrying')).toEqual([]);
  }
  const asks: RunEventLike = { runId: 'R', seq: 3, ts: '', type: 'human_task_created', stepId: 'start' };
  expect(wholeHead([...events.slice(0, 2), asks, ...events.slice(2)])).toBe(2);
});

it('only a long run is read in parts', () => {
  const known = (lastSeq: number): Standing => ({ status: 'completed', steps: {}, context: {}, openTasks: [], lastSeq });
  const sizes = { whole: 100, head: 10, page: 20 };
  expect([firstParts(undefined, sizes), firstParts(known(100), sizes)]).toEqual([undefined, undefined]);
  expect(firstParts(known(101), sizes)).toMatchObject({ head: 10, from: 82, to: 101 });
});

import { describe, expect, it } from 'vitest';
import { chooseAll, chooseRound, choiceOf, inChoice, isKeptAside, loopsOf, readPath, roundsOf, slotKey, stepAt, Sum, viewAt, viewWith } from '../../run/run-paths';
import { onlyAsks, restsAt, statusIn } from '../../run/run-location';
import { cardsOf, createRunFold, foldRun, type NodeRun, type RunDefinition, type RunEventLike, type RunView } from '../../run/run-state';

const DEFINITION: RunDefinition = {
  nodes: {
    each: { type: 'flow.loop', title: 'Each order' },
    fetch: { type: 'http.request', parent: 'each' },
    check: { type: 'flow.if', parent: 'each' },
    inner: { type: 'flow.loop', parent: 'each' },
    line: { type: 'data.set', parent: 'inner' },
    sub: { type: 'flow.subworkflow' },
    done: { type: 'flow.stop' },
  },
  edges: [{ from: 'fetch.success', to: 'check' }, { from: 'check.true', to: 'inner' }, { from: 'fetch.error', to: 'check' }, { from: 'each.success', to: 'sub' }],
};

function log(lines: readonly [type: string, stepId: string | null, path: string | null, payload?: unknown, more?: Partial<RunEventLike>][]): RunEventLike[] {
  return lines.map(([type, stepId, path, payload, more], i) => ({ runId: 'r', seq: i + 1, ts: new Date(1000 * i).toISOString(), type, stepId, ...(path === null ? {} : { path }), payload: payload ?? {}, ...more }));
}
const done = (n = 1) => ({ ports: { success: n }, items: { success: [{ id: '1', data: n }] } });
const RUN = log([
  ['workflow_start', null, null, { name: 'Orders' }],
  ['step_start', 'each', null, { type: 'flow.loop', config: { source: [1, 2, 3] }, input: [{ item: 0, data: {} }] }],
  ['step_start', 'fetch', 'each[0]', { type: 'http.request', input: [{ item: 0, data: 'a' }] }],
  ['step_done', 'fetch', 'each[0]', done()],
  ['step_start', 'inner', 'each[0]', { type: 'flow.loop', config: { source: ['x', 'y'] }, input: [] }],
  ['step_start', 'line', 'each[0]/inner[0]', { type: 'data.set', input: [] }],
  ['step_done', 'line', 'each[0]/inner[0]', done()],
  ['step_start', 'line', 'each[0]/inner[1]', { type: 'data.set', input: [] }],
  ['step_done', 'line', 'each[0]/inner[1]', done(2)],
  ['step_done', 'inner', 'each[0]', done(2)],
  ['step_start', 'fetch', 'each[1]', { type: 'http.request', input: [{ item: 0, data: 'b' }] }],
  ['step_error', 'fetch', 'each[1]', { error: { type: 'NetworkError', message: 'No response', details: { code: 'TIMEOUT' } } }],
]);

describe('paths', () => {
  it('are read from the outside, and another file is another file', () => {
    expect(readPath('each[3]/inner[0]', DEFINITION)).toEqual({ key: '3,0', loops: [['each', 'each', 3], ['each[3]/inner', 'inner', 0]], foreign: false });
    expect(readPath('sub[2]/each[1]', DEFINITION)).toMatchObject({ foreign: true, loops: [] });
    expect(readPath('par/left', DEFINITION).key).toBe('');
    expect(inChoice('each[3]/inner[0]', { each: 3 })).toBe(true);
    expect(inChoice('each[3]/inner[0]', { each: 3, inner: 1 })).toBe(false);
    expect(inChoice(undefined, { each: 3 })).toBe(true);
    expect(loopsOf(DEFINITION, 'line')).toEqual(['each', 'inner']);
    expect(choiceOf('each[3]/inner[0]', DEFINITION)).toEqual({ each: 3, inner: 0 });
  });

  it('a choice in a loop frees those inside of it', () => {
    expect(chooseRound(DEFINITION, { each: 1, inner: 4 }, 'each', 2)).toEqual({ each: 2 });
    expect(chooseRound(DEFINITION, { each: 1, inner: 4 }, 'inner', 0)).toEqual({ each: 1, inner: 0 });
    expect(chooseRound(DEFINITION, { each: 1, inner: 4 }, 'each', null)).toEqual({});
    expect(chooseAll(DEFINITION, 7)).toEqual({ each: 7 });
  });
});

describe('a re-run of one iteration', () => {
  const again = log([
    ['workflow_start', null, null, { name: 'Orders', resumedFrom: 'each[1]/check' }],
    ['step_start', 'check', 'each[1]', { type: 'flow.if', input: [{ item: 0, data: 'b' }] }],
    ['step_done', 'check', 'each[1]', done()],
  ]);
  const definition = { ...DEFINITION, kept: ['each[0]/fetch', 'each[0]/check', 'each[1]/fetch', 'each[2]/fetch', 'each[2]/check'] };

  it('shows the other iterations as kept', () => {
    const view = foldRun(again, definition);
    expect(view.nodes['fetch']).toMatchObject({ state: 'kept', over: { of: 3, inState: 3 } });
    expect(view.nodes['check']).toMatchObject({ state: 'done', calls: 1, over: { of: 3, inState: 1 } });
    expect(roundsOf(view, definition, 'each', {})).toMatchObject({ of: 3, at: null });
    expect(viewAt(view, definition, { each: 2 }).nodes['check']?.state).toBe('kept');
    expect(viewAt(view, definition, { each: 1 }).nodes['check']?.state).toBe('done');
  });
});

describe('a re-run behind a decision that it keeps', () => {
  const DRAWN: RunDefinition = {
    nodes: { check: { type: 'flow.if' }, yes: { type: 'data.set' }, no: { type: 'data.set' }, after: { type: 'data.set' }, each: { type: 'flow.loop' }, rest: { type: 'data.set' } },
    edges: [{ from: 'check.true', to: 'yes' }, { from: 'check.false', to: 'no' }, { from: 'each.success', to: 'rest' }, { from: 'yes.success', to: 'after' }],
    kept: ['check', 'each'],
  };
  const before = log([
    ['step_start', 'check', null, { type: 'flow.if', input: [] }], ['step_done', 'check', null, { ports: { true: 1 } }],
    ['step_start', 'each', null, { type: 'flow.loop', config: { source: [] }, input: [] }], ['step_done', 'each', null, { ports: {} }],
  ]);
  const FAILS: Parameters<typeof log>[0] = [
    ['workflow_start', null, null, { resumedFrom: 'yes', base: { events: before } }],
    ['step_start', 'yes', null, { type: 'data.set', input: [] }], ['step_error', 'yes', null, { error: { type: 'NetworkError', message: 'No response' } }],
    ['workflow_failed', null, null, { failed_step_id: 'yes', error: { type: 'NetworkError', message: 'No response' } }],
  ];

  it('knows which way its original went, and counts nothing of it', () => {
    const view = foldRun(log(FAILS.slice(0, 2)), DRAWN);
    const kept = (from: string) => isKeptAside(view.nodes[from.slice(0, from.lastIndexOf('.'))], from);
    expect(view.nodes['check']).toMatchObject({ state: 'kept', leftKept: { true: 1 }, itemsOut: 0 });
    expect([kept('check.true'), kept('check.false'), kept('each.success'), kept('each.error')]).toEqual([false, true, false, true]);
    expect(view.ports).toEqual({});
    // Of a run whose original is not told, or is cut because it is large, nothing is said.
    const cut = foldRun(log([['workflow_start', null, null, { resumedFrom: 'yes', base: { events: { _truncated: true, type: 'array', length: 20_000, preview: '[', ref: 'r/1/base/events' } } }]]), DRAWN);
    expect([cut.nodes['check']?.leftKept, isKeptAside(cut.nodes['check'], 'check.true')]).toEqual([undefined, false]);
    expect(isKeptAside(foldRun([], DRAWN).nodes['check'], 'check.false')).toBe(false);
  });

  it('what was skipped there is skipped here, also where the re-run fails; what was to come is not reached', () => {
    const view = foldRun(log(FAILS), DRAWN);
    expect(Object.fromEntries(Object.entries(view.nodes).map(([id, { state }]) => [id, state]))).toEqual({ check: 'kept', yes: 'failed', no: 'skipped', after: 'unreached', each: 'kept', rest: 'unreached' });
  });

  it('in a loop, too: each iteration went its own way', () => {
    const looped: RunDefinition = { nodes: { all: { type: 'flow.loop' }, ...Object.fromEntries(Object.entries(DRAWN.nodes).map(([id, one]) => [id, { ...one, parent: 'all' }])) }, edges: DRAWN.edges, kept: ['all[0]/check', 'all[1]/check'] };
    const stands = log([
      ['step_start', 'all', null, { type: 'flow.loop', config: { source: [1, 2] }, input: [] }],
      ...([['all[0]', 'true'], ['all[1]', 'false']] as const).flatMap(([path, port]) => [['step_start', 'check', path, { type: 'flow.if', input: [] }], ['step_done', 'check', path, { ports: { [port]: 1 } }]] as Parameters<typeof log>[0]),
    ]);
    const view = foldRun(log([['workflow_start', null, null, { base: { events: stands } }], ['step_start', 'yes', 'all[0]', { type: 'data.set', input: [] }], ['step_error', 'yes', 'all[0]', { error: { type: 'E', message: 'no' } }], ['workflow_failed', null, null, { failed_step_id: 'yes', error: { type: 'E', message: 'no' } }]]), looped);
    expect(view.nodes['check']?.leftKept).toEqual({ true: 1, false: 1 });
    const at = (n: number) => viewAt(view, looped, { all: n }).nodes;
    expect([at(0)['check']?.leftKept, at(1)['check']?.leftKept]).toEqual([{ true: 1 }, { false: 1 }]);
    expect([at(0)['no']?.state, at(0)['after']?.state, at(1)['yes']?.state, at(1)['no']?.state]).toEqual(['skipped', 'unreached', 'skipped', 'unreached']);
  });
});

describe('a re-run that begins inside a container', () => {
  const DRAWN = { ...DEFINITION, kept: ['each[0]/fetch'] };
  const before = log([['step_start', 'each', null, { type: 'flow.loop', config: { while: 'true' }, input: [{ item: 0, data: {} }] }], ['step_start', 'fetch', 'each[0]', { type: 'data.set', input: [] }], ['step_done', 'fetch', 'each[0]', done()]]);
  const began: Parameters<typeof log>[0] = [
    ['workflow_start', null, null, { base: { events: before } }],
    ['step_start', 'check', 'each[0]', { type: 'flow.if', input: [] }], ['step_done', 'check', 'each[0]', done()],
    ['step_start', 'fetch', 'each[1]', { type: 'data.set', input: [] }], ['step_done', 'fetch', 'each[1]', done()],
  ];

  it('goes on in it: the container runs, and what it keeps is counted', () => {
    const view = foldRun(log(began), DRAWN);
    expect(view.nodes['each']).toMatchObject({ state: 'running', calls: 1 });
    expect(view.nodes['fetch']).toMatchObject({ state: 'done', over: { of: 2, inState: 1, kept: 1 } });
    expect(roundsOf(view, DRAWN, 'each', {})).toEqual({ at: null, of: 2, open: true });
  });

  it('ends it, and knows then how often it went round', () => {
    const view = foldRun(log([...began, ['step_done', 'each', null, done(2)]]), DRAWN);
    expect(view.nodes['each']).toMatchObject({ state: 'done', itemsOut: 2 });
    expect(view.ports).toMatchObject({ 'each.success': 2 });
    expect(roundsOf(view, DRAWN, 'each', {})).toEqual({ at: null, of: 2, open: false });
  });
});

describe('a run with loops', () => {
  it('shows a step as a whole by its worst state, with sums', () => {
    const view = foldRun(RUN, { ...DEFINITION, edges: [] });
    expect(view.nodes['fetch']).toMatchObject({ state: 'failed', calls: 2, itemsOut: 1, errorCode: 'TIMEOUT', over: { of: 2, inState: 1 } });
    expect(view.nodes['line']).toMatchObject({ state: 'done', calls: 2, itemsOut: 3, over: { of: 2, inState: 2 } });
    expect(view.nodes['each']).toMatchObject({ state: 'running' });
    expect(view.nodes['each']?.over).toBeUndefined();
    expect(view.ports).toMatchObject({ 'fetch.success': 1, 'line.success': 3 });
  });

  it('knows how often loops go round', () => {
    const view = foldRun(RUN, DEFINITION);
    expect(roundsOf(view, DEFINITION, 'each', {})).toEqual({ at: null, of: 3, open: false });
    expect(roundsOf(view, DEFINITION, 'inner', { each: 0, inner: 1 })).toEqual({ at: 1, of: 2, open: false });
    // The second order has no lines yet.
    expect(roundsOf(view, DEFINITION, 'inner', { each: 1 })).toBeNull();
  });

  it.each([['step_done', 'each', null, done(1)], ['step_error', 'each', null, { error: { type: 'Timeout', message: 'No' } }], ['workflow_cancelled', null, null]] as const)('counts the iterations that were, when the loop has ended before the last: %s', (...end) => {
    const view = foldRun([...RUN, ...log([[...end] as never]).map((event) => ({ ...event, seq: RUN.length + 1 }))], DEFINITION);
    expect(roundsOf(view, DEFINITION, 'each', {})).toEqual({ at: null, of: 2, open: false });
    // A shorter loop has none of a number that another one has.
    expect(roundsOf(view, DEFINITION, 'each', { each: 4 })).toEqual({ at: 2, of: 2, open: false });
    expect(roundsOf(view, DEFINITION, 'each', { each: 1 })?.at).toBe(1);
  });

  it('narrows to an iteration: states, counts, calls', () => {
    const view = foldRun(RUN, DEFINITION);
    const first = viewAt(view, DEFINITION, { each: 0 });
    expect(first.nodes['fetch']).toMatchObject({ state: 'done', itemsOut: 1 });
    expect(first.nodes['line']).toMatchObject({ state: 'done', calls: 2 });
    expect(first.ports).toMatchObject({ 'fetch.success': 1, 'line.success': 3 });
    expect(cardsOf(first, 'fetch').map((card) => card.path)).toEqual(['each[0]']);
    const inner = viewAt(view, DEFINITION, { each: 0, inner: 1 });
    expect(inner.nodes['line']).toMatchObject({ itemsOut: 2, calls: 1 });
    const second = viewAt(view, DEFINITION, { each: 1 });
    expect(second.nodes['fetch']).toMatchObject({ state: 'handled', errorCode: 'TIMEOUT' });
    expect(second.nodes['line']).toMatchObject({ state: 'idle', calls: 0 });
    expect(second.ports).toMatchObject({ 'fetch.success': 0, 'fetch.error': 1, 'line.success': 0 });
    expect(viewAt(view, DEFINITION, {})).toBe(view);
  });

  it('says in an iteration that is over what was not reached', () => {
    const more = (...lines: Parameters<typeof log>[0][number][]) => foldRun([...RUN, ...log(lines).map((event, i) => ({ ...event, seq: RUN.length + i + 1 }))], DEFINITION);
    const view = more(['step_start', 'check', 'each[1]', { type: 'flow.if', input: [] }], ['step_done', 'check', 'each[1]', { ports: { true: 0, false: 1 } }], ['step_done', 'each', null, done(3)], ['workflow_done', null, null, { duration_ms: 1 }]);
    expect(viewAt(view, DEFINITION, { each: 1 }).nodes['line']?.state).toBe('skipped');
    expect(viewAt(view, DEFINITION, { each: 2 }).nodes['fetch']?.state).toBe('unreached');
    // A run that completed had every error handled.
    expect(view.nodes['fetch']?.state).toBe('handled');
    // What was cancelled before it had begun, and what a break of the inner loop left out, was never reached.
    const cut = more(['workflow_cancelled', null, null]);
    expect(['check', 'inner', 'line'].map((id) => viewAt(cut, DEFINITION, { each: 1 }).nodes[id]?.state)).toEqual(['unreached', 'unreached', 'unreached']);
    expect([0, 1, 2].map((inner) => viewAt(view, DEFINITION, { each: 0, inner }).nodes['line']?.state)).toEqual(['done', 'done', 'unreached']);
    // Nor while one that has ended is still being read.
    const part = viewWith(foldRun(RUN, DEFINITION), { status: 'completed', behind: true });
    expect(viewAt(part, DEFINITION, { each: 2 }).nodes['fetch']?.state).toBe('idle');
    // While it goes on, nothing is said of what may come.
    expect(viewAt(more(), DEFINITION, { each: 1 }).nodes['check']?.state).toBe('idle');
  });

  it('keeps what happens in another file off this canvas', () => {
    const view = foldRun(log([['workflow_start', null, null], ['step_start', 'sub', null, { type: 'flow.subworkflow', input: [] }], ['step_start', 'done', 'sub', { type: 'data.set', input: [] }], ['step_done', 'done', 'sub', done()]]), DEFINITION);
    expect(view.nodes['done']).toMatchObject({ state: 'idle', calls: 0 });
    expect(view.ports).not.toHaveProperty('done.success');
    expect(view.cards.map((card) => card.path)).toEqual([undefined, 'sub']);
  });

  it('keeps variables of another file apart from those of the run, now and at each moment', () => {
    const set = (id: string, path: string | null, name: string, newValue: unknown, oldValue?: unknown) => [
      ['step_start', id, path, { type: 'data.set', input: [] }], ['var_changed', id, path, { name, newValue, oldValue }], ['step_done', id, path, done()],
    ] as [string, string, string | null, unknown][];
    const events = log([
      ['workflow_start', null, null, { context: { rate: 1 } }],
      ...set('fetch', 'each[0]', '$rate', 2, 1),
      ['step_start', 'sub', null, { type: 'flow.subworkflow', input: [] }],
      ...set('done', 'sub', '$rate', 99), ...set('deep', 'sub/each[0]', '$inner', 1),
    ]);
    const view = foldRun(events, DEFINITION);
    expect(view.variables).toEqual({ rate: 2 });
    expect(view.cards.find((card) => card.nodeId === 'done')?.changes).toMatchObject([{ name: '$rate', newValue: 99 }]);
    for (let seq = 3; seq < events.length; seq++) expect(foldRun(events.slice(0, seq), DEFINITION).variables).toEqual({ rate: 2 });
  });

  it('counts a step once per place, however many events come in however many batches', () => {
    const fold = createRunFold('r', DEFINITION);
    for (const event of RUN) fold.apply([event]);
    const whole = foldRun(RUN, DEFINITION);
    expect(fold.view.nodes).toEqual(whole.nodes);
    expect(fold.view.ports).toEqual(whole.ports);
  });

  it('a run rests where it stands stopped, else where a person is asked, on this canvas', () => {
    const at = (...more: RunEventLike[]) => foldRun([...log([['workflow_start', null, null]]), ...more.map((event, i) => ({ ...event, seq: i + 2 }))], DEFINITION);
    const [asks] = log([['human_task_created', 'deep', 'each[1]/inner[0]', { taskId: 't', title: 'Look' }]]) as [RunEventLike];
    const stop = (path: string | null, stepId = 'done') => (log([['workflow_paused', stepId, path, { reason: 'step' }]]) as [RunEventLike])[0];
    expect(restsAt(at(), DEFINITION)).toBeUndefined();
    expect(restsAt(at(asks), DEFINITION)).toBe('deep');
    expect(restsAt(at(asks, stop(null)), DEFINITION)).toBe('done');
    expect(restsAt(at(stop('sub[0]/far')), DEFINITION)).toBe('sub');
    expect(restsAt(at(stop(null), ...log([['workflow_continued', null, null, { mode: 'continue' }]])), DEFINITION)).toBeUndefined();
  });

  it('a frame asks when the run waits for people in it alone, and goes on otherwise', () => {
    const tail = (path: string) => [...RUN.slice(0, 3), ...log([['human_task_created', 'fetch', path, { taskId: 't', title: 'Look' }]]).map((event) => ({ ...event, seq: 4 }))];
    const waiting = foldRun(tail('each[0]'), DEFINITION);
    expect(['each', 'inner'].map((id) => onlyAsks(waiting, id))).toEqual([true, false]);
    expect(onlyAsks(viewAt(waiting, DEFINITION, { each: 1 }), 'each')).toBe(false);
    const busy = foldRun([...tail('each[0]'), ...log([['step_start', 'fetch', 'each[1]', { type: 'http.request', input: [] }]]).map((event) => ({ ...event, seq: 5 }))], DEFINITION);
    expect(onlyAsks(busy, 'each')).toBe(false);
    // Its cards in the log say the same.
    const cards = (view: RunView) => view.cards.map((card) => [card.nodeId, statusIn(view, card)]);
    expect(cards(waiting)).toEqual([['each', 'asks'], ['fetch', 'asks']]);
    expect(cards(busy)).toEqual([['each', 'running'], ['fetch', 'asks'], ['fetch', 'running']]);
    const stopped = foldRun([...tail('each[0]'), ...log([['workflow_paused', 'done', null, { reason: 'step' }]]).map((event) => ({ ...event, seq: 5 }))], DEFINITION);
    expect(cards(stopped)[0]).toEqual(['each', 'running']);
  });

  it('a task that nobody has to answer any more goes, with the state of its step', () => {
    const asks = [
      ...RUN.slice(0, 3),
      ...log([['human_task_created', 'fetch', 'each[0]', { taskId: 't', title: 'Look' }]]).map((event) => ({ ...event, seq: 4 })),
    ];
    const waiting = foldRun(asks, DEFINITION);
    expect(waiting.tasks).toMatchObject([{ taskId: 't', path: 'each[0]' }]);
    expect(waiting.nodes['fetch']?.state).toBe('asks');
    // A frame around somebody who is asked is not busy by itself.
    expect(waiting.status).toBe('paused');
    const closed = foldRun([...asks, ...log([['human_task_closed', 'fetch', 'each[0]', { taskId: 't' }]]).map((event) => ({ ...event, seq: 5 }))], DEFINITION);
    expect(closed.tasks).toEqual([]);
    expect(closed.nodes['fetch']?.state).toBe('cancelled');
    expect(closed.cards.at(-1)?.people?.map((note) => note.what)).toEqual(['asked', 'closed']);
  });
});

describe('a step over many iterations', () => {
  const run = (more: Partial<NodeRun>): NodeRun => ({ id: 'fetch', kind: 'http.request', title: 'Fetch', state: 'failed', attempt: 0, itemsIn: 1, itemsOut: 0, durationMs: 1, calls: 1, open: 0, ...more });

  it('says what one says, and nothing of many', () => {
    const [one, other] = ['Hm', 'Oh'].map((words, card) => run({ state: 'running', says: { what: 'text', words, card } })) as [NodeRun, NodeRun];
    const sum = new Sum();
    sum.change(undefined, one);
    expect(sum.whole(one).says?.words).toBe('Hm');
    sum.change(undefined, other);
    expect(sum.whole(one).says).toBeUndefined();
  });

  it('says of a failure what is still wrong, not what was healed since', () => {
    const [first, second] = [run({ message: 'First' }), run({ message: 'Second' })];
    const healed = run({ state: 'done', message: undefined });
    const sum = new Sum();
    sum.change(undefined, first);
    sum.change(undefined, second);
    expect(sum.whole(first)).toMatchObject({ state: 'failed', message: 'Second', over: { of: 2, inState: 2 } });
    const then = sum.copy();
    sum.change(second, healed);
    expect(sum.whole(first)).toMatchObject({ state: 'failed', message: 'First', over: { of: 2, inState: 1 } });
    expect(then.whole(first).message).toBe('Second');
    // More than are remembered, and all of those healed: nothing rather than something old.
    const many = Array.from({ length: 12 }, (_, i) => run({ message: String(i) }));
    for (const one of many) sum.change(undefined, one);
    for (const one of many.slice(2)) sum.change(one, run({ state: 'done' }));
    expect(sum.whole(first)).toMatchObject({ state: 'failed', over: { inState: 3 } });
    expect([undefined, 'First', '0', '1']).toContain(sum.whole(first).message);
  });
});

it('the name of a step is read back as it is written', () => {
  for (const [stepId, path] of [['put', undefined], ['put', 'each[3]'], ['line', 'each[0]/inner[2]']] as const) {
    expect(stepAt(slotKey(stepId, path))).toEqual(path === undefined ? { stepId } : { stepId, path });
  }
});

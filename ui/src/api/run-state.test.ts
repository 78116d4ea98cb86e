import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIRST, FIRST_EVENTS } from '../test/walkthrough.ts';
import { cardsOf, createRunFold, foldRun, isTerminal, type RunEventLike } from '../run/run-state.ts';

const T = '2026-11-21T23:00:00.000Z';
let seq = 0;
const event = (type: string, stepId: string | null, payload: unknown, more: Partial<RunEventLike> = {}): RunEventLike => {
  seq += 1;
  return { runId: 'R', seq, ts: T, type, stepId, payload, ...(stepId ? { visit: 1, attempt: 0 } : {}), ...more };
};
const list = (make: () => RunEventLike[]): RunEventLike[] => {
  seq = 0;
  return [event('workflow_start', null, { name: 'W', version: 'v', params: {}, seed: '0' }), ...make()];
};
const start = (id: string, items = 1, more: Partial<RunEventLike> = {}) =>
  event('step_start', id, { type: 'data.set', meta: {}, resolvedInputs: null, config: {}, input: Array.from({ length: items }, (_, item) => ({ item, data: item })) }, more);
const error = (id: string, more: Partial<RunEventLike> = {}) =>
  event('step_error', id, { error: { type: 'Timeout', message: 'No response', retryable: true, originNode: id, timestamp: T, maxAttempts: 3, details: { code: 'TIMEOUT' } } }, more);
const done = (id: string, ports: Record<string, number> = { success: 1 }, more: Partial<RunEventLike> = {}) =>
  event('step_done', id, { outputs: null, ports, items: {} }, more);

describe('the run of the walkthrough', () => {
  const view = foldRun(FIRST_EVENTS, FIRST);

  it('has the outcome of the summary', () => {
    expect(view).toMatchObject({ status: 'completed', name: 'First light', durationMs: 31, stopId: 'done', lastSeq: 19, errors: 2, retries: 2 });
    expect(view.variables).toEqual({ user: { name: 'Ada', age: 36 } });
    expect(Object.fromEntries(Object.values(view.nodes).map((node) => [node.id, [node.state, node.calls]]))).toEqual({
      fetch: ['done', 3], adult: ['done', 1], yes: ['done', 1], no: ['skipped', 0], join: ['done', 1], end: ['done', 1],
    });
  });

  it('has one card per call', () => {
    expect(view.cards).toHaveLength(7);
    const [first, second, third] = cardsOf(view, 'fetch');
    expect(first).toMatchObject({ key: 'fetch///1/0', title: 'Fetch the user', status: 'failed', attempt: 0, maxAttempts: 3, durationMs: 2, retryDelayMs: 10 });
    expect(second).toMatchObject({ status: 'failed', attempt: 1 });
    expect(third).toMatchObject({ status: 'done', attempt: 2, durationMs: 4, changes: [{ name: '$user', unset: true }] });
    expect(third?.items?.['success']?.[0]?.data).toMatchObject({ status: 200 });
  });

  it('counts items on ports', () => {
    expect(view.ports).toEqual({ 'fetch.success': 1, 'adult.true': 1, 'yes.success': 1, 'join.success': 1 });
    expect(view.nodes['fetch']).toMatchObject({ itemsIn: 1, itemsOut: 1, attempt: 2 });
  });

  it('shows the countdown between two attempts', () => {
    const half = foldRun(FIRST_EVENTS.slice(0, 4), FIRST);
    expect(half.status).toBe('running');
    expect(half.nodes['fetch']).toMatchObject({ state: 'retrying', attempt: 1, maxAttempts: 3, errorCode: 'SERVICE_UNAVAILABLE', retryAtMs: Date.parse('2026-11-21T23:00:00.013Z') });
  });

  it('is the same however the events are cut into batches, with duplicates between', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 30 }), fc.integer({ min: 0, max: 4 }), (sizes, overlap) => {
        const fold = createRunFold('R', FIRST);
        let at = 0;
        for (let i = 0; at < FIRST_EVENTS.length; i++) {
          const size = sizes[i % sizes.length] as number;
          fold.apply(FIRST_EVENTS.slice(Math.max(0, at - overlap), at + size));
          at += size;
        }
        const { version: _, table: columns, ...cut } = fold.view;
        const { version: __, table, ...whole } = view;
        expect(cut).toEqual(whole);
        expect([columns.lines, columns.busy, columns.open, columns.length]).toEqual([table.lines, table.busy, table.open, table.length]);
      }),
    );
  });

  it('never changes what an older view showed', () => {
    const fold = createRunFold('R', FIRST);
    fold.apply(FIRST_EVENTS.slice(0, 4));
    const before = fold.view;
    const shown = JSON.stringify([before.nodes, before.ports, before.variables, before.status]);
    const card = before.cards[0];
    fold.apply(FIRST_EVENTS.slice(4));
    expect(JSON.stringify([before.nodes, before.ports, before.variables, before.status])).toBe(shown);
    expect(card).toMatchObject({ status: 'failed', attempt: 0 });
    expect(fold.view.nodes['no']).not.toBe(before.nodes['no']);
  });
});

describe('order', () => {
  it('reports a gap and applies nothing behind it', () => {
    const fold = createRunFold('R', FIRST);
    const result = fold.apply([...FIRST_EVENTS.slice(0, 2), ...FIRST_EVENTS.slice(3)]);
    expect(result).toEqual({ applied: 2, duplicates: 0, gapAfter: 2 });
    expect(fold.view.lastSeq).toBe(2);
    expect(fold.apply(FIRST_EVENTS.slice(2)).gapAfter).toBeUndefined();
    expect(fold.view.status).toBe('completed');
  });

  it('ignores what is not stored, what is known, and what is of another run', () => {
    const fold = createRunFold('R', FIRST);
    fold.apply(FIRST_EVENTS.slice(0, 3));
    const { version } = fold.view;
    const known = FIRST_EVENTS[1] as RunEventLike;
    expect(fold.apply([known, { ...known, seq: undefined, live: true }, { ...known, runId: 'other', seq: 4 }])).toEqual({ applied: 0, duplicates: 1 });
    expect(fold.view.version).toBe(version);
  });

  it('tells its listeners once per batch', () => {
    const fold = createRunFold('R', FIRST);
    let told = 0;
    const stop = fold.subscribe(() => { told += 1; });
    fold.apply(FIRST_EVENTS.slice(0, 9));
    fold.apply([]);
    stop();
    fold.apply(FIRST_EVENTS.slice(9));
    expect(told).toBe(1);
  });
});

describe('errors', () => {
  const wired = { nodes: { a: {}, b: {} }, edges: [{ from: 'a.error', to: 'b' }] };
  const loose = { nodes: { a: {}, b: {} }, edges: [] };

  it('an error on a wired error port is handled and counted there', () => {
    const view = foldRun(list(() => [start('a'), error('a')]), wired);
    expect(view.nodes['a']).toMatchObject({ state: 'handled', errorCode: 'TIMEOUT', message: 'No response' });
    expect(view.ports).toEqual({ 'a.error': 1 });
  });

  it('a retry takes the item off the error port again', () => {
    const view = foldRun(list(() => [start('a'), error('a'), event('retry_scheduled', 'a', { attempt: 1, delayMs: 5 }), start('a', 1, { attempt: 1 }), done('a', { success: 1 }, { attempt: 1 })]), wired);
    expect(view.nodes['a']?.state).toBe('done');
    expect(view.ports).toEqual({ 'a.error': 0, 'a.success': 1 });
  });

  it('an error that ends the run', () => {
    const view = foldRun(list(() => [
      start('a'), error('a'), event('error_handled', 'a', { originStepId: 'a', rule: 'policy:safe', action: 'abort' }),
      event('workflow_failed', null, { error: { type: 'Timeout', message: 'No response' }, failed_step_id: 'a', duration_ms: 7, reason: 'max_attempts_exceeded' }),
    ]), loose);
    expect(view).toMatchObject({ status: 'failed', failedStepId: 'a', failReason: 'max_attempts_exceeded', durationMs: 7 });
    expect(view.nodes).toMatchObject({ a: { state: 'failed' }, b: { state: 'unreached' } });
    expect(view.cards[0]?.decision).toEqual({ rule: 'policy:safe', action: 'abort', wanted: undefined, by: 'a' });
  });

  it('the fallback of a policy', () => {
    const view = foldRun(list(() => [start('a'), error('a'), event('error_handled', 'a', { originStepId: 'a', rule: 'policy:fail', action: 'fallback' }), start('b'), done('b'), event('workflow_done', null, { duration_ms: 1 })]), { nodes: { a: { errorHandling: { fallbackNodeId: 'b' } }, b: {} }, edges: [] });
    expect(view.nodes).toMatchObject({ a: { state: 'handled' }, b: { state: 'done' } });
    expect(view.cards[0]?.status).toBe('handled');
  });

  describe('behind a handler', () => {
    const handled = {
      nodes: { a: {}, h: { type: 'builtin.error_handler' }, heal: { type: 'builtin.self_healing' }, ask: { type: 'builtin.human_decision' }, b: {} },
      edges: [
        { from: 'a.success', to: 'b' }, { from: 'a.error', to: 'h' }, { from: 'h.retry', to: 'a' }, { from: 'h.auto_fix', to: 'heal' },
        { from: 'h.human_review', to: 'ask' }, { from: 'heal.success', to: 'a' }, { from: 'ask.corrected', to: 'a' },
      ],
    };
    const from = (attempt: number, more = {}) => ({ stepId: 'a', visit: 1, attempt, ...more });
    const decided = (visit: number, action: string, attempt: number, more: Partial<RunEventLike> = {}, where = {}) =>
      event('error_handled', 'h', { originStepId: 'a', rule: action, action, origin: from(attempt, where) }, { visit, ...more });
    const again = (attempt: number, more: Partial<RunEventLike> = {}) => event('retry_scheduled', 'a', { attempt: attempt + 1, delayMs: 5 }, { attempt, ...more });
    const healed = () => [
      start('a'), error('a'), decided(1, 'auto_fix', 0),
      event('step_start', 'heal', { type: 'builtin.self_healing', meta: {}, resolvedInputs: {}, config: {}, input: [], origin: from(0) }),
      event('auto_fix_attempt', 'heal', { model: 'deterministic', accepted: true, delta: 1, origin: from(0) }), done('heal', { success: 1 }),
      start('a', 1, { attempt: 1 }), error('a', { attempt: 1 }), decided(2, 'retry', 1), again(1),
      start('a', 1, { attempt: 2 }), done('a', { success: 1 }, { attempt: 2 }), start('b'), done('b'), event('workflow_done', null, { duration_ms: 9 }),
    ];

    it('the handler is done as often as it decided, and what it decided went along its wires', () => {
      const view = foldRun(list(healed), handled);
      expect(view.nodes).toMatchObject({ a: { state: 'done' }, h: { state: 'done', calls: 2, itemsIn: 2, itemsOut: 2, startedAt: T, endedAt: T }, heal: { state: 'done' }, ask: { state: 'skipped' }, b: { state: 'done' } });
      expect(view.ports).toEqual({ 'a.error': 2, 'h.auto_fix': 1, 'heal.success': 1, 'h.retry': 1, 'a.success': 1, 'b.success': 1 });
      expect(view.cards.filter((card) => card.nodeId === 'a').map((card) => card.decision?.action)).toEqual(['auto_fix', 'retry', undefined]);
    });

    it('is in the past what it was then', () => {
      const events = list(healed);
      const fold = createRunFold('R', handled);
      fold.apply(events);
      expect(fold.at(3)).toMatchObject({ nodes: { h: { state: 'idle', calls: 0 } }, ports: { 'a.error': 1 } });
      expect(fold.at(4)).toMatchObject({ nodes: { h: { state: 'done', calls: 1 } }, ports: { 'a.error': 1, 'h.auto_fix': 1 } });
      for (let seq = 1; seq < events.length; seq++) {
        const then = foldRun(events.slice(0, seq), handled);
        expect([fold.at(seq).nodes, fold.at(seq).ports]).toEqual([then.nodes, then.ports]);
      }
    });

    it('each error is counted on the error wire, the last one ends the run', () => {
      const view = foldRun(list(() => [
        ...[0, 1, 2].flatMap((n) => [start('a', 1, { attempt: n }), error('a', { attempt: n }), decided(n + 1, 'retry', n), again(n)]),
        start('a', 1, { attempt: 3 }), error('a', { attempt: 3 }), decided(4, 'abort', 3),
        event('workflow_failed', null, { error: { type: 'Timeout', message: 'No response' }, failed_step_id: 'a', duration_ms: 7 }),
      ]), handled);
      expect(view.nodes).toMatchObject({ a: { state: 'failed' }, h: { state: 'done', calls: 4 }, heal: { state: 'skipped' }, b: { state: 'unreached' } });
      expect(view.ports).toEqual({ 'a.error': 4, 'h.retry': 3, 'h.abort': 1 });
    });

    it('a step\'s own retries come before the handler', () => {
      const view = foldRun(list(() => [start('a'), error('a'), again(0), start('a', 1, { attempt: 1 }), error('a', { attempt: 1 }), decided(1, 'human_review', 1)]), handled);
      expect(view.ports).toEqual({ 'a.error': 1, 'h.human_review': 1 });
    });

    it('a decision stands on the call of its own item and iteration', () => {
      const view = foldRun(list(() => [
        start('a', 1, { item: 0, path: 'l[1]' }), start('a', 1, { item: 1, path: 'l[1]' }), error('a', { item: 0, path: 'l[1]' }), decided(1, 'retry', 0, { path: 'l[1]' }, { item: 0, path: 'l[1]' }), again(0, { item: 0, path: 'l[1]' }),
      ]), { ...handled, nodes: { ...handled.nodes, l: { type: 'flow.loop' } } });
      expect(view.cards.map((card) => card.decision?.action)).toEqual(['retry', undefined]);
      expect(view.slots.get('l[1]/h')).toMatchObject({ state: 'done', calls: 1 });
      expect([view.slots.get('l[1]/a')?.left, view.slots.get('l[1]/h')?.left]).toEqual([{ error: 1 }, { retry: 1 }]);
    });

    it('an exit that is drawn takes the item on', () => {
      const out = { nodes: { a: { errorHandling: { fallbackNodeId: 'b' } }, h: {}, b: {} }, edges: [{ from: 'a.error', to: 'h' }, { from: 'h.abort', to: 'b' }, { from: 'h.fallback', to: 'b' }] };
      const after = (action: string) => foldRun(list(() => [start('a'), error('a'), decided(1, action, 0)]), out);
      expect(after('abort')).toMatchObject({ nodes: { a: { state: 'handled' } }, ports: { 'h.abort': 1 } });
      expect(after('fallback').ports).toEqual({ 'a.error': 1, 'h.fallback': 1 });
      expect(after('error_as_context').ports).toEqual({ 'a.error': 1, 'h.context': 1 });
    });
  });

  it('one item of a batch fails, the others are done', () => {
    const view = foldRun(list(() => [start('a', 3), error('a', { item: 1 }), done('a', { success: 2 })]), wired);
    expect(view.cards).toHaveLength(1);
    expect(view.cards[0]).toMatchObject({ status: 'handled', itemErrors: [{ item: 1 }] });
    expect(view.ports).toEqual({ 'a.error': 1, 'a.success': 2 });
    expect(view.nodes['a']).toMatchObject({ state: 'handled', open: 0 });
  });

  it('an item that was handled is not forgotten when a later item is done', () => {
    const view = foldRun(list(() => [start('a', 1, { item: 0 }), start('a', 1, { item: 1 }), error('a', { item: 0 }), done('a', { success: 1 }, { item: 1 }), start('a', 1, { item: 2 }), done('a', { success: 1 }, { item: 2 })]), wired);
    expect(view.nodes['a']).toMatchObject({ state: 'handled', calls: 3, errorCode: 'TIMEOUT' });
    expect(view.ports).toEqual({ 'a.error': 1, 'a.success': 2 });
  });

  it('a batch of which every item fails has no step_done', () => {
    const view = foldRun(list(() => [start('a', 2), error('a', { item: 0 }), error('a', { item: 1 })]), loose);
    expect(view.nodes['a']).toMatchObject({ state: 'failed', open: 0 });
    expect(view.cards[0]?.endSeq).toBe(4);
  });
});

describe('ends and interruptions', () => {
  it('a call that was cut off is started again as a card of its own', () => {
    const view = foldRun(list(() => [start('a'), event('workflow_resumed', null, {}), event('step_interrupted', 'a', {}), start('a'), done('a')]), { nodes: { a: {} }, edges: [] });
    expect(view.cards.map((card) => [card.key, card.status])).toEqual([['a///1/0', 'interrupted'], ['a///1/0#2', 'done']]);
    expect(view.nodes['a']).toMatchObject({ state: 'done', calls: 2, itemsIn: 1 });
  });

  it('counts the items of each part of many, and of a part that begins again once', () => {
    const part = (from: number, count: number) =>
      event('step_start', 'a', { type: 'data.set', meta: {}, config: {}, input: Array.from({ length: count }, (_, at) => ({ item: from + at, data: at })) });
    const view = foldRun(list(() => [part(0, 3), done('a', { success: 3 }), part(3, 2), event('step_interrupted', 'a', {}), part(3, 2), done('a', { success: 2 })]));
    expect(view.nodes['a']).toMatchObject({ state: 'done', calls: 3, itemsIn: 5, itemsOut: 5 });
  });

  it('tells a dead branch from what was not reached any more', () => {
    // a decides for b; c fails; d follows b, e follows c, x follows the branch that was not taken.
    const nodes = Object.fromEntries(['a', 'b', 'c', 'x', 'y', 'e'].map((id) => [id, {}]));
    const edges = [['a.true', 'b'], ['a.false', 'x'], ['x.success', 'y'], ['b.success', 'c'], ['c.success', 'e'], ['x.success', 'e']].map(([from, to]) => ({ from: from ?? '', to: to ?? '' }));
    const failed = foldRun(list(() => [
      start('a'), done('a', { true: 1 }), start('b'), done('b', { success: 1 }), start('c'), error('c'),
      event('workflow_failed', null, { error: { type: 'Timeout', message: 'No response' }, failed_step_id: 'c', duration_ms: 7 }),
    ]), { nodes, edges });
    expect(Object.fromEntries(Object.entries(failed.nodes).map(([id, { state }]) => [id, state]))).toEqual({ a: 'done', b: 'done', c: 'failed', x: 'skipped', y: 'skipped', e: 'unreached' });
    const completed = foldRun(list(() => [start('a'), done('a', { true: 1 }), event('workflow_done', null, { duration_ms: 7 })]), { nodes, edges });
    expect(completed.nodes).toMatchObject({ b: { state: 'skipped' }, x: { state: 'skipped' } });
  });

  it('what a frame left out that had ended before a Stop was skipped, not cut off', () => {
    const drawn = { nodes: { way: {}, unused: { type: 'flow.loop' }, inside: { parent: 'unused' }, empty: { type: 'flow.loop' }, none: { parent: 'empty' }, open: { type: 'flow.loop' }, late: { parent: 'open' }, end: {} }, edges: [{ from: 'way.false', to: 'unused' }] };
    const stopped = foldRun(list(() => [start('way'), done('way', { true: 1 }), start('empty'), done('empty', { success: 0 }), start('open'), event('step_interrupted', 'open', {}), event('workflow_done', null, { duration_ms: 3, stop_id: 'end' })]), drawn);
    expect(Object.fromEntries(['unused', 'inside', 'none', 'late'].map((id) => [id, stopped.nodes[id]?.state]))).toEqual({ unused: 'skipped', inside: 'skipped', none: 'skipped', late: 'unreached' });
  });

  it('a call that a cancel cut off has one state everywhere', () => {
    const cut = (id: string) => event('step_interrupted', id, { effect: 'none' });
    const cancelled = foldRun(list(() => [start('a'), cut('a'), event('workflow_cancelled', null, { duration_ms: 3 })]), { nodes: { a: {} }, edges: [] });
    expect([cancelled.nodes['a']?.state, cancelled.cards[0]?.status]).toEqual(['cancelled', 'cancelled']);
    const crashed = foldRun(list(() => [start('a'), cut('a')]), { nodes: { a: {} }, edges: [] });
    expect(crashed.cards[0]?.status).toBe('interrupted');
  });
  it('a branch that begins with a sub-workflow is part of this file, what the sub-workflow holds is not', () => {
    const drawn = { nodes: { par: { type: 'flow.parallel' }, sub: { type: 'flow.subworkflow', parent: 'par' }, next: { parent: 'par' } }, edges: [{ from: 'sub.success', to: 'next' }] };
    const at = (path: string, body: RunEventLike) => ({ ...body, path });
    const view = foldRun(list(() => [start('par'), at('par/sub', start('sub')), at('par/sub/sub', start('next')), at('par/sub/sub', done('next')), at('par/sub', done('sub')), at('par/sub', start('next'))]), drawn);
    expect([view.nodes['sub']?.state, view.nodes['next']?.state, view.nodes['next']?.calls]).toEqual(['done', 'running', 1]);
  });

  it('c16: the frame around the step that a run ends after was left early, also when it began in another run', () => {
    const drawn = { nodes: { each: {}, put: { parent: 'each' }, after: {} }, edges: [{ from: 'each.success', to: 'after' }] };
    const inside = (body: RunEventLike) => ({ ...body, path: 'each[0]' });
    const whole = foldRun(list(() => [event('workflow_start', null, { until: 'put' }), start('each'), inside(start('put')), inside(done('put')), event('step_interrupted', 'each', {}), event('workflow_done', null, { duration_ms: 3 })]), drawn);
    expect([whole.nodes['each']?.state, whole.nodes['put']?.state, whole.nodes['after']?.state, whole.cards[0]?.status]).toEqual(['cancelled', 'done', 'skipped', 'cancelled']);
    const alone = foldRun(list(() => [event('workflow_start', null, { until: 'put' }), inside(start('put')), inside(done('put')), event('step_interrupted', 'each', {}), event('workflow_done', null, { duration_ms: 3 })]), drawn);
    expect([alone.nodes['each']?.state, alone.nodes['after']?.state]).toEqual(['cancelled', 'skipped']);
  });

  it('the step in a frame that failed the run has failed, whatever other items of it were under way', () => {
    const drawn = { nodes: { par: { type: 'flow.parallel' }, slow: { parent: 'par' }, other: { parent: 'par' } }, edges: [] };
    const error = { type: 'Timeout', message: 'late' };
    const at = (path: string, item: number, body: RunEventLike) => ({ ...body, path, item });
    const view = foldRun(list(() => [
      start('par'), at('par/slow', 0, start('slow')), at('par/slow', 1, start('slow')), at('par/other', 0, start('other')), at('par/slow', 0, event('step_error', 'slow', { error })), at('par/slow', 1, event('step_interrupted', 'slow', { effect: 'none' })),
      event('step_error', 'par', { error: { ...error, details: { childErrors: [error] } } }), event('workflow_failed', null, { error: { ...error, details: { childErrors: [error] } }, failed_step_id: 'slow', duration_ms: 3 }),
    ]), drawn);
    expect([view.nodes['slow']?.state, view.nodes['other']?.state, view.nodes['par']?.state]).toEqual(['failed', 'cancelled', 'failed']);
  });

  it('a step in a frame whose error was handled has failed, also where its other items were cut off for it', () => {
    const drawn = { nodes: { par: { type: 'flow.parallel' }, slow: { parent: 'par' }, tried: { parent: 'par' }, after: {} }, edges: [{ from: 'par.error', to: 'after' }] };
    const failure = { type: 'Timeout', message: 'late' };
    const at = (path: string, item: number, body: RunEventLike) => ({ ...body, path, item });
    const cut = (id: string, attempt: number) => event('step_interrupted', id, { effect: 'none' }, { attempt });
    const events = list(() => [
      start('par'), at('par/slow', 0, start('slow')), at('par/slow', 1, start('slow')), at('par/tried', 0, start('tried')),
      at('par/tried', 0, error('tried')), at('par/tried', 0, event('retry_scheduled', 'tried', { attempt: 1, delayMs: 5 })), at('par/tried', 0, start('tried', 1, { attempt: 1 })),
      at('par/slow', 0, event('step_error', 'slow', { error: failure })), at('par/slow', 1, cut('slow', 0)), at('par/tried', 0, cut('tried', 1)),
      event('step_error', 'par', { error: { ...failure, details: { childErrors: [failure] } } }), start('after'), done('after'), event('workflow_done', null, { duration_ms: 3 }),
    ]);
    const states = (view: ReturnType<typeof foldRun>) => ['slow', 'tried', 'par'].map((id) => view.nodes[id]?.state);
    // A call that is tried again has not failed for good.
    expect(states(foldRun(events.slice(0, 11), drawn))).toEqual(['failed', 'cancelled', 'running']);
    expect(states(foldRun(events, drawn))).toEqual(['handled', 'cancelled', 'handled']);
  });

  it('a step after an empty loop ran with nothing; what comes after that was skipped', () => {
    const drawn = { nodes: { e: { type: 'flow.loop' }, a: {}, z: {}, other: {} }, edges: [{ from: 'e.success', to: 'a' }, { from: 'a.success', to: 'z' }, { from: 'e.error', to: 'other' }] };
    const view = foldRun(list(() => [event('step_start', 'e', { type: 'flow.loop', meta: {}, resolvedInputs: null, config: {}, input: [] }), done('e', { success: 0 }), event('workflow_done', null, { duration_ms: 3 })]), drawn);
    expect(['a', 'z', 'other'].map((id) => view.nodes[id]?.state)).toEqual(['done', 'skipped', 'skipped']);
  });

  it('an empty title is none', () => {
    const view = foldRun(list(() => [event('step_start', 'a', { type: 'flow.loop', meta: { title: ' ' }, resolvedInputs: null, config: {}, input: [] })]), { nodes: { a: { title: 'Loop' } }, edges: [] });
    expect([view.nodes['a']?.title, view.cards[0]?.title]).toEqual(['Loop', 'Loop']);
  });

  it('cancel ends what runs', () => {
    const view = foldRun(list(() => [start('a'), event('workflow_cancelled', null, { duration_ms: 3 })]), { nodes: { a: {}, b: {} }, edges: [] });
    expect(view.nodes).toMatchObject({ a: { state: 'cancelled' }, b: { state: 'unreached' } });
    expect(view.cards[0]?.status).toBe('cancelled');
    expect(isTerminal(view.status)).toBe(true);
  });

  it('a wait waits, a skipped step is skipped', () => {
    const due = Date.parse(T) + 5000;
    const view = foldRun(list(() => [event('step_start', 'a', { type: 'flow.wait', meta: {}, resolvedInputs: null, config: {}, input: [], dueMs: due }), event('step_skipped', 'b', { condition: 'disabled' })]), { nodes: { a: {}, b: {} }, edges: [] });
    expect(view.nodes).toMatchObject({ a: { state: 'waiting', dueMs: due }, b: { state: 'skipped' } });
  });

  it('an unknown type stays in the list of events', () => {
    const view = foldRun(list(() => [event('llm_done', 'a', {})]));
    expect(view.events).toHaveLength(2);
    expect(view.lastSeq).toBe(2);
  });

  it('a variable is set below its name without touching older values', () => {
    const before = { user: { name: 'Ada', tags: ['x'] } };
    const view = foldRun(list(() => [event('var_changed', 'a', { name: '$user.tags[0]', oldValue: 'x', newValue: 'y' }), event('var_changed', 'a', { name: '$__proto__.polluted', newValue: true })]), { nodes: {}, edges: [], context: { initial: before } });
    expect(view.variables).toEqual({ user: { name: 'Ada', tags: ['y'] } });
    expect(before.user.tags[0]).toBe('x');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

/** How many elements of arrays are gone through while `work` runs, by whatever way. */
function elementsTouched(work: () => void): number {
  const names = ['concat', 'every', 'filter', 'find', 'findIndex', 'findLast', 'flatMap', 'forEach', 'includes', 'indexOf', 'map', 'reduce', 'slice', 'some', 'sort', 'splice', 'toSorted', Symbol.iterator] as const;
  let touched = 0;
  // For this moment only, and put back whatever happens.
  const lists: object = Array.prototype;
  const real = names.map((name) => [name, Object.getOwnPropertyDescriptor(lists, name)] as const);
  for (const [name, known] of real) {
    const own = known?.value as (this: unknown[], ...args: unknown[]) => unknown;
    const counted = function (this: unknown[], ...args: unknown[]): unknown {
      touched += this.length;
      return own.apply(this, args);
    };
    Object.defineProperty(lists, name, { ...known, value: counted });
  }
  try {
    work();
  } finally {
    for (const [name, known] of real) if (known) Object.defineProperty(lists, name, known);
  }
  return touched;
}

it('steps that end beside many open tasks do not go through them', () => {
  const fold = (tasks: number): number => {
    const ask = (n: number) => event('human_task_created', 'h', { taskId: `t${n}`, title: 'T' }, { item: n });
    const events = list(() => [start('h', 1), ...Array.from({ length: tasks }, (_, n) => ask(n)), ...Array.from({ length: 200 }, (_, item) => [start('n', 1, { item }), done('n', { success: 1 }, { item })]).flat()]);
    const run = createRunFold('R');
    run.apply(events.slice(0, tasks + 2));
    expect(run.view.tasks).toHaveLength(tasks);
    const ends = events.slice(tasks + 2);
    return elementsTouched(() => { run.apply(ends); });
  };
  expect(fold(400)).toBeLessThan(fold(20) * 2);
});

it('twice as many events of a batch are twice the work to fold', () => {
  const fold = (calls: number): number => {
    const events = list(() => Array.from({ length: calls }, (_, item) => [start('n', 1, { item }), done('n', { success: 1 }, { item })]).flat());
    const pages = Array.from({ length: Math.ceil(events.length / 500) }, (_, page) => events.slice(page * 500, page * 500 + 500));
    const run = createRunFold('R');
    const touched = elementsTouched(() => { for (let page = 0; page < pages.length; page += 1) run.apply(pages[page] ?? []); });
    expect(run.view.cards).toHaveLength(calls);
    return touched / calls;
  };
  // A fold that goes through all cards at each event would need five times as much for each.
  expect(fold(10_000)).toBeLessThan(fold(2_000) * 2);
});

// Looking at a run as it was: the same as if the later events had never come, at a cost that does not grow with their number.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIRST, FIRST_EVENTS } from '../../test/walkthrough.ts';
import { PersistentList, PersistentMap } from '../../run/persistent-list.ts';
import { viewAt } from '../../run/run-paths.ts';
import { createRunFold, foldRun, type CallCard, type RunDefinition, type RunEventLike, type RunView } from '../../run/run-state.ts';

/** All that a screen reads of a view, without what is shared with later moments. */
function said(view: RunView) {
  const { version: _, events: __, cards, calls: ___, callsOf: ____, slotsOf: _____, moment: ______, table: _______, slots, loops, ...rest } = view;
  return { ...rest, cards: [...cards], slots: [...slots], loops: [...loops] };
}

const T = Date.parse('2026-11-21T23:00:00.000Z');
const LOOP: RunDefinition = {
  nodes: { each: { type: 'flow.loop' }, inner: { type: 'flow.loop', parent: 'each' }, work: { type: 'data.set', parent: 'inner' } },
  edges: [], context: { initial: { seen: 0 } },
};

/** `outer` rounds of two rounds each; every third call fails first, every round sets a variable. */
function loopRun(outer: number): RunEventLike[] {
  const all: RunEventLike[] = [];
  const add = (type: string, stepId: string | null, payload: unknown, more: Partial<RunEventLike> = {}): void =>
    void all.push({ runId: 'R', seq: all.length + 1, ts: new Date(T + all.length * 10).toISOString(), type, stepId, payload, ...(stepId ? { visit: 1, attempt: 0 } : {}), ...more });
  const begin = (id: string, type: string, more: Partial<RunEventLike>, config: unknown = {}) => add('step_start', id, { type, meta: {}, resolvedInputs: null, config, input: [{ item: 0, data: 1 }] }, more);
  const end = (id: string, more: Partial<RunEventLike>) => add('step_done', id, { outputs: null, ports: { success: 1 }, items: {} }, more);
  add('workflow_start', null, { name: 'Loop', version: 'v', params: {}, seed: '0' });
  begin('each', 'flow.loop', {}, { source: Array.from({ length: outer }, (_, n) => n) });
  for (let n = 0; n < outer; n++) {
    const path = `each[${String(n)}]`;
    begin('inner', 'flow.loop', { path }, { source: [0, 1] });
    for (let m = 0; m < 2; m++) {
      const at = { path: `${path}/inner[${String(m)}]` };
      begin('work', 'data.set', at);
      if ((n * 2 + m) % 3 === 0) {
        add('step_error', 'work', { error: { type: 'Timeout', message: 'No response', details: { code: 'TIMEOUT' } } }, at);
        add('retry_scheduled', 'work', { attempt: 1, delayMs: 5 }, at);
        begin('work', 'data.set', { ...at, attempt: 1 });
        add('step_print', 'work', { value: n }, { ...at, attempt: 1 });
        end('work', { ...at, attempt: 1 });
      } else end('work', at);
      add('var_changed', 'work', { name: '$seen', newValue: n * 2 + m }, at);
    }
    end('inner', { path });
  }
  end('each', {});
  add('workflow_done', null, { duration_ms: all.length * 10 });
  return all;
}

describe('a moment of the past', () => {
  const cases: [string, RunEventLike[], RunDefinition][] = [['the walkthrough', FIRST_EVENTS, FIRST], ['loops in loops', loopRun(200), LOOP]];
  it.each(cases)('%s: is as if nothing had come after it, in whatever order one jumps', (_, events, definition) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: events.length }), { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 700 }), (seqs, size) => {
        const fold = createRunFold('R', definition);
        for (let at = 0; at < events.length; at += size) fold.apply(events.slice(at, at + size));
        for (const seq of seqs) {
          const wanted = createRunFold('R', definition);
          wanted.apply(events.slice(0, seq));
          expect(said(fold.at(seq))).toEqual(said(wanted.view));
        }
      }),
      { numRuns: 12, seed: 35 },
    );
  });

  it('does not change when another one is looked at, nor when the run goes on', () => {
    const events = loopRun(30);
    const fold = createRunFold('R', LOOP);
    fold.apply(events.slice(0, 200));
    const before = fold.at(90);
    const shown = JSON.stringify(said(before));
    fold.at(91);
    fold.at(12);
    fold.apply(events.slice(200));
    expect(JSON.stringify(said(before))).toBe(shown);
    expect(before.moment).toBe(Date.parse(events[89]?.ts ?? ''));
    expect(before.lastSeq).toBe(90);
  });

  it('writes nothing that the run goes on with: what names slots and calls is the same afterwards', () => {
    // `x` stands in two branches: its slot of then is another than its slot of now.
    const events = loopRun(30).slice(0, 300);
    const at = (seq: number, type: string, path: string, payload: unknown): RunEventLike => ({ runId: 'R', seq, ts: new Date(T + seq * 10).toISOString(), type, stepId: 'x', path, visit: 1, attempt: 0, payload });
    for (const branch of ['left', 'right']) {
      events.push(at(events.length + 1, 'step_start', `par/${branch}`, { type: 'data.set', input: [] }));
      events.push(at(events.length + 1, 'step_done', `par/${branch}`, { ports: { success: 1 }, items: {} }));
    }
    const fold = createRunFold('R', LOOP);
    fold.apply(events);
    const now = fold.view;
    const plain = () => JSON.stringify([[...now.slotsOf].map(([id, slots]) => [id, [...slots]]), [...now.callsOf], [...now.slots], [...now.loops], now.cards, now.table.lines, [...now.table.open]]);
    const before = plain();
    const written: unknown[] = [];
    const watched = [now.slotsOf, now.callsOf, ...now.slotsOf.values()] as Map<string, unknown>[];
    for (const map of watched) map.set = (...entry) => { written.push(entry); return map; };
    for (const list of now.callsOf.values()) Object.freeze(list);
    for (const seq of [302, 301, 12, 250, 303, 1, 0]) viewAt(fold.at(seq), LOOP, { each: 2 });
    expect(written).toEqual([]);
    expect(plain()).toBe(before);
  });

  it('is told apart from now: its version, its time; the last event is now', () => {
    const fold = createRunFold('R', FIRST);
    fold.apply(FIRST_EVENTS);
    expect(fold.at(FIRST_EVENTS.length)).toBe(fold.view);
    expect(fold.at(9999)).toBe(fold.view);
    expect(fold.view.moment).toBeUndefined();
    expect(fold.at(3)).toBe(fold.at(3));
    expect(fold.at(3).version).not.toBe(fold.at(4).version);
    expect(fold.at(Number.NaN)).toBe(fold.view);
  });

  it('shows the variables and the iterations that there were', () => {
    const fold = createRunFold('R', LOOP);
    fold.apply(loopRun(40));
    const third = fold.at(fold.view.events.findIndex((event) => event.path === 'each[3]') + 1);
    expect([...third.loops.values()].find((loop) => loop.id === 'each')).toEqual({ id: 'each', total: 40, seen: 4 });
    expect(third.variables).toEqual({ seen: 5 });
    expect(third.status).toBe('running');
    expect(fold.view.status).toBe('completed');
  });
});

describe('what a moment costs', () => {
  const copiedBy = (view: RunView): number => (view.calls as PersistentList<CallCard>).copied + [view.slots, view.loops].reduce((sum, map) => sum + (map as PersistentMap<object>).copied, 0);

  it('of 100,000 events at most 511 are applied again and few entries copied, wherever one jumps', () => {
    const events = loopRun(9400);
    expect(events.length).toBeGreaterThan(100_000);
    const fold = createRunFold('R', LOOP);
    for (let at = 0; at < events.length; at += 1000) fold.apply(events.slice(at, at + 1000));
    for (const seq of [1, 99_999, 50_000, 49_999, 50_001, 511, 512, 77_777]) {
      const before = fold.replayed;
      const view = fold.at(seq);
      expect(view.lastSeq).toBe(seq);
      expect(fold.replayed - before).toBeLessThan(512);
      // One event on is one event more.
      fold.at(seq + 1);
      expect(fold.replayed - before).toBeLessThan(1024);
    }
    const one = copiedBy(fold.at(60_000));
    const before = fold.replayed;
    const next = copiedBy(fold.at(60_001));
    expect(fold.replayed - before).toBe(1);
    // Of tens of thousands of calls and iterations: names of parts, and the parts that one event writes to.
    expect(fold.view.calls.length + fold.view.slots.size).toBeGreaterThan(60_000);
    expect(next - one).toBeLessThan(2500);
  }, 60_000);

  it('the kept states stay few: with twice as many events a jump applies twice as many', () => {
    const fold = createRunFold('R');
    const ts = new Date(T).toISOString();
    for (let at = 0; at < 150_000; at += 1000) fold.apply(Array.from({ length: 1000 }, (_, n) => ({ runId: 'R', seq: at + n + 1, ts, type: 'llm_token', payload: {} })));
    const before = fold.replayed;
    fold.at(149_999);
    expect(fold.replayed - before).toBeLessThan(1024);
  }, 60_000);
});

describe('lists and maps that fork', () => {
  it('a fork and its origin do not see what the other writes', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 700 }), fc.integer()), { maxLength: 60 }), (ops) => {
        const made = () => {
          const list = new PersistentList<number>();
          for (let n = 0; n < 600; n++) list.push(n);
          return list;
        };
        const pairs: [PersistentList<number>, number[]][] = [[made(), Array.from({ length: 600 }, (_, n) => n)]];
        const maps: [PersistentMap<number>, Map<string, number>][] = [[new PersistentMap(), new Map()]];
        for (const [what, at, value] of ops) {
          const pair = pairs[at % pairs.length] as [PersistentList<number>, number[]];
          const both = maps[at % maps.length] as [PersistentMap<number>, Map<string, number>];
          if (what === 0) {
            pairs.push([pair[0].fork(), [...pair[1]]]);
            maps.push([both[0].fork(), new Map(both[1])]);
          } else if (what === 1) {
            pair[0].push(value);
            pair[1].push(value);
          } else {
            pair[0].set(at % pair[1].length, value);
            pair[1][at % pair[1].length] = value;
            both[0].set(String(at), value);
            both[1].set(String(at), value);
          }
        }
        for (const [list, wanted] of pairs) expect(list.toArray()).toEqual(wanted);
        const sorted = (map: ReadonlyMap<string, number>) => [...map].toSorted(([a], [b]) => Number(a) - Number(b));
        for (const [map, wanted] of maps) {
          expect(sorted(map)).toEqual(sorted(wanted));
          expect(map.size).toBe(wanted.size);
          for (let key = 0; key < 700; key++) expect(map.get(String(key))).toBe(wanted.get(String(key)));
        }
      }),
      { numRuns: 60, seed: 35 },
    );
  });
});

it('a run of the whole fold is the same as one cut in batches', () => {
  const events = loopRun(40);
  const fold = createRunFold('R', LOOP);
  for (const event of events) fold.apply([event]);
  expect(said(fold.view)).toEqual(said(foldRun(events, LOOP)));
});

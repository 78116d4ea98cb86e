// An iteration of a run that is loaded in part, read alone: what is shown of it is what the whole run would show.

import { expect, it } from 'vitest';
import { bringAll } from './run-parts.ts';
import { cardsOf, createRunFold, foldRun, type RunDefinition, type RunEventLike, type RunView } from './run-state.ts';
import { foldRounds, missingRounds, withRounds } from './rounds.ts';
import { viewAt, type Choice } from './run-paths.ts';
import type { Standing } from './run-fold-skip.ts';

const DEFINITION: RunDefinition = {
  nodes: {
    each: { type: 'flow.loop' }, a: { type: 'data.set', parent: 'each' }, lines: { type: 'flow.loop', parent: 'each' }, line: { type: 'data.set', parent: 'lines' }, b: { type: 'data.set', parent: 'each' },
    end: { type: 'flow.noop' },
  },
  edges: [{ from: 'a.success', to: 'lines' }, { from: 'a.error', to: 'b' }, { from: 'each.success', to: 'end' }],
};
const ROUNDS = 100;

/** In each round `a` succeeds and an inner loop of two follows; in the middle of the run it fails in some, and `b` takes its place. */
function log(ends: 'workflow_done' | 'workflow_cancelled' = 'workflow_done'): RunEventLike[] {
  const all: RunEventLike[] = [];
  const add = (type: string, stepId: string | null, payload: unknown, path?: string): void => void all.push({ runId: 'r', seq: all.length + 1, ts: new Date(Date.UTC(2026, 0, 1) + all.length).toISOString(), type, stepId, payload, ...(path === undefined ? {} : { path }), ...(stepId ? { visit: 1, attempt: 0 } : {}) } as RunEventLike);
  const call = (id: string, path: string, n: number): void => {
    add('step_start', id, { type: 'data.set', input: [{ item: 0, data: { n } }] }, path);
    add('step_done', id, { ports: { success: 1 }, items: { success: [{ id: 'i', data: { n } }] } }, path);
  };
  add('workflow_start', null, { name: 'W', version: 'v', params: {} });
  add('step_start', 'each', { type: 'flow.loop', config: { while: 'true' }, input: [] });
  for (let n = 0; n < ROUNDS; n++) {
    const path = `each[${String(n)}]`;
    if (n % 3 === 1 && n > 20 && n < 80) {
      add('step_start', 'a', { type: 'data.set', input: [] }, path);
      add('step_error', 'a', { error: { type: 'ToolError', message: `No ${String(n)}`, retryable: false } }, path);
      call('b', path, n);
      continue;
    }
    call('a', path, n);
    add('step_start', 'lines', { type: 'flow.loop', config: { while: 'true' }, input: [] }, path);
    for (const k of [0, 1]) call('line', `${path}/lines[${String(k)}]`, 10 * n + k);
    add('step_done', 'lines', { ports: { success: 1 } }, path);
  }
  add('step_done', 'each', { ports: { success: 1 } });
  call('end', '', 0);
  add(ends, null, { duration_ms: all.length });
  return all;
}

const copy = (events: readonly RunEventLike[]): RunEventLike[] => events.map((event) => ({ ...event }));

function inParts(all: readonly RunEventLike[], head: number, from: number): RunView {
  const whole = foldRun(copy(all), DEFINITION);
  const steps = Object.fromEntries(Object.values(whole.nodes).map((node) => [node.id, { state: 'SUCCEEDED' as const, visits: node.calls, attempts: node.calls }]));
  const fold = createRunFold('r', DEFINITION);
  expect(bringAll(fold, copy(all.slice(0, head)), copy(all.slice(from - 1)), { status: 'completed', lastSeq: all.length, context: {}, openTasks: [], steps } as Standing)).toBe(true);
  return fold.view;
}

/** As the host answers it. */
const inside = (all: readonly RunEventLike[], path: string): RunEventLike[] => copy(all.filter((event) => event.path === path || event.path?.startsWith(`${path}/`)));

function read(view: RunView, all: readonly RunEventLike[], choice: Choice): RunView {
  const missing = missingRounds(view, DEFINITION, choice);
  return withRounds(view, foldRounds('r', Object.keys(missing), Object.values(missing).flatMap((path) => inside(all, path)), DEFINITION, view.moment === undefined ? Infinity : view.lastSeq, view.moment === undefined ? view.events.at(-1) : undefined));
}

/** What the canvas, the panel and the log show of an iteration. */
function shown(view: RunView, choice: Choice) {
  const at = viewAt(view, DEFINITION, choice);
  const card = (one: ReturnType<typeof cardsOf>[number]) => ({ ...one, index: 0, key: '' });
  const steps = ['a', 'b', 'lines', 'line'];
  return {
    states: steps.map((id) => [id, at.nodes[id]?.state, at.nodes[id]?.calls, at.nodes[id]?.unloaded, at.nodes[id]?.errorCode]),
    ports: Object.fromEntries(Object.entries(at.ports).filter(([name, n]) => n > 0 && !name.startsWith('each.') && !name.startsWith('end.'))),
    cards: steps.flatMap((id) => cardsOf(at, id).map(card)),
    last: steps.map((id) => at.calls.at(at.nodes[id]?.lastCard ?? -1)?.startSeq),
  };
}

it('an iteration in the gap is shown as in the whole run, be it the outer one alone or one of an inner loop', () => {
  const all = log();
  const whole = foldRun(copy(all), DEFINITION);
  const part = inParts(all, 30, all.length - 60);
  for (const choice of [{ each: 40 }, { each: 41 }, { each: 42, lines: 1 }] as Choice[]) {
    const path = `each[${String(choice['each'])}]`;
    expect(missingRounds(part, DEFINITION, choice)).toEqual({ each: path });
    expect(viewAt(part, DEFINITION, choice).nodes['a']?.unloaded).toBeGreaterThan(0);
    expect(shown(read(part, all, choice), choice)).toEqual(shown(whole, choice));
  }
});

it('one that is loaded is not asked for; one that the gap cuts is', () => {
  const all = log();
  const cut = (all.findIndex((event) => event.path === 'each[90]') ?? 0) + 2;
  const part = inParts(all, 30, cut + 1);
  expect(missingRounds(part, DEFINITION, { each: 0 })).toEqual({});
  expect(missingRounds(part, DEFINITION, { each: 95 })).toEqual({});
  expect(missingRounds(part, DEFINITION, {})).toEqual({});
  expect(missingRounds(part, DEFINITION, { each: 90 })).toEqual({ each: 'each[90]' });
  const choice = { each: 90 };
  const { states } = shown(read(part, all, choice), choice);
  expect(states).toEqual(shown(foldRun(copy(all), DEFINITION), choice).states);
  // Before the gap everything is known.
  const fold = createRunFold('r', DEFINITION);
  fold.apply(copy(all));
  expect(missingRounds(fold.view, DEFINITION, { each: 40 })).toEqual({});
});

it('the run around it stays as it was: how often the loop goes round, the calls of other steps, and what is not known of others', () => {
  const all = log();
  const part = inParts(all, 30, all.length - 60);
  const view = read(part, all, { each: 40 });
  expect(view.loops.get('each')).toEqual(part.loops.get('each'));
  expect(view.calls.at(view.nodes['end']?.lastCard ?? -1)?.nodeId).toBe('end');
  expect(view.slots.size).toBe([...view.slots.keys()].length);
  expect([...view.slots.keys()]).toContain('each[40]/a');
  expect(viewAt(view, DEFINITION, { each: 95 }).nodes['a']?.calls).toBe(1);
  expect(view.cards).toHaveLength(view.calls.length);
  expect(view.cards.every((card, index) => card.index === index)).toBe(true);
});

it('of a loop that ended in between it is known how far it came at least', () => {
  const all = log();
  const part = inParts(all, 30, all.length - 2);
  expect(part.loops.get('each')).toMatchObject({ lost: true });
  expect(read(part, all, { each: 40 }).loops.get('each')).toMatchObject({ lost: true, seen: 41 });
});

it('what the run ended is not shown as going on', () => {
  const all = log('workflow_cancelled').filter((event) => !(event.path === 'each[42]' && event.type === 'step_done')).map((event, at) => ({ ...event, seq: at + 1 }));
  const part = inParts(all, 30, all.length - 60);
  const choice = { each: 42 };
  expect(viewAt(read(part, all, choice), DEFINITION, choice).nodes['a']?.state).toBe('cancelled');
});

// What a fold keeps while it goes through the events, and how its objects are copied before they change.

import type { EventGap } from './event-gap';
import { PersistentList, PersistentMap } from './persistent-list';
import { CONTAINERS, isWorse, readPath, slotKey, stepAt, Sum, type LoopRun, type ReadPath } from './run-paths';
import type { Skipped } from './run-fold-skip';
import type { CallCard, CardStatus, NodeRun, OpenTask, RunDefinition, RunError, RunEventLike, RunStatus, RunStop, Spent } from './run-types';
import type { Breakpoint } from '../api/types';

export interface FoldState {
  runId: string;
  definition?: RunDefinition;
  /** `node.port` of every drawn wire. */
  wired: Set<string>;
  version: number;
  lastSeq: number;
  status: RunStatus;
  name: string;
  definitionHash?: string;
  params?: unknown;
  resumedFrom?: string;
  until?: string;
  parentRunId?: string;
  startedAt?: string;
  startedMs?: number;
  endedAt?: string;
  endedMs?: number;
  durationMs: number;
  stopId?: string;
  supersededBy?: string;
  error?: RunError;
  failedStepId?: string;
  failReason?: string;
  nodes: Record<string, NodeRun>;
  ports: Record<string, number>;
  slots: PersistentMap<NodeRun>;
  /** Goes on with the run. What all forks share grows with it alone: to a state of the past everything in there is known. */
  leads: boolean;
  /** Shared by all forks: it names slots that one of them may not have. */
  slotsOf: Map<string, Map<string, string>>;
  loops: PersistentMap<LoopRun>;
  /** Step → its numbers over all its slots. */
  sums: Map<string, Sum>;
  /** Slots that changed since they were last counted, each as it was then. */
  touched: Map<string, NodeRun | undefined>;
  /** Slots in which something goes on by itself. */
  busy: Set<string>;
  /** What paths say, of the latest ones; shared by all forks. */
  paths: Map<string, ReadPath>;
  /** Shared by all forks. */
  events: RunEventLike[];
  /** Which events are not in `events`; shared by all forks. */
  layout: { gap?: EventGap };
  /** This state is behind the gap. */
  skipped?: Skipped;
  cards: PersistentList<CallCard>;
  /** Step → its cards; shared by all forks: it names cards that one of them may not have. */
  callsOf: Map<string, number[]>;
  /** Cards that this batch changed or added. */
  changed: Set<number>;
  variables: Record<string, unknown>;
  /** Replaced when it changes. */
  tasks: OpenTask[];
  stopped: RunStop | null;
  /** Replaced when they change. */
  breakpoints?: readonly Breakpoint[];
  /** While it is stopped: calls that end first. */
  underWay: number;
  errors: number;
  retries: number;
  /** Replaced when it changes. */
  spent: Spent;
  /** Slot → its errors that left by a wire or a fallback. */
  handled: PersistentMap<number>;
  /** Calls (`callKey`) whose error a recovery node took: it went along the error wire, whatever came of it. */
  routed: PersistentMap<number>;
  /** Call key → index of its latest card. */
  byKey: PersistentMap<number>;
  /** Objects that this batch has already copied. */
  fresh: Set<object>;
  /** The batch copied `nodes`, `ports`, `variables`. */
  copied: { nodes: boolean; ports: boolean; variables: boolean };
}

export type Fields = Record<string, unknown>;

export function freshState(runId: string, definition?: RunDefinition): FoldState {
  const nodes: Record<string, NodeRun> = {};
  if (definition) {
    for (const [id, node] of Object.entries(definition.nodes)) nodes[id] = idle(id, node.type, node.title);
  }
  const state: FoldState = {
    runId,
    definition,
    wired: new Set(definition?.edges.map((edge) => edge.from) ?? []),
    version: 0,
    lastSeq: 0,
    status: 'created',
    name: definition?.name ?? '',
    durationMs: 0,
    nodes,
    ports: {},
    slots: new PersistentMap(),
    leads: true,
    slotsOf: new Map(),
    loops: new PersistentMap(),
    sums: new Map(),
    touched: new Map(),
    busy: new Set(),
    paths: new Map(),
    events: [],
    layout: {},
    cards: new PersistentList(),
    callsOf: new Map(),
    changed: new Set(),
    variables: { ...definition?.context?.initial },
    tasks: [],
    stopped: null,
    underWay: 0,
    errors: 0,
    retries: 0,
    spent: { calls: 0, inputTokens: 0, outputTokens: 0, costMicros: 0, unpriced: 0 },
    handled: new PersistentMap(),
    routed: new PersistentMap(),
    byKey: new PersistentMap(),
    fresh: new Set(),
    copied: { nodes: false, ports: false, variables: false },
  };
  for (const name of definition?.kept ?? []) {
    const { stepId, path } = stepAt(name);
    if (path !== undefined || nodes[stepId]) node(state, stepId, path).state = 'kept';
  }
  sumUp(state);
  rest(state);
  return state;
}

/** All that a step in a loop comes to have has its place from the beginning: see `addCard`. */
function idle(id: string, kind?: string, title?: string, path?: string): NodeRun {
  return {
    id, kind, title, path, state: 'idle', attempt: 0, maxAttempts: undefined, retryAtMs: undefined, dueMs: undefined, itemsIn: 0, itemsOut: 0, errorCode: undefined, message: undefined,
    startedAt: undefined, endedAt: undefined, durationMs: 0, calls: 0, open: 0, says: undefined, lastCard: undefined, visit: undefined, inVisit: undefined, left: undefined, leftKept: undefined,
  };
}

/** Ends a batch. */
export function finish(state: FoldState): void {
  sumUp(state);
  // No event says it: a run is paused when all that is left to happen is a person's (SEMANTICS 5).
  if (state.stopped && (state.status === 'running' || state.status === 'paused')) {
    // Nothing begins: it stands still when nothing is under way, whatever comes due.
    const calls = (run: NodeRun | undefined) => run?.state === 'running' && !CONTAINERS.has(run.kind ?? '');
    state.underWay = Object.values(state.nodes).filter((run) => run.over === undefined && calls(run)).length
      + [...state.busy].filter((key) => calls(state.slots.get(key))).length;
    state.status = state.underWay > 0 ? 'running' : 'paused';
  } else if (state.status === 'running' || state.status === 'paused') {
    state.underWay = 0;
    const busy = state.tasks.length === 0 || state.busy.size > 0 || Object.values(state.nodes).some((run) => run.over === undefined && goesOn(run));
    state.status = busy ? 'running' : 'paused';
  }
  state.version++;
  rest(state);
}

/** From here on everything is copied before it is written to. */
function rest(state: FoldState): void {
  state.fresh.clear();
  state.changed.clear();
  state.copied = { nodes: false, ports: false, variables: false };
}

/** A second state that goes through the same events by itself. What it costs does not grow with their number. */
export function fork(state: FoldState): FoldState {
  sumUp(state);
  state.fresh.clear();
  state.copied = { nodes: false, ports: false, variables: false };
  return {
    ...state,
    leads: false,
    slots: state.slots.fork(),
    loops: state.loops.fork(),
    sums: new Map(state.sums),
    touched: new Map(),
    busy: new Set(state.busy),
    cards: state.cards.fork(),
    changed: new Set(),
    handled: state.handled.fork(),
    routed: state.routed.fork(),
    byKey: state.byKey.fork(),
    fresh: new Set(),
    copied: { nodes: false, ports: false, variables: false },
  };
}

export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The call that was named last: what a call does comes in events one after the other, and a name that is made anew is looked up slower. */
const named = { stepId: undefined as string | null | undefined, path: undefined as string | null | undefined, item: undefined as number | null | undefined, visit: 0, attempt: 0, key: '' };

export function callKey(event: RunEventLike, withItem = true): string {
  const { stepId, path } = event;
  const item = withItem ? event.item : undefined;
  const visit = event.visit ?? 1;
  const attempt = event.attempt ?? 0;
  if (named.key !== '' && named.visit === visit && named.attempt === attempt && named.item === item && named.stepId === stepId && named.path === path) return named.key;
  const key = `${stepId}/${path ?? ''}/${item ?? ''}/${visit}/${attempt}`;
  Object.assign(named, { stepId, path, item, visit, attempt, key });
  return key;
}

/** Tasks that are about this step: it asks, or it failed and somebody else asks. */
export const tasksOf = (s: FoldState, id: string, path: string | null | undefined): OpenTask[] =>
  s.tasks.filter((task) => (task.nodeId === id || task.originId === id) && (task.path ?? '') === (path ?? ''));

/** Something happens without a person. What a container does is what the steps in it do. */
const goesOn = (run: NodeRun): boolean =>
  !CONTAINERS.has(run.kind ?? '') && (run.state === 'running' || run.state === 'retrying' || (run.state === 'waiting' && run.dueMs !== undefined));

/** Brings the steps as a whole up to date with their slots. */
export function sumUp(s: FoldState): void {
  const changed = new Set<string>();
  for (const [key, before] of s.touched) {
    const run = s.slots.get(key);
    if (!run) continue;
    // As it is now it was counted: it is copied before it changes again.
    s.fresh.delete(run);
    if (goesOn(run)) s.busy.add(key);
    else s.busy.delete(key);
    if (pathOf(s, run.path ?? '').foreign) continue;
    let sum = s.sums.get(run.id);
    if (!sum || !s.fresh.has(sum)) {
      sum = sum?.copy() ?? new Sum();
      s.fresh.add(sum);
      s.sums.set(run.id, sum);
    }
    sum.change(before, run);
    changed.add(run.id);
  }
  s.touched.clear();
  for (const id of changed) {
    const run = node(s, id);
    Object.assign(run, s.sums.get(id)?.whole(run));
    if (run.floor && isWorse(run.floor, run.state)) run.state = run.floor;
  }
}

/** Paths that are remembered: more than one batch has. */
const MOST_PATHS = 4096;

export function pathOf(s: FoldState, path: string): ReadPath {
  const known = s.paths.get(path);
  if (known) return known;
  // Nearly always one of the latest is asked for; another is read again.
  if (s.paths.size >= MOST_PATHS) s.paths.clear();
  const read = readPath(path, s.definition);
  s.paths.set(path, read);
  return read;
}

/** Something stands at this path for the first time: its iterations have begun. */
function seeLoops(s: FoldState, read: ReadPath): void {
  for (const [key, id, index] of read.loops) {
    const loop = s.loops.get(key);
    if (!loop || loop.seen <= index) s.loops.set(key, { id, total: loop?.total ?? null, seen: index + 1 });
  }
}

/** The state of a step to write to: at the top, or where it stands in loops and branches. */
export function node(s: FoldState, id: string, path?: string | null): NodeRun {
  if (path) return slot(s, id, path);
  if (!s.copied.nodes) {
    s.nodes = { ...s.nodes };
    s.copied.nodes = true;
  }
  const known = s.nodes[id];
  if (known && s.fresh.has(known)) return known;
  const copy = known ? { ...known } : idle(id);
  s.fresh.add(copy);
  s.nodes[id] = copy;
  return copy;
}

function slot(s: FoldState, id: string, path: string): NodeRun {
  const key = slotKey(id, path);
  const known = s.slots.get(key);
  if (known && s.fresh.has(known)) return known;
  s.touched.set(key, known);
  const read = pathOf(s, path);
  const { type, title } = (read.foreign ? undefined : s.definition?.nodes[id]) ?? {};
  const copy = known ? { ...known } : idle(id, type, title, path);
  s.fresh.add(copy);
  s.slots.set(key, copy);
  if (!known) seeLoops(s, read);
  if (!known && !read.foreign && s.leads) {
    const mine = s.slotsOf.get(id);
    if (mine) mine.set(read.key, key);
    else s.slotsOf.set(id, new Map([[read.key, key]]));
  }
  return copy;
}

/** The state of a step as it is, where it stands. */
export const seen = (s: FoldState, id: string, path?: string | null): NodeRun | undefined => (path ? s.slots.get(slotKey(id, path)) : s.nodes[id]);

export function port(s: FoldState, id: string, name: string, by: number, path?: string | null): void {
  const add = (before: number | undefined): number => Math.max(0, (before ?? 0) + by);
  if (path) {
    const run = slot(s, id, path);
    run.left = { ...run.left, [name]: add(run.left?.[name]) };
    if (pathOf(s, path).foreign) return;
  }
  if (!s.copied.ports) {
    s.ports = { ...s.ports };
    s.copied.ports = true;
  }
  const key = `${id}.${name}`;
  s.ports[key] = add(s.ports[key]);
}

/** How often a loop that begins goes round. */
export function loopBegins(s: FoldState, id: string, path: string | null | undefined, total: number | null): void {
  if (path && pathOf(s, path).foreign) return;
  const key = slotKey(id, path);
  s.loops.set(key, { id, total, seen: s.loops.get(key)?.seen ?? 0 });
}

/** It has ended: now it is known how often it went round, whatever it was to do. */
export function loopEnds(s: FoldState, id: string, path: string | null | undefined): void {
  const key = slotKey(id, path);
  const loop = s.loops.get(key);
  if (loop && !loop.lost && loop.total !== loop.seen) s.loops.set(key, { ...loop, total: loop.seen });
}

/** The run has ended, and all its loops with it. */
export function allLoopsEnd(s: FoldState): void {
  for (const [key, loop] of s.loops) if (!loop.lost && loop.total !== loop.seen) s.loops.set(key, { ...loop, total: loop.seen });
}

export function variables(s: FoldState): Fields {
  if (!s.copied.variables) {
    s.variables = { ...s.variables };
    s.copied.variables = true;
  }
  return s.variables as Fields;
}

export function writable(s: FoldState, index: number): CallCard {
  const known = s.cards.at(index) as CallCard;
  s.changed.add(index);
  if (s.fresh.has(known)) return known;
  const copy = { ...known };
  s.fresh.add(copy);
  s.cards.set(index, copy);
  return copy;
}

/** Adds to a list of a card: copied once per batch, not once per entry. */
export function grown<V>(s: FoldState, list: readonly V[] | undefined, value: V): V[] {
  if (list && s.fresh.has(list)) {
    const mine = list as V[];
    mine.push(value);
    return mine;
  }
  const copy = [...(list ?? []), value];
  s.fresh.add(copy);
  return copy;
}

/** The card of the event's call; an item of a batch falls back to the batch's card. */
export function cardOf(s: FoldState, event: RunEventLike): CallCard | undefined {
  const index = s.byKey.get(callKey(event)) ?? s.byKey.get(callKey(event, false));
  return index === undefined ? undefined : writable(s, index);
}

/** The empty list of all cards: lists of cards are never written to without a copy. */
const NOTHING: never[] = [];

export function addCard(s: FoldState, event: RunEventLike, ms: number, status: CardStatus): CallCard {
  const id = event.stepId ?? '';
  const key = callKey(event);
  const before = s.byKey.get(key);
  const again = before === undefined ? undefined : (s.cards.at(before) as CallCard).key;
  // All that nearly every call comes to have stands here: an object that gets its fields one by one is copied again and again.
  const card: CallCard = {
    key: again === undefined ? key : `${key}#${Number(again.split('#')[1] ?? 1) + 1}`,
    index: s.cards.length,
    nodeId: id,
    kind: undefined,
    title: seen(s, id, event.path)?.title ?? (event.path && pathOf(s, event.path).foreign ? undefined : s.definition?.nodes[id]?.title) ?? id,
    path: event.path ?? undefined,
    item: event.item ?? undefined,
    visit: event.visit ?? 1,
    attempt: event.attempt ?? 0,
    maxAttempts: undefined,
    status,
    startSeq: event.seq as number,
    endSeq: undefined,
    startedAt: event.ts,
    startedMs: ms,
    endedMs: undefined,
    durationMs: undefined,
    input: NOTHING,
    config: undefined,
    resolvedInputs: undefined,
    inputItems: undefined,
    outputs: undefined,
    selected: undefined,
    ports: undefined,
    items: undefined,
    printed: NOTHING,
    changes: NOTHING,
    files: NOTHING,
  };
  s.byKey.set(key, card.index);
  s.cards.push(card);
  if (s.leads) {
    const mine = s.callsOf.get(id);
    if (mine) mine.push(card.index);
    else s.callsOf.set(id, [card.index]);
  }
  s.changed.add(card.index);
  s.fresh.add(card);
  return card;
}


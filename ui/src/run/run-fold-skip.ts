// How a fold goes on behind events that are not loaded: with what the newest events and the summary of the run tell about the time between.
// Nothing is made up: what neither of them tells is left open (`endUnknown`, `startUnknown`, `unloaded`).

import type { EventGap } from './event-gap';
import { addCard, callKey, node, pathOf, sumUp, text, writable, type Fields, type FoldState } from './run-fold-state';
import { partsOf, slotKey } from './run-paths';
import type { CallCard, CardStatus, NodeRun, NodeRunState, RunEventLike } from './run-types';
import type { Breakpoint, NodeState, RunDetails } from '../api/types';

/** What is known of the run without its events: as `run_get` answers it. */
export type Standing = Pick<RunDetails, 'status' | 'steps' | 'context' | 'openTasks' | 'stopped' | 'lastSeq'> & { breakpoints?: readonly Breakpoint[] | undefined };

/** What a fold keeps of a jump. */
export interface Skipped {
  /** Steps that the run left out, when it had ended. */
  readonly left: ReadonlySet<string>;
}

const ENDS: ReadonlySet<string> = new Set(['step_done', 'step_error', 'step_interrupted']);
const STATE: { readonly [K in NodeState]: NodeRunState } = {
  SKIPPED: 'skipped', SUCCEEDED: 'done', ERROR_HANDLED: 'handled', PENDING: 'idle', RUNNING: 'running', RETRYING: 'retrying', AWAITING_HITL: 'asks', CANCELLED: 'cancelled', FAILED: 'failed',
};
const CARD: { readonly [K in NodeState]?: CardStatus } = { SKIPPED: 'skipped', ERROR_HANDLED: 'handled', FAILED: 'failed' };
/** It had not ended when the newest events began: the end of the run, or a later event, ends it. */
const OPEN: ReadonlySet<NodeState> = new Set<NodeState>(['PENDING', 'RUNNING', 'RETRYING', 'AWAITING_HITL', 'CANCELLED']);

/** How many of the first events can stand alone: behind the last of them no call in a loop or branch is open, nobody is asked, and no error waits for an answer. */
export function wholeHead(events: readonly RunEventLike[]): number {
  const open = new Set<string>();
  let whole = 0;
  for (const [at, event] of events.entries()) {
    const key = `${event.stepId ?? ''}/${event.path ?? ''}/${event.item ?? ''}`;
    if (event.type === 'step_start') {
      open.delete(`retry ${key}`);
      if (event.path) open.add(key);
    } else if (ENDS.has(event.type)) open.delete(key);
    if (event.type === 'retry_scheduled') open.add(`retry ${key}`);
    if (event.type === 'human_task_created' || event.type === 'pause_start' || event.type === 'workflow_paused') return whole;
    if (open.size === 0 && (event.type === 'step_done' || event.type === 'step_start' || event.type === 'workflow_start')) whole = at + 1;
  }
  return whole;
}

/** Whether what happened in between can be left out: a question to a person, or a stop, that still stands must be among the events. */
export function canSkip(tail: readonly RunEventLike[], known: Standing): boolean {
  const asked = new Set(tail.map((event) => (event.payload as Fields | null | undefined)?.['taskId'] ?? (event.payload as Fields | null | undefined)?.['waitToken']));
  return known.openTasks.every((task) => asked.has(task)) && (known.stopped === undefined || tail.some((event) => event.type === 'workflow_paused'));
}

/** What the newest events say about one step. */
interface InTail {
  /** Calls that begin there, or end there without having begun. */
  calls: number;
  /** Calls at the top that end there without having begun there. */
  openAtTop: number;
  /** Type of its first event at the top. */
  first: string | undefined;
  failed: boolean;
}

/** Events that are looked at without a break. */
const PIECE = 1_000;

/** Calls count up to the event that the summary knows. */
function* readTail(s: FoldState, tail: readonly RunEventLike[], upTo: number) {
  const steps = new Map<string, InTail>();
  const ends = new Set<string>();
  /** Containers at the top in which something happens. */
  const around = new Set<string>();
  const begun = new Set<string>();
  const loose = new Set<string>();
  for (const [at, event] of tail.entries()) {
    if (at % PIECE === PIECE - 1) yield;
    if (event.path) around.add((partsOf(event.path)[0] as { id: string }).id);
    if (!event.stepId || (event.path && pathOf(s, event.path).foreign)) continue;
    let mine = steps.get(event.stepId);
    if (!mine) steps.set(event.stepId, mine = { calls: 0, openAtTop: 0, first: undefined, failed: false });
    if (!event.path) mine.first ??= event.type;
    if (event.type === 'step_error') mine.failed = true;
    const key = callKey(event);
    const counts = (event.seq ?? 0) <= upTo ? 1 : 0;
    if (event.type === 'step_start') {
      begun.add(key);
      mine.calls += counts;
    } else if (event.type === 'error_handled' && (event.payload as Fields | undefined)?.['originStepId'] !== event.stepId) {
      mine.calls += counts;
    } else if (ENDS.has(event.type)) {
      const whole = callKey(event, false);
      ends.add(key).add(whole);
      if (begun.has(key) || begun.has(whole) || loose.has(key) || s.byKey.get(key) !== undefined || s.byKey.get(whole) !== undefined || isOfItem(event)) continue;
      loose.add(key);
      mine.calls++;
      if (!event.path) mine.openAtTop++;
    }
  }
  return { steps, ends, around };
}

/** An error of one item of a call: it does not end the call. Without the call's start the two cannot be told apart. */
const isOfItem = (event: RunEventLike): boolean => event.type === 'step_error' && event.item != null;

/** Goes on behind the gap, piece by piece. `tail`: all that is loaded of the events behind it. */
export function* skipTo(s: FoldState, gap: EventGap, tail: readonly RunEventLike[], known: Standing): Generator<undefined, void> {
  sumUp(s);
  const { steps, ends, around } = yield* readTail(s, tail, known.lastSeq);
  const ended = known.status === 'completed' || known.status === 'failed' || known.status === 'cancelled';
  s.layout.gap = gap;
  s.lastSeq = gap.to;
  s.skipped = { left: new Set(ended ? Object.keys(known.steps).filter((id) => known.steps[id]?.state === 'SKIPPED') : []) };
  for (let at = 0; at < s.cards.length; at++) {
    const card = s.cards.at(at) as CallCard;
    if (card.endSeq !== undefined || ends.has(card.key) || around.has(card.nodeId)) continue;
    const state = known.steps[card.nodeId]?.state ?? 'SUCCEEDED';
    if (!OPEN.has(state)) endsUnseen(s, at, gap.to, state);
  }
  for (const [id, told] of Object.entries(known.steps)) {
    const run = s.nodes[id];
    if (!run) continue;
    const mine = steps.get(id);
    const missing = Math.max(0, told.attempts - run.calls - (mine?.calls ?? 0));
    if (missing > 0) node(s, id).unloaded = missing;
    if (mine?.first !== undefined && mine.first !== 'step_start' && mine.openAtTop > 0) {
      Object.assign(node(s, id), { state: 'running', open: run.open + mine.openAtTop, lost: mine.openAtTop });
    } else if (missing > 0) standsAs(s, id, told.state, mine, ended && known.status === 'completed');
  }
  // They may have been set in between; what was set later comes with its event.
  if (known.breakpoints) s.breakpoints = known.breakpoints;
  s.variables = variablesBefore(tail, known.context, s);
  s.copied.variables = true;
}

/** How a step stands of which calls are not loaded. */
function standsAs(s: FoldState, id: string, told: NodeState, mine: InTail | undefined, completed: boolean): void {
  const run = node(s, id);
  // Invariant 5: a run that completed had every error handled.
  const state = told === 'FAILED' && completed ? 'handled' : STATE[told];
  if (!mine) {
    if (state === 'idle') return;
    run.state = state;
    if (state === 'running') Object.assign(run, { open: run.open + 1, lost: 1 });
  } else if (mine.first !== undefined) run.state = 'done';
  // The loaded iterations do not tell of it: it went wrong in one that is not loaded.
  if (!mine?.failed && (state === 'failed' || state === 'handled')) run.floor = state;
}

/** A call ended in between: how, the summary says, and nobody knows when. */
function endsUnseen(s: FoldState, at: number, seq: number, state: NodeState): void {
  const card = writable(s, at);
  Object.assign(card, { status: CARD[state] ?? 'done', endSeq: seq, endedMs: card.startedMs, endUnknown: true });
  const run = node(s, card.nodeId, card.path);
  run.open = Math.max(0, run.open - 1);
  if (run.open === 0) run.state = STATE[state];
  run.dueMs = undefined;
  const loop = s.loops.get(slotKey(card.nodeId, card.path));
  if (loop) s.loops.set(slotKey(card.nodeId, card.path), { ...loop, ...(loop.total === null ? { lost: true } : { seen: loop.total }) });
}

/** The variables as they were before the newest events: as they are now, with what those set taken back. */
function variablesBefore(tail: readonly RunEventLike[], now: Readonly<Record<string, unknown>>, s: FoldState): Record<string, unknown> {
  const before: Record<string, unknown> = { ...now };
  for (let at = tail.length - 1; at >= 0; at--) {
    const event = tail[at] as RunEventLike;
    if (event.type !== 'var_changed' || (event.path && pathOf(s, event.path).foreign)) continue;
    const payload = (event.payload ?? {}) as Fields;
    const name = (text(payload['name']) ?? '').replace(/^\$/, '');
    if (name === '__proto__') continue;
    if ('oldValue' in payload) before[name] = payload['oldValue'];
    else delete before[name];
  }
  return before;
}

/** The card of a call that ends and whose start is not loaded. */
export function looseCall(s: FoldState, event: RunEventLike, ms: number): CallCard | undefined {
  if (!s.skipped || isOfItem(event)) return undefined;
  const card = addCard(s, event, ms, 'running');
  const run: NodeRun = node(s, card.nodeId, card.path);
  card.kind = run.kind;
  card.startUnknown = true;
  run.calls++;
  if (run.lost) run.lost--;
  else run.open++;
  run.lastCard = card.index;
  return card;
}

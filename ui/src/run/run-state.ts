// A run as the screens see it: folded from RunEvents, append-only by seq. The log alone rebuilds everything here.
// Objects of one node, port or card are replaced when they change, so `===` tells what to draw again; the long
// lists (`events`, `calls`, `slots`) are shared between views of now and only grow or change in place: key memos on `view.version`.
// A view of the past (`fold.at`) has calls and slots of its own, as they were.

import { CallTable } from './call-table';
import { isInGap, placeOf } from './event-gap';
import { applyEvent } from './run-fold';
import { skipTo } from './run-fold-skip';
import { finish, fork, freshState, type FoldState } from './run-fold-state';
import { EVERY, inChoice } from './run-paths';
import type { ApplyResult, CallCard, RunDefinition, RunEventLike, RunFold, RunStatus, RunView } from './run-types';

export type * from './run-types';

/** Events between two kept states: what looking at a moment costs at most. It doubles when there are too many. */
const EVERY_EVENTS = 512;
const MOST_KEPT = 256;

export function createRunFold(runId: string, definition?: RunDefinition): RunFold {
  const state = freshState(runId, definition);
  const table = new CallTable();
  let view = snapshot(state, table);
  let every = EVERY_EVENTS;
  let kept: FoldState[] = [fork(state)];
  let past: { state: FoldState; view: RunView } | undefined;
  let replayed = 0;
  const listeners = new Set<() => void>();

  function keep(): void {
    if (state.lastSeq % every !== 0) return;
    kept.push(fork(state));
    if (kept.length <= MOST_KEPT) return;
    every *= 2;
    kept = kept.filter((one) => one.lastSeq % every === 0 || one.lastSeq === state.layout.gap?.to);
  }

  return {
    get view() {
      return view;
    },
    get replayed() {
      return replayed;
    },
    at(seq) {
      const { gap } = state.layout;
      const asked = Math.max(0, Math.trunc(seq));
      // What was in between is not known: it is as it was before.
      const wanted = isInGap(gap, asked) ? (gap?.from ?? 1) - 1 : asked;
      if (!(wanted < state.lastSeq)) return view;
      if (past && past.state.lastSeq === wanted) return past.view;
      // The number of kept states is bounded.
      const before = kept.findLast((one) => one.lastSeq <= wanted) as FoldState;
      const from = past && past.state.lastSeq <= wanted && past.state.lastSeq > before.lastSeq ? past.state : before;
      const then = fork(from);
      for (let at = from.lastSeq + 1; at <= wanted; at++) applyEvent(then, state.events[placeOf(gap, at)] as RunEventLike);
      replayed += wanted - from.lastSeq;
      finish(then);
      // Views are told apart by their version, also one of the past from one of now.
      then.version = -1 - wanted;
      const last = state.events[placeOf(gap, wanted)] ?? state.events[0];
      past = { state: then, view: snapshot(then, table, Date.parse(last?.ts ?? '')) };
      return past.view;
    },
    apply(batch) {
      const result: ApplyResult = { applied: 0, duplicates: 0 };
      for (const event of batch) {
        // Not stored, never replayed: nothing of it is part of the state.
        if (event.seq == null || event.live) continue;
        if (event.runId !== '' && state.runId !== '' && event.runId !== state.runId) continue;
        if (event.seq <= state.lastSeq) {
          result.duplicates++;
          continue;
        }
        if (event.seq !== state.lastSeq + 1) {
          result.gapAfter = state.lastSeq;
          break;
        }
        shareTexts(event, state.events.at(-1));
        state.events.push(event);
        applyEvent(state, event);
        keep();
        result.applied++;
      }
      if (result.applied > 0) {
        table.take(state.cards, state.changed);
        finish(state);
        view = snapshot(state, table);
        for (const listener of listeners) listener();
      }
      return result;
    },
    *skip(to, tail, known) {
      if (to <= state.lastSeq) return;
      yield* skipTo(state, { from: state.lastSeq + 1, to }, tail, known);
      kept.push(fork(state));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Each event was read with texts of its own: what says the same as in the one before is kept once. It is an eighth of what a long run takes. */
function shareTexts(event: RunEventLike, before: RunEventLike | undefined): void {
  if (!before) return;
  if (event.runId === before.runId) event.runId = before.runId;
  if (event.ts === before.ts) event.ts = before.ts;
  if (event.path && event.path === before.path) event.path = before.path;
}

/** The view of a whole list of events. */
export function foldRun(events: readonly RunEventLike[], definition?: RunDefinition): RunView {
  const fold = createRunFold(events[0]?.runId ?? '', definition);
  fold.apply(events);
  return fold.view;
}

/** The view of some events of a run, in order, as if there were no others: for steps in containers and their calls. */
export function foldPart(runId: string, events: readonly RunEventLike[], definition: RunDefinition): RunView {
  const state = freshState(runId, { ...definition, kept: [] });
  for (const event of events) applyEvent(state, event);
  const table = new CallTable();
  table.take(state.cards, state.changed);
  finish(state);
  return snapshot(state, table);
}

export const emptyRunView = (runId = ''): RunView => snapshot(freshState(runId), new CallTable());

export const isTerminal = (status: RunStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** Cards of one node where one looks, in order of start. */
export function cardsOf(view: RunView, nodeId: string): CallCard[] {
  const choice = view.choice ?? EVERY;
  const list: CallCard[] = [];
  for (const index of view.callsOf.get(nodeId) ?? []) {
    const card = view.calls.at(index);
    // Of a moment of the past: the later ones had not begun.
    if (!card) break;
    if (inChoice(card.path, choice)) list.push(card);
  }
  return list;
}

function snapshot(state: FoldState, table: CallTable, moment?: number): RunView {
  const { cards } = state;
  let listed: readonly CallCard[] | undefined;
  return {
    runId: state.runId,
    version: state.version,
    lastSeq: state.lastSeq,
    status: state.status,
    name: state.name,
    definitionHash: state.definitionHash,
    params: state.params,
    resumedFrom: state.resumedFrom,
    until: state.until,
    parentRunId: state.parentRunId,
    startedAt: state.startedAt,
    startedMs: state.startedMs,
    endedAt: state.endedAt,
    endedMs: state.endedMs,
    durationMs: state.durationMs,
    stopId: state.stopId,
    supersededBy: state.supersededBy,
    error: state.error,
    failedStepId: state.failedStepId,
    failReason: state.failReason,
    nodes: state.nodes,
    ports: state.ports,
    slots: state.slots,
    slotsOf: state.slotsOf,
    loops: state.loops,
    events: state.events,
    gap: state.layout.gap,
    calls: cards,
    callsOf: state.callsOf,
    table,
    get cards() {
      return (listed ??= cards.toArray());
    },
    variables: state.variables,
    tasks: state.tasks,
    stopped: isTerminal(state.status) ? null : state.stopped,
    breakpoints: state.breakpoints,
    underWay: state.underWay,
    errors: state.errors,
    retries: state.retries,
    spent: state.spent,
    ...(moment === undefined ? {} : { moment }),
  };
}

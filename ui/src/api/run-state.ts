// A run as the screens see it: folded from RunEvents, append-only by seq. The log alone rebuilds everything here.
// Objects of one node, port or card are replaced when they change, so `===` tells what to draw again; the two long
// lists (`events`, `cards`) are shared between views and only grow or change in place: key memos on `view.version`.

import { applyEvent } from './run-fold';
import { EVERY, inChoice, type Choice, type LoopRun } from './run-paths';
import { finish, freshState, type FoldState } from './run-fold-state';

export type RunStatus = 'created' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';
export type NodeRunState =
  | 'idle'
  | 'running'
  | 'retrying'
  | 'waiting'
  /** a person's turn (AWAITING_HITL) */
  | 'asks'
  | 'done'
  | 'failed'
  | 'handled'
  | 'skipped'
  /** the run ended before it came here */
  | 'unreached'
  /** its result stands from the original of this re-run; it did not execute */
  | 'kept'
  | 'cancelled';
export type CardStatus = 'running' | 'retrying' | 'waiting' | 'asks' | 'done' | 'failed' | 'handled' | 'skipped' | 'interrupted' | 'cancelled';

/** The wire shape of a RunEvent, as far as the fold reads it. `seq` is missing on events that are not stored. */
export interface RunEventLike {
  runId: string;
  seq?: number | null;
  live?: boolean | null;
  ts: string;
  type: string;
  stepId?: string | null;
  path?: string | null;
  item?: number | null;
  visit?: number | null;
  attempt?: number | null;
  payload?: unknown;
  clientRunToken?: string | null;
}

export interface RunError {
  type: string;
  message: string;
  retryable?: boolean;
  originNode?: string;
  attempt?: number;
  maxAttempts?: number;
  timestamp?: string;
  suggestedAction?: string;
  details?: Record<string, unknown>;
}

/** One item as it stands on a port. */
export interface RunItem {
  id: string;
  data: unknown;
  error?: RunError;
  pairedItem?: number | null;
  binary?: Record<string, { ref: string; mime: string; size: number; sha256: string }>;
}

export interface NodeRun {
  id: string;
  kind?: string;
  title?: string;
  state: NodeRunState;
  /** Automatic re-executions before the latest call, from 0. */
  attempt: number;
  /** Bound of re-executions; the person sees call `attempt + 1` of `maxAttempts + 1`. */
  maxAttempts?: number;
  /** When the next attempt is due, milliseconds since 1970. */
  retryAtMs?: number;
  /** When a wait is over, milliseconds since 1970. */
  dueMs?: number;
  itemsIn: number;
  itemsOut: number;
  errorCode?: string;
  message?: string;
  /** First call's start. */
  startedAt?: string;
  endedAt?: string;
  /** Time in calls, waits between attempts not counted. */
  durationMs: number;
  /** `step_start` events so far. */
  calls: number;
  /** Calls that have started and not ended. */
  open: number;
  /** Index of the latest card of this node in `view.cards`. */
  lastCard?: number;
  /** In which iteration or branch; absent at the top, and for a step as a whole. */
  path?: string;
  /** A step in a loop or branch as a whole: at so many places, and at so many of them in this state. */
  over?: { of: number; inState: number };
}

/** A task of this run that nobody has answered yet. */
export interface OpenTask {
  taskId: string;
  title: string;
  /** The step that asks; for a default task the step that failed. */
  nodeId: string;
  originId?: string;
  path?: string;
  sinceMs: number;
  expiresAt?: string;
}

/** A try to repair the input of a call. */
export interface FixTry {
  model: string;
  accepted: boolean;
  delta: number;
  changes: string[];
  violations: string[];
  patch?: unknown;
}

/** What happened with people, in order. */
export interface PersonNote {
  what: 'asked' | 'answered' | 'reminded' | 'held' | 'continued' | 'escalated' | 'paused' | 'resumed' | 'expired' | 'closed';
  ts: string;
  taskId?: string;
  action?: string;
  who?: string;
  text?: string;
}

export interface VariableChange {
  seq: number;
  name: string;
  oldValue?: unknown;
  newValue: unknown;
  unset: boolean;
}

export interface CallCard {
  /** node/path/item/visit/attempt, with `#n` when the same call was started again after an interruption. */
  key: string;
  index: number;
  nodeId: string;
  kind?: string;
  title: string;
  path?: string;
  item?: number;
  visit: number;
  attempt: number;
  maxAttempts?: number;
  status: CardStatus;
  startSeq: number;
  endSeq?: number;
  startedAt: string;
  startedMs: number;
  endedMs?: number;
  durationMs?: number;
  input: { item: number; data: unknown }[];
  config?: unknown;
  resolvedInputs?: unknown;
  outputs?: unknown;
  selected?: string;
  ports?: Record<string, number>;
  items?: Record<string, RunItem[]>;
  /** The error of the call, or of its last failed item. */
  error?: RunError;
  /** Errors of single items of a batch, item index first. */
  itemErrors?: { item: number; error: RunError }[];
  retryAtMs?: number;
  retryDelayMs?: number;
  dueMs?: number;
  /** What a rule or policy decided about the error. */
  decision?: { rule: string; action: string; wanted?: string; by: string };
  fixes?: FixTry[];
  people?: PersonNote[];
  printed: unknown[];
  changes: VariableChange[];
  files: { path: string; sizeBytes?: number }[];
  skippedBecause?: string;
  effectUnknown?: boolean;
}

export interface RunView {
  readonly runId: string;
  /** Grows with every applied batch. */
  readonly version: number;
  readonly lastSeq: number;
  readonly status: RunStatus;
  readonly name: string;
  readonly definitionHash?: string;
  readonly params?: unknown;
  readonly resumedFrom?: string;
  readonly startedAt?: string;
  readonly startedMs?: number;
  readonly endedAt?: string;
  readonly endedMs?: number;
  /** Milliseconds from start to end, or to the last event while it runs. */
  readonly durationMs: number;
  readonly stopId?: string;
  readonly error?: RunError;
  readonly failedStepId?: string;
  readonly failReason?: string;
  readonly nodes: Readonly<Record<string, NodeRun>>;
  /** `node.port` → items that left there so far. */
  readonly ports: Readonly<Record<string, number>>;
  /** Steps in loops and branches, each where it ran: `each[3]/fetch`. In `nodes` they stand as a whole. Shared, like `cards`. */
  readonly slots: ReadonlyMap<string, NodeRun>;
  /** Step → iterations from the outside (`3,0`) → its key in `slots`. */
  readonly slotsOf: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly slotPorts: ReadonlyMap<string, number>;
  /** Key of a loop → how often it goes round. */
  readonly loops: ReadonlyMap<string, LoopRun>;
  /** The iterations that this view was narrowed to (`viewAt`); `nodes` and `ports` are those of them. */
  readonly choice?: Choice;
  /** Shared, append-only: see the head of this file. */
  readonly events: readonly RunEventLike[];
  /** Shared, one per call, in order of start. */
  readonly cards: readonly CallCard[];
  readonly variables: Readonly<Record<string, unknown>>;
  /** Tasks that wait for a person, oldest first. */
  readonly tasks: readonly OpenTask[];
  /** Calls that failed, item errors included. */
  readonly errors: number;
  readonly retries: number;
}

/** What the fold needs to know of the workflow; without it dead branches and wired red ports are only known at the end. */
export interface RunDefinition {
  name?: string;
  nodes: Record<string, { type?: string; title?: string; parent?: string | null; errorHandling?: { fallbackNodeId?: string } | null }>;
  edges: readonly { from: string; to: string }[];
  context?: { initial?: Record<string, unknown> | null } | null;
  /** Steps that a re-run has from its original. */
  kept?: readonly string[];
}

export interface ApplyResult {
  applied: number;
  duplicates: number;
  /** Events after this seq are missing: fetch from here, nothing later was applied. */
  gapAfter?: number;
}

export interface RunFold {
  readonly view: RunView;
  apply(batch: readonly RunEventLike[]): ApplyResult;
  /** Called after every batch that changed something. Returns the way to stop. */
  subscribe(listener: () => void): () => void;
}

export function createRunFold(runId: string, definition?: RunDefinition): RunFold {
  const state = freshState(runId, definition);
  let view = snapshot(state);
  const listeners = new Set<() => void>();
  return {
    get view() {
      return view;
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
        applyEvent(state, event);
        result.applied++;
      }
      if (result.applied > 0) {
        finish(state);
        view = snapshot(state);
        for (const listener of listeners) listener();
      }
      return result;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The view of a whole list of events. */
export function foldRun(events: readonly RunEventLike[], definition?: RunDefinition): RunView {
  const fold = createRunFold(events[0]?.runId ?? '', definition);
  fold.apply(events);
  return fold.view;
}

export const emptyRunView = (runId = ''): RunView => snapshot(freshState(runId));

export const isTerminal = (status: RunStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** Cards of one node where one looks, in order of start. */
export function cardsOf(view: RunView, nodeId: string): CallCard[] {
  const choice = view.choice ?? EVERY;
  return view.cards.filter((card) => card.nodeId === nodeId && inChoice(card.path, choice));
}

function snapshot(state: FoldState): RunView {
  return {
    runId: state.runId,
    version: state.version,
    lastSeq: state.lastSeq,
    status: state.status,
    name: state.name,
    definitionHash: state.definitionHash,
    params: state.params,
    resumedFrom: state.resumedFrom,
    startedAt: state.startedAt,
    startedMs: state.startedMs,
    endedAt: state.endedAt,
    endedMs: state.endedMs,
    durationMs: state.durationMs,
    stopId: state.stopId,
    error: state.error,
    failedStepId: state.failedStepId,
    failReason: state.failReason,
    nodes: state.nodes,
    ports: state.ports,
    slots: state.slots,
    slotsOf: state.slotsOf,
    slotPorts: state.slotPorts,
    loops: state.loops,
    events: state.events,
    cards: state.cards,
    variables: state.variables,
    tasks: state.tasks,
    errors: state.errors,
    retries: state.retries,
  };
}

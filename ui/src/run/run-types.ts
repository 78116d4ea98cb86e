// What a run is to the screens: the events that come, the view that is folded from them. Shapes only; run-state.ts makes them.

import type { CallTable } from './call-table';
import type { EventGap } from './event-gap';
import type { ReadonlyList } from './persistent-list';
import type { Choice, LoopRun } from './run-paths';
import type { Standing } from './run-fold-skip';
import type { Breakpoint, CutValue } from '../api/types';

export type RunStatus = 'created' | 'queued' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';
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
  /** The whole of a message that was too long for the wire: `message` is its beginning. */
  cut?: CutValue;
  retryable?: boolean;
  originNode?: string;
  attempt?: number;
  maxAttempts?: number;
  timestamp?: string;
  suggestedAction?: string;
  /** Its record in the audit chain. */
  provenanceRef?: string;
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
  /** Calls that are not loaded (`gap` of the view): all other numbers here leave them out. */
  unloaded?: number;
  /** The worst state of those, where the loaded ones do not tell of it. */
  floor?: NodeRunState;
  /** Open calls whose start is not loaded. */
  lost?: number;
  /** While a call goes on: the end of what its model says, or the name of the tool at work and what it told last. */
  says?: { what: 'text' | 'thinking' | 'tool'; words: string; tells?: string; card: number } | undefined;
  /** Index of the latest card of this node in `view.cards`. */
  lastCard?: number;
  /** Tasks of this step that nobody has answered yet, its own and those about its failed items; absent for none. */
  asking?: number;
  /** Of these, the ones about one item each: a step may also ask once about all that it got. */
  askingItems?: number;
  /** The last time that it began, and how many items came in then: after an answer it begins again, with fewer. */
  visit?: number;
  inVisit?: number;
  /** Port → items that left there so far, of a step where it stands in a loop or branch; of a step as a whole `ports` of the view tells it. */
  left?: Readonly<Record<string, number>>;
  /** Port → items that its kept result left by there; absent where nothing is kept, or it is not known. */
  leftKept?: Readonly<Record<string, number>>;
  /** In which iteration or branch; absent at the top, and for a step as a whole. */
  path?: string;
  /** A step in a loop or branch as a whole: at so many places, at so many of them in this state, and kept at so many. */
  over?: { of: number; inState: number; kept?: number };
}

/** A task of this run that nobody has answered yet. */
export interface OpenTask {
  taskId: string;
  title: string;
  /** The step that asks; for a default task the step that failed. */
  nodeId: string;
  originId?: string;
  path?: string;
  /** Index of the call that it is about, in `view.cards`. */
  card?: number;
  /** The item that it is about; absent when it is about all that the step got. */
  item?: number;
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
  /** The question to a model; absent for a repair by rules. */
  asked?: { number: number; of: number; tokens?: number };
}

/** Where and why a run stands stopped. */
export interface RunStop {
  reason: 'breakpoint' | 'step' | 'request';
  /** The event that says so: a later stop has another. */
  seq: number;
  /** The step whose call would have begun; absent when a person asked. */
  stepId?: string | undefined;
  path?: string | undefined;
  item?: number | undefined;
  /** The breakpoint's wire, `node.port`. */
  from?: string | undefined;
  condition?: string | undefined;
  conditionError?: string | undefined;
  who?: string | undefined;
}

/** A tool that a model asked for, or that the step itself is. */
export interface ToolRun {
  what: 'tool';
  /** Names it among those that the model asked for; empty for the step's own. */
  id: string;
  name: string;
  input: unknown;
  startedMs: number;
  endedMs?: number;
  /** A text for a model, the answer or the error of a step. */
  output?: unknown;
  failed?: boolean;
  /** A model asked for it, and it is called. */
  called?: boolean;
  /** It failed, and the step goes on. */
  allowed?: boolean;
  notices: { level: string; words: string; data?: unknown }[];
}

/** An answer of a model has ended. */
export interface ModelTurn {
  what: 'turn';
  model: string;
  finish: string;
  latencyMs: number;
  inputTokens: number;
  outputTokens: number;
  thinkingTokens?: number;
  /** The provider did not tell the tokens: they, and the cost, are estimated. */
  estimated?: boolean;
  /** In millionths; absent where no price is known. */
  costMicros?: number;
}

/** What questions to models cost together. */
export interface Spent {
  /** Calls that a model answered. */
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** What has a price, in millionths. */
  readonly costMicros: number;
  /** Calls without a price. */
  readonly unpriced: number;
}

/** What a model says and tools do in a call, in order. Pieces of one text are one; `cut`: a piece that was too long for the wire, of which `text` is the beginning. */
export type Saying = { what: 'text' | 'thinking'; text: string; cut?: CutValue } | ToolRun | ModelTurn | { what: 'trouble'; words: string; code: string; latencyMs: number };

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
  /** So many items went in that are not told again: the step read the list of its wires. */
  inputItems?: number | undefined;
  ports?: Record<string, number>;
  items?: Record<string, RunItem[]>;
  /** The error of the call, or of its last failed item. */
  error?: RunError;
  /** `error` is a question: it ended to ask a person about a call of a tool, and the step goes on after the answer. */
  question?: boolean;
  /** Errors of single items of a batch, item index first. */
  itemErrors?: { item: number; error: RunError }[];
  retryAtMs?: number;
  retryDelayMs?: number;
  dueMs?: number;
  /** What a rule or policy decided about the error. */
  decision?: { rule: string; action: string; wanted?: string; by: string };
  fixes?: FixTry[];
  people?: PersonNote[];
  said?: readonly Saying[];
  printed: unknown[];
  changes: VariableChange[];
  /** `seq`: the event that named it last. */
  files: { path: string; seq: number; sizeBytes?: number }[];
  skippedBecause?: string;
  /** It began among events that are not loaded: `startedMs` is when it ended. */
  startUnknown?: boolean;
  /** It ended among events that are not loaded: `endedMs` is when it began. */
  endUnknown?: boolean;
  effectUnknown?: boolean;
}

export interface RunView {
  readonly runId: string;
  /** Grows with every applied batch. */
  readonly version: number;
  readonly lastSeq: number;
  readonly status: RunStatus;
  /** Its events are still being read: `status` is how the run stands, all else is how it was after `lastSeq`. */
  readonly behind?: boolean;
  readonly name: string;
  readonly definitionHash?: string;
  readonly params?: unknown;
  readonly resumedFrom?: string;
  /** The step that it ends after. */
  readonly until?: string;
  /** The run that it was re-run from. */
  readonly parentRunId?: string;
  readonly startedAt?: string;
  readonly startedMs?: number;
  readonly endedAt?: string;
  readonly endedMs?: number;
  /** Milliseconds from start to end, or to the last event while it runs. */
  readonly durationMs: number;
  readonly stopId?: string;
  /** The re-run that took its place while it waited for a person. */
  readonly supersededBy?: string;
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
  /** Key of a loop → how often it goes round. */
  readonly loops: ReadonlyMap<string, LoopRun>;
  /** The iterations that this view was narrowed to (`viewAt`); `nodes` and `ports` are those of them. */
  readonly choice?: Choice;
  /** Loops of which the chosen iteration was read alone, apart from `events` (`withRounds`). */
  readonly rounds?: readonly string[];
  /** Shared, append-only: see the head of this file. All that are loaded, also in a view of the past. */
  readonly events: readonly RunEventLike[];
  /** The events that `events` leaves out, also in a view of the past: read by number with `eventAt`. */
  readonly gap?: EventGap;
  /** One per call, in order of start. */
  readonly calls: ReadonlyList<CallCard>;
  /** Step → its calls, in order of start; in a view of the past also of those that had not begun. */
  readonly callsOf: ReadonlyMap<string, readonly number[]>;
  /** The calls as an array, made when it is asked for: its cost grows with their number. */
  readonly cards: readonly CallCard[];
  /** The calls in columns: as they are now, also in a view of the past. */
  readonly table: CallTable;
  /** This is how it was after event `lastSeq`, and when that was, milliseconds since 1970; absent in a view of now. */
  readonly moment?: number;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Tasks that wait for a person, oldest first. */
  readonly tasks: readonly OpenTask[];
  /** Somebody stopped it: nothing begins. */
  readonly stopped: RunStop | null;
  /** Before which calls it stops, as it was told last; absent when it was not. */
  readonly breakpoints?: readonly Breakpoint[];
  /** While it is stopped: calls that end first. */
  readonly underWay: number;
  /** Calls that failed, item errors included. */
  readonly errors: number;
  readonly retries: number;
  /** What models cost so far. */
  readonly spent: Spent;
}

/** What the fold needs to know of the workflow; without it dead branches and wired error ports are only known at the end. */
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
  /** Events that were applied to look at the past, for tests of what it costs. */
  readonly replayed: number;
  /** The run as it was after an event; as it is now when that is the last one or still to come. */
  at(seq: number): RunView;
  apply(batch: readonly RunEventLike[]): ApplyResult;
  /** Goes on with the event after `to`, piece by piece. `tail`: what is loaded behind it; `known`: what the host says of the run as it stands. */
  skip(to: number, tail: readonly RunEventLike[], known: Standing): Generator<undefined, void>;
  /** Called after every batch that changed something. Returns the way to stop. */
  subscribe(listener: () => void): () => void;
}

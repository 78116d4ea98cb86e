// What a fold keeps while it goes through the events, and how its objects are copied before they change.

import type { CallCard, CardStatus, NodeRun, OpenTask, RunDefinition, RunError, RunEventLike, RunStatus } from './run-state';

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
  startedAt?: string;
  startedMs?: number;
  endedAt?: string;
  endedMs?: number;
  durationMs: number;
  stopId?: string;
  error?: RunError;
  failedStepId?: string;
  failReason?: string;
  nodes: Record<string, NodeRun>;
  ports: Record<string, number>;
  events: RunEventLike[];
  cards: CallCard[];
  variables: Record<string, unknown>;
  /** Replaced when it changes. */
  tasks: OpenTask[];
  errors: number;
  retries: number;
  /** Node → its errors that left by a wire or a fallback. */
  handled: Map<string, number>;
  /** Call key → index of its latest card. */
  byKey: Map<string, number>;
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
  return {
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
    events: [],
    cards: [],
    variables: { ...definition?.context?.initial },
    tasks: [],
    errors: 0,
    retries: 0,
    handled: new Map(),
    byKey: new Map(),
    fresh: new Set(),
    copied: { nodes: false, ports: false, variables: false },
  };
}

function idle(id: string, kind?: string, title?: string): NodeRun {
  return { id, kind, title, state: 'idle', attempt: 0, itemsIn: 0, itemsOut: 0, durationMs: 0, calls: 0, open: 0 };
}

/** Ends a batch: the next one copies again before it writes. */
export function finish(state: FoldState): void {
  // No event says it: a run is paused when all that is left to happen is a person's (SEMANTICS 5).
  if (state.status === 'running' || state.status === 'paused') {
    const busy = state.tasks.length === 0 || Object.values(state.nodes).some((run) => run.state === 'running' || run.state === 'retrying' || (run.state === 'waiting' && run.dueMs !== undefined));
    state.status = busy ? 'running' : 'paused';
  }
  state.version++;
  state.fresh.clear();
  state.copied = { nodes: false, ports: false, variables: false };
}

export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function callKey(event: RunEventLike, withItem = true): string {
  return `${event.stepId}/${event.path ?? ''}/${withItem ? (event.item ?? '') : ''}/${event.visit ?? 1}/${event.attempt ?? 0}`;
}

export function node(s: FoldState, id: string): NodeRun {
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

export function port(s: FoldState, id: string, name: string, by: number): void {
  if (!s.copied.ports) {
    s.ports = { ...s.ports };
    s.copied.ports = true;
  }
  const key = `${id}.${name}`;
  s.ports[key] = Math.max(0, (s.ports[key] ?? 0) + by);
}

export function variables(s: FoldState): Fields {
  if (!s.copied.variables) {
    s.variables = { ...s.variables };
    s.copied.variables = true;
  }
  return s.variables as Fields;
}

export function writable(s: FoldState, index: number): CallCard {
  const known = s.cards[index] as CallCard;
  if (s.fresh.has(known)) return known;
  const copy = { ...known };
  s.fresh.add(copy);
  s.cards[index] = copy;
  return copy;
}

/** The card of the event's call; an item of a batch falls back to the batch's card. */
export function cardOf(s: FoldState, event: RunEventLike): CallCard | undefined {
  const index = s.byKey.get(callKey(event)) ?? s.byKey.get(callKey(event, false));
  return index === undefined ? undefined : writable(s, index);
}

export function addCard(s: FoldState, event: RunEventLike, ms: number, status: CardStatus): CallCard {
  const id = event.stepId ?? '';
  const key = callKey(event);
  const before = s.byKey.get(key);
  const again = before === undefined ? undefined : (s.cards[before] as CallCard).key;
  const card: CallCard = {
    key: again === undefined ? key : `${key}#${Number(again.split('#')[1] ?? 1) + 1}`,
    index: s.cards.length,
    nodeId: id,
    title: s.nodes[id]?.title ?? s.definition?.nodes[id]?.title ?? id,
    visit: event.visit ?? 1,
    attempt: event.attempt ?? 0,
    status,
    startSeq: event.seq as number,
    startedAt: event.ts,
    startedMs: ms,
    input: [],
    printed: [],
    changes: [],
    files: [],
  };
  if (event.path != null) card.path = event.path;
  if (event.item != null) card.item = event.item;
  s.byKey.set(key, card.index);
  s.cards.push(card);
  s.fresh.add(card);
  return card;
}


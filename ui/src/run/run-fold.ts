// How one event changes the state of a run (see run-types.ts for what comes out).

import { plain } from '../text/letters.ts';
import type { PersistentMap } from './persistent-list';
import { applyDebug } from './run-fold-debug';
import { keepLeft } from './run-fold-kept';
import { looseCall } from './run-fold-skip';
import { applyPeople } from './run-fold-tasks';
import { applySaid } from './run-fold-progress';
import { isObject, isQuestion } from '../json/json';
import { readError } from './run-error';
import { addCard, allLoopsEnd, callKey, cardOf, freshState, grown, loopBegins, loopEnds, node, pathOf, port, sumUp, tasksOf, text, variables, writable, type Fields, type FoldState } from './run-fold-state';
import { CONTAINERS, isKeptAside, isTaken, slotKey } from './run-paths';
import { failedAt, failedCall as callThatFailed } from './run-location';
import type { CallCard, CardStatus, NodeRun, RunError, RunEventLike, RunItem, RunStatus } from './run-types';

export function applyEvent(s: FoldState, event: RunEventLike): void {
  s.lastSeq = event.seq as number;
  if (s.runId === '') s.runId = event.runId;
  const ms = Date.parse(event.ts);
  if (s.startedMs !== undefined) s.durationMs = Math.max(0, ms - s.startedMs);
  const payload = (event.payload ?? {}) as Fields;
  switch (event.type) {
    case 'workflow_start':
      s.status = 'running';
      s.startedAt = event.ts;
      s.startedMs = ms;
      s.name = text(payload['name']) ?? s.name;
      s.definitionHash = text(payload['version']);
      s.params = payload['params'];
      s.resumedFrom = text(payload['resumedFrom']);
      s.until = text(payload['until']);
      s.parentRunId = text(payload['parentRunId']);
      if (isObject(payload['context'])) Object.assign(variables(s), payload['context']);
      if (isObject(payload['base'])) {
        const stands = Array.isArray(payload['base']['events']) ? (payload['base']['events'] as RunEventLike[]) : [];
        // What is large is cut on the way here: then nothing is known of where it went.
        if (stands.length > 0) keepLeft(s, standing(s, stands));
        applyRerunBase(s, event, ms, stands);
      }
      return;
    case 'workflow_done':
      s.stopId = text(payload['stop_id']);
      return end(s, event, ms, payload, 'completed');
    case 'workflow_failed':
      s.error = readError(payload['error']);
      s.failedStepId = text(payload['failed_step_id']);
      s.failReason = text(payload['reason']);
      return end(s, event, ms, payload, 'failed');
    case 'workflow_cancelled':
      s.supersededBy = text(payload['supersededBy']);
      return end(s, event, ms, payload, 'cancelled');
    case 'workflow_resumed':
      s.status = 'running';
      return;
    case 'step_start':
      return stepStart(s, event, ms, payload);
    case 'step_done':
      return stepDone(s, event, ms, payload);
    case 'step_error':
      return isQuestion(payload) ? stepAsks(s, event, ms, readError(payload['error'])) : stepError(s, event, ms, readError(payload['error']));
    case 'step_interrupted':
      return stepInterrupted(s, event, ms, payload);
    case 'step_skipped':
      return stepSkipped(s, event, ms, payload);
    case 'retry_scheduled':
      return retryScheduled(s, event, ms, payload);
    case 'error_handled':
      return errorHandled(s, event, payload);
    case 'step_print': {
      const card = cardOf(s, event);
      if (card) card.printed = grown(s, card.printed, payload['value']);
      return;
    }
    case 'var_changed':
      return varChanged(s, event, payload);
    case 'file_start':
    case 'file_done': {
      const card = cardOf(s, event);
      const path = text(payload['path']);
      if (!card || path === undefined) return;
      const others = card.files.filter((file) => file.path !== path);
      const size = payload['size_bytes'];
      card.files = [...others, { path, seq: event.seq ?? 0, ...(typeof size === 'number' ? { sizeBytes: size } : {}) }];
      return;
    }
    default:
      // A type that nobody knows is one of a newer version: it stays in `events`, where the table shows it.
      if (!applyPeople(s, event, ms, payload) && !applySaid(s, event, ms, payload)) applyDebug(s, event, payload);
  }
}

/** The failed call that a recovery node works on, as its own events name it. */
function failedCall(event: RunEventLike, payload: Fields): RunEventLike | undefined {
  const origin = payload['origin'];
  if (!isObject(origin) || typeof origin['stepId'] !== 'string' || origin['stepId'] === event.stepId) return undefined;
  const number = (name: string): number | null => (typeof origin[name] === 'number' ? origin[name] : null);
  return { ...event, stepId: origin['stepId'], item: number('item'), visit: number('visit'), attempt: number('attempt') };
}

function stepStart(s: FoldState, event: RunEventLike, ms: number, payload: Fields): void {
  const failed = failedCall(event, payload);
  if (failed) s.routed.set(callKey(failed), 1);
  const card = addCard(s, event, ms, 'running');
  const run = node(s, card.nodeId, card.path);
  // Drawn in lines of many kinds: what turns a line is marked here once.
  const own = isObject(payload['meta']) ? text(payload['meta']['title']) : undefined;
  const told = own === undefined || own.trim() === '' ? undefined : plain(own);
  // The event has the title of the file; the card has a number behind it where several steps are called the same.
  const title = told !== undefined && run.title !== undefined && /^ \d+$/.test(run.title.slice(told.length)) && run.title.startsWith(told) ? run.title : told;
  run.kind = text(payload['type']) ?? run.kind;
  if (run.kind === 'flow.loop') loopBegins(s, card.nodeId, card.path, roundsIn(payload));
  run.title = title ?? run.title;
  card.kind = run.kind;
  card.title = title ?? run.title ?? card.nodeId;
  card.maxAttempts = run.maxAttempts;
  card.config = payload['config'];
  card.resolvedInputs = payload['resolvedInputs'] ?? undefined;
  card.input = Array.isArray(payload['input']) ? (payload['input'] as CallCard['input']) : [];
  card.inputItems = typeof payload['inputItems'] === 'number' ? payload['inputItems'] : undefined;
  const due = payload['dueMs'];
  if (typeof due === 'number') {
    card.dueMs = due;
    card.status = 'waiting';
    run.dueMs = due;
  }
  run.state = card.status === 'waiting' ? 'waiting' : 'running';
  run.attempt = card.attempt;
  run.retryAtMs = undefined;
  run.startedAt ??= event.ts;
  run.endedAt = undefined;
  run.calls++;
  run.open++;
  // A retry takes the same items again, and so does a call after a crash; of many items each part is a call that takes more.
  const more = !card.key.includes('#') || (card.input[0]?.item ?? 0) >= run.itemsIn;
  if (card.attempt === 0 && more) {
    // A long list is not told again: only how many items it has.
    const count = card.inputItems ?? card.input.length;
    run.itemsIn += count;
    run.inVisit = run.visit === card.visit ? (run.inVisit ?? 0) + count : count;
    run.visit = card.visit;
  }
  run.lastCard = card.index;
}

/** What stands of the original, folded by itself: it is this run before it began. */
function standing(s: FoldState, stands: readonly RunEventLike[]): FoldState {
  const before = freshState(s.runId, s.definition && { ...s.definition, kept: [] });
  for (const one of stands) applyEvent(before, one);
  return before;
}

/** A re-run that begins inside a container goes on in it: it has begun in the original, and ends here. */
function applyRerunBase(s: FoldState, event: RunEventLike, ms: number, stands: readonly RunEventLike[]): void {
  const open = new Map<string, RunEventLike>();
  for (const one of stands) {
    if (one.type !== 'step_start') open.delete(callKey(one));
    else if (CONTAINERS.has(text((one.payload as Fields | undefined)?.['type']) ?? '')) open.set(callKey(one), one);
  }
  for (const one of open.values()) stepStart(s, { ...one, runId: event.runId, seq: event.seq, ts: event.ts }, ms, (one.payload ?? {}) as Fields);
}

/** One per element of the list, of the input items without one; a condition is asked each time. */
function roundsIn(payload: Fields): number | null {
  const config = isObject(payload['config']) ? payload['config'] : {};
  if (config['while'] !== undefined && config['while'] !== null) return null;
  const list = config['source'] ?? payload['input'];
  return Array.isArray(list) ? list.length : null;
}

function close(s: FoldState, card: CallCard, event: RunEventLike, ms: number, status: CardStatus): NodeRun {
  card.status = status;
  card.endSeq = event.seq as number;
  card.endedMs = ms;
  card.durationMs = Math.max(0, ms - card.startedMs);
  const run = node(s, card.nodeId, card.path);
  run.open = Math.max(0, run.open - 1);
  run.durationMs += card.durationMs;
  if (card.startUnknown) card.durationMs = undefined;
  run.endedAt = event.ts;
  if (run.kind === 'flow.loop') loopEnds(s, card.nodeId, card.path);
  run.dueMs = undefined;
  if (run.says?.card === card.index) run.says = undefined;
  return run;
}

/** What a node is about: `running` while one of its calls goes on, `asks` while it only waits for a person. A call that waits is open and does not go on. */
function busy(s: FoldState, run: NodeRun): 'running' | 'asks' | undefined {
  // Nearly no step has any; the tasks of all others are not gone through for it.
  if (run.asking === undefined) return run.open > 0 ? 'running' : undefined;
  const tasks = tasksOf(s, run.id, run.path);
  const asking = tasks.filter((task) => task.nodeId === run.id && task.card !== undefined && s.cards.at(task.card)?.endSeq === undefined).length;
  return run.open > asking ? 'running' : tasks.length > 0 ? 'asks' : undefined;
}

/** The state of a node when one of its calls has ended well. One item that waits for a person is what there is to do, however many went well. */
function settle(s: FoldState, run: NodeRun): void {
  if (run.state === 'failed') return;
  run.state = busy(s, run) ?? ((s.handled.get(slotKey(run.id, run.path)) ?? 0) > 0 ? 'handled' : 'done');
}

const count = (map: PersistentMap<number>, key: string, by: number): void => void map.set(key, Math.max(0, (map.get(key) ?? 0) + by));

function stepDone(s: FoldState, event: RunEventLike, ms: number, payload: Fields): void {
  const card = cardOf(s, event) ?? looseCall(s, event, ms);
  if (!card) return;
  const partly = (card.itemErrors?.length ?? 0) > 0;
  const run = close(s, card, event, ms, partly ? 'handled' : 'done');
  card.outputs = payload['outputs'] ?? undefined;
  card.selected = text(payload['selected']);
  card.ports = isObject(payload['ports']) ? (payload['ports'] as Record<string, number>) : {};
  card.items = isObject(payload['items']) ? (payload['items'] as Record<string, RunItem[]>) : {};
  for (const [name, count] of Object.entries(card.ports)) {
    port(s, card.nodeId, name, count, card.path);
    run.itemsOut += count;
  }
  if (!s.handled.get(slotKey(run.id, run.path))) {
    run.errorCode = undefined;
    run.message = undefined;
  }
  settle(s, run);
}

/** A person is asked whether a tool may be called: nothing has failed, and no wire leads on. */
function stepAsks(s: FoldState, event: RunEventLike, ms: number, error: RunError | undefined): void {
  const card = cardOf(s, event) ?? (error && looseCall(s, event, ms));
  if (!card || !error) return;
  card.error = error;
  card.question = true;
  const run = close(s, card, event, ms, 'asks');
  run.state = run.open > 0 ? run.state : 'asks';
}

function stepError(s: FoldState, event: RunEventLike, ms: number, error: RunError | undefined): void {
  const card = cardOf(s, event) ?? (error && looseCall(s, event, ms));
  if (!card || !error) return;
  s.errors++;
  const code = error.details?.['code'];
  const ofBatch = card.item === undefined && event.item != null;
  card.error = error;
  card.maxAttempts = error.maxAttempts ?? card.maxAttempts;
  let run = node(s, card.nodeId, card.path);
  run.maxAttempts = error.maxAttempts ?? run.maxAttempts;
  run.errorCode = text(code) ?? error.type;
  run.message = error.message;
  const wired = s.wired.has(`${card.nodeId}.error`);
  if (wired) {
    port(s, card.nodeId, 'error', 1, card.path);
    count(s.handled, slotKey(card.nodeId, card.path), 1);
  }
  if (ofBatch) {
    card.itemErrors = grown(s, card.itemErrors, { item: event.item as number, error });
    // The rest of the batch is still to come with `step_done`, unless all of it failed.
    if (card.itemErrors.length < card.input.length) return;
  }
  run = close(s, card, event, ms, wired ? 'handled' : 'failed');
  const goesOn = busy(s, run);
  // What failed without a way on stays failed where nothing else goes on; a person may be asked about it next.
  run.state = run.open === 0 && !wired ? 'failed' : goesOn ?? 'handled';
}

function retryScheduled(s: FoldState, event: RunEventLike, ms: number, payload: Fields): void {
  const card = cardOf(s, event);
  const delay = Number(payload['delayMs'] ?? 0);
  s.retries++;
  const run = node(s, event.stepId ?? '', event.path);
  run.state = 'retrying';
  run.attempt = Number(payload['attempt'] ?? run.attempt + 1);
  run.retryAtMs = ms + delay;
  if (s.wired.has(`${run.id}.error`)) {
    // A step's own retry comes before its error wire; an error that a rule answered with a retry went along it.
    if (!s.routed.get(callKey(event))) port(s, run.id, 'error', -1, event.path);
    count(s.handled, slotKey(run.id, event.path), -1);
  }
  if (!card) return;
  card.retryAtMs = ms + delay;
  card.retryDelayMs = delay;
  card.status = card.endSeq === undefined ? card.status : 'failed';
}

/** Where an action leaves a handler (SEMANTICS 4). */
const portOf = (action: string): string => (action === 'error_as_context' ? 'context' : action);

/** A handler's only event: one item came in, one went out where its rule says. */
function handlerDecided(s: FoldState, event: RunEventLike, action: string): void {
  const run = node(s, event.stepId as string, event.path);
  run.state = 'done';
  run.startedAt ??= event.ts;
  run.endedAt = event.ts;
  run.calls++;
  run.itemsIn++;
  run.itemsOut++;
  port(s, run.id, portOf(action), 1, event.path);
}

function errorHandled(s: FoldState, event: RunEventLike, payload: Fields): void {
  const origin = text(payload['originStepId']) ?? event.stepId ?? '';
  const action = text(payload['action']) ?? '';
  const decision = { rule: text(payload['rule']) ?? '', action, wanted: text(payload['wanted']), by: event.stepId ?? '' };
  const run = node(s, origin, event.path);
  const failed = failedCall(event, payload);
  const own = event.stepId === origin || !event.stepId;
  const card = cardOf(s, failed ?? event) ?? (own || run.lastCard === undefined ? undefined : writable(s, run.lastCard));
  if (card) card.decision = decision;
  if (failed) s.routed.set(callKey(failed), 1);
  if (!own) handlerDecided(s, event, action);
  // Along a drawn wire the item goes on from the handler.
  const drawn = !own && s.wired.has(`${decision.by}.${portOf(action)}`);
  if (action === 'fallback' || action === 'error_as_context') {
    if (!s.wired.has(`${origin}.error`)) count(s.handled, slotKey(origin, event.path), 1);
    const goesOn = busy(s, run);
    if (goesOn !== 'running') run.state = goesOn ?? 'handled';
    if (card && card.endSeq !== undefined) card.status = 'handled';
    if (action === 'fallback' && !drawn && s.definition?.nodes[origin]?.errorHandling?.fallbackNodeId) port(s, origin, 'fallback', 1, event.path);
  } else if (action === 'abort' && !drawn && run.open === 0) {
    run.state = 'failed';
  }
}

function stepInterrupted(s: FoldState, event: RunEventLike, ms: number, payload: Fields): void {
  const card = cardOf(s, event) ?? looseCall(s, event, ms);
  if (!card || card.endSeq !== undefined) return;
  card.effectUnknown = payload['effect'] === 'unknown';
  const run = close(s, card, event, ms, 'interrupted');
  if (run.open === 0) run.state = hasTerminalFailure(s, run) ? 'failed' : 'cancelled';
}

/** Whether a call of this step, at this place, has failed for good: that others of it were cut off then does not undo it. */
function hasTerminalFailure(s: FoldState, run: NodeRun): boolean {
  if (s.errors === 0 || run.calls < 2) return false;
  return s.callsOf.get(run.id)?.some((index) => {
    const card = s.cards.at(index);
    return card !== undefined && card.status === 'failed' && card.retryAtMs === undefined && card.visit === run.visit && card.path === run.path;
  }) ?? false;
}

function stepSkipped(s: FoldState, event: RunEventLike, ms: number, payload: Fields): void {
  const card = addCard(s, event, ms, 'skipped');
  card.skippedBecause = text(payload['condition']);
  card.endSeq = event.seq as number;
  card.endedMs = ms;
  card.durationMs = 0;
  const run = node(s, card.nodeId, card.path);
  card.kind = run.kind;
  run.state = 'skipped';
  run.startedAt ??= event.ts;
  run.endedAt = event.ts;
  run.lastCard = card.index;
}

function varChanged(s: FoldState, event: RunEventLike, payload: Fields): void {
  const name = text(payload['name']) ?? '';
  const card = cardOf(s, event);
  const change = {
    seq: event.seq as number,
    name,
    oldValue: payload['oldValue'],
    newValue: payload['newValue'],
    unset: !('oldValue' in payload),
  };
  if (card) card.changes = grown(s, card.changes, change);
  // Another file has variables of its own, be they called the same.
  if (event.path && pathOf(s, event.path).foreign) return;
  setPath(variables(s), name.replace(/^\$/, ''), payload['newValue']);
}

/** Sets `a.b[0]` without touching the objects of an older view. */
export function setPath(root: Fields, path: string, value: unknown): void {
  const keys = path.split(/[.[\]]/).filter((key) => key !== '');
  if (keys.length === 0) return;
  let at: Fields = root;
  for (const [depth, key] of keys.entries()) {
    if (key === '__proto__') return;
    if (depth === keys.length - 1) {
      at[key] = value;
      return;
    }
    const next = at[key];
    const copy = Array.isArray(next) ? [...next] : isObject(next) ? { ...next } : {};
    at[key] = copy;
    at = copy as Fields;
  }
}

function framesAround(s: FoldState, step: string | undefined): string[] {
  const found: string[] = [];
  for (let id = s.definition?.nodes[step ?? '']?.parent; id && !found.includes(id); id = s.definition?.nodes[id]?.parent) found.push(id);
  return found;
}

/** A dead branch writes no event: a step is skipped when every wire to it comes from a step that ended and sent nothing there, and so is what a frame that has ended left out. */
function markSkipped(s: FoldState): void {
  const ways = new Map<string, string[]>();
  for (const edge of s.definition?.edges ?? []) ways.set(edge.to, [...(ways.get(edge.to) ?? []), edge.from]);
  const dead = (from: string): boolean => {
    const source = s.nodes[from.slice(0, from.lastIndexOf('.'))];
    return source?.state === 'skipped' || isKeptAside(source, from) || ((source?.state === 'done' || source?.state === 'handled') && !source.unloaded && !isTaken(source, from, s.ports));
  };
  const frameEnded = (id: string): boolean => {
    const state = s.nodes[s.definition?.nodes[id]?.parent ?? '']?.state;
    return state === 'skipped' || state === 'done' || state === 'handled' || state === 'kept';
  };
  // Only a Stop or a failure leaves steps that could still have been reached.
  const whole = s.status === 'completed' && s.stopId === undefined;
  for (const id of framesAround(s, s.until)) {
    if (s.nodes[id]?.state === 'unreached') node(s, id).state = 'cancelled';
  }
  for (let more = true; more;) {
    more = false;
    for (const [id, known] of Object.entries(s.nodes)) {
      if (known.state === 'unreached' && s.skipped?.left.has(id)) {
        node(s, id).state = 'skipped';
        more = true;
        continue;
      }
      if (known.state !== 'unreached' || !(whole || frameEnded(id) || ways.get(id)?.every(dead))) continue;
      // What an empty loop leads to ran with nothing, and a step without items tells nothing (SEMANTICS 11).
      const ran = whole && ways.get(id)?.some((from) => {
        const dot = from.lastIndexOf('.');
        const source = s.nodes[from.slice(0, dot)];
        return !s.ports[from] && !source?.leftKept?.[from.slice(dot + 1)] && isTaken(source, from, s.ports);
      });
      node(s, id).state = ran ? 'done' : 'skipped';
      more = true;
    }
  }
}

function end(s: FoldState, event: RunEventLike, ms: number, payload: Fields, status: RunStatus): void {
  s.status = status;
  s.endedAt = event.ts;
  s.endedMs = ms;
  // A failed call that a person was asked about had ended; nobody answers any more.
  for (const { card, nodeId, originId, path } of s.tasks) {
    for (const index of [card, node(s, nodeId, path).lastCard, originId === undefined ? undefined : node(s, originId, path).lastCard]) {
      if (index !== undefined && s.cards.at(index)?.status === 'asks' && s.cards.at(index)?.endSeq !== undefined) writable(s, index).status = 'cancelled';
    }
  }
  s.tasks = [];
  const duration = payload['duration_ms'];
  if (typeof duration === 'number') s.durationMs = duration;
  const culprit = callThatFailed({ ...s, calls: s.cards });
  for (const known of s.slots.values()) {
    // Other items of it may have been under way: it failed all the same.
    const fell = culprit !== undefined && known.id === culprit.nodeId && known.path === culprit.path;
    if (fell && known.state === 'cancelled') Object.assign(node(s, known.id, known.path), { state: 'failed' });
    else if (known.state === 'running' || known.state === 'asks' || known.state === 'waiting' || known.state === 'retrying') Object.assign(node(s, known.id, known.path), { state: fell ? 'failed' : 'cancelled', retryAtMs: undefined, dueMs: undefined, open: 0 });
    else if (known.state === 'failed' && status === 'completed') node(s, known.id, known.path).state = 'handled';
  }
  allLoopsEnd(s);
  sumUp(s);
  const failed = failedAt({ ...s, calls: s.cards }, s.definition);
  for (const [id, known] of Object.entries(s.nodes)) {
    if (known.over !== undefined) continue;
    if (known.state === 'idle' && known.calls === 0) {
      node(s, id).state = 'unreached';
    } else if (known.state === 'running' || known.state === 'asks' || known.state === 'waiting' || known.state === 'retrying') {
      const run = node(s, id);
      run.state = id === failed ? 'failed' : 'cancelled';
      run.retryAtMs = undefined;
      run.dueMs = undefined;
      run.open = 0;
    } else if (known.state === 'failed' && status === 'completed') {
      // Invariant 5: a run that completed had every error handled.
      node(s, id).state = 'handled';
    }
  }
  if (failed !== undefined && s.nodes[failed]?.over === undefined && s.nodes[failed]) node(s, failed).state = 'failed';
  // The call that the end of the run cut off: one state on the card, in lists and in the log. A run that ends after a step in a frame cuts that off, too.
  if (status === 'cancelled' || s.until !== undefined) {
    for (const known of Object.values(s.nodes)) {
      if (known.state === 'cancelled' && known.lastCard !== undefined && s.cards.at(known.lastCard)?.status === 'interrupted') {
        writable(s, known.lastCard).status = 'cancelled';
      }
    }
  }
  markSkipped(s);
  for (let i = 0; i < s.cards.length; i++) {
    const known = s.cards.at(i) as CallCard;
    if (known.endSeq !== undefined) continue;
    const card = writable(s, i);
    card.status = 'cancelled';
    card.endSeq = event.seq as number;
    card.endedMs = ms;
    card.durationMs = Math.max(0, ms - card.startedMs);
  }
}

// Decisions on their way: each waits five seconds, so that it can be taken back before anything is sent. Kept over a reload.

import { create } from 'zustand';
import { toApiError, type ApiError } from '../../api/error.ts';
import { parseExact, writeExact } from '../../json/exact-json.ts';
import { randomId } from '../../text/random-id.ts';
import type { Operation } from '../../shared/evidence/patch.ts';
import { call } from '../../api/client.ts';
import { loadRole, queryClient } from '../../api/queries.ts';
import { refreshTasks } from './refresh.ts';
import { dropDraft, useDrafts } from './drafts.ts';
import type { BatchResult, TaskAction } from './types.ts';

export const UNDO_MS = 5_000;
/** So many tasks of a long decision go at once: what is done shows, and Stop is heard between two parts. Each answer is a commit of its own all the same. */
export const PART = 10;
/** How often the host is asked what became of a decision that it did not answer. */
export const LOOK_MS = 3_000;
/** A decision found after a restart is sent by itself only when it is not older than this. */
const FRESH_MS = 60_000;
const KEY = 'signalbox.sends';

export interface SendError { code: string; message: string; hint: string; details?: unknown }
export interface Send {
  /** The request id: sent twice, it counts once. */
  id: string;
  taskIds: string[];
  /** Who decided: in a browser that several people use, nobody else sends it. */
  by?: string;
  /** Sent as a batch, however many are left of it: the host knows its parts by the batch. */
  batch?: true;
  title: string;
  action: TaskAction;
  correctedInput?: unknown;
  patch?: Operation[];
  targetNodeId?: string;
  /** With a retry: what the run may spend more, in millionths. */
  budgetMicros?: number;
  /** It decides about a call of a tool, which has words of its own. */
  tool?: true;
  /** With an approval of a call of a tool: how far it goes. */
  toolGrant?: 'once' | 'run';
  notes?: string;
  /** What the person had changed in the form is not part of it. */
  leavesChanges?: true;
  revision?: number;
  sendAt: number;
  /** `held`: found after a restart; a person says whether it still holds. */
  state: 'waiting' | 'sending' | 'failed' | 'held' | 'done';
  error?: SendError;
  /** Of these no answer came: whether they are decided is not known. */
  unsure?: string[];
  /** What came of those that were sent; the rest is still on its way, or was left undecided. */
  results?: BatchResult['results'];
  /** The person does not want the rest of it to be sent. */
  stopped?: true;
  /** Holds values that were masked, or that a schema marks as secret: it lives as long as the page, and is never written to the disk. */
  unmasked?: true;
}
type NewSend = Omit<Send, 'id' | 'by' | 'batch' | 'sendAt' | 'state' | 'error' | 'unsure' | 'results' | 'stopped' | 'unmasked'>;

export const useSends = create<{ sends: Send[] }>(() => ({ sends: [] }));
let timer: ReturnType<typeof setTimeout> | undefined;
let lookTimer: ReturnType<typeof setTimeout> | undefined;
let onSent: (send: Send, errorText: Told) => void = () => undefined;
/** `driven`: the run goes on by itself. `counted`: an approval of several that was not the last. */
export interface Told { driven: boolean; counted?: { n: number; of: number } }

/** Who says on the page that a decision was stored. */
export function whenSent(handler: (send: Send, errorText: Told) => void): void {
  onSent = handler;
}

/** Who is here, once it is known. */
const me = (): string | undefined => queryClient.getQueryData<{ operatorId: string }>(['who', {}])?.operatorId;
const isOfAnother = (send: Send): boolean => send.by !== undefined && send.by !== me();

function everyones(): Send[] {
  try {
    const list: unknown = parseExact(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(list) ? list.filter((one): one is Send => typeof one === 'object' && one !== null && Array.isArray((one as Send).taskIds) && typeof (one as Send).id === 'string') : [];
  } catch {
    return [];
  }
}
const stored = (): Send[] => everyones().filter((send) => !isOfAnother(send));
function set(sends: Send[]): void {
  useSends.setState({ sends });
  const kept = [...everyones().filter(isOfAnother), ...sends.filter((send) => !send.unmasked)];
  try {
    if (kept.length) localStorage.setItem(KEY, writeExact(kept));
    else localStorage.removeItem(KEY);
  } catch {
    // No room to remember it: the page still sends it in time.
  }
  plan();
}
const update = (id: string, part: Partial<Send>) => set(useSends.getState().sends.map((send) => (send.id === id ? { ...send, ...part } : send)));

function plan(): void {
  clearTimeout(timer);
  const next = Math.min(...useSends.getState().sends.filter((send) => send.state === 'waiting').map((send) => send.sendAt));
  if (Number.isFinite(next)) timer = setTimeout(sendDue, leftOf(next));
  if (!useSends.getState().sends.some((send) => send.unsure)) {
    clearTimeout(lookTimer);
    lookTimer = undefined;
  } else lookTimer ??= setTimeout(lookAgain, LOOK_MS);
}
/** Milliseconds until it is sent: never more than it was given, where the clock was put back meanwhile. */
export const leftOf = (sendAt: number, now = Date.now()): number => Math.min(UNDO_MS, Math.max(0, sendAt - now));
function sendDue(): void {
  for (const send of useSends.getState().sends) if (send.state === 'waiting' && (send.sendAt <= Date.now() || send.sendAt > Date.now() + UNDO_MS)) void deliver(send.id);
  plan();
}

/** `holdsSecret`: the schema of a task marks values that stand in its correction. */
export function queueSend(send: NewSend, { holdsSecret = false }: { holdsSecret?: boolean } = {}): string {
  const id = randomId();
  // A newer decision on the same task takes the place of one that is not sent yet.
  const others = useSends.getState().sends.filter((one) => one.state === 'sending' || !one.taskIds.every((task) => send.taskIds.includes(task)));
  const { revealed } = useDrafts.getState();
  const [batch, by] = [isBatch(send), me()];
  const unmasked = (send.correctedInput !== undefined || send.patch !== undefined) && (holdsSecret || send.taskIds.some((task) => Object.hasOwn(revealed, task)));
  set([...others, { ...send, id, sendAt: Date.now() + UNDO_MS, state: 'waiting', ...(by === undefined ? {} : { by }), ...(batch ? { batch } : {}), ...(unmasked ? { unmasked } : {}) }]);
  return id;
}

export const isBatch = (send: Pick<Send, 'taskIds' | 'batch' | 'patch'>): boolean => send.batch === true || send.taskIds.length > 1 || send.patch !== undefined;

/** Takes it back. False when it is too late. */
export function cancelSend(id: string): Send | undefined {
  const send = useSends.getState().sends.find((one) => one.id === id);
  if (!send || send.state === 'sending' || send.state === 'done') return undefined;
  set(useSends.getState().sends.filter((one) => one.id !== id));
  return send;
}
/** Decides about one of its tasks in another way: the others go on as they are. */
export function takeOut(id: string, taskId: string): void {
  const send = useSends.getState().sends.find((one) => one.id === id);
  if (!send || send.state === 'sending' || send.state === 'done') return;
  const taskIds = send.taskIds.filter((one) => one !== taskId);
  const results = send.results?.filter((one) => one.taskId !== taskId);
  // What is left has its answers: there is nothing to send again.
  const all = results !== undefined && results.length === taskIds.length;
  if (taskIds.length === 0) dismissSend(id);
  else update(id, { taskIds, ...(send.unsure ? { unsure: without(send.unsure, [taskId]) } : {}), ...(results ? { results } : {}), ...(all ? { state: 'done', error: undefined } : {}) });
}
export function undoLast(): Send | undefined {
  const last = useSends.getState().sends.filter((send) => send.state === 'waiting').at(-1);
  return last ? cancelSend(last.id) : undefined;
}
/** Sends no more of a decision about many: what is under way ends, the rest stays undecided. */
export function stopSend(id: string): void {
  if (useSends.getState().sends.some((send) => send.id === id && send.state === 'sending')) update(id, { stopped: true });
}
export function dismissSend(id: string): void {
  set(useSends.getState().sends.filter((one) => one.id !== id));
}
export function sendNow(id: string): void {
  // Of a decision about many those are sent again that came to nothing, and may not next time.
  const send = useSends.getState().sends.find((one) => one.id === id);
  if (send?.state === 'done' && send.results) update(id, { state: 'failed', results: send.results.filter((one) => !mayStill(one)) });
  void deliver(id);
}
/** Refusals that stand, however often one asks. */
const STANDS = new Set(['ALREADY_ANSWERED', 'EXPIRED', 'STALE', 'CANCELLED', 'NOT_FOUND', 'INPUT_INVALID', 'FORBIDDEN']);
/** Whether it may be sent again with another end. */
export const mayRetry = (error: { code: string } | undefined): boolean => error !== undefined && !STANDS.has(error.code);
export const mayStill = (one: BatchResult['results'][number]): boolean => !one.ok && mayRetry(one.error ?? undefined);

/** Left out when nothing is left: what has such a list is looked after. */
function without(list: readonly string[], gone: readonly string[]): string[] | undefined {
  const rest = list.filter((one) => !gone.includes(one));
  return rest.length ? rest : undefined;
}
const isStopped = (id: string): boolean => useSends.getState().sends.find((one) => one.id === id)?.stopped === true;

async function deliver(id: string): Promise<void> {
  // What another window did with it is known here: see onStorage.
  const send = useSends.getState().sends.find((one) => one.id === id);
  if (!send || send.state === 'sending' || send.state === 'done') return;
  // Who begins again means the rest of it, whatever was stopped before.
  update(id, { state: 'sending', error: undefined, unsure: undefined, stopped: undefined });
  const { action, correctedInput, targetNodeId, budgetMicros, toolGrant, notes, revision } = send;
  const said = notes?.trim() ? { notes: notes.trim() } : {};
  let asked = send.taskIds;
  try {
    const [only] = send.taskIds;
    if (!isBatch(send) && only !== undefined) {
      const done = await call('task_complete', {
        taskId: only, action, requestId: id, ...said,
        ...(correctedInput === undefined ? {} : { correctedInput }), ...(targetNodeId ? { targetNodeId } : {}), ...(budgetMicros === undefined ? {} : { budgetMicros }), ...(toolGrant ? { toolGrant } : {}), ...(revision === undefined ? {} : { revision }),
      });
      dropDraft(only);
      dismissSend(id);
      const counted = done.state === 'open' ? { n: done.approvals ?? 1, of: done.minApprovals ?? 2 } : undefined;
      onSent(send, { driven: done.driven, ...(counted ? { counted } : {}) });
    } else {
      let results = send.results ?? [];
      const answered = new Set(results.map((one) => one.taskId));
      const rest = send.taskIds.filter((taskId) => !answered.has(taskId));
      // All parts have one request id: they are one batch in the audit chain, and what is sent twice counts once.
      for (let from = 0; from < rest.length && !isStopped(id); from += PART) {
        asked = rest.slice(from, from + PART);
        results = [...results, ...await sendPart(send, asked)];
        update(id, { results });
      }
      update(id, { state: 'done' });
      onSent({ ...send, results }, { driven: true });
    }
  } catch (cause) {
    const error = toApiError(cause);
    const { code, message, hint, details } = error;
    update(id, { state: 'failed', error: { code, message, hint, details }, unsure: isNoAnswer(error) ? asked : undefined });
  } finally {
    void refreshTasks();
  }
}

async function sendPart({ id, action, correctedInput, patch, notes }: Send, taskIds: string[]): Promise<BatchResult['results']> {
  const said = notes?.trim() ? { notes: notes.trim() } : {};
  const { results } = await call('task_complete_many', { taskIds, action, requestId: id, ...said, ...(correctedInput === undefined ? {} : { correctedInput }), ...(patch ? { patch } : {}) });
  for (const one of results) if (one.ok) dropDraft(one.taskId);
  return results;
}

/** The way broke, or something on it answered in the place of Signalbox: the request may have arrived. */
const isNoAnswer = ({ code }: Pick<ApiError, 'code'>): boolean => code === 'CONNECTION' || code === 'HTTP_STATUS';

function lookAgain(): void {
  void Promise.all(useSends.getState().sends.filter((send) => send.unsure).map((send) => look(send.id))).finally(() => {
    lookTimer = undefined;
    plan();
  });
}

/** Asks what became of a decision without an answer. A task that is closed is sent the same request again: it can decide nothing any more, and its answer says whose decision it was.
 *  One that is still open is left to the person, for whom nothing is decided here. */
async function look(id: string): Promise<void> {
  const found = () => useSends.getState().sends.find((one) => one.id === id && one.state === 'failed');
  const send = found();
  if (!send?.unsure) return;
  try {
    const seen = await Promise.all(send.unsure.map(async (taskId) => ((await isClosed(send, taskId)) ? [taskId] : [])));
    const closed = seen.flat();
    if (!closed.length || !found()?.unsure) return;
    if (!isBatch(send)) {
      await deliver(id);
      return;
    }
    const answers = await sendPart(send, closed);
    const now = found();
    // The person began again meanwhile: that answers for all of them.
    if (!now?.unsure) return;
    // One of them may have been decided in another way meanwhile.
    const results = [...(now.results ?? []), ...answers.filter((one) => now.taskIds.includes(one.taskId))];
    const all = results.length === now.taskIds.length;
    update(id, { results, unsure: without(now.unsure, closed), ...(all ? { state: 'done', error: undefined } : {}) });
    void refreshTasks();
  } catch {
    // It does not answer yet.
  }
}

async function isClosed(send: Send, taskId: string): Promise<boolean> {
  try {
    const { state, minApprovals, votes } = await call('task_get', { taskId });
    if (state !== 'open') return true;
    if (send.action !== 'approve' || minApprovals < 2) return false;
    // Whoever has approved cannot approve twice.
    const { operatorId } = await call('who', {});
    return votes.some((vote) => vote.by === operatorId);
  } catch (cause) {
    if (toApiError(cause).code === 'NOT_FOUND') return true;
    throw cause;
  }
}

/** Once at the start: what was on its way goes on, as soon as it is known whose it is. */
export function resumeSends(): () => void {
  if (me() === undefined && everyones().some((send) => send.by !== undefined)) void loadRole().then(resume);
  else resume();
  const onStorage = (event: StorageEvent) => {
    if (event.key !== KEY) return;
    useSends.setState({ sends: [...stored(), ...useSends.getState().sends.filter((send) => send.unmasked)] });
    plan();
  };
  window.addEventListener('storage', onStorage);
  return () => {
    window.removeEventListener('storage', onStorage);
    clearTimeout(timer);
    clearTimeout(lookTimer);
    lookTimer = undefined;
  };
}

function resume(): void {
  const now = Date.now();
  const unmasked = useSends.getState().sends.filter((send) => send.unmasked);
  set([...stored().filter((send) => send.state !== 'done' && !(send.state === 'sending' && send.stopped)).map((send): Send => {
    if (send.state === 'failed' || send.state === 'held') return send;
    if (now - send.sendAt > FRESH_MS) return { ...send, state: 'held' };
    return { ...send, state: 'waiting', sendAt: Math.max(send.sendAt, now + 1_000) };
  }), ...unmasked]);
}

/** What is said of it in a word or two: of one without an answer not that it was not saved. */
export const sendWord = (send: Pick<Send, 'state' | 'unsure'>): Send['state'] | 'unsure' => (send.unsure ? 'unsure' : send.state);
/** Whether nothing else is decided until it has arrived or come back. */
export const isOnItsWay = (send: Send | undefined): boolean => send?.state === 'waiting' || send?.state === 'sending';
/** Whether it still decides about a task: of one that broke off not about those that have their answer. */
const decides = (send: Send, taskId: string): boolean =>
  send.state !== 'done' && send.taskIds.includes(taskId) && (send.state === 'sending' || send.results?.some((one) => one.taskId === taskId) !== true);
/** The decision on its way for a task. */
export const sendOf = (sends: readonly Send[], taskId: string): Send | undefined => sends.find((send) => decides(send, taskId));

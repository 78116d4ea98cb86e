// How a task is said: who, when, what next. Pure.

import { pointerParts } from '../../json/json.ts';
import { partsOf } from '../../run/run-paths.ts';
import { formatDateTime, formatMoney, formatNumber, formatPerson, formatTime, t, tn, type MessageKey } from '../../i18n/index.ts';
import type { IconName, Signal } from '../../kit/index.ts';
import { asksForMore } from './budget.ts';
import type { Send } from './sending.ts';
import type { Task, TaskAction, TaskEvent, TaskRow, TaskSort } from './types.ts';
import type { Work } from './use-work.ts';

export const ACTIONS: readonly TaskAction[] = ['retry', 'correct', 'skip', 'alternative', 'abort', 'approve', 'reject', 'submit'];
export const isAction = (text: string): text is TaskAction => (ACTIONS as readonly string[]).includes(text);

export const ACTION_ICON: { [A in TaskAction]: IconName } = {
  retry: 'retry', correct: 'check', skip: 'skip', alternative: 'split', abort: 'ban', approve: 'check', reject: 'ban', submit: 'send',
};
export const actionText = (action: TaskAction): string => t(`inbox.action.${action}`);
/** What the button on a task says: a pause is taken up, a form is sent. */
export const actionOn = (task: Pick<TaskRow, 'kind'>, action: TaskAction): string => (task.kind === 'pause' && action === 'submit' ? t('inbox.action.resume') : actionText(action));
export const doneText = (action: string): string => (isAction(action) ? t(`inbox.did.${action}`) : action);

type Said = Pick<Send, 'action' | 'tool' | 'toolGrant' | 'budgetMicros'>;
/** What a call of a tool is decided to be: once and for the rest of the run are two things. */
const grantOf = ({ action, toolGrant }: { action: string; toolGrant?: string | undefined }): 'once' | 'run' | 'reject' | undefined =>
  (action === 'reject' ? 'reject' : action !== 'approve' ? undefined : toolGrant === 'run' ? 'run' : 'once');
/** A decision on its way, as its button says it. */
export function sentText(send: Said): string {
  if (send.budgetMicros !== undefined) return t('inbox.budget.retry', { amount: formatMoney(send.budgetMicros) });
  const grant = send.tool ? grantOf(send) : undefined;
  return grant === undefined ? actionText(send.action) : t(grant === 'run' ? 'inbox.tool.forRun' : grant === 'once' ? 'inbox.tool.approve' : 'inbox.tool.reject');
}
/** A decision that was made. */
export function madeText(made: { action: string; tool?: boolean | undefined; toolGrant?: string | undefined }): string {
  const grant = made.tool ? grantOf(made) : undefined;
  return grant === undefined ? doneText(made.action) : t(`inbox.tool.did.${grant}`);
}
/** The decision of a task. */
export const decidedText = (task: Pick<Task, 'reason'>, decision: NonNullable<Task['decision']>): string => madeText({ ...decision, tool: task.reason === 'tool_call' });

const pad = (n: number) => String(n).padStart(2, '0');

/** "user:ada" is ada; a group keeps its word. */
export const whoText = (id: string): string => formatPerson(id).replace(/^group:/, `${t('inbox.group')} `);
export const initials = (id: string): string => {
  const words = whoText(id).split(/[\s._-]+/).filter(Boolean);
  return (words.length > 1 ? words.slice(0, 2).map((word) => word[0] ?? '').join('') : (words[0] ?? '?').slice(0, 2)).toUpperCase();
};

/** In which iteration a task asks: "iteration 4", in a loop of a loop "iteration 4, 1". Empty outside of loops. */
export function roundText(path: string): string {
  const rounds = partsOf(path).flatMap(({ index }) => (index === undefined ? [] : [formatNumber(index + 1)]));
  return rounds.length > 0 ? t('inbox.round', { n: rounds.join(', ') }) : '';
}

/** A length of time in one or two words: "48 min", "3 h 20 min", "2 d". */
export function spanText(ms: number): string {
  const minutes = Math.floor(Math.abs(ms) / 60_000);
  if (minutes < 1) return t('inbox.span.seconds', { n: Math.floor(Math.abs(ms) / 1000) });
  if (minutes < 60) return t('inbox.span.minutes', { n: minutes });
  const hours = Math.floor(minutes / 60);
  if (hours < 6 && minutes % 60) return t('inbox.span.hoursMinutes', { h: hours, m: minutes % 60 });
  if (hours < 48) return t('inbox.span.hours', { n: hours });
  return t('inbox.span.days', { n: Math.floor(hours / 24) });
}

export type Due = { tone: 'err' | 'wait' | 'calm'; late: boolean; text: string; part: number };
/** How near the end of the time is. `part`: what is left of the whole, 1 to 0. */
export function dueOf(task: Pick<TaskRow, 'createdAt' | 'expiresAt' | 'heldSince'>, now: number): Due | undefined {
  // What stands still is never late.
  if (!task.expiresAt || task.heldSince) return undefined;
  const end = Date.parse(task.expiresAt);
  if (Number.isNaN(end)) return undefined;
  const left = end - now;
  const whole = Math.max(1, end - Date.parse(task.createdAt));
  const part = Math.max(0, Math.min(1, left / whole));
  if (left <= 0) return { tone: 'err', late: true, text: t('inbox.late', { span: spanText(left) }), part: 0 };
  // D2.8: half of the time, and nine tenths of it.
  return { tone: part <= 0.1 ? 'err' : part <= 0.5 ? 'wait' : 'calm', late: false, text: spanText(left), part };
}

/** "On hold, 4 h left": its time stands still. */
export const heldText = (task: Pick<TaskRow, 'remainingMs'>): string => (task.remainingMs === undefined ? t('inbox.onHold') : t('inbox.onHoldLeft', { span: spanText(task.remainingMs) }));

const HOUR_MS = 3_600_000;
/** Until when a task is due today: the end of the person's day, as this machine counts days, but never less than 12 hours from now. A full hour
 * or the end of a day, so that it stays the same for a while. */
export function todayEnd(now: number): number {
  return Math.max(new Date(now).setHours(23, 59, 59, 999), Math.ceil((now + 12 * HOUR_MS) / HOUR_MS) * HOUR_MS);
}

/** `rest`: later, or without a limit, where the order is by priority. */
export type Bucket = 'overdue' | 'today' | 'later' | 'none' | 'rest' | 'done';
export function bucketOf(task: TaskRow, now: number): Bucket {
  if (task.state !== 'open') return 'done';
  if (!task.expiresAt || task.heldSince) return 'none';
  const end = Date.parse(task.expiresAt);
  if (end <= now) return 'overdue';
  return end <= todayEnd(now) ? 'today' : 'later';
}

export type ListEntry = { head: Bucket; count: number } | { task: TaskRow; index: number };
/** Headings where the order of the rows allows them: each at most once. By urgency what is not due today is one part: there priority decides, not the time. */
export function entriesOf(tasks: readonly TaskRow[], now: number, sort: TaskSort = 'due'): ListEntry[] {
  const plain = tasks.map((task) => bucketOf(task, now));
  const buckets = plain.map((bucket) => (sort === 'urgent' && (bucket === 'later' || bucket === 'none') ? 'rest' : bucket));
  const counts = new Map<Bucket, number>();
  let turns = 0;
  buckets.forEach((bucket, index) => {
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
    if (bucket !== buckets[index - 1]) turns += 1;
  });
  const heads = turns === counts.size && (counts.size > 1 || !plain.includes('none'));
  return tasks.flatMap<ListEntry>((task, index) => {
    const bucket = buckets[index];
    const head = heads && bucket !== undefined && bucket !== buckets[index - 1];
    return [...(head ? [{ head: bucket, count: counts.get(bucket) ?? 0 }] : []), { task, index }];
  });
}

/** The icon of a row: what is asked, not how bad it is. */
export function rowIcon(task: TaskRow): { icon: IconName; color: string; label: string } {
  if (task.state === 'done') return { icon: 'okc', color: 'c-ok', label: t('inbox.state.done') };
  if (task.state !== 'open') return { icon: 'ban', color: 'c-off', label: t(`inbox.state.${task.state}`) };
  switch (task.kind) {
    case 'approval': return { icon: 'check', color: 'c-person', label: t('inbox.kind.approval') };
    case 'form': return { icon: 'rows', color: 'c-person', label: t('inbox.kind.form') };
    case 'pause': return { icon: 'pause', color: 'c-person', label: t('inbox.kind.pause') };
    case 'decision':
      if (task.reason === 'tool_call') return { icon: 'wrench', color: 'c-person', label: t('inbox.kind.tool') };
      if (task.reason === 'question') return { icon: 'rows', color: 'c-person', label: t('inbox.kind.question') };
      return task.reason === 'interrupted'
        ? { icon: 'stale', color: 'c-wait', label: t('inbox.kind.interrupted') }
        : { icon: 'errd', color: 'c-err', label: t('inbox.kind.decision') };
  }
}
export function stateSignal(state: TaskRow['state']): Signal {
  return state === 'open' ? 'person' : state === 'done' ? 'ok' : state === 'expired' ? 'warn' : 'off';
}

/** "Free again in 14 min". A lease that has run out counts as none. */
export function claimOf(task: TaskRow, me: string | undefined, now: number): { by: string; mine: boolean; left: number } | undefined {
  if (!task.claimedBy || task.state !== 'open') return undefined;
  const left = task.claimExpiresAt ? Date.parse(task.claimExpiresAt) - now : Number.POSITIVE_INFINITY;
  if (left <= 0) return undefined;
  return { by: task.claimedBy, mine: task.claimedBy === me, left };
}

/** Somebody else has it: what it is decided by, and what puts it off, is refused until they give it back. */
export const isTheirs = (task: TaskRow, me: string | undefined, now: number): boolean => claimOf(task, me, now)?.mine === false;

/** From where a decision was sent. */
export const viaText = (via: string): string => (via === 'app' || via === 'cli' || via === 'rest' || via === 'destination' ? t(`inbox.via.${via}`) : via);

/** Why a person may not approve what they may otherwise decide (D2.9). */
export function cannotApprove(task: Task, me: string | undefined): string | undefined {
  if (task.noSelfApproval && me !== undefined && task.startedBy === me) return t('inbox.cannot.self');
  if (task.votes.some((vote) => vote.by === me)) return t('inbox.cannot.voted');
  return undefined;
}
export const approvalsText = (task: Pick<TaskRow, 'approvals' | 'minApprovals'>): string | undefined =>
  (task.minApprovals > 1 ? t('inbox.approvals', { n: task.approvals, of: task.minApprovals }) : undefined);

/** What leads on this task: the first allowed of these. Who has begun to correct, or must, is not led to send it back as it was. */
export function leading(task: Task, work: Pick<Work, 'changed' | 'check'>): TaskAction | undefined {
  // What the step itself calls no use to try again fails again as it is; a budget that is used up is approved, not corrected.
  const fails = isFailure(task) && task.error?.retryable === false && !asksForMore(task);
  const changed = work.changed || fails || work.check.state === 'unread' || work.check.violations.length > 0;
  const allowed = task.allowedActions.filter(isAction);
  const order: TaskAction[] = changed ? ['correct', 'submit', 'approve', 'retry', 'alternative', 'skip'] : ['submit', 'approve', 'retry', 'correct', 'alternative', 'skip'];
  return order.find((action) => allowed.includes(action));
}

/** A failed step is decided. A question of something that the step called is filled in like a form. */
export const isFailure = (task: Pick<TaskRow, 'kind' | 'reason'>): boolean => task.kind === 'decision' && task.reason !== 'question';
export const takesInput = (action: TaskAction): boolean => action === 'correct' || action === 'submit';

export function historyText(event: TaskEvent): string {
  return t(`inbox.history.${event.what}` as MessageKey, { by: whoText(event.by) });
}

/** What stands beside it: a decision and a person or a group in words, all else as it is. */
export function historyDetail(event: TaskEvent): string | undefined {
  if (event.what === 'commented' || event.text === undefined) return event.text;
  if (event.what !== 'decided') return /^(?:user|group):/.test(event.text) ? whoText(event.text) : event.text;
  const [action = '', ...rest] = event.text.split(' · ');
  return [doneText(action), ...rest].join(' · ');
}

export function whenText(iso: string, now: number): string {
  const day = (ms: number) => new Date(ms).toDateString();
  return day(Date.parse(iso)) === day(now) ? formatTime(iso).slice(0, 5) : formatDateTime(iso);
}

/** The first few, each in quotation marks. */
const namesOf = (steps: readonly string[]): string => [...steps.slice(0, 3).map((step) => `"${step}"`), ...(steps.length > 3 ? ['…'] : [])].join(', ');

/** What happens when it is sent, in one sentence. */
export function afterText(task: Task, action: TaskAction, target?: string): string {
  const step = task.nodeTitle;
  // Where a step of the workflow asks, its wires say what comes then.
  const way = task.ways.find((one) => one.action === action);
  const wired = way === undefined && task.stepId !== task.nodeId && (action === 'correct' || action === 'retry');
  const text = way !== undefined && !way.again ? t(`inbox.after.to.${action}` as MessageKey, { step, steps: namesOf(way.steps) }) : wired ? t(`inbox.after.wired.${action}`) : action === 'alternative'
    ? t('inbox.after.alternative', { step: target ?? t('inbox.after.other') })
    : t(`inbox.after.${task.reason === 'tool_call' && (action === 'approve' || action === 'reject') ? `tool.${action}` : task.reason === 'question' && action === 'reject' ? 'question.reject' : action}` as MessageKey, { step });
  return task.cases > 1 ? `${text} ${tn('inbox.after.cases', task.cases)}` : text;
}

/** "/items/0/name" said as "items › 1 › name". */
export function pathText(pointer: string): string {
  if (pointer === '') return t('inbox.wholeInput');
  return pointerParts(pointer).map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : part)).join(' › ');
}

/** Presets of snoozing, as local times. */
export function snoozeTimes(now: number): { id: 'hour' | 'later' | 'tomorrow' | 'monday'; at: Date }[] {
  const nine = (days: number) => {
    const day = new Date(now);
    day.setDate(day.getDate() + days);
    day.setHours(9, 0, 0, 0);
    return day;
  };
  const weekday = new Date(now).getDay();
  return [
    { id: 'hour', at: new Date(now + 3_600_000) },
    { id: 'later', at: new Date(now + 4 * 3_600_000) },
    { id: 'tomorrow', at: nine(1) },
    { id: 'monday', at: nine(((8 - weekday) % 7) || 7) },
  ];
}
/** For `<input type="datetime-local">`. */
export const localInput = (date: Date): string =>
  `${String(date.getFullYear())}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}T${pad(date.getHours())}:${pad(date.getMinutes())}`;

// How people and repairs change the state of a run: tasks, answers, reminders, pauses, tries to repair an input.

import { isObject } from '../json/json';
import { cardOf, node, seen, tasksOf, text, writable, type Fields, type FoldState } from './run-fold-state';
import { slotKey } from './run-paths';
import type { CallCard, FixTry, PersonNote, RunEventLike } from './run-types';

const originOf = (payload: Fields): string | undefined => (isObject(payload['origin']) ? text(payload['origin']['stepId']) : undefined);

const callOf = (s: FoldState, event: RunEventLike): { card?: number } => {
  const index = cardOf(s, event)?.index;
  return index === undefined ? {} : { card: index };
};

function lastCard(s: FoldState, id: string | undefined, path: string | null | undefined): CallCard | undefined {
  const index = id === undefined ? undefined : seen(s, id, path)?.lastCard;
  return index === undefined ? undefined : writable(s, index);
}

function note(s: FoldState, event: RunEventLike, payload: Fields, more: Omit<PersonNote, 'ts'>): void {
  const card = cardOf(s, event) ?? lastCard(s, event.stepId ?? originOf(payload), event.path);
  if (!card) return;
  const taskId = text(payload['taskId']) ?? text(payload['waitToken']);
  card.people = [...(card.people ?? []), { ts: event.ts, ...(taskId === undefined ? {} : { taskId }), ...more }];
}

/** The error of this origin was answered: it is no longer one that left for good. */
function forget(s: FoldState, origin: string, path: string | null | undefined): void {
  const key = slotKey(origin, path);
  const left = s.handled.get(key) ?? 0;
  if (left > 0) s.handled.set(key, left - 1);
}

/** How many tasks there are about a step now. */
function count(s: FoldState, id: string, path: string | null | undefined): void {
  const known = seen(s, id, path);
  if (!known) return;
  const tasks = tasksOf(s, id, path);
  const asking = tasks.length || undefined;
  const askingItems = tasks.filter((task) => task.item !== undefined).length || undefined;
  if (known.asking !== asking || known.askingItems !== askingItems) Object.assign(node(s, id, path), { asking, askingItems });
}

/** True when the event is one of these. */
export function applyPeople(s: FoldState, event: RunEventLike, ms: number, payload: Fields): boolean {
  const before = s.tasks;
  const mine = apply(s, event, ms, payload);
  if (s.tasks !== before) for (const id of new Set([event.stepId ?? '', originOf(payload) ?? event.stepId ?? ''])) count(s, id, event.path);
  return mine;
}

function apply(s: FoldState, event: RunEventLike, ms: number, payload: Fields): boolean {
  const id = event.stepId ?? '';
  const origin = originOf(payload);
  const taskId = text(payload['taskId']) ?? text(payload['waitToken']) ?? '';
  switch (event.type) {
    case 'human_task_created': {
      s.tasks = [...s.tasks.filter((task) => task.taskId !== taskId), {
        taskId, title: text(payload['title']) ?? '', nodeId: id, sinceMs: ms, ...(event.path ? { path: event.path } : {}), ...callOf(s, event), ...(typeof event.item === 'number' ? { item: event.item } : {}),
        ...(origin === undefined ? {} : { originId: origin }), ...(text(payload['expiresAt']) === undefined ? {} : { expiresAt: text(payload['expiresAt']) }),
      }];
      // Origin and human node wait both (SEMANTICS 5).
      for (const one of new Set([id, origin ?? id])) {
        node(s, one, event.path).state = 'asks';
        const card = lastCard(s, one, event.path);
        if (card) card.status = 'asks';
      }
      note(s, event, payload, { what: 'asked', ...(text(payload['assignee']) === undefined ? {} : { who: text(payload['assignee']) }) });
      return true;
    }
    case 'human_task_completed': {
      s.tasks = s.tasks.filter((task) => task.taskId !== taskId);
      const action = text(payload['action']) ?? '';
      note(s, event, payload, {
        what: 'answered', action, ...(text(payload['operatorId']) === undefined ? {} : { who: text(payload['operatorId']) }), ...(text(payload['notes']) === undefined ? {} : { text: text(payload['notes']) }),
      });
      const about = cardOf(s, event);
      // A call that was cut off has no error: what it did is not known.
      if (origin !== undefined || about?.error !== undefined || about?.effectUnknown === true) answered(s, origin ?? id, action, event, ms);
      if (id !== origin && seen(s, id, event.path)?.state === 'asks') node(s, id, event.path).state = 'running';
      return true;
    }
    case 'human_task_closed': {
      // Nobody has to answer any more: its frame was cut off. What it waited for ends with an event of its own.
      s.tasks = s.tasks.filter((task) => task.taskId !== taskId);
      for (const one of new Set([id, origin ?? id])) if (seen(s, one, event.path)?.state === 'asks') node(s, one, event.path).state = 'cancelled';
      note(s, event, payload, { what: 'closed' });
      for (const one of new Set([id, origin ?? id])) {
        const card = lastCard(s, one, event.path);
        if (card?.status === 'asks') card.status = 'cancelled';
      }
      return true;
    }
    case 'human_task_reminded':
      note(s, event, payload, { what: 'reminded', text: String(payload['reminder'] ?? '') });
      return true;
    case 'human_task_held':
    case 'human_task_continued': {
      const held = event.type === 'human_task_held';
      const expiresAt = text(payload['expiresAt']);
      s.tasks = s.tasks.map(({ expiresAt: before, ...task }) => (task.taskId === taskId ? { ...task, ...(expiresAt === undefined ? {} : { expiresAt }) } : { ...task, ...(before === undefined ? {} : { expiresAt: before }) }));
      note(s, event, payload, { what: held ? 'held' : 'continued', ...(text(payload['operatorId']) === undefined ? {} : { who: text(payload['operatorId']) }) });
      return true;
    }
    case 'escalated':
      note(s, event, payload, { what: 'escalated', action: text(payload['action']) ?? '', ...(text(payload['to']) === undefined ? {} : { who: text(payload['to']) }), text: String(payload['level'] ?? '') });
      return true;
    case 'pause_start': {
      const run = node(s, id, event.path);
      run.state = 'asks';
      s.tasks = [...s.tasks.filter((task) => task.taskId !== taskId), {
        taskId, title: text(payload['reason']) ?? run.title ?? id, nodeId: id, sinceMs: ms, ...(event.path ? { path: event.path } : {}), ...callOf(s, event), ...(text(payload['expireAt']) === undefined ? {} : { expiresAt: text(payload['expireAt']) }),
      }];
      const card = lastCard(s, id, event.path);
      if (card) card.status = 'asks';
      note(s, event, payload, { what: 'paused', ...(text(payload['reason']) === undefined ? {} : { text: text(payload['reason']) }) });
      return true;
    }
    case 'pause_resumed':
    case 'pause_timeout':
      s.tasks = s.tasks.filter((task) => task.nodeId !== id || (task.path ?? '') !== (event.path ?? ''));
      note(s, event, payload, { what: event.type === 'pause_resumed' ? 'resumed' : 'expired' });
      return true;
    case 'auto_fix_attempt': {
      const accepted = payload['accepted'] === true;
      const list = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []);
      const of = cardOf(s, event) ?? lastCard(s, id, event.path);
      const mine = [of, origin !== undefined && origin !== id ? lastCard(s, origin, event.path) : undefined].filter((card) => card !== undefined);
      for (const card of mine) {
        card.fixes = [...(card.fixes ?? []), {
          model: text(payload['model']) ?? '', accepted, delta: Number(payload['delta'] ?? 0), changes: list(payload['changes']), violations: list(payload['violations']),
          ...(payload['patch'] === undefined ? {} : { patch: payload['patch'] }),
          ...askedOf(payload['asked']),
        }];
      }
      if (accepted) {
        const whose = origin ?? id;
        forget(s, whose, event.path);
        const run = node(s, whose, event.path);
        if (run.open === 0) run.state = 'retrying';
        run.retryAtMs = undefined;
      }
      return true;
    }
    default:
      return false;
  }
}

/** The question to a model that a repair was, if it was one. */
function askedOf(value: unknown): { asked?: NonNullable<FixTry['asked']> } {
  if (typeof value !== 'object' || value === null) return {};
  const { number, of, tokens } = value as { number?: unknown; of?: unknown; tokens?: unknown };
  return { asked: { number: Number(number ?? 1), of: Number(of ?? 1), ...(typeof tokens === 'number' ? { tokens } : {}) } };
}

/** What a person decided about a failed step. */
function answered(s: FoldState, origin: string, action: string, event: RunEventLike, ms: number): void {
  const run = node(s, origin, event.path);
  const card = lastCard(s, origin, event.path);
  const more = s.tasks.some((task) => (task.originId ?? task.nodeId) === origin && (task.path ?? '') === (event.path ?? ''));
  if (card?.question && (action === 'approve' || action === 'reject')) {
    // The call goes on with the answer, from where it was.
    run.state = 'running';
    card.status = 'done';
  } else if (action === 'retry' || action === 'correct') {
    forget(s, origin, event.path);
    run.state = 'retrying';
    run.retryAtMs = undefined;
    if (card) card.status = 'handled';
  } else if (action === 'skip') {
    forget(s, origin, event.path);
    run.state = 'skipped';
    run.endedAt = event.ts;
    if (card) card.status = 'skipped';
  } else {
    run.state = action === 'abort' && !s.wired.has(`${event.stepId ?? ''}.abort`) ? 'failed' : 'handled';
    if (card) card.status = run.state;
  }
  if (card) card.endedMs ??= ms;
  if (more) run.state = 'asks';
}

// Events and cards in words.

import { isCut, isQuestion } from '../../json/json.ts';
import { slotKey } from '../../run/run-paths.ts';
import type { CallCard, CardStatus, PersonNote, RunEventLike, RunView } from '../../run/run-state.ts';
import type { RunError } from '../../run/run-types.ts';
import { failedCall } from '../../run/run-location.ts';
import { firstLetters, plain } from '../../text/letters.ts';
import { formatSize } from '../../code/value-lines.ts';
import { formatDuration, formatPerson, t, tn } from '../../i18n/index.ts';
import type { Signal } from '../../kit/index.ts';
import { answerWords } from '../../shared/decision-labels.ts';
import { formatStep, type NameOf } from '../../shared/format-path.ts';

export const CARD_SIGNAL: { [S in CardStatus]: Signal } = {
  running: 'run', retrying: 'retry', waiting: 'wait', asks: 'person', done: 'ok', failed: 'err', handled: 'err', skipped: 'skip', interrupted: 'warn', cancelled: 'stop',
};

export function callText(card: CallCard): string {
  return card.maxAttempts === undefined ? t('card.callOnly', { n: card.attempt + 1 }) : t('card.call', { n: card.attempt + 1, m: card.maxAttempts + 1 });
}

/** "call 2 of 4, item 3" */
export function placeText(card: CallCard): string {
  const parts = [];
  // "1 of 4" of a call that is not repeated would promise three more.
  if (card.attempt > 0 || card.retryAtMs !== undefined) parts.push(callText(card));
  if (card.item !== undefined) parts.push(t('card.item', { n: card.item + 1 }));
  return parts.join(', ');
}

export function decisionText(card: CallCard): string | null {
  if (!card.decision) return null;
  const action = actionWords(card.decision.action, card.path !== undefined);
  const rule = ruleWords(card.decision.rule);
  return plain(rule === null ? t('dry.default', { action }) : t('card.decided', { rule, action }));
}

/** What decides in the place of a rule. */
const NO_RULES = { 'policy:safe': 'card.rule.safe', 'policy:fail': 'card.rule.fail', limit: 'card.rule.limit', onAbort: 'card.rule.onAbort', onExpiry: 'card.rule.onExpiry' } as const;

/** Who decided: a policy by its word, a rule by the name that its author gave it; null where none of its rules fitted. */
function ruleWords(rule: string): string | null {
  if (rule === 'default' || rule === 'policy:default') return null;
  if (Object.hasOwn(NO_RULES, rule)) return t(NO_RULES[rule as keyof typeof NO_RULES]);
  return rule.startsWith('policy:') ? t('card.rule.workflow', { name: rule.slice('policy:'.length) }) : t('card.rule.own', { name: rule });
}

function actionWords(action: string, inside: boolean): string {
  // In a frame it ends that iteration or branch; what becomes of the run, the frame decides.
  const key = `card.action.${action === 'abort' && inside ? 'abortInside' : action}`;
  const known = ['card.action.retry', 'card.action.fallback', 'card.action.abort', 'card.action.abortInside', 'card.action.error_as_context', 'card.action.auto_fix', 'card.action.human_review'] as const;
  const found = known.find((one) => one === key);
  return found ? t(found) : action.replaceAll('_', ' ');
}

/** One thing that happened with people. */
export function personText(note: PersonNote): string {
  const who = formatPerson(note.who ?? '');
  switch (note.what) {
    case 'asked': return who ? t('log.people.noteAskedWho', { who }) : t('log.people.noteAsked');
    case 'answered': return t('log.people.noteAnswered', { who: who || t('log.people.nobody'), action: answerWords(note.action ?? '') });
    case 'reminded': return t('log.people.noteReminded');
    case 'held': return t('log.people.noteHeld', { who });
    case 'continued': return t('log.people.noteContinued', { who });
    case 'escalated': return t('log.people.noteEscalated', { who: who || t('log.people.next') });
    case 'paused': return t('log.people.notePaused');
    case 'resumed': return t('log.people.noteResumed');
    case 'expired': return t('log.people.noteExpired');
    case 'closed': return t('log.people.noteClosed');
  }
}

type Fields = Record<string, unknown>;
/** Of a value that the wire has cut: how it begins. */
const str = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : isCut(value) ? value.preview : (JSON.stringify(value) ?? '');

const SHORT = 120;
const short = (words: string): string => firstLetters(words.replaceAll(/\s+/g, ' ').trim(), SHORT);

/** What was said, in one line; of what the wire has cut also how much it is. */
const said = (value: unknown): string => short(str(value)) + (isCut(value) ? ` ${t('value.cut', { size: formatSize(value.length) })}` : '');

/** Steps by their names; one of another file is known where it stands. */
type Named = Pick<RunView, 'nodes'> & Partial<Pick<RunView, 'slots' | 'calls' | 'callsOf'>>;

/** What failed the run: a step of a sub-workflow may have the id of another one on this canvas. */
function failedName(failedStepId: string, error: unknown, { nodes, calls, callsOf }: Named): string {
  const call = calls && callsOf && failedCall({ failedStepId, error: error as RunError, calls, callsOf });
  return call?.title ?? nodes[failedStepId]?.title ?? failedStepId;
}

/** One event as a sentence. What is not seen in words from outside is written out: they stand in lines, titles and names of controls. */
export const eventText = (event: RunEventLike, view: Named, names?: NameOf): string => plain(sentenceOf(event, view, names));

/** `names`: they also know where a step stands; without them it is named alone, beside its place. */
function sentenceOf(event: RunEventLike, view: Named, names?: NameOf): string {
  const payload = (event.payload ?? {}) as Fields;
  const id = event.stepId ?? '';
  const known: NameOf = (one, path) => (path ? view.slots?.get(slotKey(one, path))?.title : undefined) ?? view.nodes[one]?.title ?? one;
  const step = names && id !== '' ? formatStep(slotKey(id, event.path), names) : known(id, event.path ?? undefined);
  const error = payload['error'] as { message?: unknown } | undefined;
  const why = str(error?.message);
  switch (event.type) {
    case 'workflow_start':
      return payload['resumedFrom'] ? t('log.last.resumedFrom', { step: formatStep(str(payload['resumedFrom']), names ?? known) }) : t('log.last.start', { name: str(payload['name']) });
    case 'workflow_done':
      return t('log.last.done', { time: formatDuration(Number(payload['duration_ms'] ?? 0)) });
    case 'workflow_failed':
      return t('log.last.failed', { step: failedName(str(payload['failed_step_id']), payload['error'], view), error: why });
    case 'workflow_cancelled':
      return t('log.last.cancelled', { time: formatDuration(Number(payload['duration_ms'] ?? 0)) });
    case 'workflow_resumed':
      return t('log.last.resumed');
    case 'breakpoints_set':
      return tn('debug.log.set', Array.isArray(payload['breakpoints']) ? payload['breakpoints'].length : 0);
    case 'workflow_paused':
      return event.stepId ? t('debug.log.paused', { step }) : t('debug.log.pausedBy', { who: formatPerson(str(payload['operatorId'])) });
    case 'workflow_continued':
      return t(payload['mode'] === 'step' ? 'debug.log.stepped' : 'debug.log.continued');
    case 'input_edited':
      return t('debug.log.edited', { step, who: formatPerson(str(payload['operatorId'])) });
    case 'step_start':
      return t('log.last.stepStart', { step });
    case 'step_done':
      return t('log.last.stepDone', { step });
    case 'step_error':
      return t(isQuestion(payload) ? 'log.last.stepAsks' : 'log.last.stepError', { step, error: why });
    case 'step_skipped':
      return t('log.last.stepSkipped', { step });
    case 'step_interrupted':
      return t('log.last.stepInterrupted', { step });
    case 'retry_scheduled':
      return t('log.last.retry', { step, time: formatDuration(Number(payload['delayMs'] ?? 0)) });
    case 'error_handled': {
      const action = actionWords(str(payload['action']), event.path !== undefined && event.path !== null);
      const rule = ruleWords(str(payload['rule']));
      return rule === null ? t('log.last.handledDefault', { step, action }) : t('log.last.handled', { step, rule, action });
    }
    case 'auto_fix_attempt':
      return t(payload['accepted'] === true ? 'log.people.fixed' : 'log.people.notFixed', { step, n: Number(payload['delta'] ?? 0) });
    case 'human_task_created':
      return t('log.people.asked', { step, title: str(payload['title']) });
    case 'human_task_completed':
      return t('log.people.answered', { step, action: answerWords(str(payload['action'])), who: formatPerson(str(payload['operatorId'])) || t('log.people.nobody') });
    case 'human_task_reminded':
      return t('log.people.reminded', { step });
    case 'human_task_held':
      return t('log.people.held', { step, who: formatPerson(str(payload['operatorId'])) });
    case 'human_task_continued':
      return t('log.people.continued', { step, who: formatPerson(str(payload['operatorId'])) });
    case 'human_task_closed':
      return t('log.people.closed', { step });
    case 'escalated':
      return t('log.people.escalated', { step, who: formatPerson(str(payload['to'])) });
    case 'pause_start':
      return t('log.people.paused', { step });
    case 'pause_resumed':
      return t('log.people.resumed', { step });
    case 'pause_timeout':
      return t('log.people.expired', { step });
    case 'var_changed':
      return t('log.last.var', { name: str(payload['name']) });
    case 'step_print':
      return t('log.last.print', { step, value: said(payload['value']) });
    case 'file_start':
    case 'file_done':
      return t('log.last.file', { path: str(payload['path']) });
    case 'llm_token':
      return t('log.last.says', { step, words: said(payload['delta']) });
    case 'llm_thinking':
      return t('log.last.thinks', { step, words: said(payload['delta']) });
    case 'llm_tool_use':
      return t('log.last.asksTool', { step, tool: str(payload['name']) });
    case 'llm_tool_result':
      return t(payload['is_error'] === true ? 'log.last.toolRefused' : 'log.last.toolAnswered', { step });
    case 'llm_done':
      return t('log.last.modelDone', { step, model: str(payload['model']), time: formatDuration(Number(payload['latency_ms'] ?? 0)) });
    case 'llm_error':
      return t('log.last.modelFailed', { step, error: why || str(payload['error']) });
    case 'tool_start':
      return t('log.last.toolStart', { step, tool: str(payload['name']) });
    case 'tool_message':
      return t('log.last.toolSays', { tool: str(payload['name']), words: said(payload['message']) });
    case 'tool_done':
      return t('log.last.toolDone', { step, tool: str(payload['name']) });
    case 'tool_error':
      return t(payload['allowError'] === true ? 'log.last.toolAllowed' : 'log.last.toolFailed', { step, tool: str(payload['name']), error: why });
    default:
      return event.type.replaceAll('_', ' ');
  }
}

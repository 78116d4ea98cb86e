// Events and cards in words.

import type { CallCard, CardStatus, RunEventLike, RunView } from '../../api/run-state.ts';
import { formatDuration, t } from '../../i18n/index.ts';
import type { Signal } from '../../kit/index.ts';

export const CARD_SIGNAL: { [S in CardStatus]: Signal } = {
  running: 'run', retrying: 'retry', waiting: 'wait', done: 'ok', failed: 'err', handled: 'err', skipped: 'skip', interrupted: 'warn', cancelled: 'stop',
};

export function callText(card: CallCard): string {
  return card.maxAttempts === undefined ? t('card.callOnly', { n: card.attempt + 1 }) : t('card.call', { n: card.attempt + 1, m: card.maxAttempts + 1 });
}

/** "call 2 of 4, item 3, loop1[3]" */
export function placeText(card: CallCard): string {
  const parts = [];
  if (card.attempt > 0 || card.status === 'failed' || card.retryAtMs !== undefined) parts.push(callText(card));
  if (card.item !== undefined) parts.push(t('card.item', { n: card.item + 1 }));
  if (card.path) parts.push(card.path);
  return parts.join(', ');
}

export function decisionText(card: CallCard): string | null {
  if (!card.decision) return null;
  const { rule, action } = card.decision;
  const key = `card.action.${action}`;
  const known = ['card.action.retry', 'card.action.fallback', 'card.action.abort', 'card.action.error_as_context'] as const;
  const found = known.find((one) => one === key);
  const name = rule.startsWith('policy:') ? t('card.policy', { name: rule.slice('policy:'.length) }) : rule;
  return t('card.decided', { rule: name, action: found ? t(found) : action.replaceAll('_', ' ') });
}

type Fields = Record<string, unknown>;
const str = (value: unknown): string => (typeof value === 'string' ? value : value === undefined ? '' : (JSON.stringify(value) ?? ''));

/** One event as a sentence. */
export function eventText(event: RunEventLike, view: Pick<RunView, 'nodes'>): string {
  const payload = (event.payload ?? {}) as Fields;
  const id = event.stepId ?? '';
  const step = view.nodes[id]?.title ?? id;
  const error = payload['error'] as { message?: string } | undefined;
  switch (event.type) {
    case 'workflow_start':
      return payload['resumedFrom'] ? t('log.last.resumedFrom', { step: str(payload['resumedFrom']) }) : t('log.last.start', { name: str(payload['name']) });
    case 'workflow_done':
      return t('log.last.done', { time: formatDuration(Number(payload['duration_ms'] ?? 0)) });
    case 'workflow_failed':
      return t('log.last.failed', { step: view.nodes[str(payload['failed_step_id'])]?.title ?? str(payload['failed_step_id']), error: error?.message ?? '' });
    case 'workflow_cancelled':
      return t('log.last.cancelled', { time: formatDuration(Number(payload['duration_ms'] ?? 0)) });
    case 'workflow_resumed':
      return t('log.last.resumed');
    case 'step_start':
      return t('log.last.stepStart', { step });
    case 'step_done':
      return t('log.last.stepDone', { step });
    case 'step_error':
      return t('log.last.stepError', { step, error: error?.message ?? '' });
    case 'step_skipped':
      return t('log.last.stepSkipped', { step });
    case 'step_interrupted':
      return t('log.last.stepInterrupted', { step });
    case 'retry_scheduled':
      return t('log.last.retry', { step, time: formatDuration(Number(payload['delayMs'] ?? 0)) });
    case 'error_handled':
      return t('log.last.handled', { step, action: `${str(payload['rule'])} → ${str(payload['action'])}` });
    case 'var_changed':
      return t('log.last.var', { name: str(payload['name']) });
    case 'step_print':
      return t('log.last.print', { step, value: str(payload['value']).slice(0, 120) });
    case 'file_start':
    case 'file_done':
      return t('log.last.file', { path: str(payload['path']) });
    default:
      return event.type.replaceAll('_', ' ');
  }
}

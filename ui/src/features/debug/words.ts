// Where and why a run stands stopped, in words.

import type { RunStop } from '../../api/run-state.ts';
import { formatPerson, t } from '../../i18n/index.ts';

export function whereStopped(stop: RunStop, titleOf: (id: string) => string): string {
  if (stop.stepId === undefined) return t('debug.byRequest', { who: formatPerson(stop.who ?? '') });
  const step = titleOf(stop.stepId);
  if (stop.path !== undefined) return t('debug.atIn', { step, path: stop.path });
  return stop.item === undefined ? t('debug.at', { step }) : t('debug.atItem', { step, n: stop.item + 1 });
}

export function whyStopped(stop: RunStop): string {
  if (stop.reason === 'breakpoint') return stop.condition === undefined ? t('debug.why.breakpoint') : t('debug.why.condition', { when: stop.condition });
  return t(stop.reason === 'step' ? 'debug.why.step' : 'debug.why.request');
}

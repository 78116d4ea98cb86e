// Where and why a run stands stopped, in words.

import { stepAt } from '../../run/run-paths.ts';
import type { RunStop } from '../../run/run-state.ts';
import { formatPerson, t } from '../../i18n/index.ts';
import { formatPlace, formatStep, type NameOf } from '../../shared/format-path.ts';
import type { Breakpoint } from '../../shared/breakpoints.ts';

export function whereStopped(stop: RunStop, titleOf: NameOf): string {
  if (stop.stepId === undefined) return t('debug.byRequest', { who: formatPerson(stop.who ?? '') });
  const step = titleOf(stop.stepId, stop.path);
  if (stop.path !== undefined) return t('debug.atIn', { step, path: formatPlace(stop.path, stop.stepId, titleOf) });
  return stop.item === undefined ? t('debug.at', { step }) : t('debug.atItem', { step, n: stop.item + 1 });
}

/** A step by its title and where it is, a wire by where it begins and where it ends. */
export function nameOf({ node, from }: Breakpoint, titleOf: NameOf): string {
  const step = formatStep(node, titleOf);
  return from === undefined ? step : t('debug.wire', { from: beginOf(from, titleOf, stepAt(node).path), to: step });
}

function beginOf(from: string, titleOf: NameOf, path?: string): string {
  const dot = from.lastIndexOf('.');
  return `${titleOf(from.slice(0, dot), path)} · ${from.slice(dot + 1)}`;
}

export function whyStopped(stop: RunStop, titleOf: NameOf): string {
  if (stop.reason === 'breakpoint' && stop.from !== undefined) {
    const from = beginOf(stop.from, titleOf, stop.path);
    return stop.condition === undefined ? t('debug.why.wire', { from }) : t('debug.why.wireCondition', { from, when: stop.condition });
  }
  if (stop.reason === 'breakpoint') return stop.condition === undefined ? t('debug.why.breakpoint') : t('debug.why.condition', { when: stop.condition });
  return t(stop.reason === 'step' ? 'debug.why.step' : 'debug.why.request');
}

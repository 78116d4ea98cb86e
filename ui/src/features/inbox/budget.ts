// A step whose budget is used up: what a person lets the run spend more.

import { formatMoney } from '../../i18n/index.ts';
import type { Task } from './types.ts';

export const asksForMore = (task: Pick<Task, 'errorCode' | 'allowedActions'>): boolean => task.errorCode === 'BUDGET_EXCEEDED' && task.allowedActions.includes('retry');

/** As much again as the budget was. */
export function usualMore(task: Pick<Task, 'error'>): string {
  const limit = (task.error?.details as { limitMicros?: unknown } | undefined)?.limitMicros;
  return typeof limit === 'number' && limit > 0 ? formatMoney(limit).replaceAll(',', '') : '1.00';
}

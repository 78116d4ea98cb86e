// A step whose budget is used up: what a person lets the run spend more.

import { formatMoney, t } from '../../i18n/index.ts';
import { badMoney, MOST_MICROS, moneyText, tooMuch } from '../../shared/money.ts';
import type { Task, TaskRow } from './types.ts';

const isUsedUp = (task: Pick<TaskRow, 'errorCode'>): boolean => task.errorCode === 'BUDGET_EXCEEDED';
export const asksForMore = (task: Pick<Task, 'errorCode' | 'allowedActions'>): boolean => isUsedUp(task) && task.allowedActions.includes('retry');

const detailsOf = (task: Pick<Task, 'error'>): { scope?: unknown; limitMicros?: unknown } => task.error?.details ?? {};
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** As much again as the budget of the run was. The budget of a day is that of many runs: what one of them may have is the person's to say. */
export function usualMore(task: Pick<Task, 'error'>): string {
  const { scope, limitMicros } = detailsOf(task);
  return scope === 'run' && typeof limitMicros === 'number' && limitMicros > 0 ? moneyText(limitMicros) : '';
}

/** Why it cannot be tried again with this amount; empty when it can. */
export const cannotTryAgain = (budget: string | undefined): string | undefined =>
  budget === undefined || !badMoney(budget) ? undefined : tooMuch(budget) ? t('inbox.budget.much', { most: formatMoney(MOST_MICROS) }) : t('inbox.budget.wrong');

/** Whether it most likely fails again without an amount: the budget of a run does not renew, that of a day does at midnight UTC. Somebody
 * may have raised it since, so it is said and not forbidden; but one key is too little for it. */
export const failsAsIs = (task: Pick<Task, 'error' | 'createdAt'>, budget: string | undefined, now: number): boolean =>
  budget?.trim() === '' && (detailsOf(task).scope === 'run' || dayOf(Date.parse(task.createdAt)) === dayOf(now));

/** Whether many are tried again for whom nobody says an amount. */
export const anyUsedUp = (tasks: readonly Pick<TaskRow, 'errorCode'>[]): boolean => tasks.some(isUsedUp);

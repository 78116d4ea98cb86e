// A step whose budget is used up: what a person lets the run spend more.

import { t } from '../../i18n/index.ts';
import { badMoney, moneyText } from '../money.ts';
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

/** Why it cannot be tried again with this amount; empty when it can. Budgets of days are new ones at midnight UTC. */
export function cannotTryAgain(task: Pick<Task, 'error' | 'createdAt'>, budget: string | undefined, now: number): string | undefined {
  if (budget === undefined) return undefined;
  if (badMoney(budget)) return t('inbox.budget.wrong');
  const ofDay = detailsOf(task).scope !== 'run';
  return budget.trim() === '' && ofDay && dayOf(Date.parse(task.createdAt)) === dayOf(now) ? t('inbox.budget.write') : undefined;
}

/** Whether many are tried again in vain: nobody says an amount for all of them, and the budgets of their day are used up still. */
export const stillUsedUp = (tasks: readonly Pick<TaskRow, 'errorCode' | 'createdAt'>[], now: number): boolean =>
  tasks.some((task) => isUsedUp(task) && dayOf(Date.parse(task.createdAt)) === dayOf(now));

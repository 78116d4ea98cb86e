// What people answered, in words.

import { t } from '../i18n/index.ts';

const ANSWERS = ['retry', 'correct', 'skip', 'alternative', 'abort', 'approve', 'reject', 'submit'] as const;
export function answerWords(action: string): string {
  const known = ANSWERS.find((one) => one === action);
  return known ? t(`log.people.do.${known}`) : action;
}

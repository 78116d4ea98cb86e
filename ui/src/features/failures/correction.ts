/** What a person has typed as a correction, and what is sent of it. */
import { parseExact } from '../../json/exact-json.ts';
import type { Commands } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';

export type Correction = NonNullable<Commands['replay_start']['request']['correction']>;
export type Rule = 'recorded' | 'edited' | 'patch' | 'expression';

export interface Typed {
  rule: Rule;
  definition: 'original' | 'current';
  /** One text for each rule, so that none is lost when another one is looked at. */
  texts: Partial<Record<Rule, string>>;
}

export const NOTHING: Typed = { rule: 'recorded', definition: 'original', texts: {} };

/** The correction, or why it cannot be sent. */
export function correctionOf(typed: Typed, failure: number, recorded: string): { correction: Correction } | { wrong: string } {
  const { rule, definition } = typed;
  if (rule === 'recorded') return { correction: { definition } };
  const text = (typed.texts[rule] ?? (rule === 'edited' ? recorded : '')).trim();
  if (rule === 'expression') return text ? { correction: { definition, expression: text } } : { wrong: t('failures.rule.expressionHint') };
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    return { wrong: t('failures.badJson') };
  }
  if (!Array.isArray(value)) return { wrong: t('failures.badList') };
  return { correction: rule === 'patch' ? { definition, patch: value } : { definition, edited: { failure, input: value } } };
}

/** A whole number within bounds. */
export function numberOf(text: string, most: number): number | undefined {
  const value = /^\d{1,6}$/.test(text.trim()) ? Number(text) : Number.NaN;
  return value >= 1 && value <= most ? value : undefined;
}

/** What a person changed of the values before a step. */
import { same } from '../evidence/diff.ts';

export type Values = Record<string, unknown>;

/** A text as an object of values; else why not. */
export function readValues(text: string): { value: Values } | { problem: 'json' | 'object' } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'json' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: 'object' };
  return { value: value as Values };
}

/** The data of the items, one element each. */
export function readItems(text: string): { value: unknown[] } | { problem: 'json' | 'list' } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'json' };
  }
  return Array.isArray(value) && value.length > 0 ? { value } : { problem: 'list' };
}

/** Only what differs is sent: what is masked and was not touched stays as it is. */
export function changedOf(before: Values, after: Values): Values {
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => !Object.hasOwn(before, name) || !same(before[name], value)));
}

/** Names that the edited text no longer has: a value can be changed, not taken away. */
export function missingOf(before: Values, after: Values): string[] {
  return Object.keys(before).filter((name) => !Object.hasOwn(after, name));
}

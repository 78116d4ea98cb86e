// The shape of `settings.businessHours`, as far as the form knows it.

import { isObject } from '../../json/json.ts';

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];
export interface Hours { timezone: string; hours: Partial<Record<Day, string[]>>; holidays?: string[] }

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');

/** `null` when it holds something that the form would lose. */
export function hoursOf(value: unknown): Hours | null {
  if (!isObject(value) || typeof value['timezone'] !== 'string' || !isObject(value['hours'])) return null;
  const days: readonly string[] = DAYS;
  const known = Object.keys(value).every((key) => ['timezone', 'hours', 'holidays'].includes(key))
    && Object.entries(value['hours']).every(([day, parts]) => days.includes(day) && isTexts(parts))
    && (value['holidays'] === undefined || isTexts(value['holidays']));
  return known ? (value as unknown as Hours) : null;
}

/** What is between commas. */
export function listOf(text: string): string[] {
  return text.split(/[,;]/).map((part) => part.replace(/\s*[-–]\s*(?=\d+:)/, '-').trim()).filter(Boolean);
}

/** With other parts of one day, the days in their order. */
export function withDay(hours: Hours, day: Day, parts: string[]): Hours {
  const next = { ...hours.hours, [day]: parts };
  const kept = DAYS.flatMap((one) => (next[one]?.length ? [[one, next[one]] as const] : []));
  return { ...hours, hours: Object.fromEntries(kept) };
}

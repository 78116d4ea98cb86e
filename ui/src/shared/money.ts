// Amounts as people write them.

import { formatMoney } from '../i18n/index.ts';

/** Digits with a point, or a comma where it cannot be one between thousands: amounts are shown as "1,234.50". */
const AMOUNT = /^\d+(?:\.\d{1,6}|,(?!\d{3}$)\d{1,6})?$/;

/** Millionths of an amount as it is typed; undefined for what is none above 0. */
export function microsOf(text: string): number | undefined {
  if (!AMOUNT.test(text.trim())) return undefined;
  const micros = microsIn(text);
  return micros > 0 && micros <= MOST_MICROS ? micros : undefined;
}

/** The largest amount that is kept, in millionths. */
export const MOST_MICROS = 1e15;

const microsIn = (text: string): number => Math.round(Number(text.trim().replace(',', '.')) * 1_000_000);

/** An amount, and a larger one than can be kept. */
export const tooMuch = (text: string): boolean => AMOUNT.test(text.trim()) && microsIn(text) > MOST_MICROS;

/** An amount as it stands in a field: what is read again by `microsOf`. */
export const moneyText = (micros: number): string => formatMoney(micros).replaceAll(',', '');

/** Something is typed that is no amount. */
export const badMoney = (text: string): boolean => text.trim() !== '' && microsOf(text) === undefined;

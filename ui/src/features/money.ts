// Amounts as people write them.

import { formatMoney } from '../i18n/index.ts';

/** Digits with a point, or a comma where it cannot be one between thousands: amounts are shown as "1,234.50". */
const AMOUNT = /^\d+(?:\.\d{1,6}|,(?!\d{3}$)\d{1,6})?$/;

/** Millionths of an amount as it is typed; undefined for what is none above 0. */
export function microsOf(text: string): number | undefined {
  if (!AMOUNT.test(text.trim())) return undefined;
  const micros = Math.round(Number(text.trim().replace(',', '.')) * 1_000_000);
  return micros > 0 && micros <= 1e15 ? micros : undefined;
}

/** An amount as it stands in a field: what is read again by `microsOf`. */
export const moneyText = (micros: number): string => formatMoney(micros).replaceAll(',', '');

/** Something is typed that is no amount. */
export const badMoney = (text: string): boolean => text.trim() !== '' && microsOf(text) === undefined;

import { describe, expect, it } from 'vitest';
import { formatMoney, formatMoneyShort } from '../i18n/index.ts';
import { badMoney, microsOf, moneyText, tooMuch } from './money.ts';

describe('n_09: amounts', () => {
  it('are whole millionths, and shown whole', () => {
    expect(['2', '0.5', '0,25', ' 1.000001 '].map(microsOf)).toEqual([2_000_000, 500_000, 250_000, 1_000_001]);
    expect([2_000_000, 6_100, 0, 1_234_500_000].map(formatMoney)).toEqual(['2.00', '0.0061', '0.00', '1,234.50']);
  });
  it('are rounded in a column, never to nothing', () => {
    expect([4_000_000, 1_234_567_891, 12_345_678, 123_456, 6_123, 1].map(formatMoneyShort)).toEqual(['4.00', '1,234.57', '12.35', '0.1235', '0.006123', '0.000001']);
  });
  it('with a comma between thousands are refused: 1,000 is not 1', () => {
    expect(['1,000', '12,345', '1,234.50', '1,000,000'].map(microsOf)).toEqual(Array(4).fill(undefined));
    expect(['0,5', '12,34', '1,0000'].map(microsOf)).toEqual([500_000, 12_340_000, 1_000_000]);
    expect(microsOf(moneyText(1_234_500_000))).toBe(1_234_500_000);
  });
  it('that are none are refused', () => {
    expect(['', '0', '-1', '1e3', 'two', '1.0000001', '.5'].map(microsOf)).toEqual(Array(7).fill(undefined));
    expect(['', ' ', '2'].map(badMoney)).toEqual([false, false, false]);
    expect(['0', 'two'].map(badMoney)).toEqual([true, true]);
    // Why: "above 0" is no word for what is above all bounds.
    expect(['999999999999999', '1000000001', '1000000000', '0', 'two', ''].map(tooMuch)).toEqual([true, true, false, false, false, false]);
  });
});

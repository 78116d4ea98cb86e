import { describe, expect, it } from 'vitest';
import { formatMoney } from '../i18n/index.ts';
import { microsOf } from './money.ts';

describe('n_09: amounts', () => {
  it('are whole millionths, and shown whole', () => {
    expect(['2', '0.5', '0,25', ' 1.000001 '].map(microsOf)).toEqual([2_000_000, 500_000, 250_000, 1_000_001]);
    expect([2_000_000, 6_100, 0, 1_234_500_000].map(formatMoney)).toEqual(['2.00', '0.0061', '0.00', '1,234.50']);
  });
  it('that are none are refused', () => {
    expect(['', '0', '-1', '1e3', 'two', '1.0000001', '.5'].map(microsOf)).toEqual(Array(7).fill(undefined));
  });
});

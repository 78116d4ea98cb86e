import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { SpentCell, SpentChip } from './model-cost.tsx';

const spent = { calls: 3, inputTokens: 3000, outputTokens: 300, costMicros: 1_234_567_891, unpriced: 1 };
const hint = '3 model calls: 3,000 input tokens, 300 output tokens. 1 call has no price. Prices set in Settings, Models, apply to later calls.';

it('b_24 what is spent says what it is to who does not point at it', () => {
  render(<p data-testid="bar"><SpentChip spent={spent} /></p>);
  expect(screen.getByTestId('bar').textContent).toBe(`Cost: 1,234.567891 +. ${hint}`);
});

it('b_24 in a column it is rounded, and whole in its explanation', () => {
  render(<p data-testid="cell"><SpentCell spent={spent} /></p>);
  expect(screen.getByTestId('cell').textContent).toBe(`Cost: 1,234.57 +. 1,234.567891 +. ${hint}`);
  expect(screen.getByTitle(`1,234.567891 +. ${hint}`)).toBeTruthy();
});

import { describe, expect, it } from 'vitest';
import { freeCorner } from '../view/overview.tsx';

const card = (x: number, y: number) => ({ x, y, width: 200, height: 56 });

describe('the overview', () => {
  it('stands in a corner where it covers no card, else nowhere', () => {
    const view = [0, 0, 1] as const;
    expect(freeCorner([card(0, 0)], view, 600, 450)).toBe('bottom-right');
    expect(freeCorner([card(300, 360)], view, 600, 450)).toBe('top-right');
    expect(freeCorner([card(300, 360), card(420, 20)], view, 600, 450)).toBeNull();
    // Half as large the lower card ends left of the corner.
    expect(freeCorner([card(300, 360), card(420, 20)], [0, 0, 0.5], 600, 450)).toBe('bottom-right');
  });
});

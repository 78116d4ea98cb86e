import { describe, expect, it } from 'vitest';
import { task } from '../../test/people.ts';
import { fresh, noticesOf } from './attention.ts';

describe('what the system says (D2.10)', () => {
  it('is what came since the last look, once', () => {
    const known = new Set<string>();
    expect(fresh([task(1), task(2)], known)).toEqual([]);
    expect(fresh([task(3), task(2), task(4, { state: 'done' })], known).map((one) => one.id)).toEqual(['task-3']);
    expect(fresh([task(3), task(2)], known)).toEqual([]);
  });
  it('UX-D2.8 is a reminder, once each', () => {
    const known = new Set<string>();
    fresh([task(1), task(2, { reminders: 1 })], known);
    expect(fresh([task(1, { reminders: 1 }), task(2, { reminders: 1 })], known).map((one) => one.id)).toEqual(['task-1']);
    expect(fresh([task(1, { reminders: 1 }), task(2, { reminders: 1 })], known)).toEqual([]);
    expect(noticesOf([task(1, { reminders: 1 })])[0]?.title).toBe('Still waiting: Supplier number not found');
  });
  it('knows an empty inbox from one that was not looked at', () => {
    const known = new Set<string>();
    expect(fresh([], known)).toEqual([]);
    expect(fresh([task(1)], known)).toHaveLength(1);
  });
  it('says many at once as one, and shows what is hidden as marks', () => {
    expect(noticesOf([task(1)])).toEqual([{ title: 'Supplier number not found', body: 'Invoice intake, Fetch supplier', taskId: 'task-1' }]);
    expect(noticesOf([1, 2, 3, 4].map((n) => task(n)))).toEqual([{ title: '4 new tasks wait for a person', body: 'Open the inbox to see them.' }]);
  });
});

import { describe, expect, it } from 'vitest';
import { score, scoreAll } from '../match.ts';

const name = (query: string, title: string) => scoreAll(query, [[title, 1, 'initials']]);

describe('what was typed', () => {
  it('finds whole texts first, then starts, words, pieces, and first letters last', () => {
    const points = ['fet', 'Fetch supplier', 'Supplier fetch', 'Prefetch', 'Flow echo text', 'Nothing'].map((title) => name('fet', title));
    expect(points).toEqual(points.toSorted((a, b) => b - a));
    expect(new Set(points).size).toBe(points.length);
    expect(points.at(-1)).toBe(0);
    expect(score('if', 'If')).toBeGreaterThan(score('if', 'Diff'));
    // A letter with marks is a letter: what follows it stands in the middle of a word.
    expect(score('nde', 'Für Ände', 'initials')).toBeLessThan(score('nde', 'Für nde', 'initials'));
  });
  it('ranks an action and a workflow alike for a word in the middle: their order in the list decides', () => {
    expect(name('dark', 'Past dark')).toBe(name('dark', 'Use the dark theme'));
  });
  it('needs every word, in any order and in any of the texts', () => {
    expect(name('supplier fetch', 'Fetch supplier')).toBeGreaterThan(0);
    expect(name('supplier pay', 'Fetch supplier')).toBe(0);
    expect(scoreAll('fetch workflow', [['Fetch supplier', 1, 'initials'], ['workflow', 0.5, 'none']])).toBeGreaterThan(0);
    expect(scoreAll('', [['Anything', 1]])).toBe(1);
  });
  it('finds first letters of a name, scattered letters where the list is short, and neither in a long text', () => {
    expect([name('fs', 'Fetch supplier'), name('fetsup', 'Fetch supplier')].every((points) => points > 0)).toBe(true);
    expect([score('stf', 'Set fields'), score('stf', 'Set fields', 'initials')].map(Boolean)).toEqual([true, false]);
    expect(score('row', 'reads orders, writes a report', 'none')).toBe(0);
    expect(score('wo', 'Two orders', 'none')).toBe(0);
    expect(scoreAll('dark', [['Orders to a report', 1, 'initials'], ['reads orders, keeps paid ones, writes a report', 0.5, 'none'], ['workflow', 0.33, 'none']])).toBe(0);
    // A name of very many words ends the search, too.
    expect(name('aaaaaaaaaaab', 'a '.repeat(100))).toBe(0);
  });
});

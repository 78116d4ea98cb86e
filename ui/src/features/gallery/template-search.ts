// Templates by what somebody typed and by category. Pure.

import type { Template } from '../../api/types.ts';
import { score } from '../../kit/match.ts';

/** As a row of buttons shows them. */
export const CATEGORIES = ['reports', 'sales', 'finance', 'support', 'operations', 'people', 'data', 'monitoring'] as const;
export type Category = (typeof CATEGORIES)[number];

const PLAIN = /^[ -\u024f]*$/;

/** Chinese has no blanks between words: what stands anywhere is found. */
const fit = (word: string, text: string): number => (PLAIN.test(word) ? score(word, text, 'none') : text.includes(word) ? 500 : 0);

/** The best first; without a query in the order of the list. Each word of a query has to fit somewhere. */
export function findTemplates(all: readonly Template[], query: string, category: Category | ''): Template[] {
  const asked = query.trim().split(/\s+/).filter(Boolean);
  const points = (one: Template): number => {
    const texts = [[one.title, 1], ...one.words.map((word) => [word, 0.9] as const), [one.description, 0.5]] as const;
    const each = asked.map((word) => Math.max(...texts.map(([text, weight]) => fit(word, text) * weight)));
    return each.some((value) => value === 0) ? 0 : each.reduce((sum, value) => sum + value, 1);
  };
  return all.filter((one) => category === '' || one.category === category)
    .map((one) => ({ one, points: points(one) }))
    .filter((found) => found.points > 0)
    .toSorted((a, b) => b.points - a.points)
    .map((found) => found.one);
}

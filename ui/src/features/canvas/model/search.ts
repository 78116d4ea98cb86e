/** Finding a node kind or a node by a few letters. */

import type { NodeDescriptor } from '../../../api/types.ts';

/** How well `query` fits `text`; 0 = not at all. Whole words beat word starts beat scattered letters. */
export function score(query: string, text: string): number {
  const q = query.trim().toLowerCase();
  const t = text.toLowerCase();
  if (!q) return 1;
  if (t === q) return 1000;
  if (t.startsWith(q)) return 800 - Math.min(t.length, 100);
  const word = t.search(new RegExp(`(^|[^a-z0-9])${q.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`));
  if (word >= 0) return 600 - Math.min(word, 100);
  const inside = t.indexOf(q);
  if (inside >= 0) return 400 - Math.min(inside, 100);
  let from = 0;
  let gaps = 0;
  for (const letter of q) {
    if (letter === ' ') continue;
    const at = t.indexOf(letter, from);
    if (at < 0) return 0;
    gaps += at - from;
    from = at + 1;
  }
  // Letters spread over half a sentence are no match.
  return gaps > q.length * 4 ? 0 : Math.max(1, 200 - gaps * 8);
}

/** The best of several texts, each with its weight. All words of the query must be found somewhere. */
export function scoreAll(query: string, texts: readonly (readonly [text: string, weight: number])[]): number {
  const whole = Math.max(0, ...texts.map(([text, weight]) => score(query, text) * weight));
  const parts = query.trim().split(/\s+/);
  if (parts.length < 2) return whole;
  let sum = 0;
  for (const part of parts) {
    const best = Math.max(0, ...texts.map(([text, weight]) => score(part, text) * weight));
    if (best === 0) return whole;
    sum += best;
  }
  return Math.max(whole, sum / parts.length);
}

export interface Found {
  kind: NodeDescriptor;
  group: 'suggested' | 'recent' | 'all';
}

const scoreKind = (query: string, kind: NodeDescriptor): number =>
  scoreAll(query, [
    [kind.title, 1],
    [kind.type, 0.9],
    ...kind.aliases.map((alias) => [alias, 0.85] as const),
    // Scattered letters in a long text always match something: only real words count there.
    ...(query.trim().length > 2 && kind.description.toLowerCase().includes(query.trim().toLowerCase()) ? [[kind.description, 0.4] as const] : []),
  ]);

/** The list of the search box: without a query suggested, recent, then all; with one, the best first. */
export function findKinds(query: string, kinds: readonly NodeDescriptor[], suggested: readonly string[], recent: readonly string[]): Found[] {
  if (query.trim()) {
    return kinds
      .map((kind) => ({ kind, points: scoreKind(query, kind) }))
      .filter((found) => found.points > 0)
      .sort((a, b) => b.points - a.points || a.kind.title.localeCompare(b.kind.title))
      .map(({ kind }) => ({ kind, group: 'all' }));
  }
  const byType = new Map(kinds.map((kind) => [kind.type, kind]));
  const list: Found[] = [];
  const add = (types: readonly string[], group: Found['group'], limit: number): void => {
    for (const type of types) {
      const kind = byType.get(type);
      if (kind && limit > 0 && !list.some((found) => found.kind === kind)) {
        list.push({ kind, group });
        limit -= 1;
      }
    }
  };
  add(suggested, 'suggested', 5);
  add(recent, 'recent', 5);
  add(kinds.toSorted((a, b) => a.title.localeCompare(b.title)).map((kind) => kind.type), 'all', Infinity);
  return list;
}

const AFTER_ERROR = ['data.set', 'flow.fail', 'http.request', 'file.write', 'flow.stop'];
const AFTER: { [kind: string]: readonly string[] } = {
  'http.request': ['data.transform', 'flow.if', 'data.set', 'data.filter', 'flow.stop'],
  'file.read': ['data.parse', 'data.transform', 'data.filter', 'flow.if', 'data.set'],
  'file.list': ['file.read', 'data.filter', 'data.sort', 'flow.if', 'data.aggregate'],
  'data.parse': ['data.transform', 'data.filter', 'data.sort', 'flow.if', 'data.aggregate'],
  'data.format': ['file.write', 'http.request', 'flow.stop', 'data.set', 'flow.if'],
  'flow.if': ['data.set', 'http.request', 'flow.stop', 'flow.fail', 'flow.noop'],
  'flow.switch': ['data.set', 'http.request', 'flow.stop', 'flow.fail', 'flow.noop'],
};
const AFTER_START = ['http.request', 'file.read', 'data.set', 'flow.if', 'file.list'];
const USUAL = ['data.set', 'data.transform', 'flow.if', 'http.request', 'data.filter', 'flow.stop'];

/** Up to five kinds that usually come next. */
export function suggest(context: { empty: boolean; after?: NodeDescriptor | undefined; red?: boolean; before?: boolean }): readonly string[] {
  if (context.empty) return ['trigger.manual', ...AFTER_START];
  if (context.red) return AFTER_ERROR;
  if (context.before) return USUAL;
  if (!context.after) return USUAL;
  if (context.after.role === 'trigger') return AFTER_START;
  return AFTER[context.after.type] ?? USUAL;
}

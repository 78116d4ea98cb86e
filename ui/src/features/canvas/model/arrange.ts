/** Several chosen cards on one line, or with the same distances between them; none covers another afterwards. */

import type { Workflow } from '../../../api/types.ts';
import { outermost, parentOf } from './frames.ts';
import { type Rect, rectsOf } from './place.ts';
import { type Catalog, type Point, snap } from './ports.ts';

export const ARRANGEMENTS = ['alignLeft', 'alignCenter', 'alignRight', 'alignTop', 'alignBottom', 'distributeAcross', 'distributeDown'] as const;
export type Arrangement = (typeof ARRANGEMENTS)[number];

const GAP = 24;

type Placed = [id: string, rect: Rect];

/** One behind the other along an axis, at least `GAP` apart, in the order in which they stand. */
function apart(cards: readonly Placed[], axis: 'x' | 'y'): Placed[] {
  const size = axis === 'x' ? 'width' : 'height';
  let free = -Infinity;
  return cards.toSorted(([, a], [, b]) => a[axis] - b[axis]).map(([id, r]) => {
    const at = Math.max(r[axis], free);
    free = at + r[size] + GAP;
    return [id, { ...r, [axis]: at }];
  });
}

/** The same distance between each two; the first and the last stay, unless the others need more room. */
function spread(cards: readonly Placed[], axis: 'x' | 'y'): Placed[] {
  const size = axis === 'x' ? 'width' : 'height';
  const sorted = cards.toSorted(([, a], [, b]) => a[axis] - b[axis]);
  const [first, last] = [sorted[0]?.[1], sorted.at(-1)?.[1]];
  if (!first || !last) return sorted;
  const taken = sorted.reduce((sum, [, r]) => sum + r[size], 0);
  const gap = Math.max(GAP, (last[axis] + last[size] - first[axis] - taken) / (sorted.length - 1));
  let at = first[axis];
  return sorted.map(([id, r]) => {
    const next: Placed = [id, { ...r, [axis]: at }];
    at += r[size] + gap;
    return next;
  });
}

/** New places of the chosen steps that stand in the same frame as the first of them. */
export function arranged(document: Workflow, catalog: Catalog, ids: readonly string[], how: Arrangement): { [id: string]: Point } {
  const rects = rectsOf(document, catalog);
  const roots = outermost(document, ids).filter((id) => rects.has(id));
  const home = roots[0] === undefined ? undefined : parentOf(document, roots[0]);
  const cards = roots.filter((id) => parentOf(document, id) === home).map((id): Placed => [id, rects.get(id) as Rect]);
  if (cards.length < 2) return {};
  const edges = (from: 'x' | 'y', size: 'width' | 'height'): { least: number; most: number } => ({
    least: Math.min(...cards.map(([, r]) => r[from])), most: Math.max(...cards.map(([, r]) => r[from] + r[size])),
  });
  const [across, down] = [edges('x', 'width'), edges('y', 'height')];
  const put = (to: (rect: Rect) => Partial<Rect>): Placed[] => cards.map(([id, r]) => [id, { ...r, ...to(r) }]);
  const next: { [how in Arrangement]: () => Placed[] } = {
    alignLeft: () => apart(put(() => ({ x: across.least })), 'y'),
    alignCenter: () => apart(put((r) => ({ x: (across.least + across.most - r.width) / 2 })), 'y'),
    alignRight: () => apart(put((r) => ({ x: across.most - r.width })), 'y'),
    alignTop: () => apart(put(() => ({ y: down.least })), 'x'),
    alignBottom: () => apart(put((r) => ({ y: down.most - r.height })), 'x'),
    distributeAcross: () => spread(cards, 'x'),
    distributeDown: () => spread(cards, 'y'),
  };
  return Object.fromEntries(next[how]().map(([id, r]) => [id, [snap(r.x), snap(r.y)] as const]));
}

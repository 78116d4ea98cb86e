/** Where a new card goes: snapped to the grid, never on top of another. */

import type { Workflow } from '../../../api/types.ts';
import { CARD_H, CARD_W, type Catalog, COLUMN, type Point, placeOf, ROW, shapeOf, snap, wiredPortsByNode } from './ports.ts';

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

const GAP = 24;

export function overlaps(a: Rect, b: Rect, gap = 0): boolean {
  return a.x < b.x + b.width + gap && b.x < a.x + a.width + gap && a.y < b.y + b.height + gap && b.y < a.y + a.height + gap;
}

/** Places of all nodes: the file's, and for nodes without one a free place below, so that nothing is hidden. */
export function placesOf(document: Workflow): Map<string, Point> {
  const places = new Map<string, Point>();
  const homeless: string[] = [];
  let bottom = -Infinity;
  let left = Infinity;
  for (const id of Object.keys(document.nodes)) {
    const place = placeOf(document, id);
    if (place) {
      places.set(id, place);
      bottom = Math.max(bottom, place[1]);
      left = Math.min(left, place[0]);
    } else homeless.push(id);
  }
  const top = Number.isFinite(bottom) ? snap(bottom + ROW) : 0;
  const start = Number.isFinite(left) ? snap(left) : 0;
  homeless.forEach((id, i) => places.set(id, [start + (i % 6) * COLUMN, top + Math.floor(i / 6) * ROW]));
  return places;
}

/** Cards of the document as rectangles. */
export function rectsOf(document: Workflow, catalog: Catalog): Map<string, Rect> {
  const wired = wiredPortsByNode(document);
  const rects = new Map<string, Rect>();
  for (const [id, [x, y]] of placesOf(document)) {
    const node = document.nodes[id];
    if (!node) continue;
    const { width, height } = shapeOf(catalog.get(node.type), node, wired.get(id));
    rects.set(id, { x, y, width, height });
  }
  return rects;
}

/** The free place nearest to `wanted`: first down the column, then up, then columns to the right. */
export function freePlace(taken: Iterable<Rect>, wanted: Point, size: { width: number; height: number } = { width: CARD_W, height: CARD_H }): Point {
  const rects = [...taken];
  const [x0, y0] = [snap(wanted[0]), snap(wanted[1])];
  const free = (x: number, y: number): boolean => !rects.some((r) => overlaps({ x, y, ...size }, r, GAP));
  for (let column = 0; column < 50; column += 1) {
    const x = x0 + column * COLUMN;
    for (let step = 0; step < 60; step += 1) {
      const offset = step * GRID_STEP;
      if (free(x, y0 + offset)) return [x, y0 + offset];
      if (step > 0 && step < 12 && column === 0 && free(x, y0 - offset)) return [x, y0 - offset];
    }
  }
  return [x0, Math.max(...rects.map((r) => r.y + r.height), y0) + GAP];
}
const GRID_STEP = 8;

/** So many cards are moved one by one out of the way of others; more of them as one. */
const BLOCK = 60;

/** Where the top left corner of several cards goes so that none covers another: as wanted, or a little lower or higher. */
export function freeBlock(taken: readonly Rect[], cards: readonly Rect[], wanted: Point): Point {
  const [left, top] = [Math.min(...cards.map((r) => r.x)), Math.min(...cards.map((r) => r.y))];
  const whole = { x: left, y: top, width: Math.max(...cards.map((r) => r.x + r.width)) - left, height: Math.max(...cards.map((r) => r.y + r.height)) - top };
  const block = cards.length > BLOCK ? [whole] : cards;
  const [x, y] = [snap(wanted[0]), snap(wanted[1])];
  const near = taken.filter((r) => r.x < x + whole.width + GAP && x < r.x + r.width + GAP);
  const free = (dy: number): boolean => !block.some((card) => near.some((r) => overlaps({ ...card, x: card.x - left + x, y: card.y - top + y + dy }, r, GAP)));
  for (let step = 0; step < 60; step += 1) for (const dy of step === 0 ? [0] : [step * GRID_STEP, -step * GRID_STEP]) if (free(dy)) return [x, y + dy];
  return [x, snap(Math.max(y, ...near.map((r) => r.y + r.height + GAP)))];
}

/** Where the next card after `id` goes: one column on; below for the red port. */
export function nextTo(rects: ReadonlyMap<string, Rect>, id: string, red: boolean, size?: { width: number; height: number }): Point {
  const rect = rects.get(id);
  if (!rect) return [0, 0];
  const wanted: Point = red ? [rect.x + COLUMN / 2, rect.y + rect.height + (ROW - CARD_H)] : [rect.x + COLUMN, rect.y];
  return freePlace(rects.values(), wanted, size);
}

/** A frame that grows makes room: what stands to the right of it goes to the right, what stands below goes down. */

import type { Workflow } from '../../../api/types.ts';
import { applyPatches } from './patch.ts';
import { type Edit, patchesOf } from './edits.ts';
import { framesAround, treeOf } from './frames.ts';
import { overlaps, type Rect, rectsIn, rectsOf } from './place.ts';
import { type Catalog, type Point, snap } from './ports.ts';

const GAP = 24;

const after = (document: Workflow, edits: readonly Edit[]): Workflow => edits.reduce((now, edit) => applyPatches(now, patchesOf(now, edit)).document, document);

/** The edits, and those that move the neighbours of frames which they made larger. */
export function withRoom(document: Workflow, catalog: Catalog, edits: readonly Edit[]): Edit[] {
  const all = [...edits];
  let now = after(document, edits);
  if (treeOf(now).children.size === 0) return all;
  const before = rectsOf(document, catalog);
  const frames = [...treeOf(now).children.keys()].toSorted((a, b) => framesAround(now, b).length - framesAround(now, a).length);
  for (const frame of frames) {
    const old = before.get(frame);
    const rects = rectsOf(now, catalog);
    const rect = rects.get(frame);
    if (!old || !rect || (rect.width <= old.width && rect.height <= old.height)) continue;
    const home = treeOf(now).parent.get(frame);
    const others = [...rectsIn(now, rects, home)].filter(([id]) => id !== frame);
    const places: { [id: string]: Point } = {};
    const push = (list: [string, Rect][], dx: number, dy: number): void => {
      for (const [id, r] of list) places[id] = [r.x + dx, r.y + dy];
    };
    const where: Rect = { ...rect };
    const [right, bottom] = [rect.x + old.width, rect.y + old.height];
    const beside = others.filter(([, r]) => r.x >= right);
    const dx = snap(rect.width - old.width);
    if (dx > 0 && beside.some(([, r]) => overlaps(where, r, GAP))) push(beside, dx, 0);
    const below = others.filter(([id, r]) => r.y >= bottom && r.x < right + dx && !Object.hasOwn(places, id));
    const dy = snap(rect.height - old.height);
    if (dy > 0 && below.some(([, r]) => overlaps(where, r, GAP))) push(below, 0, dy);
    if (Object.keys(places).length === 0) continue;
    const edit: Edit = { type: 'place', places };
    all.push(edit);
    now = after(now, [edit]);
  }
  return all;
}

/** What is new makes room: what stands to the right of a frame that grows, or of a card in a wire, goes to the right; what stands below goes down. */

import type { Workflow } from '../../../api/types.ts';
import { applyPatches } from './patch.ts';
import { type Edit, type EdgeRef, patchesOf } from './edits.ts';
import { framesAround, isFrame, parentOf } from './frames.ts';
import { treeOf } from '../../../shared/container-tree.ts';
import { splitPort } from '../../../shared/step-ids.ts';
import { freePlace, overlaps, type Rect, rectsIn, rectsOf, shapesOf } from './place.ts';
import { CARD_W, type Catalog, COLUMN, type Point, snap } from './ports.ts';

const GAP = 24;
const GRID = 8;

const after = (document: Workflow, edits: readonly Edit[]): Workflow => edits.reduce((now, edit) => applyPatches(now, patchesOf(now, edit)).document, document);

/** The edits, and those that move the neighbours of frames which they made larger. */
export function makeSpace(document: Workflow, catalog: Catalog, edits: readonly Edit[]): Edit[] {
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

/** The edits that put the card `id` into a wire, and those that part the ends of the wire when there is no room between them. */
export function makeSpaceBetween(document: Workflow, catalog: Catalog, edits: readonly Edit[], id: string, edge: EdgeRef): Edit[] {
  const now = after(document, edits);
  // A card that is pressed between others is narrower: here it is as wide as usual, and gets the room.
  const rects = new Map([...rectsIn(now, rectsOf(now, catalog), parentOf(now, id))].map(([one, r]) => [one, { ...r, width: Math.max(CARD_W, r.width) }]));
  const [source, target, own] = [rects.get(splitPort(edge.from).node), rects.get(edge.to), rects.get(id)];
  const others = new Map([...rects].filter(([one]) => one !== id));
  if (!source || !target || !own || ![...others.values()].some((r) => overlaps(own, r, GAP))) return makeSpace(document, catalog, edits);
  const places: { [id: string]: Point } = {};
  let wanted: Point = [own.x, own.y];
  // A wire that leads back or down has its ends elsewhere: only the card itself gives way.
  if (target.x >= source.x + source.width) {
    const shapes = shapesOf(now, catalog);
    const between = COLUMN - CARD_W;
    // As near to where it was dropped as the ends let it.
    const [first, last] = [source.x + source.width + between, Math.floor((target.x - between - own.width) / GRID) * GRID];
    wanted = [Math.max(first, Math.min(own.x, last)), target.y + (shapes.get(edge.to)?.inputY ?? 0) - (shapes.get(id)?.inputY ?? 0)];
    const dx = Math.ceil((wanted[0] + own.width + between - target.x) / GRID) * GRID;
    if (dx > 0) {
      for (const [one, r] of others) {
        if (r.x < target.x) continue;
        places[one] = [r.x + dx, r.y];
        others.set(one, { ...r, x: r.x + dx });
      }
    }
  }
  places[id] = freePlace(others.values(), wanted, { width: own.width, height: own.height });
  return makeSpace(document, catalog, [...edits, { type: 'place', places }]);
}

/** Edits that may give steps other titles, and those that make room for wider cards: what stands to the right goes on. */
export function withRoomForTitle(document: Workflow, catalog: Catalog, edits: readonly Edit[]): readonly Edit[] {
  const renamed = edits.flatMap((edit) => (edit.type === 'setNode' && edit.path.length === 1 && edit.path[0] === 'title' && Object.hasOwn(document.nodes, edit.id) ? [edit.id] : []));
  const [id] = renamed;
  if (id === undefined || renamed.length > 1) return edits;
  const now = after(document, edits);
  const rects = rectsIn(now, rectsOf(now, catalog), parentOf(now, id));
  const own = rects.get(id);
  const dx = (shapesOf(now, catalog, undefined, true).get(id)?.width ?? 0) - (own?.width ?? 0);
  if (!own || dx <= 0 || isFrame(now, catalog, id)) return edits;
  const places: { [id: string]: Point } = {};
  for (const [one, r] of rects) if (one !== id && r.x >= own.x + own.width) places[one] = [r.x + dx, r.y];
  return Object.keys(places).length === 0 ? edits : makeSpace(document, catalog, [...edits, { type: 'place', places }]);
}

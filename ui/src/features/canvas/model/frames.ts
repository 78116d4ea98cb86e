/**
 * Containers as frames: which step stands in which, and how large a frame is.
 *
 * In the file the place of a step in a frame counts from the frame's top left corner. Everywhere else on the canvas places are
 * counted from one origin: `placesOf` and `rectsOf` add the frames up, edits take them off again.
 */

import type { NodeDescriptor, Workflow } from '../../../api/types.ts';
import { treeOf } from '../../../shared/container-tree.ts';
import type { Catalog, Point } from './ports.ts';

/** Height of the head (VISUAL). */
export const FRAME_HEAD = 28;
/** Where the first step of a body stands: room for a wire that comes back to it, and below the head. */
export const BODY_AT: Point = [32, 48];
/** Left of the body free: the right edge, with its ports. */
export const BODY_RIGHT = 32;
/** Below the body free: the tag of an unwired error port stands there. */
export const BODY_BELOW = 48;
/** The ports of a frame stand on the row of its first step. */
export const FRAME_PORT_Y = BODY_AT[1] + 28;
/** Room for one step. */
export const FRAME_MIN: { readonly width: number; readonly height: number } = { width: BODY_AT[0] + 200 + BODY_RIGHT, height: BODY_AT[1] + 56 + BODY_BELOW };

export const parentOf = (document: Workflow, id: string): string | undefined => treeOf(document).parent.get(id);

/** Drawn as a frame: what the catalog says, and what holds steps although the program does not know its kind. */
export function isFrame(document: Workflow, catalog: Catalog, id: string): boolean {
  return holdsSteps(catalog.get(document.nodes[id]?.type ?? '')) || treeOf(document).children.has(id);
}
export const holdsSteps = (kind: NodeDescriptor | undefined): boolean => kind?.role === 'loop' || kind?.role === 'parallel';

/** The frames around a step, the nearest first. */
export function framesAround(document: Workflow, id: string): string[] {
  const { parent } = treeOf(document);
  const list: string[] = [];
  for (let at = parent.get(id); at !== undefined; at = parent.get(at)) list.push(at);
  return list;
}

/** These and everything in them, in the order of the file. */
export function withInside(document: Workflow, ids: Iterable<string>): string[] {
  const { children } = treeOf(document);
  const all = new Set<string>();
  const add = (id: string): void => {
    if (all.has(id)) return;
    all.add(id);
    for (const child of children.get(id) ?? []) add(child);
  };
  for (const id of ids) add(id);
  return children.size === 0 ? [...all] : Object.keys(document.nodes).filter((id) => all.has(id));
}

/** Of these the ones that stand in none of the others: what is moved, copied or deleted with its frame is not named twice. */
export function outermost(document: Workflow, ids: readonly string[]): string[] {
  const chosen = new Set(ids);
  return ids.filter((id) => !framesAround(document, id).some((frame) => chosen.has(frame)));
}

/** A wire between these would cross the border of a frame. */
export const crosses = (document: Workflow, a: string, b: string): boolean => parentOf(document, a) !== parentOf(document, b);

/** In the order of drawing: frames lie below all cards, and a frame below the frames in it. */
export function byDepth(document: Workflow): string[] {
  const { parent, children } = treeOf(document);
  const ids = Object.keys(document.nodes);
  if (children.size === 0) return ids;
  const depth = (id: string): number => (parent.has(id) ? 1 + depth(parent.get(id) as string) : 0);
  const frames = ids.filter((id) => children.has(id)).toSorted((a, b) => depth(a) - depth(b));
  const framed = new Set(frames);
  return [...frames, ...ids.filter((id) => !framed.has(id))];
}

/** The loops around a step, the nearest first. */
export function loopsAround(document: Workflow, catalog: Catalog, id: string): string[] {
  return framesAround(document, id).filter((frame) => catalog.get(document.nodes[frame]?.type ?? '')?.role === 'loop');
}

/** The size that a person dragged a frame to. */
export function draggedSize(document: Workflow, id: string): { width: number; height: number } | null {
  const place = document.layout?.[id];
  if (!Array.isArray(place)) return null;
  const [, , width, height] = place as unknown[];
  const fits = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0 && value < 100_000;
  return fits(width) && fits(height) ? { width, height } : null;
}

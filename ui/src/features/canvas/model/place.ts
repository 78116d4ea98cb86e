/** Where a new card goes: snapped to the grid, never on top of another. */

import type { Workflow, WorkflowNode } from '../../../api/types.ts';
import { BODY_AT, BODY_BELOW, BODY_RIGHT, byDepth, draggedSize, FRAME_MIN, FRAME_PORT_Y, framesAround, isFrame } from './frames.ts';
import { treeOf } from '../../../shared/container-tree.ts';
import { cardWidths } from './card-width.ts';
import { CARD_H, CARD_W, type Catalog, COLUMN, type Point, placeOf, ROW, type Shape, shapeOf, type Size, snap, wiredPortsByNode } from './ports.ts';

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

const GAP = 24;
/** Columns of steps without a place. */
const PER_ROW = 6;

export function overlaps(a: Rect, b: Rect, gap = 0): boolean {
  return a.x < b.x + b.width + gap && b.x < a.x + a.width + gap && a.y < b.y + b.height + gap && b.y < a.y + a.height + gap;
}

/** Places of all nodes on the canvas: the file's, and for nodes without one a free place below, so that nothing is hidden. */
export function placesOf(document: Workflow): Map<string, Point> {
  const places = new Map<string, Point>();
  const { parent, children } = treeOf(document);
  const homeless: string[] = [];
  let bottom = -Infinity;
  let left = Infinity;
  for (const id of Object.keys(document.nodes)) {
    if (parent.has(id)) continue;
    const place = placeOf(document, id);
    if (place) {
      places.set(id, place);
      bottom = Math.max(bottom, place[1]);
      left = Math.min(left, place[0]);
    } else homeless.push(id);
  }
  const top = Number.isFinite(bottom) ? snap(bottom + ROW) : 0;
  const start = Number.isFinite(left) ? snap(left) : 0;
  /** Columns and rows that a step takes; a frame those of what it holds, and its own border. */
  const room = (id: string): readonly [columns: number, rows: number] => {
    const mine = children.get(id) ?? [];
    if (mine.length === 0) return [1, 1];
    let [across, columns, rows] = [0, 0, 0];
    for (const child of mine) {
      const [wide, high] = room(child);
      const at = placeOf(document, child);
      if (!at) across += wide;
      columns = Math.max(columns, at ? Math.ceil(at[0] / COLUMN) + wide : across);
      rows = Math.max(rows, at ? Math.ceil(at[1] / ROW) + high : high);
    }
    return [columns + 1, rows + 1];
  };
  let [column, row, rowsHere] = [0, 0, 1];
  for (const id of homeless) {
    const [columns, rows] = room(id);
    if (column > 0 && column + columns > PER_ROW) [column, row, rowsHere] = [0, row + rowsHere, 1];
    places.set(id, [start + column * COLUMN, top + row * ROW]);
    column += columns;
    rowsHere = Math.max(rowsHere, rows);
  }
  const inside = (frame: string): void => {
    const [x, y] = places.get(frame) as Point;
    const mine = children.get(frame) ?? [];
    const own = mine.map((id) => placeOf(document, id));
    const below = Math.max(BODY_AT[1] - ROW, ...own.flatMap((at) => (at ? [at[1]] : []))) + ROW;
    let next = 0;
    mine.forEach((id, i) => {
      const at = own[i] ?? [BODY_AT[0] + next * COLUMN, snap(below)];
      if (!own[i]) next += room(id)[0];
      places.set(id, [x + at[0], y + at[1]]);
      inside(id);
    });
  };
  // What is found on the way comes into the same map.
  const tops = [...places.keys()];
  if (children.size > 0) for (const id of tops) inside(id);
  return places;
}

/** Where the corner of a frame stands; the canvas' own origin at the top. */
export function originOf(document: Workflow, frame: string | undefined): Point {
  if (frame === undefined || !Object.hasOwn(document.nodes, frame)) return [0, 0];
  let [x, y] = [0, 0];
  for (const id of [frame, ...framesAround(document, frame)]) {
    const at = placeOf(document, id);
    // A frame without a place in the file gets one by its neighbours.
    if (!at) return placesOf(document).get(frame) ?? [0, 0];
    [x, y] = [x + at[0], y + at[1]];
  }
  return [x, y];
}

/** Sizes and ports of all cards and frames. `free`: each card as wide as its title needs, wherever its neighbours stand now. */
export function shapesOf(document: Workflow, catalog: Catalog, places = placesOf(document), free = false): Map<string, Shape> {
  const wired = wiredPortsByNode(document);
  const { children } = treeOf(document);
  const measure = (widths: ReadonlyMap<string, number>): Map<string, Shape> => {
    const shapes = new Map<string, Shape>();
    const shape = (id: string): Shape => {
      const done = shapes.get(id);
      if (done) return done;
      const node = document.nodes[id] as WorkflowNode;
      const made = shapeOf(catalog.get(node.type), node, wired.get(id), isFrame(document, catalog, id) ? frameSize(id) : undefined, widths.get(id));
      shapes.set(id, made);
      return made;
    };
    const frameSize = (id: string): Size => {
      let { width, height } = draggedSize(document, id) ?? FRAME_MIN;
      const [x, y] = places.get(id) ?? [0, 0];
      for (const child of children.get(id) ?? []) {
        const [cx, cy] = places.get(child) ?? [x, y];
        const { width: w, height: h } = shape(child);
        width = Math.max(width, cx - x + w + BODY_RIGHT);
        height = Math.max(height, cy - y + h + BODY_BELOW);
      }
      return { width: Math.max(width, FRAME_MIN.width), height: Math.max(height, FRAME_MIN.height) };
    };
    for (const id of Object.keys(document.nodes)) shape(id);
    return shapes;
  };
  const usual = measure(USUAL);
  const widths = cardWidths(document, catalog, places, usual, free);
  return widths.size === 0 ? usual : measure(widths);
}
const USUAL: ReadonlyMap<string, number> = new Map();

/** Cards and frames of the document as rectangles, in the order of drawing. */
export function rectsOf(document: Workflow, catalog: Catalog): Map<string, Rect> {
  const places = placesOf(document);
  const shapes = shapesOf(document, catalog, places);
  const rects = new Map<string, Rect>();
  for (const id of byDepth(document)) {
    const [[x, y], shape] = [places.get(id) ?? [0, 0], shapes.get(id)];
    if (shape) rects.set(id, { x, y, width: shape.width, height: shape.height });
  }
  return rects;
}

/** The rectangles that stand in one frame (at the top without one): only these are in each other's way. */
export function rectsIn(document: Workflow, rects: ReadonlyMap<string, Rect>, frame: string | undefined): Map<string, Rect> {
  const { parent, children } = treeOf(document);
  if (children.size === 0 && frame === undefined) return new Map(rects);
  return new Map([...rects].filter(([id]) => parent.get(id) === frame));
}

/** The innermost frame at a place of the canvas. `except`: frames that are being moved, with all in them. */
export function frameAt(document: Workflow, catalog: Catalog, rects: ReadonlyMap<string, Rect>, [x, y]: Point, except: ReadonlySet<string> = NOTHING): string | undefined {
  let found: string | undefined;
  for (const [id, r] of rects) {
    if (except.has(id) || x < r.x || x > r.x + r.width || y < r.y || y > r.y + r.height || !isFrame(document, catalog, id)) continue;
    // In the order of drawing an inner frame comes after the one around it.
    found = id;
  }
  return found;
}
const NOTHING: ReadonlySet<string> = new Set();

/** A place in a frame that is not on its head or its border. */
export function within(document: Workflow, frame: string | undefined, [x, y]: Point): Point {
  if (frame === undefined) return [Number.isFinite(x) ? x : 0, Number.isFinite(y) ? y : 0];
  const [left, top] = originOf(document, frame);
  return [Math.max(x, left + BODY_AT[0]), Math.max(y, top + BODY_AT[1])];
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

/** Where the next card after `id` goes: one column on, its input on the same row; below for the error port. `frame`: what stands there is drawn as one. */
export function nextTo(rects: ReadonlyMap<string, Rect>, id: string, red: boolean, size?: Size, inputY = 28, frame = false): Point {
  const rect = rects.get(id);
  if (!rect) return [0, 0];
  const row = frame ? FRAME_PORT_Y : 28;
  const wanted: Point = red ? [rect.x + COLUMN / 2, rect.y + rect.height + (ROW - CARD_H)] : [rect.x + rect.width + (COLUMN - CARD_W), rect.y + row - inputY];
  return freePlace(rects.values(), wanted, size);
}

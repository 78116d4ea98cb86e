/** Lays anew only the wires that a change touches: the work follows from the change and not from the size of the graph. */

import type { Rect } from '../model/place.ts';
import { distanceTo, type P } from './geometry.ts';
import { OPEN, type Route, routeWires, type Scopes, type WireEnds } from './router.ts';

/** A wire looks this far around its ends for a way, see `lanes`. */
const LOOK = 320;
/** A wire that runs so near to a card goes around it, or could run straight without it. */
const NEAR = 32;

interface Box { left: number; top: number; right: number; bottom: number }

const boxOf = (points: readonly P[], pad: number): Box => {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
  return { left: left - pad, top: top - pad, right: right + pad, bottom: bottom + pad };
};
const around = (r: Rect, pad: number): Box => ({ left: r.x - pad, top: r.y - pad, right: r.x + r.width + pad, bottom: r.y + r.height + pad });
const meets = (a: Box, b: Box): boolean => a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;

/** A way that stays keeps its object: its box is computed once, not on every frame of a drag. */
const boxes = new WeakMap<Route, Box>();
function boxOfRoute(route: Route): Box {
  const known = boxes.get(route);
  if (known) return known;
  const box = boxOf(route.points, 0);
  boxes.set(route, box);
  return box;
}

/** Some stretch of the way runs through the box. */
function runsThrough(route: Route, box: Box): boolean {
  if (!meets(boxOfRoute(route), box)) return false;
  const { points } = route;
  for (let i = 1; i < points.length; i += 1) if (meets(boxOf([points[i - 1] as P, points[i] as P], 0), box)) return true;
  return false;
}

export interface Picture {
  wires: readonly WireEnds[];
  rects: ReadonlyMap<string, Rect>;
  heads?: readonly Rect[];
}

const sameRect = (a: Rect, b: Rect): boolean => a.x === b.x && a.y === b.y && a.height === b.height && a.width === b.width;

/** Wires that are new, whose ends moved, or whose way leads by a card that came, went or moved. */
export function touchedWires(before: Picture, after: Picture, routes: ReadonlyMap<string, Route>): Set<string> {
  const places: Box[] = [];
  const place = (rect: Rect): void => { places.push(around(rect, NEAR)); };
  for (const [id, rect] of after.rects) {
    const old = before.rects.get(id);
    if (old && sameRect(old, rect)) continue;
    if (old) place(old);
    place(rect);
  }
  for (const [id, rect] of before.rects) if (!after.rects.has(id)) place(rect);
  const [oldHeads, newHeads] = [before.heads ?? [], after.heads ?? []];
  for (const rect of newHeads) if (!oldHeads.some((old) => sameRect(old, rect))) place(rect);
  for (const old of oldHeads) if (!newHeads.some((rect) => sameRect(old, rect))) place(old);
  const known = new Map(before.wires.map((wire) => [wire.key, wire]));
  const touched = new Set<string>();
  for (const wire of after.wires) {
    const [old, route] = [known.get(wire.key), routes.get(wire.key)];
    const same = old && route && old.from[0] === wire.from[0] && old.from[1] === wire.from[1] && old.to[0] === wire.to[0] && old.to[1] === wire.to[1];
    if (!same || places.some((box) => runsThrough(route, box))) touched.add(wire.key);
  }
  return touched;
}

export interface LocalOptions {
  only: ReadonlySet<string>;
  previous: ReadonlyMap<string, Route>;
  soft?: readonly Rect[];
  heads?: readonly Rect[];
  scopes?: Scopes;
}

/** `only` are laid among what lies around them; all others keep their way. */
export function routeLocally(wires: readonly WireEnds[], rects: ReadonlyMap<string, Rect>, { only, previous, soft = [], heads = [], scopes = OPEN }: LocalOptions): Map<string, Route> {
  const moving = wires.filter((wire) => only.has(wire.key));
  const looks = moving.map((wire) => boxOf([wire.from, wire.to], LOOK));
  const inside = (box: Box): boolean => looks.some((other) => meets(other, box));
  const insideOf = (all: readonly Rect[]): Rect[] => all.filter((rect) => inside(around(rect, 0)));
  const kept = moving.length === 0 ? [] : wires.filter((wire) => {
    const route = only.has(wire.key) ? undefined : previous.get(wire.key);
    return route !== undefined && inside(boxOfRoute(route));
  });
  const near = new Map<string, Rect>();
  for (const [id, rect] of rects) if (inside(around(rect, 0))) near.set(id, rect);
  // Those that stay come first: the others find all tracks that are laid.
  const laid = routeWires([...kept, ...moving], near, { only, previous, scopes, soft: insideOf(soft), heads: insideOf(heads) });
  const left = moving.flatMap((wire) => { const old = previous.get(wire.key); return old ? [old.points] : []; });
  const bridged = (at: P): boolean => left.some((points) => distanceTo(points, at) < 1);
  const routes = new Map<string, Route>();
  for (const wire of wires) {
    const route = laid.get(wire.key) ?? previous.get(wire.key);
    if (!route) continue;
    // A bridge over a track that is gone.
    const gone = route.crossings.length > 0 && !only.has(wire.key) && route.crossings.some(({ at }) => bridged(at));
    routes.set(wire.key, gone ? { ...route, crossings: route.crossings.filter(({ at }) => !bridged(at)) } : route);
  }
  return routes;
}

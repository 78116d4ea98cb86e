/**
 * Lays the wires: horizontal first, turns of 45 degrees, 16 px clear before a port, around cards.
 *
 * For every wire a handful of plain ways is tried and the cheapest kept: running through a card costs most, then sharing a track
 * with a stranger, then crossing, then turns and length. Wires are laid in the order of the file, so the picture is stable.
 */

import { FRAME_HEAD } from '../model/frames.ts';
import type { Rect } from '../model/place.ts';
import { cutPath, lengthOf, type P, tidy } from './geometry.ts';
import { TagIndex, tagPlace } from './tags.ts';
import { RectIndex, TrackIndex } from './index-grid.ts';

export interface WireEnds {
  key: string;
  /** `node.port`: wires of one port may share their track */
  source: string;
  sourceNode: string;
  target: string;
  from: P;
  to: P;
  /** error ports leave downwards */
  down: boolean;
  /** how wide its tag is, when it has one with words */
  tagWidth?: number;
}

export interface Route {
  points: P[];
  d: string;
  /** where a tag sits: on a straight stretch, away from turns and other tags */
  tag: P;
  /** where the way runs leftwards for long, an arrow shows the direction */
  arrow: { at: P; angle: number } | null;
  /** places where this wire runs over another */
  crossings: { at: P; flat: boolean }[];
}

const OUT = 24;
const MARGIN = 7;
/** An unwired error port has its tag below the card. */
const BELOW = 44;
const ABOVE = 20;

const uniq = (values: number[]): number[] => [...new Set(values)];

function lanes(wire: WireEnds, { index, heads, known }: Around, x1: number, x2: number): number[] {
  const [low, high] = [Math.min(wire.from[1], wire.to[1]), Math.max(wire.from[1], wire.to[1])];
  const middle = (low + high) / 2;
  const box = [Math.min(x1, x2) - 32, low - 200, Math.max(x1, x2) + 32, high + 200] as const;
  const near = index.query(...box).flatMap(({ rect }) => [rect.y - ABOVE, rect.y + rect.height + BELOW, rect.y + rect.height + 24]);
  const ys = [...near, ...heads.query(...box).map(({ rect }) => rect.y - ABOVE)];
  return uniq([...known, ...uniq([middle, ...ys]).sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle)).slice(0, 18)]);
}

/** What the ways of a wire depend on; `known`: tracks of other wires to the same input. */
interface Around { index: RectIndex; heads: RectIndex; known: readonly number[] }

function ways(wire: WireEnds, around: Around): P[][] {
  const { from, to } = wire;
  const [x1, y1] = from;
  const [x2, y2] = to;
  const into = x2 - OUT;
  if (wire.down) {
    const list: P[][] = [];
    if (y2 > y1 + 16 && x2 >= x1 + OUT) list.push([from, [x1, y2], to]);
    for (const y of uniq([y1 + 36, y1 + 24, ...lanes(wire, around, x1, into)])) {
      if (y >= y1 + 16) list.push([from, [x1, y], [into, y], [into, y2], to]);
    }
    return list;
  }
  const list: P[][] = [];
  const out = x1 + OUT;
  if (x2 - x1 >= 32) {
    if (y1 === y2) list.push([from, to]);
    const turns = x2 - x1 < 2 * OUT ? [(x1 + x2) / 2] : uniq([into, out, (x1 + x2) / 2]);
    if (y1 !== y2) for (const x of turns) list.push([from, [x, y1], [x, y2], to]);
  }
  for (const y of lanes(wire, around, out, into)) list.push([from, [out, y1], [out, y], [into, y], [into, y2], to]);
  return list;
}

function middleOf(points: readonly P[]): P {
  const i = Math.max(1, Math.floor(points.length / 2));
  const [a, b] = [points[i - 1] as P, points[i] as P];
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}

function arrowOf(points: readonly P[]): Route['arrow'] {
  for (let i = 1; i < points.length; i += 1) {
    const [a, b] = [points[i - 1] as P, points[i] as P];
    if (a[1] === b[1] && b[0] < a[0] - 96) return { at: [a[0] + (b[0] - a[0]) * 0.4, a[1]], angle: 180 };
  }
  return null;
}

/** step → the frame it stands in. A wire runs around what stands in its own frame, and not over the border. */
export type Scopes = ReadonlyMap<string, string>;
export const OPEN: Scopes = new Map();

export interface RouteOptions {
  scopes?: Scopes;
  /** lay only these anew and keep the others from `previous` (while something is dragged) */
  only?: ReadonlySet<string>;
  previous?: ReadonlyMap<string, Route>;
  /** tags of unwired error ports: run around them when it costs little */
  soft?: readonly Rect[];
  /** titles and notes of groups: a wire may cross them, and does not run along them */
  heads?: readonly Rect[];
}

const FREE = { crossings: [], shared: 0, joined: 0 };
const laneKey = (wire: WireEnds): string => `${wire.target}${wire.down ? '!' : ''}`;

/** Long tracks to an input, so that the next wire to it may join. */
function remember(lanesTo: Map<string, number[]>, wire: WireEnds, points: readonly P[]): void {
  for (let i = 1; i < points.length; i += 1) {
    const [a, b] = [points[i - 1] as P, points[i] as P];
    if (a[1] !== b[1] || Math.abs(a[0] - b[0]) < 48 || b === wire.to) continue;
    const list = lanesTo.get(laneKey(wire));
    if (!list) lanesTo.set(laneKey(wire), [a[1]]);
    else if (!list.includes(a[1])) list.push(a[1]);
  }
}

/** What a wire runs around, and the room it has: the body of its frame. */
function obstacles(rects: ReadonlyMap<string, Rect>, scopes: Scopes): (wire: WireEnds) => { index: RectIndex; room: Rect | null } {
  if (scopes.size === 0) {
    const whole = { index: new RectIndex(rects), room: null };
    return () => whole;
  }
  const made = new Map<string | undefined, { index: RectIndex; room: Rect | null }>();
  return (wire) => {
    const frame = scopes.get(wire.sourceNode);
    const known = made.get(frame);
    if (known) return known;
    const rect = frame === undefined ? undefined : rects.get(frame);
    const next = {
      index: new RectIndex([...rects].filter(([id]) => scopes.get(id) === frame)),
      room: rect ? { x: rect.x, y: rect.y + FRAME_HEAD, width: rect.width, height: rect.height - FRAME_HEAD } : null,
    };
    made.set(frame, next);
    return next;
  };
}

const outside = ([x, y]: P, room: Rect): number => (x < room.x + EDGE || x > room.x + room.width - EDGE || y < room.y + EDGE || y > room.y + room.height - EDGE ? 1 : 0);
/** A wire keeps clear of the border of its frame. */
const EDGE = 4;

/** A pixel of a wire along the title of a group costs as much as a detour of eight. */
const ALONG_HEAD = 0.64;

const indexOf = (rects: readonly Rect[] = []): RectIndex => new RectIndex(rects.map((rect, i) => [String(i), rect] as const));

/** Above this many wires crossings are no longer weighed. */
const CAREFUL = 1500;

export function routeWires(wires: readonly WireEnds[], rects: ReadonlyMap<string, Rect>, options: RouteOptions = {}): Map<string, Route> {
  const surroundings = obstacles(rects, options.scopes ?? OPEN);
  const soft = indexOf(options.soft);
  const heads = indexOf(options.heads);
  const tracks = new TrackIndex();
  const careful = wires.length <= CAREFUL;
  const routes = new Map<string, Route>();
  const lanesTo = new Map<string, number[]>();
  for (const wire of wires) {
    const kept = options.only && !options.only.has(wire.key) ? options.previous?.get(wire.key) : undefined;
    if (kept) {
      routes.set(wire.key, kept);
      if (careful) tracks.add(kept.points, wire.source, wire.target, wire.down);
      remember(lanesTo, wire, kept.points);
      continue;
    }
    const near = [wire.sourceNode, wire.target];
    const { index, room } = surroundings(wire);
    let best: { points: P[]; cost: number; crossings: P[] } | null = null;
    const known = careful ? lanesTo.get(laneKey(wire)) ?? [] : [];
    for (const way of ways(wire, { index, heads, known })) {
      const points = tidy(way);
      let cost = (points.length - 2) * 10;
      let blocked = 0;
      for (let i = 1; i < points.length; i += 1) {
        const [a, b] = [points[i - 1] as P, points[i] as P];
        blocked += index.hits(a, b, near, MARGIN) * 1000 + soft.hits(a, b, [], 2) * 25 + heads.overlap(a, b) * ALONG_HEAD;
        cost += lengthOf(a, b) * 0.08;
        if (room) blocked += outside(b, room) * 1000;
      }
      cost += blocked;
      // Joining a track of the same input may still make up for a little.
      if (best && cost - 60 >= best.cost) continue;
      const traffic = careful ? tracks.traffic(points, wire.source, wire.target, wire.down) : FREE;
      cost += traffic.crossings.length * 40 + (traffic.shared > 0 ? 80 + traffic.shared * 0.3 : 0) - traffic.joined * 0.06;
      if (!best || cost < best.cost) best = { points, cost, crossings: traffic.crossings };
      // Nothing can beat a short free way, and a big graph takes the first free one.
      if (blocked === 0 && (!careful || (points.length <= 4 && traffic.crossings.length === 0 && traffic.shared === 0))) break;
    }
    const points = best?.points ?? [wire.from, wire.to];
    if (careful) tracks.add(points, wire.source, wire.target, wire.down);
    remember(lanesTo, wire, points);
    routes.set(wire.key, {
      points,
      d: cutPath(points),
      tag: points[0] as P,
      arrow: arrowOf(points),
      crossings: (best?.crossings ?? []).map((at) => ({ at, flat: points.some((p, i) => i > 0 && p[1] === at[1] && (points[i - 1] as P)[1] === at[1]) })),
    });
  }
  const tags = new TagIndex();
  const place = (wire: WireEnds): void => {
    const route = routes.get(wire.key);
    if (!route) return;
    const kept = options.only !== undefined && !options.only.has(wire.key);
    if (!kept) route.tag = careful ? tagPlace(route, wire.tagWidth, tracks, tags) : middleOf(route.points);
    tags.add(route.tag, wire.tagWidth);
  };
  // Words need more room than a number: they choose first.
  for (const wire of wires) if (wire.tagWidth !== undefined) place(wire);
  for (const wire of wires) if (wire.tagWidth === undefined) place(wire);
  return routes;
}

/** The way of a wire that is being dragged: no cards in its way, only the shape. */
export function looseRoute(from: P, to: P, down: boolean, backwards: boolean): string {
  if (backwards) {
    const x = Math.min(from[0] - OUT, (from[0] + to[0]) / 2);
    return cutPath(tidy([from, [x, from[1]], [x, to[1]], to]));
  }
  if (down) {
    if (to[1] > from[1] + 16) return cutPath(tidy([from, [from[0], to[1]], to]));
    const y = from[1] + 24;
    const x = to[0] - OUT;
    return cutPath(tidy([from, [from[0], y], [x, y], [x, to[1]], to]));
  }
  const x = to[0] > from[0] + 2 * OUT ? (from[0] + to[0]) / 2 : from[0] + OUT;
  if (to[0] > from[0] + 2 * OUT) return cutPath(tidy([from, [x, from[1]], [x, to[1]], to]));
  const y = (from[1] + to[1]) / 2;
  return cutPath(tidy([from, [x, from[1]], [x, y], [to[0] - OUT, y], [to[0] - OUT, to[1]], to]));
}

/** Rectangles and wire segments by place, so that a way is checked against its surroundings only. */

import type { Rect } from '../model/place.ts';
import type { P } from './geometry.ts';

const CELL = 256;
const LANE = 64;
/** Cells of far places may share a key; the exact test follows anyway. */
const SPREAD = 1 << 20;

export class RectIndex {
  private readonly cells = new Map<number, { id: string; rect: Rect }[]>();

  constructor(rects: Iterable<readonly [string, Rect]>) {
    for (const [id, rect] of rects) {
      const entry = { id, rect };
      this.each(rect.x, rect.y, rect.x + rect.width, rect.y + rect.height, (key) => {
        const list = this.cells.get(key);
        if (list) list.push(entry);
        else this.cells.set(key, [entry]);
      });
    }
  }

  private each(x1: number, y1: number, x2: number, y2: number, visit: (key: number) => void): void {
    for (let cx = Math.floor(x1 / CELL); cx <= Math.floor(x2 / CELL); cx += 1) {
      for (let cy = Math.floor(y1 / CELL); cy <= Math.floor(y2 / CELL); cy += 1) visit(cx * SPREAD + cy);
    }
  }

  /** All rectangles that touch the box; some may come twice. */
  query(x1: number, y1: number, x2: number, y2: number): { id: string; rect: Rect }[] {
    const found: { id: string; rect: Rect }[] = [];
    this.each(Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2), (key) => {
      const list = this.cells.get(key);
      if (list) found.push(...list);
    });
    return found;
  }

  /** How many cards a segment runs through. `near`: the two cards of the wire, which it may touch at the edge. */
  hits(a: P, b: P, near: readonly string[], margin: number): number {
    const [x1, x2] = a[0] < b[0] ? [a[0], b[0]] : [b[0], a[0]];
    const [y1, y2] = a[1] < b[1] ? [a[1], b[1]] : [b[1], a[1]];
    let seen: string[] | null = null;
    let count = 0;
    for (const { id, rect } of this.query(x1 - margin, y1 - margin, x2 + margin, y2 + margin)) {
      const m = near.includes(id) ? -1 : margin;
      if (x2 > rect.x - m && x1 < rect.x + rect.width + m && y2 > rect.y - m && y1 < rect.y + rect.height + m) {
        if (seen?.includes(id)) continue;
        (seen ??= []).push(id);
        count += 1;
      }
    }
    return count;
  }

  /** The length of a segment that lies in rectangles. */
  overlap(a: P, b: P): number {
    const [x1, x2] = a[0] < b[0] ? [a[0], b[0]] : [b[0], a[0]];
    const [y1, y2] = a[1] < b[1] ? [a[1], b[1]] : [b[1], a[1]];
    const within = new Map<string, number>();
    for (const { id, rect } of this.query(x1, y1, x2, y2)) {
      const [across, down] = [Math.min(x2, rect.x + rect.width) - Math.max(x1, rect.x), Math.min(y2, rect.y + rect.height) - Math.max(y1, rect.y)];
      if (across >= 0 && down >= 0) within.set(id, Math.max(across, down));
    }
    return [...within.values()].reduce((sum, length) => sum + length, 0);
  }
}

export interface Segment {
  /** fixed coordinate: y of a horizontal, x of a vertical one */
  at: number;
  from: number;
  to: number;
  source: string;
  target: string;
  red: boolean;
}

export interface Traffic {
  crossings: P[];
  /** px that run on top of a wire with other ends */
  shared: number;
  /** px on the track of a wire that may be joined */
  joined: number;
}

/** Two tracks nearer than this look like one, and their tags touch. */
const NEAR = 12;

/** Segments that are laid already. */
export class TrackIndex {
  private readonly horizontal = new Map<number, Segment[]>();
  private readonly vertical = new Map<number, Segment[]>();

  add(points: readonly P[], source: string, target: string, red: boolean): void {
    for (let i = 1; i < points.length; i += 1) {
      const [a, b] = [points[i - 1] as P, points[i] as P];
      const flat = a[1] === b[1];
      const [from, to] = flat ? [Math.min(a[0], b[0]), Math.max(a[0], b[0])] : [Math.min(a[1], b[1]), Math.max(a[1], b[1])];
      const at = flat ? a[1] : a[0];
      const map = flat ? this.horizontal : this.vertical;
      const lane = Math.floor(at / LANE);
      const list = map.get(lane);
      const segment = { at, from, to, source, target, red };
      if (list) list.push(segment);
      else map.set(lane, [segment]);
    }
  }

  traffic(points: readonly P[], source: string, target: string, red: boolean): Traffic {
    const crossings: P[] = [];
    let shared = 0;
    let joined = 0;
    for (let i = 1; i < points.length; i += 1) {
      const [a, b] = [points[i - 1] as P, points[i] as P];
      const flat = a[1] === b[1];
      const at = flat ? a[1] : a[0];
      const [from, to] = flat ? [Math.min(a[0], b[0]), Math.max(a[0], b[0])] : [Math.min(a[1], b[1]), Math.max(a[1], b[1])];
      const along = flat ? this.horizontal : this.vertical;
      const across = flat ? this.vertical : this.horizontal;
      for (let lane = Math.floor((at - NEAR) / LANE); lane <= Math.floor((at + NEAR) / LANE); lane += 1) {
        for (const other of along.get(lane) ?? []) {
          if (Math.abs(other.at - at) >= NEAR) continue;
          // The last stretch before an input belongs to all its wires.
          const last = i === points.length - 1 && other.target === target ? 26 : 0;
          const length = Math.min(to, other.to) - Math.max(from, other.from) - last;
          if (length <= 8) continue;
          // Wires of one port, or of one colour to one input, share their track and join by a turnout.
          const friends = other.source === source || (other.target === target && other.red === red);
          if (!friends || other.at !== at) shared += length;
          else joined += length;
        }
      }
      for (let lane = Math.floor(from / LANE); lane <= Math.floor(to / LANE); lane += 1) {
        for (const other of across.get(lane) ?? []) {
          if (other.at <= from + 1 || other.at >= to - 1 || at <= other.from + 1 || at >= other.to - 1) continue;
          if (other.source === source || other.target === target) continue;
          crossings.push(flat ? [other.at, at] : [at, other.at]);
        }
      }
    }
    return { crossings, shared, joined };
  }

  /** How many tracks run through a point; 1 = only its own wire. */
  at([x, y]: P): number {
    let count = 0;
    const look = (map: Map<number, Segment[]>, fixed: number, moving: number): void => {
      for (const lane of new Set([Math.floor((fixed - 5) / LANE), Math.floor((fixed + 5) / LANE)])) {
        for (const s of map.get(lane) ?? []) if (Math.abs(s.at - fixed) < 5 && moving >= s.from - 6 && moving <= s.to + 6) count += 1;
      }
    };
    look(this.horizontal, y, x);
    look(this.vertical, x, y);
    return count;
  }
}

/** Where the tag of a wire sits: on a straight stretch, clear of turns, ports, arrows, other wires and other tags. */

import { CUT, lengthOf, type P } from './geometry.ts';
import type { TrackIndex } from './index-grid.ts';
import type { Route } from './router.ts';

/** A number. */
const NARROW = 24;
const HEIGHT = 16;
/** Tags keep the size of their text when the picture gets smaller, so they need more of it. */
const SPARE = 1.4;

/** Half of a plus, and a gap to the port or card at the end of the stretch. */
const PLUS_ROOM = 16;

/** The middle of the plus of a wire: where the tag would stand, else beside the tag where the stretch has room for both, else below it. */
export function plusPlace({ points, tag: [x, y] }: Pick<Route, 'points' | 'tag'>, tagged: number): P {
  if (tagged === 0) return [x, y];
  const at = x + tagged / 2 + 12;
  const fits = points.some((point, i) => {
    const next = points[i + 1];
    return next !== undefined && point[1] === y && next[1] === y && Math.min(point[0], next[0]) <= x && Math.max(point[0], next[0]) >= at + PLUS_ROOM;
  });
  return fits ? [at, y] : [x, y + 18];
}

/** Tags that are placed already, in cells of 64 px. */
export class TagIndex {
  private readonly cells = new Map<string, { at: P; width: number }[]>();

  add(at: P, width = NARROW): void {
    const key = `${Math.floor(at[0] / CELL)},${Math.floor(at[1] / CELL)}`;
    const list = this.cells.get(key);
    if (list) list.push({ at, width });
    else this.cells.set(key, [{ at, width }]);
  }

  near([x, y]: P, width: number): boolean {
    const [cx, cy] = [Math.floor(x / CELL), Math.floor(y / CELL)];
    const reach = Math.ceil((width / 2 + WIDEST / 2) * SPARE / CELL);
    for (let i = cx - reach; i <= cx + reach; i += 1) {
      for (let j = cy - 1; j <= cy + 1; j += 1) {
        const hit = this.cells.get(`${i},${j}`)?.some(({ at: [px, py], width: other }) => Math.abs(px - x) < ((width + other) / 2) * SPARE + 4 && Math.abs(py - y) < HEIGHT * SPARE);
        if (hit) return true;
      }
    }
    return false;
  }
}
const CELL = 64;
const WIDEST = 200;

const PARTS = [0.5, 0.25, 0.75, 0.375, 0.625, 0.125, 0.875];

export function tagPlace(route: Route, width = NARROW, tracks: TrackIndex, used: TagIndex): P {
  const { points, arrow } = route;
  let best: { at: P; points: number } | null = null;
  for (let i = 1; i < points.length; i += 1) {
    const [a, b] = [points[i - 1] as P, points[i] as P];
    const length = lengthOf(a, b);
    // Half of the tag along the wire, and the turn that follows.
    const need = ((a[1] === b[1] ? width : HEIGHT) / 2) * SPARE + CUT;
    // A number is as high as a small step of the track: it hides both turns and looks like part of it.
    const jog = a[0] === b[0] && length <= HEIGHT && width <= NARROW;
    for (const part of length > 96 ? PARTS : [0.5]) {
      const at: P = [Math.round(a[0] + (b[0] - a[0]) * part), Math.round(a[1] + (b[1] - a[1]) * part)];
      const room = length * Math.min(part, 1 - part);
      let score = jog ? 8 : Math.min(length, 120) * 0.3 - i * 2 - Math.abs(part - 0.5) * 16;
      // Words that do not fit hide the port or the card beside them: worse than to touch another tag.
      if (!jog && room < need) score -= (1 - room / need) * (width > NARROW ? 160 : 40) + 20;
      if (a[0] === b[0] && width > NARROW) score -= 60;
      if (!jog && tracks.at(at) > 1) score -= 60;
      if (used.near(at, width)) score -= 100;
      if (arrow && Math.abs(arrow.at[0] - at[0]) < (width / 2) * SPARE + 8 && Math.abs(arrow.at[1] - at[1]) < 12) score -= 50;
      if (!best || score > best.points) best = { at, points: score };
    }
  }
  return best?.at ?? points[0] ?? [0, 0];
}

/** Track geometry: right-angled ways whose turns are cut by 8 px at 45 degrees. */

export type P = readonly [x: number, y: number];
export const CUT = 8;

/** Leaves out points that change nothing. */
export function tidy(points: readonly P[]): P[] {
  const out: P[] = [];
  for (const point of points) {
    const last = out.at(-1);
    if (last && last[0] === point[0] && last[1] === point[1]) continue;
    const before = out.at(-2);
    const straight = last && before && ((before[0] === last[0] && last[0] === point[0]) || (before[1] === last[1] && last[1] === point[1]));
    // A way that turns back on itself keeps its end: only points in one direction are merged.
    const onward = straight && Math.sign(last[0] - before[0]) === Math.sign(point[0] - last[0]) && Math.sign(last[1] - before[1]) === Math.sign(point[1] - last[1]);
    if (onward) out[out.length - 1] = point;
    else out.push(point);
  }
  return out;
}

export const lengthOf = (a: P, b: P): number => Math.abs(b[0] - a[0]) + Math.abs(b[1] - a[1]);

/** SVG path of a right-angled way with cut turns. */
export function cutPath(points: readonly P[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let d = `M${first[0]} ${first[1]}`;
  rest.forEach((corner, i) => {
    const before = points[i] as P;
    const after = points[i + 2];
    if (!after) {
      d += `L${corner[0]} ${corner[1]}`;
      return;
    }
    const cut = Math.min(CUT, lengthOf(before, corner) / 2, lengthOf(corner, after) / 2);
    const inX = corner[0] - Math.sign(corner[0] - before[0]) * cut;
    const inY = corner[1] - Math.sign(corner[1] - before[1]) * cut;
    const outX = corner[0] + Math.sign(after[0] - corner[0]) * cut;
    const outY = corner[1] + Math.sign(after[1] - corner[1]) * cut;
    d += `L${inX} ${inY}L${outX} ${outY}`;
  });
  return d;
}

/** Distance of a point from a way. */
export function distanceTo(points: readonly P[], [x, y]: P): number {
  let best = Infinity;
  for (let i = 1; i < points.length; i += 1) {
    const [a, b] = [points[i - 1] as P, points[i] as P];
    const dx = Math.max(Math.min(a[0], b[0]) - x, 0, x - Math.max(a[0], b[0]));
    const dy = Math.max(Math.min(a[1], b[1]) - y, 0, y - Math.max(a[1], b[1]));
    best = Math.min(best, Math.hypot(dx, dy));
  }
  return best;
}

/** A place for a box beside what it is about: nothing of that is covered where there is room. */

export interface Rect { left: number; top: number; right: number; bottom: number }
export interface Place { left: number; top: number; height: number }

const GAP = 12;
const EDGE = 8;
/** Lower than this a list is no list. */
const LEAST = 240;

/** `size`: of the box, at most; `room`: of what it stands in; `now`: where it would stand; `shown`: what should stay in sight. Below rather than at a side, as a menu.
 * Undefined: there is no such place. */
export function placePopover(size: { width: number; height: number }, room: { width: number; height: number }, now: { left: number; top: number }, shown: readonly Rect[]): Place | undefined {
  const here = { ...now, height: size.height };
  if (shown.length === 0) return here;
  const hull = { left: Math.min(...shown.map((one) => one.left)), top: Math.min(...shown.map((one) => one.top)), right: Math.max(...shown.map((one) => one.right)), bottom: Math.max(...shown.map((one) => one.bottom)) };
  const left = Math.max(EDGE, Math.min(now.left, room.width - EDGE - size.width));
  const top = Math.max(EDGE, Math.min(now.top, room.height - EDGE - size.height));
  const under = hull.bottom + GAP;
  const places: Place[] = [
    here,
    { left, top: under, height: Math.min(size.height, room.height - EDGE - under) },
    { left: hull.right + GAP, top, height: size.height },
    { left: hull.left - GAP - size.width, top, height: size.height },
    { left, top: Math.max(EDGE, hull.top - GAP - size.height), height: Math.min(size.height, hull.top - GAP - EDGE) },
  ];
  const fits = (one: Place) => one.height >= Math.min(LEAST, size.height) && one.left >= EDGE && one.top >= EDGE && one.left + size.width <= room.width - EDGE && one.top + one.height <= room.height - EDGE;
  const covers = (one: Place) => one.left < hull.right && one.left + size.width > hull.left && one.top < hull.bottom && one.top + one.height > hull.top;
  return places.find((one) => fits(one) && !covers(one));
}

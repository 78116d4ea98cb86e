/** Where something that floats may stand without lying on what a person wants to press or read. Pure. */
export interface Box { left: number; top: number; right: number; bottom: number }

const EDGE = 16;
const STEP = 8;

const over = (a: Box, b: Box): number => Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
const gap = (box: Box, by: number): Box => ({ left: box.left - by, top: box.top - by, right: box.right + by, bottom: box.bottom + by });

/** Between two things. */
const TIGHT = 4;
/** First a place that stands clear of everything, then one between two things. */
const CLEAR = [24, TIGHT];

/** The first free place: right, then middle, then left, each from the bottom up. Without one: where it lies on least. `now` stays while it is free. */
export function freePlace(room: Box, size: { width: number; height: number }, taken: readonly Box[], now?: { left: number; top: number }): { left: number; top: number } {
  const low = room.bottom - EDGE - size.height;
  const high = room.top + EDGE;
  const inside = now && now.left >= room.left && now.left + size.width <= room.right && now.top >= room.top && now.top + size.height <= room.bottom;
  const apart = (clear: number): readonly Box[] => taken.map((one) => gap(one, clear));
  const costOf = (left: number, top: number, near: readonly Box[]): number => {
    const box = { left, top, right: left + size.width, bottom: top + size.height };
    return near.reduce((sum, one) => sum + over(box, one), 0);
  };
  // What is being read does not go elsewhere only because it would look better there.
  if (now && inside && costOf(now.left, now.top, apart(TIGHT)) === 0) return now;
  let best = { left: room.right - EDGE - size.width, top: low, cost: Infinity };
  for (const clear of CLEAR) {
    best = { ...best, cost: Infinity };
    const near = apart(clear);
    for (const left of [room.right - EDGE - size.width, (room.left + room.right - size.width) / 2, room.left + EDGE]) {
      for (let top = low; top >= Math.min(high, low); top -= STEP) {
        const here = costOf(left, top, near);
        if (here === 0) return { left: Math.round(left), top };
        if (here < best.cost) best = { left: Math.round(left), top, cost: here };
      }
    }
  }
  return { left: best.left, top: best.top };
}

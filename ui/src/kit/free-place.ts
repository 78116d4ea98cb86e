/** Where something that floats may stand without lying on what a person wants to press or read: at the lower right, always, as far as that can be. Pure. */
export interface Box { left: number; top: number; right: number; bottom: number }
/** Its lower right corner: what grows or shrinks there keeps its place. */
export interface Corner { right: number; bottom: number }
/** What must not be covered, and what had better not be. */
export interface Taken { pressed: readonly Box[]; read: readonly Box[] }

const EDGE = 16;
const STEP = 8;
/** First a place that stands clear of everything, then one between two things. */
const CLEAR = [24, 4];
const TIGHT = 4;

const meet = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const gap = (box: Box, by: number): Box => ({ left: box.left - by, top: box.top - by, right: box.right + by, bottom: box.bottom + by });

/** `now` stays while it is free. Without a free place at the lower right it lies on what is only read; before it lies on what is pressed it goes left, then up. */
export function freePlace(room: Box, size: { width: number; height: number }, { pressed, read }: Taken, now?: Corner): Corner {
  const all = [...pressed, ...read];
  const corner = { right: room.right - EDGE, bottom: room.bottom - EDGE };
  const at = ({ right, bottom }: Corner): Box => ({ left: right - size.width, top: bottom - size.height, right, bottom });
  const isFree = (place: Corner, taken: readonly Box[], clear: number): boolean => {
    const box = gap(at(place), clear);
    return !taken.some((one) => meet(box, one));
  };
  const highest = room.top + EDGE + size.height;
  const least = (part: number): number => Math.max(highest, room.bottom - (room.bottom - room.top) * part);
  const inside = now && at(now).left >= room.left && now.right <= room.right && at(now).top >= room.top && now.bottom <= room.bottom;
  // What is being read does not go elsewhere only because it would look better there.
  if (now && inside && isFree(now, all, TIGHT)) return now;
  // From the bottom up, and what is high may reach up as far as it must.
  const up = (right: number, from: number, taken: readonly Box[], clear: number): Corner | undefined => {
    for (let bottom = corner.bottom; bottom >= from; bottom -= STEP) if (isFree({ right, bottom }, taken, clear)) return { right, bottom };
    return undefined;
  };
  const low = least(1 / 3);
  for (const clear of CLEAR) {
    const found = up(corner.right, low, all, clear);
    if (found) return found;
  }
  const overText = up(corner.right, low, pressed, TIGHT);
  if (overText) return overText;
  for (let right = corner.right; right - size.width >= room.left + EDGE; right -= STEP) {
    const found = up(right, low, all, TIGHT);
    if (found) return found;
  }
  return up(corner.right, highest, pressed, TIGHT) ?? corner;
}

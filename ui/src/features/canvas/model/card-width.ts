/** How wide each card is: as its title needs, as far as the card to its right leaves room. Measured by letters, not by the screen, so that the
 * same file gives the same picture everywhere. */

import type { Workflow, WorkflowNode } from '../../../api/types.ts';
import { treeOf } from '../../../shared/container-tree.ts';
import { BODY_RIGHT, isFrame } from './frames.ts';
import { numberedTitles } from './titles.ts';
import { CARD_MAX_W, CARD_MIN_W, CARD_W, type Catalog, COLUMN, GRID, type Point, type Shape } from './ports.ts';

/** Tile, gaps and one mark beside the title. */
const BESIDE_TITLE = 96;
/** The name of a port stands on the same row, and the mark of the last run before it. */
const PORT_NAME = 76;
/** Between two cards. */
const LEAST_GAP = COLUMN - CARD_W;
/** Height of one band in which neighbours are looked for. */
const BAND = 64;

/** About what a letter takes in the bold text of a title. */
const letterWidth = (letter: string): number => {
  const code = letter.codePointAt(0) ?? 0;
  if (code >= 0x1100) return 13;
  if ('ilj.,:;|!\'()[] '.includes(letter)) return 4;
  return letter >= 'A' && letter <= 'Z' ? 8.5 : 'mwMW'.includes(letter) ? 10.5 : 7;
};

const measured = new Map<string, number>();
function titleWidth(title: string): number {
  const known = measured.get(title);
  if (known !== undefined) return known;
  let width = 0;
  // No card is wider than so many letters.
  for (const letter of title.slice(0, 60)) width += letterWidth(letter);
  if (measured.size > 5000) measured.clear();
  measured.set(title, width);
  return width;
}

/** What the title of a card asks for, on the grid. */
export function wantedWidth(title: string, style: Shape['style']): number {
  const needs = titleWidth(title) + BESIDE_TITLE + (style === 'text' ? PORT_NAME : 0);
  return Math.min(CARD_MAX_W, Math.max(CARD_W, Math.ceil(needs / GRID) * GRID));
}

interface Spot { id: string; x: number; y: number; height: number }

/** What stands in each band of one frame, from left to right. */
function bandsOf(spots: readonly Spot[]): ReadonlyMap<number, Spot[]> {
  const bands = new Map<number, Spot[]>();
  for (const spot of spots.toSorted((a, b) => a.x - b.x)) {
    for (let band = Math.floor(spot.y / BAND); band <= Math.floor((spot.y + spot.height) / BAND); band += 1) {
      const list = bands.get(band);
      if (list) list.push(spot);
      else bands.set(band, [spot]);
    }
  }
  return bands;
}

/** Where the nearest card to the right begins, or how far a card may go at most. */
function rightOf(spot: Spot, bands: ReadonlyMap<number, Spot[]>): number {
  let nearest = spot.x + CARD_MAX_W + LEAST_GAP;
  for (let band = Math.floor(spot.y / BAND); band <= Math.floor((spot.y + spot.height) / BAND); band += 1) {
    const list = bands.get(band) ?? [];
    let [from, to] = [0, list.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((list[middle] as Spot).x > spot.x) to = middle;
      else from = middle + 1;
    }
    for (let i = from; i < list.length; i += 1) {
      const other = list[i] as Spot;
      if (other.x >= nearest) break;
      if (other.y < spot.y + spot.height && spot.y < other.y + other.height) nearest = other.x;
    }
  }
  return nearest;
}

interface Asked { ids: readonly string[]; wanted: readonly number[]; heights: readonly number[]; parents: readonly (string | undefined)[] }
const same = (a: readonly unknown[], b: readonly unknown[]): boolean => a.length === b.length && a.every((one, i) => one === b[i]);
/** By the places of a file: whoever types in a panel changes nothing that a width depends on. */
const answered = new WeakMap<object, { asked: Asked; catalog: Catalog; widths: ReadonlyMap<string, number> }>();

/** The cards that are not as wide as usual. `free`: what their titles ask for, whatever stands beside them. */
export function cardWidths(document: Workflow, catalog: Catalog, places: ReadonlyMap<string, Point>, shapes: ReadonlyMap<string, Shape>, free: boolean): ReadonlyMap<string, number> {
  const widths = new Map<string, number>();
  const titles = numberedTitles(document, catalog);
  const { parent, children } = treeOf(document);
  const ids = Object.keys(document.nodes);
  const framed = new Set(ids.filter((id) => isFrame(document, catalog, id)));
  const wanted = ids.map((id) => (framed.has(id) ? 0 : wantedWidth(titles(id, document.nodes[id] as WorkflowNode), shapes.get(id)?.style ?? 'side')));
  if (free) {
    ids.forEach((id, i) => { if (!framed.has(id) && wanted[i] !== CARD_W) widths.set(id, wanted[i] as number); });
    return widths;
  }
  const asked: Asked = { ids, wanted, heights: ids.map((id) => shapes.get(id)?.height ?? 0), parents: ids.map((id) => parent.get(id)) };
  const before = document.layout && answered.get(document.layout);
  if (before && before.catalog === catalog && same(before.asked.ids, ids) && same(before.asked.wanted, wanted) && same(before.asked.heights, asked.heights) && same(before.asked.parents, asked.parents)) return before.widths;
  const spotOf = (id: string): Spot => {
    const [x, y] = places.get(id) ?? [0, 0];
    return { id, x, y, height: shapes.get(id)?.height ?? 0 };
  };
  const known = new Map<string | undefined, ReadonlyMap<number, Spot[]>>();
  const bandsIn = (frame: string | undefined): ReadonlyMap<number, Spot[]> => {
    const found = known.get(frame) ?? bandsOf((frame === undefined ? ids.filter((id) => !parent.has(id)) : children.get(frame) ?? []).map(spotOf));
    known.set(frame, found);
    return found;
  };
  /** How far to the right a step may go without reaching what stands beside it, or beside the frame around it. */
  const limitOf = (id: string): number => {
    const frame = parent.get(id);
    const beside = rightOf(spotOf(id), bandsIn(frame)) - LEAST_GAP;
    return frame === undefined ? beside : Math.min(beside, frameLimit(frame) - BODY_RIGHT);
  };
  const limits = new Map<string, number>();
  const frameLimit = (frame: string): number => {
    const done = limits.get(frame);
    if (done !== undefined) return done;
    const spot = spotOf(frame);
    const width = shapes.get(frame)?.width ?? 0;
    // As far as it reaches now, or on into free room.
    const now = spot.x + width;
    const limit = Math.max(now, Math.min(frameRoom(frame, now), now + CARD_MAX_W - CARD_W));
    limits.set(frame, limit);
    return limit;
  };
  /** The same for a frame, whose neighbours are looked for from its right edge. */
  const frameRoom = (frame: string, right: number): number => {
    const home = parent.get(frame);
    const spot = spotOf(frame);
    const beside = rightOf({ ...spot, x: right - 1 }, bandsIn(home)) - LEAST_GAP;
    return home === undefined ? beside : Math.min(beside, frameLimit(home) - BODY_RIGHT);
  };
  ids.forEach((id, i) => {
    if (framed.has(id)) return;
    const room = Math.floor((limitOf(id) - spotOf(id).x) / GRID) * GRID;
    const width = Math.max(CARD_MIN_W, Math.min(wanted[i] as number, room));
    if (width !== CARD_W) widths.set(id, width);
  });
  if (document.layout) answered.set(document.layout, { asked, catalog, widths });
  return widths;
}

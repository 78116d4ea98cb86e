/** Auto-layout: the success path is one straight row, error paths lie below; the result is snapped to the grid. */

import type { Workflow } from '../../../api/types.ts';
import { BODY_AT, BODY_BELOW, BODY_RIGHT, FRAME_MIN, FRAME_PORT_Y, isFrame, withInside } from './frames.ts';
import { treeOf } from '../../../shared/container-tree.ts';
import { splitPort } from '../../../shared/step-ids.ts';
import { rectsOf, shapesOf } from './place.ts';
import { CARD_H, CARD_W, type Catalog, COLUMN, ERROR, type Point, ROW, type Size, snap } from './ports.ts';
import { columnsOf, lanesOf, type Way } from './lanes.ts';
import { recoveryOf } from './recovery.ts';

/** New places for `ids` (all nodes when left out) and for what is in the frames among them. A part keeps its top left corner where it was. */
export function autoLayout(document: Workflow, catalog: Catalog, ids?: readonly string[]): { [id: string]: Point } {
  const { parent, children } = treeOf(document);
  const rects = rectsOf(document, catalog);
  const sizes = shapesOf(document, catalog, undefined, true);
  const chosen = new Set(ids && ids.length > 1 ? withInside(document, ids) : rects.keys());
  const places: { [id: string]: Point } = {};
  /** Corners of the steps of a body, counted from the frame. */
  const bodies = new Map<string, Map<string, Point>>();
  const sizeOf = (id: string): Size => {
    const shape = sizes.get(id) ?? { width: CARD_W, height: CARD_H };
    if (!isFrame(document, catalog, id) || !chosen.has(id)) return shape;
    const body = layOut(document, (children.get(id) ?? []).map((child) => [child, sizeOf(child), isFrame(document, catalog, child)]));
    const at = new Map([...body].map(([child, [x, y]]) => [child, [BODY_AT[0] + x, BODY_AT[1] + y] as const]));
    bodies.set(id, at);
    let { width, height } = FRAME_MIN;
    for (const [child, [x, y]] of at) {
      const size = sizeOfDone.get(child) ?? shape;
      [width, height] = [Math.max(width, x + size.width + BODY_RIGHT), Math.max(height, y + size.height + BODY_BELOW)];
    }
    sizeOfDone.set(id, { width, height });
    return { width, height };
  };
  const sizeOfDone = new Map<string, Size>([...sizes].filter(([id]) => !isFrame(document, catalog, id) || !chosen.has(id)));
  const put = (id: string, [x, y]: Point): void => {
    places[id] = [x, y];
    for (const [child, [dx, dy]] of bodies.get(id) ?? []) put(child, [x + dx, y + dy]);
  };
  // Each frame is a picture of its own; what was chosen in several frames is laid out in each.
  const groups = new Map<string | undefined, string[]>();
  for (const id of rects.keys()) {
    if (!chosen.has(id)) continue;
    const home = parent.get(id);
    if (home !== undefined && chosen.has(home)) continue;
    groups.set(home, [...(groups.get(home) ?? []), id]);
  }
  for (const [home, group] of groups) {
    const laid = layOut(document, group.map((id) => [id, sizeOf(id), isFrame(document, catalog, id)]));
    const all = home === undefined && group.length === [...rects.keys()].filter((id) => !parent.has(id)).length;
    const to: Point = all ? [0, 0] : corner(group.flatMap((id) => { const rect = rects.get(id); return rect ? [[rect.x, rect.y] as const] : []; }));
    for (const [id, [x, y]] of laid) put(id, [snap(x + to[0]), snap(y + to[1])]);
  }
  return places;
}

const corner = (points: Iterable<Point>): Point => {
  let [left, top] = [Infinity, Infinity];
  for (const [x, y] of points) [left, top] = [Math.min(left, x), Math.min(top, y)];
  return [left, top];
};

/** Corners of some steps that stand in one frame, from 0, 0. Columns and rows: lanes.ts. */
function layOut(document: Workflow, nodes: readonly (readonly [id: string, size: Size, frame: boolean])[]): Map<string, Point> {
  const sizes = new Map(nodes.map(([id, size, frame]) => [id, { ...size, frame }]));
  if (sizes.size === 0) return new Map();
  const kinds = recoveryOf(document).edges;
  const ways: Way[] = [];
  document.edges.forEach((edge, index) => {
    // What goes back says nothing about the order of columns.
    if (kinds[index] === 'reentry') return;
    const { node, port } = splitPort(edge.from);
    if (!sizes.has(node) || !sizes.has(edge.to)) return;
    ways.push({ from: node, to: edge.to, error: port === ERROR });
  });
  for (const [id, node] of Object.entries(document.nodes)) {
    const to = node.errorHandling?.fallbackNodeId;
    if (to !== undefined && sizes.has(id) && sizes.has(to)) ways.push({ from: id, to, error: true });
  }
  const columns = columnsOf([...sizes.keys()], ways);
  const lanes = lanesOf([...sizes.keys()], columns, ways);

  // A column is as wide as its widest card; its cards begin at one line.
  const width: number[] = [];
  /** Above and below the row of ports. */
  const above: number[] = [];
  const below: number[] = [];
  for (const [id, size] of sizes) {
    const [column, lane] = [columns.get(id) ?? 0, lanes.get(id) ?? 0];
    const port = size.frame ? FRAME_PORT_Y : CARD_PORT_Y;
    width[column] = Math.max(width[column] ?? 0, size.width);
    above[lane] = Math.max(above[lane] ?? 0, port);
    below[lane] = Math.max(below[lane] ?? 0, size.height - port);
  }
  const left: number[] = [];
  let x = 0;
  for (let column = 0; column < width.length; column += 1) {
    left[column] = x;
    x += (width[column] ?? 0) + COLUMN - CARD_W;
  }
  const row: number[] = [];
  let y = 0;
  for (let lane = 0; lane < above.length; lane += 1) {
    row[lane] = y + (above[lane] ?? 0);
    y = (row[lane] as number) + (below[lane] ?? 0) + ROW - CARD_H - 24;
  }
  const laid = new Map<string, Point>();
  for (const [id, size] of sizes) laid.set(id, [left[columns.get(id) ?? 0] ?? 0, (row[lanes.get(id) ?? 0] ?? 0) - (size.frame ? FRAME_PORT_Y : CARD_PORT_Y)]);
  const [x0, y0] = corner(laid.values());
  return new Map([...laid].map(([id, [at, top]]) => [id, [snap(at - x0), snap(top - y0)] as const]));
}
/** Where the input of a card is. */
const CARD_PORT_Y = 28;

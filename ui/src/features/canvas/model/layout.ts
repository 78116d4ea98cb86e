/** Auto-layout: dagre decides columns and order, the result is snapped to the grid. */

import { graphlib, layout as dagreLayout } from '@dagrejs/dagre';
import type { Workflow } from '../../../api/types.ts';
import { BODY_AT, BODY_BELOW, BODY_RIGHT, FRAME_MIN, FRAME_PORT_Y, isFrame, withInside } from './frames.ts';
import { treeOf } from '../../../shared/container-tree.ts';
import { splitPort } from '../../../shared/step-ids.ts';
import { rectsOf, shapesOf } from './place.ts';
import { CARD_H, CARD_W, type Catalog, COLUMN, type Point, ROW, type Size, snap } from './ports.ts';
import { recoveryOf } from './recovery.ts';

/** New places for `ids` (all nodes when left out) and for what is in the frames among them. A part keeps its top left corner where it was. */
export function autoLayout(document: Workflow, catalog: Catalog, ids?: readonly string[]): { [id: string]: Point } {
  const { parent, children } = treeOf(document);
  const rects = rectsOf(document, catalog);
  const sizes = shapesOf(document, catalog);
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

/** Corners of some steps that stand in one frame, from 0, 0. */
function layOut(document: Workflow, nodes: readonly (readonly [id: string, size: Size, frame: boolean])[]): Map<string, Point> {
  const sizes = new Map(nodes.map(([id, size, frame]) => [id, { ...size, frame }]));
  if (sizes.size === 0) return new Map();
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', align: 'UL', nodesep: ROW - CARD_H - 24, ranksep: COLUMN - CARD_W, edgesep: 24 });
  graph.setDefaultEdgeLabel(() => ({}));
  // The ports of a frame are near its top: its middle, which stands on the line, is put there.
  const heightOf = ({ height, frame }: Size & { frame: boolean }): number => (frame ? Math.max(FRAME_PORT_Y, height - FRAME_PORT_Y) * 2 : height);
  for (const [id, size] of sizes) graph.setNode(id, { width: size.width, height: heightOf(size) });
  const kinds = recoveryOf(document).edges;
  document.edges.forEach((edge, index) => {
    // What goes back says nothing about the order of columns.
    if (kinds[index] === 'reentry') return;
    const { node, port } = splitPort(edge.from);
    // The good way keeps a straight line, the red one may step aside.
    if (sizes.has(node) && sizes.has(edge.to)) graph.setEdge(node, edge.to, { weight: port === 'error' ? 1 : 4 }, String(index));
  });
  dagreLayout(graph);
  const laid = new Map<string, Point>();
  for (const [id, size] of sizes) {
    const { x, y } = graph.node(id) as { x: number; y: number };
    laid.set(id, [x - size.width / 2, size.frame ? y - FRAME_PORT_Y : y - size.height / 2]);
  }
  const [left, top] = corner(laid.values());
  return new Map([...laid].map(([id, [x, y]]) => [id, [snap(x - left), snap(y - top)] as const]));
}

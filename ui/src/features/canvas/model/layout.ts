/** Auto-layout: dagre decides columns and order, the result is snapped to the grid. */

import { graphlib, layout as dagreLayout } from '@dagrejs/dagre';
import type { Workflow } from '../../../api/types.ts';
import { splitPort } from './ids.ts';
import { CARD_H, type Catalog, COLUMN, type Point, ROW, snap } from './ports.ts';
import { rectsOf } from './place.ts';
import { recoveryOf } from './recovery.ts';

/** New places for `ids` (all nodes when left out). A part keeps its top left corner where it was. */
export function autoLayout(document: Workflow, catalog: Catalog, ids?: readonly string[]): { [id: string]: Point } {
  const rects = rectsOf(document, catalog);
  const chosen = new Set(ids && ids.length > 1 ? ids : rects.keys());
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', align: 'UL', nodesep: ROW - CARD_H - 24, ranksep: COLUMN - 200, edgesep: 24 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const [id, rect] of rects) if (chosen.has(id)) graph.setNode(id, { width: rect.width, height: rect.height });
  const kinds = recoveryOf(document).edges;
  document.edges.forEach((edge, index) => {
    // What goes back says nothing about the order of columns.
    if (kinds[index] === 'reentry') return;
    const { node, port } = splitPort(edge.from);
    // The good way keeps a straight line, the red one may step aside.
    if (chosen.has(node) && chosen.has(edge.to)) graph.setEdge(node, edge.to, { weight: port === 'error' ? 1 : 4 }, String(index));
  });
  dagreLayout(graph);
  const laid = new Map<string, Point>();
  for (const id of graph.nodes()) {
    const { x, y, width, height } = graph.node(id) as { x: number; y: number; width: number; height: number };
    laid.set(id, [x - width / 2, y - height / 2]);
  }
  if (laid.size === 0) return {};
  const corner = (points: Iterable<Point>): Point => {
    let [left, top] = [Infinity, Infinity];
    for (const [x, y] of points) [left, top] = [Math.min(left, x), Math.min(top, y)];
    return [left, top];
  };
  const from = corner(laid.values());
  const to = chosen.size === rects.size ? ([0, 0] as const) : corner([...chosen].flatMap((id) => {
    const rect = rects.get(id);
    return rect ? [[rect.x, rect.y] as const] : [];
  }));
  const places: { [id: string]: Point } = {};
  for (const [id, [x, y]] of laid) places[id] = [snap(x - from[0] + to[0]), snap(y - from[1] + to[1])];
  return places;
}

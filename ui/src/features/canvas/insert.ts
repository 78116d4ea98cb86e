/** A new node from the search box, a dragged wire or the palette: the edits and its id. */

import type { NodeDescriptor, Workflow, WorkflowNode } from '../../api/types.ts';
import type { Edit, EdgeRef } from './document.ts';
import { slug, splitPort, uniqueId } from './model/ids.ts';
import { freePlace, nextTo, rectsOf } from './model/place.ts';
import { CARD_W, type Catalog, ERROR, mainPort, type Point, portIds, shapeOf, wiredPortsByNode } from './model/ports.ts';

export interface InsertContext {
  /** where the pointer was, in canvas coordinates; without it the place follows from the neighbour */
  at?: Point | undefined;
  /** `node.port` whose wire was dragged out: the new node is its target */
  from?: string | undefined;
  /** node whose input was dragged out: the new node is its source */
  into?: string | undefined;
  /** wire to put the node into */
  edge?: EdgeRef | undefined;
}

/** Config fields that the kind gives a default for stay out of the file: the engine fills them, and the file stays short. */
function newNode(kind: NodeDescriptor): WorkflowNode {
  return { type: kind.type, typeVersion: kind.version };
}

export function insertNode(document: Workflow, catalog: Catalog, kind: NodeDescriptor, context: InsertContext): { edits: Edit[]; id: string } {
  const id = uniqueId(slug(kind.title), (candidate) => Object.hasOwn(document.nodes, candidate));
  const node = newNode(kind);
  const shape = shapeOf(kind, node);
  const rects = rectsOf(document, catalog);
  const exit = mainPort(kind, node);
  const at = (): Point => {
    if (context.at) {
      const [x, y] = context.at;
      // The dropped end of the wire becomes the port it belongs to.
      const wanted: Point = context.into ? [x - CARD_W, y - 28] : context.from ? [x, y - 28] : [x - CARD_W / 2, y - 28];
      return freePlace(rects.values(), wanted, shape);
    }
    if (context.from) {
      const { node: source, port } = splitPort(context.from);
      return nextTo(rects, source, port === ERROR, shape);
    }
    const last = [...rects.values()].at(-1);
    return freePlace(rects.values(), last ? [last.x + 248, last.y] : [0, 0], shape);
  };
  const edits: Edit[] = [{ type: 'addNode', id, node, at: at() }];
  if (context.edge && shape.input && exit) edits.push({ type: 'insertOnEdge', edge: context.edge, id, port: exit });
  else if (context.from && shape.input) edits.push({ type: 'connect', from: context.from, to: id });
  else if (context.into && exit) edits.push({ type: 'connect', from: `${id}.${exit}`, to: context.into });
  return { edits, id };
}

/** The port a new wire from this node would start at: the main one if it is free, else the first free one that is not red. */
export function openPort(document: Workflow, catalog: Catalog, id: string): string | undefined {
  const node = document.nodes[id];
  if (!node) return undefined;
  const descriptor = catalog.get(node.type);
  const wired = wiredPortsByNode(document).get(id) ?? [];
  const green = portIds(descriptor, node).filter((port) => port !== ERROR);
  return green.find((port) => !wired.includes(port)) ?? mainPort(descriptor, node);
}

/** Whether dropping this node on a wire makes sense: it has both ends and nothing hangs on it yet. */
export function mayEnterWire(document: Workflow, catalog: Catalog, id: string): boolean {
  const node = document.nodes[id];
  if (!node) return false;
  const descriptor = catalog.get(node.type);
  const free = !document.edges.some((edge) => edge.to === id || splitPort(edge.from).node === id);
  return free && (descriptor?.input ?? true) && mainPort(descriptor, node) !== undefined;
}

/** A new node from the search box, a dragged wire or the palette: the edits and its id. */

import type { NodeDescriptor, Workflow, WorkflowNode } from '../../api/types.ts';
import { isObject } from '../../json/json.ts';
import { asSchema } from '../../json/json-schema.ts';
import { localTimeZone } from '../../i18n/index.ts';
import { DEMO_ADDRESS, DEMO_INPUT } from '../../code/connector-step.ts';
import type { Edit, EdgeRef } from './document.ts';
import { FRAME_MIN, holdsSteps, isFrame, parentOf } from './model/frames.ts';
import { slug, splitPort, uniqueId } from '../../shared/step-ids.ts';
import { frameAt, freePlace, nextTo, type Rect, rectsIn, rectsOf, within } from './model/place.ts';
import { makeSpace, makeSpaceBetween } from './model/make-space.ts';
import { type Catalog, ERROR, mainPort, type Point, portIds, shapeOf, snap, wiredPortsByNode } from './model/ports.ts';

export interface InsertContext {
  /** where the pointer was, in canvas coordinates; without it the place follows from the neighbour */
  at?: Point | undefined;
  /** `node.port` whose wire was dragged out: the new node is its target */
  from?: string | undefined;
  /** node whose input was dragged out: the new node is its source */
  into?: string | undefined;
  /** wire to put the node into */
  edge?: EdgeRef | undefined;
  /** the frame it goes into, when nothing of the above says it */
  frame?: string | undefined;
  /** what the new node has already: its title and config */
  preset?: Pick<WorkflowNode, 'title' | 'config'> | undefined;
}

/** The frame a new node stands in: that of its neighbour, else the one that lies at its place. */
function frameFor(document: Workflow, catalog: Catalog, kind: NodeDescriptor, { at, from, into, edge, frame }: InsertContext, rects: ReadonlyMap<string, Rect>): string | undefined {
  const neighbour = into ?? (from === undefined ? edge?.to : splitPort(from).node);
  const found = neighbour !== undefined ? parentOf(document, neighbour) : frame ?? (at ? frameAt(document, catalog, rects, at) : undefined);
  // Nothing starts in a frame.
  return kind.role === 'trigger' ? undefined : found;
}

/** "Every day at 08:00" means the clock on the wall of who says it. */
const initialOf = ({ widget, initial }: { [hint: string]: unknown }): unknown => (widget === 'timezone' && initial === 'local' ? localTimeZone() : initial);

/** Config fields that the kind gives a default for stay out of the file: the engine fills them, and the file stays short. What is better for
 * new steps than the default, which is for files of before, is written. */
function newNode(document: Workflow, kind: NodeDescriptor): WorkflowNode {
  const properties = asSchema(kind.config).properties ?? {};
  const initial = Object.entries(properties).flatMap(([name, schema]) => (schema['x-ui']?.['initial'] === undefined ? [] : [[name, initialOf(schema['x-ui'])] as const]));
  const config: Record<string, unknown> = Object.fromEntries(initial);
  if (config['keepInput'] === true) {
    const name = resultName(document);
    if (name !== RESULT) config['resultField'] = name;
  }
  return { type: kind.type, typeVersion: kind.version, ...(initial.length > 0 ? { config } : {}) };
}

/** The field of a result, as the engine calls it where nothing else is said. */
const RESULT = 'result';

/** A field that no other step puts its result into: an item may come through all of them. */
function resultName(document: Workflow): string {
  const taken = new Set(Object.values(document.nodes).flatMap(({ config }) => (isObject(config) && config['keepInput'] === true ? [config['resultField'] ?? RESULT] : [])));
  if (!taken.has(RESULT)) return RESULT;
  let number = 2;
  while (taken.has(`${RESULT}_${String(number)}`)) number += 1;
  return `${RESULT}_${String(number)}`;
}

/** A step of the demo service needs the input with its address. */
function demoInput(document: Workflow, preset: InsertContext['preset']): Edit[] {
  const variables = isObject(preset?.config) ? preset.config['variables'] : undefined;
  if (!isObject(variables) || variables['address'] !== DEMO_ADDRESS) return [];
  const params = isObject(document.params) ? document.params : { type: 'object' };
  const properties = isObject(params['properties']) ? params['properties'] : {};
  if (Object.hasOwn(properties, DEMO_INPUT)) return [];
  return [{ type: 'set', path: ['params'], value: { ...params, properties: { ...properties, [DEMO_INPUT]: { type: 'string', 'x-practice': true } } } }];
}

export function insertNode(document: Workflow, catalog: Catalog, kind: NodeDescriptor, context: InsertContext): { edits: Edit[]; id: string } {
  const id = uniqueId(slug(context.preset?.title ?? kind.title), (candidate) => Object.hasOwn(document.nodes, candidate));
  const all = rectsOf(document, catalog);
  const frame = frameFor(document, catalog, kind, context, all);
  const own = newNode(document, kind);
  const fresh: WorkflowNode = { ...own, ...context.preset, ...(own.config && context.preset?.config ? { config: { ...own.config, ...context.preset.config } } : {}) };
  const node: WorkflowNode = frame === undefined ? fresh : { ...fresh, parent: frame };
  const shape = shapeOf(kind, node, [], holdsSteps(kind) ? FRAME_MIN : undefined);
  const rects = rectsIn(document, all, frame);
  const exit = mainPort(kind, node);
  const at = (): Point => {
    if (context.at) {
      const [x, y] = context.at;
      // The dropped end of the wire becomes the port it belongs to.
      const wanted: Point = context.into ? [x - shape.width, y - shape.inputY] : context.from ? [x, y - shape.inputY] : [x - shape.width / 2, y - 28];
      // In a wire its ends give way, not the card.
      if (context.edge && shape.input && exit) return within(document, frame, [snap(wanted[0]), snap(wanted[1])]);
      return freePlace(rects.values(), within(document, frame, wanted), shape);
    }
    if (context.from) {
      const { node: source, port } = splitPort(context.from);
      return nextTo(rects, source, port === ERROR, shape, shape.inputY, isFrame(document, catalog, source));
    }
    const last = [...rects.values()].at(-1);
    return freePlace(rects.values(), last ? [last.x + last.width + 48, last.y] : within(document, frame, [-Infinity, -Infinity]), shape);
  };
  const edits: Edit[] = [{ type: 'addNode', id, node, at: at() }];
  if (context.edge && shape.input && exit) {
    edits.push({ type: 'insertOnEdge', edge: context.edge, id, port: exit });
    return { edits: [...makeSpaceBetween(document, catalog, edits, id, context.edge), ...demoInput(document, context.preset)], id };
  }
  if (context.from && shape.input) edits.push({ type: 'connect', from: context.from, to: id });
  else if (context.into && exit) edits.push({ type: 'connect', from: `${id}.${exit}`, to: context.into });
  return { edits: [...makeSpace(document, catalog, edits), ...demoInput(document, context.preset)], id };
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

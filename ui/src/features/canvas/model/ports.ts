/** Which ports a node has and where they sit on its card (VISUAL, node anatomy). All numbers are px at 100 %. */

import { isObject } from '../../../json/json.ts';
import type { NodeDescriptor, Workflow, WorkflowNode } from '../../../api/types.ts';
import { FRAME_PORT_Y } from './frames.ts';
import { splitPort } from '../../../shared/step-ids.ts';

export const CARD_W = 200;
/** A card is as wide as its title needs, between these, where its neighbour leaves the room. */
export const CARD_MIN_W = 160;
export const CARD_MAX_W = 280;
export const CARD_H = 56;
export const COLUMN = 248;
export const ROW = 144;
export const GRID = 8;
export const ERROR = 'error';

export type Catalog = ReadonlyMap<string, NodeDescriptor>;
export type Point = readonly [x: number, y: number];
export interface Size { readonly width: number; readonly height: number }

export interface PortSpot {
  id: string;
  title: string;
  kind: 'success' | 'error';
  /** relative to the card */
  x: number;
  y: number;
  /** in the file's edges but not among the kind's ports */
  unknown: boolean;
}

export interface Shape {
  width: number;
  height: number;
  input: boolean;
  /** middle of the input bar */
  inputY: number;
  ports: PortSpot[];
  /** `side`: one circle; `text`: two names on the text rows; `rows`: a row of 24 for each below a divider */
  style: 'side' | 'text' | 'rows' | 'frame';
}

/** Port ids of a node: those its config declares, then the kind's own. The same order as the engine's. */
export function portIds(descriptor: NodeDescriptor | undefined, node: WorkflowNode): string[] {
  if (!descriptor) return ['success', ERROR];
  const ids: string[] = [];
  const dynamic = descriptor.dynamicPorts;
  if (dynamic) {
    const list = isObject(node.config) ? node.config[dynamic.from] : undefined;
    for (const element of Array.isArray(list) && list.length >= (dynamic.least ?? 0) ? list : []) {
      const id: unknown = dynamic.id === undefined || dynamic.id === null ? element : isObject(element) ? element[dynamic.id] : undefined;
      if (typeof id === 'string' && id && !ids.includes(id)) ids.push(id);
    }
  }
  const replaced = ids.length > 0 ? dynamic?.insteadOf : undefined;
  for (const port of descriptor.ports) if (!ids.includes(port.id) && port.id !== replaced) ids.push(port.id);
  return ids;
}

/** The port that "goes on": `success`, else the first that is not the red one. */
export function mainPort(descriptor: NodeDescriptor | undefined, node: WorkflowNode): string | undefined {
  const ids = portIds(descriptor, node);
  return ids.includes('success') ? 'success' : ids.find((id) => id !== ERROR);
}

export function hasInput(descriptor: NodeDescriptor | undefined): boolean {
  return descriptor?.input ?? true;
}

const words = (id: string): string => id.replace(/[_-]+/g, ' ');

/** Size and port places of a card. `wiredPorts`: ports that edges of the file name, so that a broken wire stays visible. `frame`: drawn
 * as a frame of this size. `card`: how wide a card is. */
export function shapeOf(descriptor: NodeDescriptor | undefined, node: WorkflowNode, wiredPorts: readonly string[] = [], frame?: Size, card = CARD_W): Shape {
  const known = portIds(descriptor, node);
  const unknown = wiredPorts.filter((id) => !known.includes(id));
  const all = [...known, ...unknown];
  const green = all.filter((id) => id !== ERROR);
  const titles = new Map(descriptor?.ports.map((port) => [port.id, port.title]));
  const style: Shape['style'] = frame ? 'frame' : green.length <= 1 ? 'side' : green.length === 2 ? 'text' : 'rows';
  const width = frame?.width ?? card;
  const height = frame?.height ?? (style === 'rows' ? CARD_H + 8 + green.length * 24 : CARD_H);
  const ports: PortSpot[] = green.map((id, i) => ({
    id,
    title: titles.get(id) ?? words(id),
    kind: 'success',
    x: width,
    y: frame ? FRAME_PORT_Y + i * 24 : style === 'side' ? 28 : style === 'text' ? (i === 0 ? 20 : 38) : 72 + i * 24,
    unknown: unknown.includes(id),
  }));
  if (all.includes(ERROR)) {
    ports.push({ id: ERROR, title: titles.get(ERROR) ?? 'error', kind: 'error', x: width - 24, y: height, unknown: unknown.includes(ERROR) });
  }
  return { width, height, input: hasInput(descriptor), inputY: frame ? FRAME_PORT_Y : 28, ports, style };
}

/** Ports named by the edges of each node. */
export function wiredPortsByNode(document: Workflow): Map<string, string[]> {
  const map = new Map<string, string[]>();
  for (const edge of document.edges) {
    const { node, port } = splitPort(edge.from);
    const list = map.get(node);
    if (!list) map.set(node, [port]);
    else if (!list.includes(port)) list.push(port);
  }
  return map;
}

export function snap(value: number): number {
  return Math.round(value / GRID) * GRID;
}

/** The place a file gives for a node; null when it gives none that can be used. */
export function placeOf(document: Workflow, id: string): Point | null {
  const place = document.layout?.[id];
  if (!Array.isArray(place)) return null;
  const [x, y] = place as unknown[];
  return typeof x === 'number' && typeof y === 'number' && Number.isFinite(x) && Number.isFinite(y) ? [x, y] : null;
}

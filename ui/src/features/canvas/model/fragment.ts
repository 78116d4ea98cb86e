/** Copy and paste as JSON text: the nodes, the wires between them, their places, and the wires that led in. */

import { t } from '../../../i18n/index.ts';
import type { Edge, Workflow, WorkflowNode } from '../../../api/types.ts';
import type { Edit } from './edits.ts';
import { NODE_ID, slug, splitPort, uniqueId } from './ids.ts';
import { COLUMN, type Point, snap } from './ports.ts';
import { placesOf } from './place.ts';
import { renameInJson } from './references.ts';

export interface Fragment {
  nodes: { [id: string]: WorkflowNode };
  edges: Edge[];
  layout: { [id: string]: Point };
  /** wires from nodes outside */
  incoming: Edge[];
}

const isRecord = (value: unknown): value is { [key: string]: unknown } => typeof value === 'object' && value !== null && !Array.isArray(value);

export function fragmentOf(document: Workflow, ids: readonly string[]): Fragment {
  const inside = new Set(ids);
  const places = placesOf(document);
  const nodes: Fragment['nodes'] = {};
  const layout: Fragment['layout'] = {};
  for (const [id, node] of Object.entries(document.nodes)) {
    if (!inside.has(id)) continue;
    nodes[id] = node;
    layout[id] = places.get(id) ?? [0, 0];
  }
  return {
    nodes,
    edges: document.edges.filter((e) => inside.has(e.to) && inside.has(splitPort(e.from).node)),
    layout,
    incoming: document.edges.filter((e) => inside.has(e.to) && !inside.has(splitPort(e.from).node)),
  };
}

export function fragmentText(fragment: Fragment): string {
  return JSON.stringify({ signalbox: 1, fragment: true, ...fragment }, null, 2);
}

/** What the text holds, or why nothing can be pasted. A whole workflow file is taken too. */
export function readFragment(text: string): Fragment | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: t('canvas.clip.none') };
  }
  if (!isRecord(value) || value['signalbox'] === undefined || !isRecord(value['nodes'])) {
    return { problem: t('canvas.clip.foreign') };
  }
  const nodes: Fragment['nodes'] = {};
  for (const [id, node] of Object.entries(value['nodes'])) {
    if (!isRecord(node) || typeof node['type'] !== 'string') return { problem: t('canvas.clip.noType', { id }) };
    nodes[id] = { ...node, type: node['type'] };
  }
  if (Object.keys(nodes).length === 0) return { problem: t('canvas.clip.none') };
  const edge = (e: unknown): e is Edge => isRecord(e) && typeof e['from'] === 'string' && typeof e['to'] === 'string';
  const list = (v: unknown): Edge[] => (Array.isArray(v) ? v.filter(edge) : []);
  const layout: Fragment['layout'] = {};
  for (const [id, at] of Object.entries(isRecord(value['layout']) ? value['layout'] : {})) {
    if (Array.isArray(at) && typeof at[0] === 'number' && typeof at[1] === 'number') layout[id] = [at[0], at[1]];
  }
  return { nodes, edges: list(value['edges']), layout, incoming: list(value['incoming']) };
}

/** Where its nodes stand; those that the text gives no place stand in a row. */
export function layoutOf(fragment: Fragment): Fragment['layout'] {
  return Object.fromEntries(Object.keys(fragment.nodes).map((id, i) => [id, fragment.layout[id] ?? [i * COLUMN, 0]]));
}

/** The edits that paste a fragment with its top left corner at `at`, and the ids it gets. */
export function pasteEdits(document: Workflow, fragment: Fragment, at: Point, keepIncoming: boolean): { edits: Edit[]; ids: string[] } {
  const used = new Set(Object.keys(document.nodes));
  const names = new Map<string, string>();
  for (const id of Object.keys(fragment.nodes)) {
    const next = uniqueId(NODE_ID.test(id) ? id : slug(id), (candidate) => used.has(candidate));
    used.add(next);
    names.set(id, next);
  }
  const renamed = new Map([...names].filter(([from, to]) => from !== to));
  const order = Object.keys(fragment.nodes);
  const layout = layoutOf(fragment);
  const place = (id: string): Point => layout[id] as Point;
  const left = Math.min(...order.map((id) => place(id)[0]));
  const top = Math.min(...order.map((id) => place(id)[1]));
  const edits: Edit[] = order.map((id) => {
    const [x, y] = place(id);
    const copy = renameInJson(fragment.nodes[id] as WorkflowNode, renamed);
    const fallback = copy.errorHandling?.fallbackNodeId;
    const node = fallback !== undefined && names.has(fallback)
      ? { ...copy, errorHandling: { ...copy.errorHandling, fallbackNodeId: names.get(fallback) as string } }
      : copy;
    return { type: 'addNode', id: names.get(id) as string, node, at: [snap(at[0] + x - left), snap(at[1] + y - top)] };
  });
  const connect = ({ from, to, ...extra }: Edge, sourceInside: boolean): void => {
    const { node, port } = splitPort(from);
    const source = sourceInside ? names.get(node) : Object.hasOwn(document.nodes, node) ? node : undefined;
    const target = names.get(to);
    if (source !== undefined && target !== undefined) edits.push({ type: 'connect', from: `${source}.${port}`, to: target, extra });
  };
  for (const edge of fragment.edges) connect(edge, true);
  if (keepIncoming) for (const edge of fragment.incoming) connect(edge, false);
  return { edits, ids: [...names.values()] };
}

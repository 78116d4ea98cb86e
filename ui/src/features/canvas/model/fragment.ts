/** Copy and paste as JSON text: the nodes, the wires between them, their places, and the wires that led in. */

import { writeExact } from '../../../json/exact-json.ts';
import { isObject } from '../../../json/json.ts';
import { readJson } from '../../../json/read-json.ts';
import { jsonWords, t } from '../../../i18n/index.ts';
import type { Edge, Workflow, WorkflowNode } from '../../../api/types.ts';
import type { Edit } from './edits.ts';
import { GROUPS, groupsInside, pasteGroups } from './groups.ts';
import { byDepth, draggedSize, withInside } from './frames.ts';
import { treeOf } from '../../../shared/container-tree.ts';
import { NODE_ID, slug, splitPort, uniqueId } from '../../../shared/step-ids.ts';
import { COLUMN, type Point, snap } from './ports.ts';
import { placesOf } from './place.ts';
import { renameInStep, stepsNamedBy } from './references.ts';

export interface Fragment {
  nodes: { [id: string]: WorkflowNode };
  edges: Edge[];
  /** as in a file: what stands in a frame of the fragment counts from it; a frame may have a size */
  layout: { [id: string]: readonly number[] };
  /** wires from nodes outside */
  incoming: Edge[];
  /** groups of which every step is here, as in a file */
  groups?: { [id: string]: unknown };
}

/** A frame brings what is in it; a step without its frame is one that stands free. */
export function fragmentOf(document: Workflow, ids: readonly string[]): Fragment {
  const inside = new Set(withInside(document, ids));
  const places = placesOf(document);
  const { parent } = treeOf(document);
  const nodes: Fragment['nodes'] = {};
  const layout: Fragment['layout'] = {};
  for (const [id, node] of Object.entries(document.nodes)) {
    if (!inside.has(id)) continue;
    const home = parent.get(id);
    const kept = home !== undefined && inside.has(home);
    const { parent: _, ...free } = node;
    nodes[id] = kept || !Object.hasOwn(node, 'parent') ? node : free;
    const [[x, y], [left, top]] = [places.get(id) ?? [0, 0], (kept ? places.get(home) : undefined) ?? [0, 0]];
    const size = draggedSize(document, id);
    layout[id] = [x - left, y - top, ...(size ? [size.width, size.height] : [])];
  }
  const groups = groupsInside(document, inside);
  return {
    ...(Object.keys(groups).length > 0 ? { groups } : {}),
    nodes,
    edges: document.edges.filter((e) => inside.has(e.to) && inside.has(splitPort(e.from).node)),
    layout,
    incoming: document.edges.filter((e) => inside.has(e.to) && !inside.has(splitPort(e.from).node)),
  };
}

export function fragmentText({ groups, ...fragment }: Fragment): string {
  return writeExact({ signalbox: 1, fragment: true, ...fragment, ...(groups ? { layout: { ...fragment.layout, [GROUPS]: groups } } : {}) }, 2);
}

/** What the text holds, or why nothing can be pasted. A whole workflow file is taken too. */
export function readFragment(text: string): Fragment | { problem: string } {
  const read = readJson(text);
  if ('problem' in read) return { problem: read.problem.kind === 'syntax' ? t('canvas.clip.none') : jsonWords(read.problem, text) };
  const { value } = read;
  if (!isObject(value) || value['signalbox'] === undefined || !isObject(value['nodes'])) {
    return { problem: t('canvas.clip.foreign') };
  }
  const nodes: Fragment['nodes'] = {};
  for (const [id, node] of Object.entries(value['nodes'])) {
    if (!isObject(node) || typeof node['type'] !== 'string') return { problem: t('canvas.clip.noType', { id }) };
    nodes[id] = { ...node, type: node['type'] };
  }
  if (Object.keys(nodes).length === 0) return { problem: t('canvas.clip.none') };
  const edge = (e: unknown): e is Edge => isObject(e) && typeof e['from'] === 'string' && typeof e['to'] === 'string';
  const list = (v: unknown): Edge[] => (Array.isArray(v) ? v.filter(edge) : []);
  const layout: Fragment['layout'] = {};
  for (const [id, at] of Object.entries(isObject(value['layout']) ? value['layout'] : {})) {
    if (Array.isArray(at) && typeof at[0] === 'number' && typeof at[1] === 'number') layout[id] = at.slice(0, 4).filter((n): n is number => typeof n === 'number');
  }
  const groups = isObject(value['layout']) ? value['layout'][GROUPS] : undefined;
  return { nodes, edges: list(value['edges']), layout, incoming: list(value['incoming']), ...(isObject(groups) ? { groups } : {}) };
}

/** Where its nodes stand; those that the text gives no place stand in a row. */
export function layoutOf(fragment: Fragment): Fragment['layout'] {
  const framed = (id: string): boolean => Object.hasOwn(fragment.nodes, fragment.nodes[id]?.parent ?? '');
  return Object.fromEntries(Object.keys(fragment.nodes).flatMap((id, i) => {
    const at = fragment.layout[id] ?? (framed(id) ? undefined : [i * COLUMN, 0]);
    return at === undefined ? [] : [[id, at]];
  }));
}

/** The fragment as a document of its own, for questions about its picture. */
export const asDocument = (document: Workflow, fragment: Fragment): Workflow => ({ ...document, nodes: fragment.nodes, edges: fragment.edges, layout: layoutOf(fragment) as NonNullable<Workflow['layout']> });

/** The edits that paste a fragment with its top left corner at `at`, into a frame when one is given, and the ids it gets. */
export function pasteEdits(document: Workflow, fragment: Fragment, at: Point, keepIncoming: boolean, frame?: string): { edits: Edit[]; ids: string[] } {
  // No step gets the id of one that stays outside and is named by what is pasted: it would be taken for that one.
  const named = Object.entries(fragment.nodes).flatMap(([id, node]) => [...stepsNamedBy(id, node)].filter((other) => !Object.hasOwn(fragment.nodes, other)));
  const used = new Set([...Object.keys(document.nodes), ...named]);
  const names = new Map<string, string>();
  for (const id of Object.keys(fragment.nodes)) {
    const next = uniqueId(NODE_ID.test(id) ? id : slug(id), (candidate) => used.has(candidate));
    used.add(next);
    names.set(id, next);
  }
  const renamed = new Map([...names].filter(([from, to]) => from !== to));
  const own = asDocument(document, fragment);
  const { parent } = treeOf(own);
  const places = placesOf(own);
  const order = byDepth(own);
  const roots = order.filter((id) => !parent.has(id));
  const place = (id: string): Point => places.get(id) ?? [0, 0];
  const left = Math.min(...roots.map((id) => place(id)[0]));
  const top = Math.min(...roots.map((id) => place(id)[1]));
  const edits: Edit[] = Object.keys(fragment.nodes).map((id) => {
    const { parent: _, ...node } = renameInStep(id, fragment.nodes[id] as WorkflowNode, renamed);
    const home = parent.get(id);
    const stands = home === undefined ? frame : names.get(home);
    const [x, y] = place(id);
    // What stands in a frame keeps its distance from it to the pixel.
    const base: Point = [snap(at[0]) - left, snap(at[1]) - top];
    return { type: 'addNode', id: names.get(id) as string, node: stands === undefined ? node : { ...node, parent: stands }, at: [Math.round(x + base[0]), Math.round(y + base[1])] };
  });
  const connect = ({ from, to, ...extra }: Edge, sourceInside: boolean): void => {
    const { node, port } = splitPort(from);
    const source = sourceInside ? names.get(node) : Object.hasOwn(document.nodes, node) ? node : undefined;
    const target = names.get(to);
    if (source !== undefined && target !== undefined) edits.push({ type: 'connect', from: `${source}.${port}`, to: target, extra });
  };
  for (const edge of fragment.edges) connect(edge, true);
  if (keepIncoming) for (const edge of fragment.incoming) connect(edge, false);
  // A step may stand before its frame in the file: then its place counted from nothing.
  const inside = order.filter((id) => parent.has(id));
  const added = new Map(edits.flatMap((edit) => (edit.type === 'addNode' ? [[edit.id, edit.at] as const] : [])));
  if (inside.length > 0) edits.push({ type: 'place', places: Object.fromEntries(inside.map((id) => [names.get(id) as string, added.get(names.get(id) as string) as Point])) });
  for (const id of order) {
    const size = draggedSize(own, id);
    if (size) edits.push({ type: 'resize', id: names.get(id) as string, size });
  }
  if (fragment.groups) edits.push(...pasteGroups(document, fragment.groups, names));
  return { edits, ids: roots.map((id) => names.get(id) as string) };
}

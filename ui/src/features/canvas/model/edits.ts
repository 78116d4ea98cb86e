/**
 * The edits a person can make, as data, and what each means as patches. Names of ports and kinds come in with the edit: no catalog here.
 * Places are those of the canvas; what the file says of a step in a frame is counted from the frame (frames.ts).
 */

import type { Edge, Workflow, WorkflowNode } from '../../../api/types.ts';
import { draggedSize, framesAround, withInside } from './frames.ts';
import { joinGroup, leaveGroups, renameInGroups } from './groups.ts';
import { treeOf } from '../../../shared/container-tree.ts';
import { NODE_ID, splitPort } from '../../../shared/step-ids.ts';
import { applyPatches, type Patch, type Path, sameJson, valueAt } from './patch.ts';
import { originOf, placesOf } from './place.ts';
import type { Point, Size } from './ports.ts';
import { recoveryOf } from './recovery.ts';
import { renameInFile } from './references.ts';

export interface EdgeRef {
  from: string;
  to: string;
}

export type Edit =
  | { type: 'addNode'; id: string; node: WorkflowNode; at: Point }
  /** `reconnect`: node id → the port whose targets get the removed node's sources */
  | { type: 'removeNodes'; ids: readonly string[]; reconnect?: { readonly [id: string]: string | undefined } }
  | { type: 'place'; places: { readonly [id: string]: Point } }
  /** moves steps into a frame (`parent` absent: to the top) where they stand; wires that would cross its border are cut */
  | { type: 'reparent'; ids: readonly string[]; parent?: string | undefined }
  /** takes frames away and leaves what is in them, wired to where the frame was wired. `ends`: steps with a port `success`; absent = all */
  | { type: 'dissolve'; ids: readonly string[]; ends?: readonly string[] }
  /** the size a person dragged a frame to; absent = as large as its steps need */
  | { type: 'resize'; id: string; size?: Size | undefined }
  | { type: 'connect'; from: string; to: string; extra?: { readonly [key: string]: unknown } }
  | { type: 'disconnect'; edges: readonly EdgeRef[] }
  | { type: 'replug'; edge: EdgeRef; from?: string; to?: string }
  /** puts a node that exists already into a wire */
  | { type: 'insertOnEdge'; edge: EdgeRef; id: string; port: string }
  /** takes steps out of their groups */
  | { type: 'ungroup'; ids: readonly string[] }
  /** a field of a node; `value: undefined` removes it */
  | { type: 'setNode'; id: string; path: Path; value: unknown }
  | { type: 'renameNode'; id: string; to: string }
  /** any field of the file (name, settings, params, context…); `value: undefined` removes it */
  | { type: 'set'; path: Path; value: unknown };

const put = (path: Path, value: unknown, index?: number): Patch =>
  value === undefined ? { op: 'unset', path } : index === undefined ? { op: 'set', path, value } : { op: 'set', path, value, index };

const sameEdge = (a: EdgeRef, b: EdgeRef): boolean => a.from === b.from && a.to === b.to;

/** The view state stands last in a file, so fields that do not exist yet go before it. */
function topIndex(document: Workflow, key: string): number | undefined {
  const keys = Object.keys(document);
  if (key === 'layout' || keys.includes(key)) return undefined;
  const at = keys.indexOf('layout');
  return at < 0 ? undefined : at;
}

/** A list change as one splice over the smallest differing stretch, so that the inverse is small too. */
function editList<T>(path: Path, before: readonly T[], after: readonly T[]): Patch[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let tail = 0;
  while (
    tail < before.length - start &&
    tail < after.length - start &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  ) tail += 1;
  const remove = before.length - start - tail;
  const insert = after.slice(start, after.length - tail);
  return remove === 0 && insert.length === 0 ? [] : [{ op: 'splice', path, index: start, remove, insert }];
}

function removeNodes(document: Workflow, ids: readonly string[], reconnect: { readonly [id: string]: string | undefined } = {}): Patch[] {
  const patches: Patch[] = [];
  let edges: Edge[] = document.edges;
  for (const id of ids) {
    const port = reconnect[id];
    const sources = edges.filter((e) => e.to === id && splitPort(e.from).node !== id);
    const next: Edge[] = [];
    for (const edge of edges) {
      const from = splitPort(edge.from);
      if (from.node !== id && edge.to !== id) next.push(edge);
      // The bridge stands where the old wire stood: the order of edges is the order of the target's items.
      else if (from.node === id && from.port === port && edge.to !== id) {
        for (const source of sources) {
          const bridge = { from: source.from, to: edge.to };
          if (![...edges, ...next].some((e) => sameEdge(e, bridge))) next.push(bridge);
        }
      }
    }
    edges = next;
  }
  patches.push(...editList(['edges'], document.edges, edges));
  const gone = new Set(ids);
  for (const [id, node] of Object.entries(document.nodes)) {
    if (gone.has(id)) patches.push({ op: 'unset', path: ['nodes', id] });
    else if (gone.has(node.errorHandling?.fallbackNodeId ?? '')) patches.push({ op: 'unset', path: ['nodes', id, 'errorHandling', 'fallbackNodeId'] });
  }
  const layout = document.layout;
  if (layout && ids.length > 20) {
    patches.push(put(['layout'], Object.fromEntries(Object.entries(layout).filter(([id]) => !gone.has(id)))), ...leaveGroups(document, gone, true));
  } else {
    for (const id of ids) patches.push({ op: 'unset', path: ['layout', id] });
    patches.push(...leaveGroups(document, gone, true));
  }
  if (gone.has(document.settings?.onAbort ?? '')) patches.push({ op: 'unset', path: ['settings', 'onAbort'] });
  return patches;
}

function renameNode(document: Workflow, id: string, to: string): Patch[] {
  if (id === to || !Object.hasOwn(document.nodes, id) || Object.hasOwn(document.nodes, to) || !NODE_ID.test(to)) return [];
  const names = new Map([[id, to]]);
  return [...renameInFile(document, names), ...renameInGroups(document, names)];
}

/** What the file says of a place: counted from the frame, with the size that was dragged. */
function written(document: Workflow, id: string, [x, y]: Point, [left, top]: Point): number[] {
  const size = draggedSize(document, id);
  return [x - left, y - top, ...(size ? [size.width, size.height] : [])];
}

function place(document: Workflow, places: { readonly [id: string]: Point }): Patch[] {
  const { parent } = treeOf(document);
  const origin = (id: string): Point => {
    const frame = parent.get(id);
    if (frame === undefined) return [0, 0];
    const moved = Object.hasOwn(places, frame) ? places[frame] : undefined;
    if (moved) return moved;
    const [[fx, fy], [ox, oy], [nx, ny]] = [originOf(document, frame), originOf(document, parent.get(frame)), origin(frame)];
    // The frame stands where it stood in a frame that moves.
    return [nx + fx - ox, ny + fy - oy];
  };
  const next = Object.entries(places).filter(([id]) => Object.hasOwn(document.nodes, id)).map(([id, at]) => [id, written(document, id, at, origin(id))] as const);
  const changed = next.filter(([id, at]) => !sameJson(valueAt(document, ['layout', id]), at));
  if (changed.length <= 20) return changed.map(([id, at]) => ({ op: 'set', path: ['layout', id], value: at }));
  const layout: { [id: string]: unknown } = { ...document.layout };
  for (const [id, at] of changed) layout[id] = at;
  return [{ op: 'set', path: ['layout'], value: layout }];
}

/** The wires and fallbacks that would cross a border when each step stands in the frame that `home` says. */
function cutAtBorders(document: Workflow, touched: ReadonlySet<string>, home: (id: string) => string | undefined): Patch[] {
  const there = (id: string): boolean => Object.hasOwn(document.nodes, id);
  const crossing = (a: string, b: string): boolean => (touched.has(a) || touched.has(b)) && there(a) && there(b) && home(a) !== home(b);
  const patches = editList(['edges'], document.edges, document.edges.filter((edge) => !crossing(splitPort(edge.from).node, edge.to)));
  for (const [id, node] of Object.entries(document.nodes)) {
    const fallback = node.errorHandling?.fallbackNodeId;
    if (fallback !== undefined && crossing(id, fallback)) patches.push({ op: 'unset', path: ['nodes', id, 'errorHandling', 'fallbackNodeId'] });
  }
  return patches;
}

function reparent(document: Workflow, ids: readonly string[], frame: string | undefined): Patch[] {
  const { parent } = treeOf(document);
  if (frame !== undefined && !Object.hasOwn(document.nodes, frame)) return [];
  const around = frame === undefined ? [] : [frame, ...framesAround(document, frame)];
  // A frame cannot stand in itself, nor in a frame that stands in it.
  const moved = ids.filter((id) => Object.hasOwn(document.nodes, id) && parent.get(id) !== frame && !around.includes(id));
  if (moved.length === 0) return [];
  const set = new Set(moved);
  const places = placesOf(document);
  const origin = originOf(document, frame);
  return [
    ...cutAtBorders(document, set, (id) => (set.has(id) ? frame : parent.get(id))),
    ...moved.flatMap((id): Patch[] => [
      put(['nodes', id, 'parent'], frame),
      { op: 'set', path: ['layout', id], value: written(document, id, places.get(id) ?? [0, 0], origin) },
    ]),
    ...leaveGroups(document, set, false),
  ];
}

/** Where the frame was wired its body is: what led to it leads to its entries, what followed it follows its leaves. */
function dissolve(document: Workflow, ids: readonly string[], ends: readonly string[] | undefined): Patch[] {
  let now = document;
  const patches: Patch[] = [];
  const run = (list: Patch[]): void => {
    patches.push(...list);
    now = applyPatches(now, list).document;
  };
  for (const id of ids) {
    if (!Object.hasOwn(now.nodes, id)) continue;
    const { parent, children } = treeOf(now);
    const mine = children.get(id) ?? [];
    const inside = new Set(mine);
    const own = now.edges.filter((edge) => inside.has(edge.to) && inside.has(splitPort(edge.from).node));
    // What comes back to a step is no way into it, and a step that another one falls back to never begins by itself.
    const { edges: kinds } = recoveryOf(now);
    const into = new Set(now.edges.filter((edge, i) => inside.has(edge.to) && inside.has(splitPort(edge.from).node) && kinds[i] !== 'reentry').map((edge) => edge.to));
    const called = new Set([now.settings?.onAbort, ...Object.values(now.nodes).map((node) => node.errorHandling?.fallbackNodeId)]);
    const entries = mine.filter((child) => !into.has(child) && !called.has(child));
    const leaves = mine.filter((child) => (ends?.includes(child) ?? true) && !own.some((edge) => edge.from === `${child}.success`));
    const edges = now.edges.flatMap((edge): Edge[] => {
      if (edge.to === id) return entries.map((to) => ({ ...edge, to }));
      if (edge.from === `${id}.success`) return leaves.map((leaf) => ({ ...edge, from: `${leaf}.success` }));
      return [edge];
    });
    run(reparent(now, mine, parent.get(id)));
    run(editList(['edges'], now.edges, edges));
    run(removeNodes(now, [id]));
  }
  return patches;
}

function resize(document: Workflow, id: string, size: Size | undefined): Patch[] {
  if (!Object.hasOwn(document.nodes, id)) return [];
  const at = placesOf(document).get(id) ?? [0, 0];
  const [left, top] = originOf(document, treeOf(document).parent.get(id));
  const value = [at[0] - left, at[1] - top, ...(size ? [size.width, size.height] : [])];
  return sameJson(valueAt(document, ['layout', id]), value) ? [] : [{ op: 'set', path: ['layout', id], value }];
}

function edgeIndex(document: Workflow, ref: EdgeRef): number {
  return document.edges.findIndex((edge) => sameEdge(edge, ref));
}

/** What an edit means for this document. An edit that names what is not there means nothing. */
export function patchesOf(document: Workflow, edit: Edit): Patch[] {
  switch (edit.type) {
    case 'addNode':
      if (!NODE_ID.test(edit.id) || Object.hasOwn(document.nodes, edit.id)) return [];
      return [
        { op: 'set', path: ['nodes', edit.id], value: edit.node },
        { op: 'set', path: ['layout', edit.id], value: written(document, edit.id, edit.at, originOf(document, edit.node.parent)) },
      ];
    case 'removeNodes':
      // What stands in a frame goes with it.
      return removeNodes(document, withInside(document, edit.ids.filter((id) => Object.hasOwn(document.nodes, id))), edit.reconnect);
    case 'place':
      return place(document, edit.places);
    case 'reparent':
      return reparent(document, edit.ids, edit.parent);
    case 'dissolve':
      return dissolve(document, edit.ids, edit.ends);
    case 'resize':
      return resize(document, edit.id, edit.size);
    case 'connect':
      if (edgeIndex(document, edit) >= 0) return [];
      return [{ op: 'splice', path: ['edges'], index: document.edges.length, remove: 0, insert: [{ from: edit.from, to: edit.to, ...edit.extra }] }];
    case 'disconnect': {
      const kept = document.edges.slice();
      for (const ref of edit.edges) {
        const at = kept.findIndex((edge) => sameEdge(edge, ref));
        if (at >= 0) kept.splice(at, 1);
      }
      return editList(['edges'], document.edges, kept);
    }
    case 'replug': {
      const at = edgeIndex(document, edit.edge);
      if (at < 0) return [];
      const next = { ...document.edges[at], from: edit.from ?? edit.edge.from, to: edit.to ?? edit.edge.to };
      if (edgeIndex(document, next) >= 0) return [];
      return [{ op: 'set', path: ['edges', at], value: next }];
    }
    case 'insertOnEdge': {
      const at = edgeIndex(document, edit.edge);
      if (at < 0) return [];
      const old = document.edges[at] as Edge;
      const insert = [{ ...old, to: edit.id }, { from: `${edit.id}.${edit.port}`, to: old.to }]
        .filter((edge) => edgeIndex(document, edge) < 0);
      return [{ op: 'splice', path: ['edges'], index: at, remove: 1, insert }, ...joinGroup(document, edit.id, splitPort(old.from).node, old.to)];
    }
    case 'ungroup':
      return leaveGroups(document, new Set(edit.ids), true);
    case 'setNode':
      return Object.hasOwn(document.nodes, edit.id) ? [put(['nodes', edit.id, ...edit.path], edit.value)] : [];
    case 'renameNode':
      return renameNode(document, edit.id, edit.to);
    case 'set':
      return [put(edit.path, edit.value, edit.path.length === 1 ? topIndex(document, String(edit.path[0])) : undefined)];
  }
}

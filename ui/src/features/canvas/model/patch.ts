/**
 * The four smallest changes of a JSON document, each with its exact inverse.
 *
 * Everything the editor does is a list of these. Key order is part of the document (the order of `nodes` decides every tie
 * of a run), so a removed key comes back at its old place: that is what makes "undo everything" byte-equal.
 */

import { isObject } from '../../../json/json.ts';

export type PathPart = string | number;
export type Path = readonly PathPart[];

export type Patch =
  | { op: 'set'; path: Path; value: unknown; index?: number }
  | { op: 'unset'; path: Path }
  | { op: 'rename'; path: Path; key: string }
  | { op: 'splice'; path: Path; index: number; remove: number; insert: readonly unknown[] };

export interface Patched<T> {
  document: T;
  inverse: Patch[];
}

type Obj = { [key: string]: unknown };

const own = (object: Obj, key: string): boolean => Object.prototype.hasOwnProperty.call(object, key);
// `fromEntries` defines keys instead of assigning them: a key named __proto__ stays data.
const fromEntries = (entries: [string, unknown][]): Obj => Object.fromEntries(entries);

export class PatchError extends Error {}

/** The value at a path, or undefined. */
export function valueAt(root: unknown, path: Path): unknown {
  let here = root;
  for (const part of path) {
    if (Array.isArray(here)) here = here[Number(part)];
    else if (isObject(here) && own(here, String(part))) here = here[String(part)];
    else return undefined;
  }
  return here;
}

/** A copy of `root` in which the container at `path` is replaced; everything beside the path is shared. */
function replaceAt(root: unknown, path: Path, change: (container: unknown) => unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return change(root);
  if (Array.isArray(root)) {
    const copy = root.slice();
    copy[Number(head)] = replaceAt(root[Number(head)], rest, change);
    return copy;
  }
  if (!isObject(root)) throw new PatchError(`There is no object at "${String(head)}".`);
  const key = String(head);
  return fromEntries(Object.entries(root).map(([k, v]) => [k, k === key ? replaceAt(v, rest, change) : v]));
}

/** How much of the path exists as containers; a `set` below a missing one creates the missing ones as objects. */
function existingDepth(root: unknown, path: Path): number {
  let here = root;
  for (let depth = 0; depth < path.length; depth += 1) {
    const part = path[depth] as PathPart;
    if (Array.isArray(here)) here = here[Number(part)];
    else if (isObject(here) && own(here, String(part))) here = here[String(part)];
    else return depth;
    if (typeof here !== 'object' || here === null) return depth;
  }
  return path.length;
}

function setKey(root: unknown, path: Path, value: unknown, index: number | undefined): { next: unknown; inverse: Patch | null } {
  const parent = path.slice(0, -1);
  const last = path[path.length - 1] as PathPart;
  const depth = existingDepth(root, parent);
  if (depth < parent.length) {
    const nested = path.slice(depth + 1).reduceRight<unknown>((inner, part) => fromEntries([[String(part), inner]]), value);
    return setKey(root, path.slice(0, depth + 1), nested, undefined);
  }
  const container = valueAt(root, parent);
  if (Array.isArray(container)) {
    const at = Number(last);
    if (at < 0 || at >= container.length) throw new PatchError(`There is no element ${at}.`);
    if (sameJson(container[at], value)) return { next: root, inverse: null };
    return {
      next: replaceAt(root, parent, (list) => (list as unknown[]).map((v, i) => (i === at ? value : v))),
      inverse: { op: 'set', path, value: container[at] },
    };
  }
  if (!isObject(container)) throw new PatchError(`There is no object to set "${String(last)}" in.`);
  const key = String(last);
  if (own(container, key)) {
    // The same value again is no change, and no step to undo.
    if (sameJson(container[key], value)) return { next: root, inverse: null };
    return {
      next: replaceAt(root, parent, (o) => fromEntries(Object.entries(o as Obj).map(([k, v]) => [k, k === key ? value : v]))),
      inverse: { op: 'set', path, value: container[key] },
    };
  }
  return {
    next: replaceAt(root, parent, (o) => {
      const entries = Object.entries(o as Obj);
      entries.splice(index ?? entries.length, 0, [key, value]);
      return fromEntries(entries);
    }),
    inverse: { op: 'unset', path },
  };
}

function applyOne(root: unknown, patch: Patch): { next: unknown; inverse: Patch | null } {
  const parent = patch.path.slice(0, -1);
  const key = String(patch.path[patch.path.length - 1]);
  switch (patch.op) {
    case 'set': {
      if (patch.path.length === 0) return { next: patch.value, inverse: { op: 'set', path: [], value: root } };
      return setKey(root, patch.path, patch.value, patch.index);
    }
    case 'unset': {
      const container = valueAt(root, parent);
      if (!isObject(container) || !own(container, key)) return { next: root, inverse: null };
      const index = Object.keys(container).indexOf(key);
      return {
        next: replaceAt(root, parent, (o) => fromEntries(Object.entries(o as Obj).filter(([k]) => k !== key))),
        inverse: { op: 'set', path: patch.path, value: container[key], index },
      };
    }
    case 'rename': {
      const container = valueAt(root, parent);
      if (!isObject(container) || !own(container, key) || key === patch.key) return { next: root, inverse: null };
      if (own(container, patch.key)) throw new PatchError(`"${patch.key}" exists already.`);
      return {
        next: replaceAt(root, parent, (o) => fromEntries(Object.entries(o as Obj).map(([k, v]) => [k === key ? patch.key : k, v]))),
        inverse: { op: 'rename', path: [...parent, patch.key], key },
      };
    }
    case 'splice': {
      const list = valueAt(root, patch.path);
      if (!Array.isArray(list)) throw new PatchError(`There is no list at "${patch.path.join('/')}".`);
      const removed = list.slice(patch.index, patch.index + patch.remove);
      if (removed.length === 0 && patch.insert.length === 0) return { next: root, inverse: null };
      return {
        next: replaceAt(root, patch.path, (l) => (l as unknown[]).toSpliced(patch.index, patch.remove, ...patch.insert)),
        inverse: { op: 'splice', path: patch.path, index: patch.index, remove: patch.insert.length, insert: removed },
      };
    }
  }
}

/** Applies patches in order; the inverse list is in the order in which it must be applied. */
export function applyPatches<T>(document: T, patches: readonly Patch[]): Patched<T> {
  let current: unknown = document;
  const inverse: Patch[] = [];
  for (const patch of patches) {
    const done = applyOne(current, patch);
    current = done.next;
    if (done.inverse) inverse.unshift(done.inverse);
  }
  return { document: current as T, inverse };
}

/** Equal as JSON, key order included. */
export function sameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

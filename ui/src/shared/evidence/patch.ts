// RFC 6902 in the small: what a correction does to another input, before anything is sent. The engine applies the real one.

import type { PatchOperation } from '../../api/types.ts';
import { pointerParts } from '../../json/json.ts';
import { same } from '../diff.ts';

export type Operation = PatchOperation;
export type Patched = { ok: true; value: unknown } | { ok: false; path: string };

const FAIL = Symbol('fail');

function change(value: unknown, path: string[], work: (box: unknown, name: string) => unknown, root: (value: unknown) => unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return root(value);
  if (rest.length === 0) return work(value, head);
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, head)) return FAIL;
  const inner = change((value as Record<string, unknown>)[head], rest, work, root);
  if (inner === FAIL) return FAIL;
  if (Array.isArray(value)) return value.map((one, index) => (String(index) === head ? inner : one));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, name === head ? inner : one]));
}

/** The value at a JSON Pointer. */
export function at(value: unknown, pointer: string): unknown {
  let found: unknown = value;
  for (const part of pointerParts(pointer)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Record<string, unknown>)[part];
  }
  return found;
}
const has = (value: unknown, pointer: string) => pointer === '' || at(value, pointer) !== undefined;

const add = (value: unknown, pointer: string, added: unknown) => change(value, pointerParts(pointer), (box, name) => {
  if (Array.isArray(box)) {
    const place = name === '-' ? box.length : /^(?:0|[1-9]\d*)$/.test(name) ? Number(name) : -1;
    return place < 0 || place > box.length ? FAIL : [...box.slice(0, place), added, ...box.slice(place)];
  }
  if (typeof box !== 'object' || box === null) return FAIL;
  return Object.fromEntries([...Object.entries(box).filter(([key]) => key !== name), [name, added]]);
}, () => added);
const remove = (value: unknown, pointer: string) => change(value, pointerParts(pointer), (box, name) => {
  if (typeof box !== 'object' || box === null || !Object.hasOwn(box, name)) return FAIL;
  if (Array.isArray(box)) return box.filter((_, index) => String(index) !== name);
  return Object.fromEntries(Object.entries(box).filter(([key]) => key !== name));
}, () => FAIL);
const replace = (value: unknown, pointer: string, next: unknown) => change(value, pointerParts(pointer), (box, name) => {
  if (typeof box !== 'object' || box === null || !Object.hasOwn(box, name)) return FAIL;
  if (Array.isArray(box)) return box.map((one: unknown, index) => (String(index) === name ? next : one));
  return Object.fromEntries(Object.entries(box).map(([key, one]) => [key, key === name ? next : one]));
}, () => next);

/** Sets the value at a pointer that is there; elsewhere the value stays as it is. */
export function put(value: unknown, pointer: string, next: unknown): unknown {
  const done = replace(value, pointer, next);
  return done === FAIL ? value : done;
}

export function applyPatch(start: unknown, patch: readonly Operation[]): Patched {
  let value = start;
  for (const operation of patch) {
    const { path } = operation;
    let next: unknown = FAIL;
    if (operation.op === 'add') next = add(value, path, operation.value);
    else if (operation.op === 'remove') next = remove(value, path);
    else if (operation.op === 'replace') next = replace(value, path, operation.value);
    else if (operation.op === 'test') next = has(value, path) && same(at(value, path), operation.value) ? value : FAIL;
    else if (has(value, operation.from)) {
      const taken = at(value, operation.from);
      const rest = operation.op === 'move' ? remove(value, operation.from) : value;
      next = rest === FAIL ? FAIL : add(rest, path, taken);
    }
    if (next === FAIL) return { ok: false, path };
    value = next;
  }
  return { ok: true, value };
}

export const isPatch = (value: unknown): value is Operation[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null && 'op' in one && 'path' in one && typeof (one as Operation).path === 'string');

// Names of the fields of an item, as expressions of the step would name them, and how a setting writes them.

import type { ExpressionName } from '../api/types.ts';
import { isObject } from '../json/json.ts';

export interface KnownField {
  /** As the setting holds it: a name, or a path like `address.city`. */
  name: string;
  type: string;
}

const KEY = /^(?:\.?([\p{L}_$][\p{L}\p{N}_$]*)|\['((?:[^'\\]|\\.)*)'\])/u;

/** The keys of `item.address['zip code']`, or null where an entry of a list is on the way. */
function keysOf(label: string): string[] | null {
  if (!label.startsWith('item')) return null;
  let rest = label.slice('item'.length);
  const keys: string[] = [];
  while (rest !== '') {
    const key = KEY.exec(rest);
    if (!key || (keys.length === 0 && !/^[.[]/.test(rest))) return null;
    keys.push(key[1] ?? (key[2] ?? '').replace(/\\(.)/g, '$1'));
    rest = rest.slice(key[0].length);
  }
  return keys.length > 0 ? keys : null;
}

/** One key is its own name; of several, those with signs in them stand in brackets. */
function written(keys: readonly string[]): string {
  if (keys.length === 1) return keys[0] ?? '';
  return keys.map((key, at) => (/^[^.[\]'"$]+$/.test(key) ? `${at === 0 ? '' : '.'}${key}` : `['${key}']`)).join('');
}

const ROOT = /^(?:paired\('(?:[^'\\]|\\.)*'\)|nodes(?:\.\w+|\['(?:[^'\\]|\\.)*'\])\.(?:output|items\[\d+\]))/;

/** The name that a setting holds for the field of an expression; null where it is no field of the items that arrive. One of another step is,
 * when items with such a field arrive: two lists that are merged come from two steps. */
export function fieldOfItem(expression: string, known: readonly KnownField[]): string | null {
  const text = expression.trim();
  const keys = keysOf(text.replace(ROOT, 'item'));
  const name = keys ? written(keys) : null;
  return name !== null && (text.startsWith('item') || known.some((one) => one.name === name)) ? name : null;
}

/** Levels of objects in the items that are looked at for fields, and values in all: the form must not wait for it. */
const LEVELS = 3;
const LOOKED = 20_000;

/** The fields of items at hand: those of the first one may lack what others have. */
export function fieldsOfItems(items: readonly unknown[]): KnownField[] {
  const found = new Map<string, string>();
  let left = LOOKED;
  const walk = (value: unknown, keys: readonly string[]): void => {
    if (!isObject(value) || keys.length >= LEVELS || left <= 0) return;
    for (const [key, inner] of Object.entries(value)) {
      left -= 1;
      const path = [...keys, key];
      const name = written(path);
      if (inner !== null || !found.has(name)) found.set(name, typeOf(inner));
      walk(inner, path);
    }
  };
  for (const item of items) walk(item, []);
  return [...found].map(([name, type]) => ({ name, type }));
}

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : isObject(value) ? 'object' : typeof value);

/** The fields that are known, those at the top first; with `prefer` the ones of this type before all others. */
export function fieldsOf(names: readonly ExpressionName[], prefer?: string): KnownField[] {
  const found = names.flatMap((one) => {
    const keys = keysOf(one.label);
    return keys ? [{ name: written(keys), type: one.type, depth: keys.length }] : [];
  });
  const rank = (one: { type: string; depth: number }) => (prefer !== undefined && one.type === prefer ? 0 : one.depth);
  return found.toSorted((a, b) => rank(a) - rank(b)).map(({ name, type }) => ({ name, type }));
}

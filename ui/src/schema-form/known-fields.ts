// Names of the fields of an item, as expressions of the step would name them, and how a setting writes them.

import type { ExpressionName } from '../api/types.ts';

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

/** The fields that are known, those at the top first; with `prefer` the ones of this type before all others. */
export function fieldsOf(names: readonly ExpressionName[], prefer?: string): KnownField[] {
  const found = names.flatMap((one) => {
    const keys = keysOf(one.label);
    return keys ? [{ name: written(keys), type: one.type, depth: keys.length }] : [];
  });
  const rank = (one: { type: string; depth: number }) => (prefer !== undefined && one.type === prefer ? 0 : one.depth);
  return found.toSorted((a, b) => rank(a) - rank(b)).map(({ name, type }) => ({ name, type }));
}

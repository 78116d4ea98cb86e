/** A value with all that the wire has cut from it. */

import { call } from './client.ts';
import { isCut, isObject } from '../json/json.ts';

export function hasCut(value: unknown): boolean {
  return isCut(value) || (Array.isArray(value) ? value.some(hasCut) : isObject(value) && Object.values(value).some(hasCut));
}

/** Loads one part after the other: each may be megabytes. */
export async function loadFullValue(value: unknown): Promise<unknown> {
  if (isCut(value)) return call('run_value', { ref: value.ref });
  if (!hasCut(value)) return value;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const one of value) list.push(await loadFullValue(one));
    return list;
  }
  const all: [string, unknown][] = [];
  for (const [key, one] of Object.entries(value as object)) all.push([key, await loadFullValue(one)]);
  return Object.fromEntries(all);
}

// A JSON value as lines to draw, and the small questions about values that several screens ask. Pure.

import { writeExact } from '../json/exact-json.ts';
import { isCut } from '../json/json.ts';
import type { CutValue } from '../api/types.ts';
import { formatNumber, t } from '../i18n/index.ts';

export type ValuePath = readonly (string | number)[];

export interface ValueLine {
  depth: number;
  path: ValuePath;
  /** Name in the object above; absent in a list and at the top. */
  name?: string;
  kind: 'open' | 'close' | 'value' | 'empty' | 'cut' | 'folded';
  bracket?: '{' | '[';
  /** The JSON text of a plain value. */
  text?: string;
  type?: string;
  cut?: CutValue;
  count?: number;
  comma: boolean;
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/** 52,340 -> "51.1KB", 12,650,189 -> "12,353.7KB" (K-28, U-22). */
export function formatSize(length: number): string {
  if (length < 1024) return t('unit.size.b', { n: String(length) });
  const [whole = '', tenths = ''] = (length / 1024).toFixed(1).split('.');
  return t('unit.size.kb', { n: `${formatNumber(Number(whole))}.${tenths}` });
}

/** Length of the compact JSON text, as the wire measures it. A value that was cut counts as long as it is, not as what is left of it. */
export function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return measure(value);
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const size = measure(value);
  sizes.set(value, size);
  return size;
}

/** What a run told does not change; its cards are drawn many times. */
const sizes = new WeakMap<object, number>();

function measure(value: unknown): number {
  let more = 0;
  const text = JSON.stringify(value, (_, part: unknown) => {
    if (!isCut(part)) return part;
    // The zero that stands for it is one character.
    more += part.length - 1;
    return 0;
  });
  return (text ?? '').length + more;
}

export const keyOf = (path: ValuePath): string => JSON.stringify(path);

/** Lines of a value; objects whose key is in `folded` are one line. Stops after `limit` lines and says how many are missing. */
export function linesOf(value: unknown, folded: ReadonlySet<string>, limit: number): { lines: ValueLine[]; hidden: boolean } {
  const lines: ValueLine[] = [];
  let hidden = false;
  const walk = (one: unknown, path: ValuePath, depth: number, comma: boolean, name: string | undefined): void => {
    if (lines.length >= limit) {
      hidden = true;
      return;
    }
    const at = { depth, path, comma, ...(name === undefined ? {} : { name }) };
    if (isCut(one)) {
      lines.push({ ...at, kind: 'cut', cut: one });
      return;
    }
    if (typeof one !== 'object' || one === null) {
      lines.push({ ...at, kind: 'value', text: writeExact(one) ?? 'null', type: typeOf(one) });
      return;
    }
    const bracket = Array.isArray(one) ? '[' : '{';
    const entries: [string | number, unknown][] = Array.isArray(one) ? one.map((child, i) => [i, child]) : Object.entries(one);
    if (entries.length === 0) {
      lines.push({ ...at, kind: 'empty', bracket });
      return;
    }
    if (folded.has(keyOf(path))) {
      lines.push({ ...at, kind: 'folded', bracket, count: entries.length });
      return;
    }
    lines.push({ ...at, kind: 'open', bracket, comma: false });
    for (const [i, [key, child]] of entries.entries()) {
      walk(child, [...path, key], depth + 1, i < entries.length - 1, typeof key === 'string' ? key : undefined);
      if (hidden) return;
    }
    lines.push({ depth, path, kind: 'close', bracket, comma });
  };
  walk(value, [], 0, false, undefined);
  return { lines, hidden };
}

export interface Match {
  path: ValuePath;
  text: string;
}

/** Fields whose name or value has the text in it. */
export function searchIn(value: unknown, wanted: string, limit = 200): Match[] {
  const found: Match[] = [];
  const needle = wanted.toLowerCase();
  const walk = (one: unknown, path: ValuePath): void => {
    if (found.length >= limit) return;
    const name = path.at(-1);
    const plain = typeof one !== 'object' || one === null || isCut(one);
    const text = isCut(one) ? one.preview : plain ? (typeof one === 'string' ? one : (writeExact(one) ?? '')) : '';
    if ((typeof name === 'string' && name.toLowerCase().includes(needle)) || (plain && text.toLowerCase().includes(needle))) {
      found.push({ path, text: plain ? text : Array.isArray(one) ? `[${String(one.length)}]` : '{…}' });
    }
    if (plain) return;
    if (Array.isArray(one)) for (const [i, child] of one.entries()) walk(child, [...path, i]);
    else for (const [key, child] of Object.entries(one)) walk(child, [...path, key]);
  };
  walk(value, []);
  return found;
}

export interface SchemaLine {
  path: ValuePath;
  depth: number;
  name: string;
  types: string[];
  /** In how many of the values. */
  seen: number;
  sample?: string;
}

/** What the values look like: names, types, an example. Lists are described by their first elements. */
export function schemaOf(values: readonly unknown[]): SchemaLine[] {
  const lines: SchemaLine[] = [];
  const walk = (all: readonly unknown[], path: ValuePath, depth: number): void => {
    if (depth > 6 || lines.length > 300) return;
    const names = new Map<string, unknown[]>();
    for (const one of all) {
      if (typeof one !== 'object' || one === null || Array.isArray(one) || isCut(one)) continue;
      for (const [name, child] of Object.entries(one)) names.set(name, [...(names.get(name) ?? []), child]);
    }
    for (const [name, children] of names) {
      const at = [...path, name];
      // An example says more than null does.
      const plain = children.find((child) => typeof child !== 'object') ?? (children.includes(null) ? null : undefined);
      lines.push({
        path: at, depth, name, types: [...new Set(children.map((child) => (isCut(child) ? child.type : typeOf(child))))], seen: children.length,
        ...(plain === undefined ? {} : { sample: short(plain) }),
      });
      walk(children, at, depth + 1);
      const elements = children.filter(Array.isArray).flatMap((list: unknown[]) => list.slice(0, 20));
      walk(elements, [...at, 0], depth + 1);
    }
  };
  walk(values.slice(0, 50), [], 0);
  return lines;
}

const short = (value: unknown): string => {
  const text = writeExact(value) ?? '';
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
};

/** Column names of a list of objects, in the order in which they are met. */
export function columnsOf(values: readonly unknown[], limit = 40): string[] {
  const names = new Set<string>();
  for (const one of values.slice(0, 200)) {
    if (typeof one !== 'object' || one === null || Array.isArray(one) || isCut(one)) continue;
    for (const name of Object.keys(one)) names.add(name);
    if (names.size >= limit) break;
  }
  return [...names].slice(0, limit);
}

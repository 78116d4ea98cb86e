/** Items as the cells of a table, and back. A text stands as it is, everything else as JSON; a text that reads like JSON has quotes. */

import { isObject } from '../../json/json.ts';
import { writeExact } from '../../json/exact-json.ts';
import { readJson } from '../../json/read-json.ts';

export interface ItemTable {
  columns: readonly string[];
  /** By item, by column; undefined: the item does not have the field. */
  rows: readonly (readonly (string | undefined)[])[];
}

/** More are edited as JSON. */
export const MOST_CELLS = 2_000;

/** Nothing when the items are no objects, or too many for a table. */
export function tableOf(items: readonly unknown[]): ItemTable | null {
  if (!items.every(isObject)) return null;
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))];
  if (columns.length * items.length > MOST_CELLS) return null;
  return { columns, rows: items.map((item) => columns.map((name) => (Object.hasOwn(item, name) ? cellOf(item[name]) : undefined))) };
}

export function itemsOf({ columns, rows }: ItemTable): Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(columns.flatMap((name, i) => (row[i] === undefined ? [] : [[name, valueOf(row[i])] as const]))));
}

function cellOf(value: unknown): string {
  if (typeof value !== 'string') return writeExact(value);
  return 'value' in readJson(value) ? JSON.stringify(value) : value;
}

function valueOf(cell: string): unknown {
  const read = readJson(cell);
  return 'value' in read ? read.value : cell;
}

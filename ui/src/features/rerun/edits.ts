/** What a person changed of the values before a step. */
import { isObject } from '../../json/json.ts';
import { asSchema } from '../../json/json-schema.ts';
import { readJson, type JsonProblem } from '../../json/read-json.ts';
import type { Workflow } from '../../api/types.ts';
import { same } from '../../shared/diff.ts';

export type Values = Record<string, unknown>;

/** A text as an object of values; else why not. */
export function readValues(text: string): { value: Values } | { problem: JsonProblem | 'object' } {
  const read = readJson(text);
  if ('problem' in read) return read;
  return isObject(read.value) ? { value: read.value } : { problem: 'object' };
}

/** The data of the items, one element each. */
export function readItems(text: string): { value: unknown[] } | { problem: JsonProblem | 'list' } {
  const read = readJson(text);
  if ('problem' in read) return read;
  return Array.isArray(read.value) && read.value.length > 0 ? { value: read.value } : { problem: 'list' };
}

/** Only what differs is sent: what is masked and was not touched stays as it is. */
export function changedOf(before: Values, after: Values): Values {
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => !Object.hasOwn(before, name) || !same(before[name], value)));
}

/** Names that the edited text no longer has: a value can be changed, not taken away. */
export function missingOf(before: Values, after: Values): string[] {
  return Object.keys(before).filter((name) => !Object.hasOwn(after, name));
}

/** New names that the workflow does not declare as its input: mostly a slip of the fingers, and never refused. */
export function undeclared(before: Values, after: Values, definition: Pick<Workflow, 'params'>): string[] {
  const declared = definition.params === undefined ? undefined : asSchema(definition.params)?.properties;
  return Object.keys(after).filter((name) => !Object.hasOwn(before, name) && !Object.hasOwn(declared ?? {}, name));
}

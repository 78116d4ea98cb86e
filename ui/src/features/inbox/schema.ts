// The form of a task: its schema, or one that its input suggests; without what is masked.

import type { Diagnostic, JsonSchema } from '../../api/types.ts';
import { isObject, pointerParts } from '../../json/json.ts';
import { t } from '../../i18n/index.ts';
import { labelOf } from '../../schema-form/model.ts';
import { at } from '../../shared/evidence/patch.ts';

/** Of any kind: which one it is stands before the field, and can be changed. */
const OPEN = { 'x-ui': { widget: 'any' } };
/** A schema that fits the value. Types stay what they are until the person changes them: no schema says that they must. */
export function inferSchema(value: unknown, depth = 0): JsonSchema {
  if (typeof value === 'string') return { ...(value.includes('\n') ? { 'x-multiline': true } : {}), ...OPEN };
  if (typeof value === 'number' || typeof value === 'boolean') return OPEN;
  if (Array.isArray(value) && depth < 4 && value.length > 0 && value.length <= 50) {
    const [first] = value;
    const kind = (one: unknown) => (Array.isArray(one) ? 'array' : one === null ? 'null' : typeof one);
    if (value.every((one) => kind(one) === kind(first)) && kind(first) !== 'null') {
      return { type: 'array', items: isObject(first) ? inferSchema(Object.assign({}, ...(value as object[])) as unknown, depth + 1) : inferSchema(first, depth + 1) };
    }
    return {};
  }
  if (isObject(value) && depth < 4 && Object.keys(value).length > 0) {
    return { type: 'object', properties: Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inferSchema(one, depth + 1)])) };
  }
  return {};
}

function without(schema: JsonSchema, path: string[]): JsonSchema {
  const [head, ...rest] = path;
  if (head === undefined) return { ...schema, 'x-ui': { ...schema['x-ui'], hidden: true } };
  const property = schema.properties && Object.hasOwn(schema.properties, head) ? schema.properties[head] : undefined;
  if (property) return { ...schema, properties: { ...schema.properties, [head]: without(property, rest) } };
  // A place in a list: its kind of entry is hidden in all of them.
  if (schema.items && /^\d+$/.test(head)) return { ...schema, items: rest.length ? without(schema.items, rest) : schema.items };
  return schema;
}

/** Masked fields are shown below the form, not in it: what stands there is not their value. */
export function formSchema(schema: JsonSchema | undefined, value: unknown, masked: readonly string[]): JsonSchema {
  const usable = schema && (schema.properties || schema.type || schema.oneOf || schema.anyOf || schema.enum || schema.items) ? schema : inferSchema(value);
  return masked.reduce((one, pointer) => without(one, pointerParts(pointer)), usable);
}

const MASK = /•••\d+•/;
/** Hidden as a whole; a text of which parts are hidden stays in the form. */
export function wholeMasks(value: unknown, masked: readonly string[]): string[] {
  return masked.filter((pointer) => {
    const found = at(value, pointer);
    return typeof found !== 'string' || found.replace(MASK, '') === '' || !MASK.test(found);
  });
}

/** The value with what its schema puts in the place of absent fields. */
export function withDefaults(schema: JsonSchema | undefined, value: unknown): unknown {
  if (value === undefined) return schema?.default;
  if (!isObject(value)) return value;
  const more = Object.entries(schema?.properties ?? {}).flatMap(([name, one]) => {
    const there = Object.hasOwn(value, name);
    const next = withDefaults(one, there ? value[name] : undefined);
    return next === undefined || (there && next === value[name]) ? [] : [[name, next] as const];
  });
  return more.length ? { ...value, ...Object.fromEntries(more) } : value;
}

/** The title of the field at a pointer, else its last name. */
export const titleAt = (schema: JsonSchema | undefined, pointer: string): string => labelOf(pointerParts(pointer).at(-1) ?? pointer, (schema && schemaAt(schema, pointer)) ?? {});
function schemaAt(schema: JsonSchema, pointer: string): JsonSchema | undefined {
  let found: JsonSchema | undefined = schema;
  for (const part of pointerParts(pointer)) {
    const properties: { [name: string]: JsonSchema } | undefined = found?.properties;
    found = properties && Object.hasOwn(properties, part) ? properties[part] : /^\d+$/.test(part) ? found?.items : undefined;
  }
  return found;
}

/** What the check says of a pattern: the expression. */
const OF_PATTERN = /^Must match the pattern /;

/** For an operator: in words, without a code. A regular expression is said as its author describes the field, and not at all where nobody does. */
export function asDiagnostics(violations: readonly { path: string; message: string }[], schema?: JsonSchema): Diagnostic[] {
  return violations.map((one) => {
    const words = schema && schemaAt(schema, one.path)?.description;
    const message = !OF_PATTERN.test(one.message) ? one.message : words ? t('inbox.check.pattern', { words }) : t('inbox.check.patternOnly');
    return { code: '' as never, severity: 'error', path: one.path, message, hint: '' };
  });
}

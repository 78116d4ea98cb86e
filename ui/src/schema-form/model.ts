// What a schema asks for, and how an edit changes a value. Pure.

import { writeExact } from '../json/exact-json.ts';
import { isTemplate } from '../code/cel-language.ts';
import { isObject, pointerTo } from '../json/json.ts';
import { numberKept, readJson } from '../json/read-json.ts';
import type { Diagnostic, JsonSchema } from '../api/types.ts';
import { celString } from '../code/field-drag.ts';

export type Path = readonly (string | number)[];

const WIDGETS = [
  'text', 'code', 'javascript', 'cel', 'condition', 'template', 'select', 'switch', 'number', 'duration', 'path',
  'credential', 'workflow', 'provider', 'model', 'keyvalue', 'list', 'rules', 'toolRules', 'object', 'variants', 'any', 'file', 'field', 'fields', 'incoming', 'formFields', 'sql', 'timezone',
] as const;
export type Widget = (typeof WIDGETS)[number];

const KNOWN: ReadonlySet<string> = new Set(WIDGETS);

/** A value that a text may have; `label`: how it is said, where that is another. */
export interface Offered { value: string; label?: string }

export interface UiHints {
  widget?: Widget;
  group?: string;
  placeholder?: string;
  order?: number;
  /** `half` puts two neighbours into one row. */
  width?: 'half' | 'full';
  language?: 'json' | 'text' | 'cel';
  unit?: string;
  /** `strict`: a number outside of `minimum` and `maximum` is not taken. */
  bounds?: 'strict';
  addLabel?: string;
  /** Of a table that takes no rows: that it takes none. Rows that stand there all the same can be taken out. */
  none?: string;
  /** No expressions in this field. */
  plain?: boolean;
  /** Of a text in a list: what stands beside it to choose from. Any other may be written. */
  offered?: readonly Offered[];
  /** Shown while these neighbours have one of these values; `source.kind` is a field of a neighbour. */
  when?: Readonly<Record<string, readonly unknown[]>>;
  /** Of a name of a field: fields of this type are offered first. */
  prefer?: string;
  /** What a new step has in this setting, where that is not the default; of a time zone `local`: the zone of the person who adds the step. */
  initial?: unknown;
  /** In a table: before every name; and every value is an expression. */
  prefix?: string;
  cel?: boolean;
}

export function hintsOf(schema: JsonSchema): UiHints {
  const raw = schema['x-ui'] ?? {};
  const widget = typeof raw['widget'] === 'string' && KNOWN.has(raw['widget']) ? (raw['widget'] as Widget) : undefined;
  return { ...(raw as UiHints), widget };
}

/** The types a schema names, without null. */
export function typesOf(schema: JsonSchema): string[] {
  const types = Array.isArray(schema.type) ? schema.type : schema.type ? [schema.type] : [];
  return types.filter((type) => type !== 'null');
}

export interface Choice {
  value: unknown;
  label: string;
}

/** The closed list of values, when there is one. */
export function choicesOf(schema: JsonSchema): Choice[] | null {
  if (schema.enum) {
    const labels = schema['x-ui']?.['labels'];
    return schema.enum.map((value) => ({
      value,
      label: isObject(labels) && typeof labels[String(value)] === 'string' ? String(labels[String(value)]) : wordsOf(value),
    }));
  }
  if (schema.const !== undefined) return [{ value: schema.const, label: schema.title ?? wordsOf(schema.const) }];
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants && variants.length > 0 && variants.every((variant) => variant.const !== undefined)) {
    return variants.map((variant) => ({ value: variant.const, label: variant.title ?? wordsOf(variant.const) }));
  }
  return null;
}

const wordsOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** What a text field shows of any value. */
export const textOf = (value: unknown): string => (value === undefined || value === null ? '' : wordsOf(value));

/** A box of several lines. */
export const isMultiline = (schema: JsonSchema): boolean => schema['x-multiline'] === true || hintsOf(schema).widget === 'code';

/** A variant that only says which fields must be there is a rule about the fields, not another shape. */
const isShape = (variant: JsonSchema): boolean => Object.keys(variant).some((keyword) => keyword !== 'required');

/** A field that takes a file, or several: text with the format `binary`. */
export const isFile = (schema: JsonSchema): boolean => schema.format === 'binary' || schema.items?.format === 'binary';

export function widgetOf(schema: JsonSchema): Widget {
  const asked = hintsOf(schema).widget;
  if (schema['x-cel'] === true) return asked === 'condition' ? 'condition' : 'cel';
  if (asked) return asked;
  if (isFile(schema)) return 'file';
  if (choicesOf(schema)) return 'select';
  if ((schema.oneOf ?? schema.anyOf)?.some(isShape)) return 'variants';
  const types = typesOf(schema);
  if (types.length > 1) return types.every((type) => type === 'number' || type === 'integer') ? 'number' : 'any';
  switch (types[0]) {
    case 'boolean':
      return 'switch';
    case 'number':
    case 'integer':
      return 'number';
    case 'string':
      return schema['x-multiline'] ? 'code' : 'text';
    case 'array':
      return 'list';
    case 'object':
      return schema.properties ? 'object' : 'keyvalue';
    default:
      if (schema.properties) return 'object';
      if (schema.items) return 'list';
      return 'any';
  }
}

/** "initialDelayMs" -> "Initial delay ms" */
export function labelOf(name: string, schema: JsonSchema): string {
  if (schema.title) return schema.title;
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ').trim().toLowerCase();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

type Choices = Readonly<Record<string, readonly unknown[]>>;

/** Whether the neighbours that `when` names have one of its values; what an expression gives is known in the run only. */
function holds(when: Choices, properties: Readonly<Record<string, JsonSchema>>, object: Readonly<Record<string, unknown>>, unknown: boolean): boolean {
  return Object.entries(when).every(([other, values]) => {
    const [first = '', inner] = other.split('.');
    const neighbour = object[first];
    const value = inner === undefined
      ? neighbour ?? properties[first]?.default
      : (isObject(neighbour) ? neighbour[inner] : undefined) ?? properties[first]?.properties?.[inner]?.default;
    return isExpression(value) ? unknown : values.includes(value);
  });
}

/** Whether a field has a meaning with the values of its neighbours. What has a value is shown: it must be seen to be removed. */
function isShown(name: string, schema: JsonSchema, properties: Readonly<Record<string, JsonSchema>>, object: Readonly<Record<string, unknown>>): boolean {
  const { when } = hintsOf(schema);
  return !when || object[name] !== undefined || holds(when, properties, object, true);
}

/** Whether a setting has to be filled in, always (`required`) or with the values of its neighbours (`x-needed`). One of two is not marked. */
export function isNeeded(name: string, schema: JsonSchema, object: Readonly<Record<string, unknown>>): boolean {
  if (schema.required?.includes(name)) return true;
  const property = schema.properties?.[name];
  const needed = property?.['x-needed'];
  if (!property || needed === undefined || needed === false || (isObject(needed) && needed['or'] !== undefined)) return false;
  const conditions = [hintsOf(property).when, isObject(needed) ? (needed['when'] as Choices | undefined) : undefined];
  return conditions.every((when) => !when || holds(when, schema.properties ?? {}, object, false));
}

/** The fields of a form in the order of `x-ui.order`, then of the schema. Another name of a field is one only where somebody used it, or
 * where there is no way without it. */
export function propertiesOf(schema: JsonSchema, value?: unknown): [string, JsonSchema][] {
  return Object.entries(schema.properties ?? {})
    .filter(([name, property]) => property.deprecated !== true || schema.required?.includes(name) === true || (isObject(value) && value[name] !== undefined))
    .filter(([name, property]) => isShown(name, property, schema.properties ?? {}, isObject(value) ? value : {}))
    .map((entry, index) => ({ entry, order: hintsOf(entry[1]).order ?? 1000 + index }))
    .sort((a, b) => a.order - b.order)
    .map(({ entry }) => entry);
}

// ── literal or expression ────────────────────────────────────────────────────

/** `=…` is an expression, `==…` is a text that begins with `=` (K-08). */
export const isExpression = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith('=') && !value.startsWith('==');

/** What a literal text field shows. */
export const unescapeText = (value: string): string => (value.startsWith('==') ? value.slice(1) : value);

/** What a text field stores: `=` typed into an empty field, or over all that was there, begins an expression; elsewhere, and when it is what
 * a deletion left, it is a letter. */
export function storeText(text: string, before: string, inserted: string): string {
  if (!text.startsWith('=')) return text;
  const over = text === '=' && inserted === '=';
  return before === '' || over ? text : `=${text}`;
}

/** The expression that means the same as a literal. */
export function toExpression(value: unknown): string {
  if (value === undefined || value === null || value === '') return '=';
  if (typeof value === 'string') {
    const text = unescapeText(value);
    if (!isTemplate(text)) return `=${celString(text)}`;
    const parts = text.split(/\{\{([\s\S]*?)\}\}/);
    const terms = parts.map((part, i) => (i % 2 === 1 ? `string(${part.trim()})` : part === '' ? '' : celString(part)));
    return `=${terms.filter((term) => term !== '').join(' + ')}`;
  }
  return `=${writeExact(value)}`;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", '"': '"' };

/** The text of a CEL literal without its quotes, or undefined where it has rarer escapes. One pass: `\\n` is a backslash and an n. */
function unquoted(body: string): string | undefined {
  if ([...body.matchAll(/\\(.)/g)].some(([, char]) => !Object.hasOwn(ESCAPES, char ?? ''))) return undefined;
  return body.replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char);
}

/** The literal that an expression spells out, or undefined. */
export function fromExpression(expression: string): unknown {
  const text = expression.replace(/^=/, '').trim();
  const quoted = /^'((?:[^'\\]|\\.)*)'$/.exec(text) ?? /^"((?:[^"\\]|\\.)*)"$/.exec(text);
  if (quoted) return unquoted(quoted[1] ?? '');
  const read = readJson(text);
  return 'value' in read ? read.value : undefined;
}

// ── numbers ──────────────────────────────────────────────────────────────────

export type ParsedNumber = { ok: true; value: number | undefined } | { ok: false };

export function parseNumber(text: string, integer: boolean): ParsedNumber {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: true, value: undefined };
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(trimmed)) return { ok: false };
  const value = Number(trimmed);
  if (numberKept(trimmed.replace(/^\+/, '')) !== 'kept' || (integer && !Number.isInteger(value))) return { ok: false };
  return { ok: true, value };
}

// ── edits ────────────────────────────────────────────────────────────────────

/** A copy of `root` with the value at `path` set, or taken away when it is undefined. Siblings keep their order. */
export function applyEdit(root: unknown, path: Path, value: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  if (Array.isArray(root) && typeof head === 'number') {
    const copy: unknown[] = root.slice();
    if (rest.length === 0 && value === undefined) copy.splice(head, 1);
    else copy[head] = applyEdit(root[head], rest, value);
    return copy;
  }
  const object = isObject(root) ? root : {};
  const key = String(head);
  if (rest.length === 0 && value === undefined) {
    return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
  }
  const next = applyEdit(Object.hasOwn(object, key) ? object[key] : undefined, rest, value);
  if (Object.hasOwn(object, key)) {
    return Object.fromEntries(Object.entries(object).map(([name, old]) => [name, name === key ? next : old]));
  }
  return Object.fromEntries([...Object.entries(object), [key, next]]);
}

/** A value as the key of a choice. */
export const keyOf = (value: unknown): string => JSON.stringify(value) ?? '';

/** Choices for a select; what the file holds is seen, whether it is a choice or not. `unset`: nothing was chosen yet. */
export function optionsOf(choices: readonly { value: unknown; label: string }[], value: unknown, unset: boolean, choose: string): { options: { value: string; label: string }[]; known: boolean } {
  const options = choices.map((one) => ({ value: keyOf(one.value), label: one.label }));
  const known = options.some((one) => one.value === keyOf(value));
  return { known, options: known ? options : [{ value: keyOf(value), label: unset ? choose : keyOf(value) }, ...options] };
}

export const pointerOf = (base: string, path: Path): string =>
  path.reduce<string>(pointerTo, base);

/** Findings at a pointer; with `deep` also those below it. */
export function diagnosticsAt(list: readonly Diagnostic[], pointer: string, deep: boolean): Diagnostic[] {
  return list.filter((d) => d.path === pointer || (deep && d.path.startsWith(`${pointer}/`)));
}

/** A value to begin with when something is added. */
export function initialValue(schema: JsonSchema | undefined): unknown {
  if (!schema) return '';
  if (schema.default !== undefined) return schema.default;
  const choices = choicesOf(schema);
  if (choices?.[0]) return choices[0].value;
  switch (widgetOf(schema)) {
    case 'switch':
      return false;
    case 'number':
    case 'duration':
      return typeof schema.minimum === 'number' ? schema.minimum : 0;
    case 'object': {
      const made: Record<string, unknown> = {};
      for (const name of schema.required ?? []) {
        const property = schema.properties?.[name];
        if (property) made[name] = initialValue(property);
      }
      return made;
    }
    case 'keyvalue':
      return {};
    case 'list':
    case 'rules':
    case 'toolRules':
      return [];
    case 'variants':
      return initialValue((schema.oneOf ?? schema.anyOf)?.[0]);
    case 'code':
    case 'formFields': {
      // A box of JSON is no text.
      const [type] = typesOf(schema);
      return type === 'object' ? {} : type === 'array' ? [] : '';
    }
    default:
      return '';
  }
}

/** Whether a value is of a variant's shape: its type, its constants and its required names. */
export function matches(schema: JsonSchema, value: unknown): boolean {
  if (schema.const !== undefined) return JSON.stringify(schema.const) === JSON.stringify(value);
  if (schema.enum) return schema.enum.some((one) => JSON.stringify(one) === JSON.stringify(value));
  const types = Array.isArray(schema.type) ? schema.type : schema.type ? [schema.type] : [];
  if (types.length > 0 && !types.includes(typeName(value)) && !(types.includes('number') && typeName(value) === 'integer')) return false;
  if (isObject(value)) {
    if (!(schema.required ?? []).every((name) => Object.hasOwn(value, name))) return false;
    return Object.entries(schema.properties ?? {}).every(
      ([name, property]) => property.const === undefined || !Object.hasOwn(value, name) || matches(property, value[name]),
    );
  }
  return true;
}

export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'bigint' ? 'integer' : typeof value;
}

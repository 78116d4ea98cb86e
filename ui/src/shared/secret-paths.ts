// Which places of a value its schema marks as secret. Where it is not clear which part of a schema holds, a mark in any of them counts.

import { isObject, pointerParts, pointerTo } from '../json/json.ts';
import type { JsonSchema } from '../api/types.ts';

/** Of one length, whatever is hidden. */
export const DOTS = '••••••••';

const schemas = (value: unknown): JsonSchema[] => (Array.isArray(value) ? value : [value]).filter((one): one is JsonSchema => isObject(one));

/** The schema with all that it is put together from. */
function parts(root: JsonSchema, schema: JsonSchema, found = new Set<JsonSchema>()): Set<JsonSchema> {
  if (found.has(schema)) return found;
  found.add(schema);
  const ref = schema['$ref'];
  const named = typeof ref === 'string' && ref.startsWith('#') ? pointerParts(ref.slice(1)).reduce<unknown>((here, name) => (isObject(here) && Object.hasOwn(here, name) ? here[name] : undefined), root) : undefined;
  for (const one of [schema.allOf, schema.oneOf, schema.anyOf, schema['then'], schema['else'], named].flatMap(schemas)) parts(root, one, found);
  return found;
}

function below(schema: JsonSchema, name: string): JsonSchema[] {
  const own = schema.properties && Object.hasOwn(schema.properties, name) ? schemas(schema.properties[name]) : [];
  const patterns = isObject(schema['patternProperties']) ? Object.values(schema['patternProperties']).flatMap(schemas) : [];
  const rest = own.length ? [] : schemas(schema.additionalProperties);
  const entries = /^\d+$/.test(name) ? [...schemas(schema.items), ...schemas(schema['prefixItems'])] : [];
  return [...own, ...patterns, ...rest, ...entries];
}

/** The parts of a schema that hold at a place; `secret`: it, or one that it stands in, is secret. */
type Place = JsonSchema[] | 'secret';
const places = new WeakMap<JsonSchema, Map<string, Place>>();

function placeAt(root: JsonSchema, pointer: string, known: Map<string, Place>): Place {
  const seen = known.get(pointer);
  if (seen) return seen;
  const cut = pointer.lastIndexOf('/');
  const around = cut < 0 ? undefined : placeAt(root, pointer.slice(0, cut), known);
  const name = pointerParts(pointer).at(-1) ?? '';
  const here = around === 'secret' ? [] : [...new Set((around?.flatMap((one) => below(one, name)) ?? [root]).flatMap((one) => [...parts(root, one)]))];
  const place = around === 'secret' || here.some((one) => one['x-secret'] === true) ? 'secret' : here;
  known.set(pointer, place);
  return place;
}

/** Whether the place itself, or one that it stands in, is secret. Asked of every line at every letter: what is known of a place is kept. */
export function secretAt(schema: JsonSchema, pointer: string): boolean {
  const known = places.get(schema) ?? new Map<string, Place>();
  places.set(schema, known);
  return placeAt(schema, pointer, known) === 'secret';
}

const looked = new WeakMap<JsonSchema, boolean>();
/** Whether it marks anything at all. Asked at every letter, answered once for each schema. */
export function holdsSecret(schema: JsonSchema): boolean {
  const known = looked.get(schema);
  if (known !== undefined) return known;
  const marks = (value: unknown): boolean => typeof value === 'object' && value !== null && ((isObject(value) && value['x-secret'] === true) || Object.values(value).some(marks));
  const found = marks(schema);
  looked.set(schema, found);
  return found;
}

/** The value that stands at a pointer, with dots where it is secret: to be shown, never to be sent. */
export function withoutSecrets(schema: JsonSchema, value: unknown, pointer = ''): unknown {
  if (!holdsSecret(schema) || value === undefined || value === null || value === '') return value;
  if (secretAt(schema, pointer)) return DOTS;
  if (Array.isArray(value)) return value.map((one, index) => withoutSecrets(schema, one, pointerTo(pointer, String(index))));
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutSecrets(schema, one, pointerTo(pointer, name))])) : value;
}

// The input of a run as a plain list of fields, when its schema is that simple. Pure.

import type { JsonSchema } from '../../api/types.ts';

export const PARAM_TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
export type ParamType = (typeof PARAM_TYPES)[number];

export interface Param {
  name: string;
  type: ParamType;
  required: boolean;
  schema: JsonSchema;
}

/** The list, or null when the schema says more than a list can show. */
export function paramsOf(schema: JsonSchema | undefined): Param[] | null {
  if (schema === undefined) return [];
  if (typeof schema !== 'object' || schema === null) return null;
  if (schema.type !== undefined && schema.type !== 'object') return null;
  if (schema.oneOf || schema.anyOf || schema.allOf || typeof schema.additionalProperties === 'object') return null;
  const params: Param[] = [];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const type = property.type ?? 'string';
    if (typeof type !== 'string' || !(PARAM_TYPES as readonly string[]).includes(type)) return null;
    params.push({ name, type: type as ParamType, required: schema.required?.includes(name) ?? false, schema: property });
  }
  return params;
}

/** Writes a list back; what the list does not show is kept. */
export function schemaOf(schema: JsonSchema | undefined, params: readonly Param[]): JsonSchema | undefined {
  if (params.length === 0 && Object.keys(schema ?? {}).every((key) => ['type', 'properties', 'required'].includes(key))) return undefined;
  const required = params.filter((one) => one.required).map((one) => one.name);
  const properties = Object.fromEntries(params.map((one) => [one.name, one.schema]));
  const next: JsonSchema = { ...(schema ?? { type: 'object' }), properties };
  if (required.length > 0) next.required = required;
  else delete next.required;
  return next;
}

/** Another type: a default of the old one would be wrong. */
export function withType(param: Param, type: ParamType): Param {
  const { default: _, enum: __, format: ___, minimum: _a, maximum: _b, minLength: _c, maxLength: _d, pattern: _e, ...rest } = param.schema;
  return { ...param, type, schema: { ...rest, type } };
}

export function freeName(params: readonly Param[], base = 'input'): string {
  const names = new Set(params.map((one) => one.name));
  if (!names.has(base)) return base;
  let n = 2;
  while (names.has(`${base}${String(n)}`)) n += 1;
  return `${base}${String(n)}`;
}

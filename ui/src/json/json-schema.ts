export type JsonMap = { [key: string]: unknown };

/** The part of JSON Schema 2020-12 that files and descriptors use, with our hints. */
export interface JsonSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  examples?: unknown[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: { [name: string]: JsonSchema };
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  'x-ui'?: JsonMap;
  /** Of a setting: it is needed where it is shown, or `when` others have these values, `or` another of these is given. */
  'x-needed'?: boolean | JsonMap;
  'x-practice'?: boolean;
  'x-secret'?: boolean;
  deprecated?: boolean;
  'x-multiline'?: boolean;
  [extra: string]: unknown;
}

/** The generated types leave a schema open, because it is a document of its own. Whatever is not an object describes nothing. */
export function asSchema(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null ? value as JsonSchema : {};
}

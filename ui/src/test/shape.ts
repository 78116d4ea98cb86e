// What a value of a step's settings lacks to be of the shape of a schema: types, names, choices. How long a text or how great a number
// is, is the person's to write, and the engine's to say. No JSON Schema library: the catalog uses a closed list of keywords.

import { isObject } from '../json/json.ts';
import type { JsonSchema } from '../api/types.ts';
import { isExpression, matches, pointerOf, typeName } from '../schema-form/model.ts';

/** Words of a form, or of how much a value holds. */
const OF_VALUES: ReadonlySet<string> = new Set([
  'title', 'description', 'default', 'examples', 'deprecated', 'x-ui', 'x-cel', 'x-url', 'x-host', 'x-raw', 'x-later', 'x-needed', 'x-multiline', 'x-ref',
  'minLength', 'maxLength', 'pattern', 'format', 'minimum', 'maximum', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'not',
]);

/** Sentences, each with its place; empty when the value is of that shape. */
export function shapeFaults(schema: JsonSchema, value: unknown, at = ''): string[] {
  if (isExpression(value)) return [];
  const found: string[] = [];
  for (const [keyword, asked] of Object.entries(schema)) {
    if (OF_VALUES.has(keyword)) continue;
    if (keyword === 'type') {
      if (!matches({ type: asked as JsonSchema['type'] & string }, value)) found.push(`${at} is of type ${typeName(value)}, not ${String(asked)}`);
    } else if (keyword === 'enum' || keyword === 'const') {
      if (!matches({ [keyword]: asked }, value)) found.push(`${at} is no choice: ${JSON.stringify(value)}`);
    } else if (keyword === 'anyOf' || keyword === 'oneOf') {
      // "One of these names has to be there" is not the form's to keep while somebody fills it in.
      const shapes = (asked as JsonSchema[]).filter((one) => Object.keys(one).some((word) => word !== 'required'));
      if (shapes.length > 0 && !shapes.some((one) => shapeFaults(one, value, at).length === 0)) found.push(`${at} is none of the variants`);
    } else if (keyword === 'required') {
      if (isObject(value)) found.push(...(asked as string[]).filter((name) => !Object.hasOwn(value, name)).map((name) => `${at} lacks ${name}`));
    } else if (keyword === 'properties') {
      if (!isObject(value)) continue;
      const known = asked as Record<string, JsonSchema>;
      for (const [name, one] of Object.entries(value)) {
        const own = Object.hasOwn(known, name) ? known[name] : schema.additionalProperties;
        if (own === false) found.push(`${at} has no ${name}`);
        else if (isObject(own)) found.push(...shapeFaults(own as JsonSchema, one, pointerOf(at, [name])));
      }
    } else if (keyword === 'additionalProperties') {
      if (!isObject(value) || schema.properties || !isObject(asked)) continue;
      for (const [name, one] of Object.entries(value)) found.push(...shapeFaults(asked as JsonSchema, one, pointerOf(at, [name])));
    } else if (keyword === 'items') {
      if (Array.isArray(value)) found.push(...value.flatMap((one: unknown, index) => shapeFaults(asked as JsonSchema, one, pointerOf(at, [index]))));
    } else throw new Error(`Nobody looks at the keyword '${keyword}' (${at})`);
  }
  return found;
}

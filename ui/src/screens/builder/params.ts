/** What a run must be asked for before it starts. */
import { asSchema } from '../../json/json-schema.ts';
import type { JsonMap, JsonSchema, Workflow } from '../../api/types.ts';

/** Fields that the host does not fill by itself. */
export function askedSchema(workflow: Workflow): JsonSchema | null {
  const schema = workflow.params === undefined ? null : asSchema(workflow.params);
  const fields = Object.entries(schema?.properties ?? {}).filter(([, field]) => !field['x-practice']);
  if (!schema || fields.length === 0) return null;
  const names = new Set(fields.map(([name]) => name));
  return { ...schema, properties: Object.fromEntries(fields), required: (schema.required ?? []).filter((name) => names.has(name)) };
}

/** Last used values, else the defaults. */
export function firstValues(schema: JsonSchema, last: JsonMap | undefined): JsonMap {
  const values: JsonMap = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (last && Object.hasOwn(last, name)) values[name] = last[name];
    else if (field.default !== undefined) values[name] = field.default;
  }
  return values;
}

/** Required and neither given nor defaulted: then a person has to be asked. */
export function mustAsk(schema: JsonSchema | null, values: JsonMap): boolean {
  return (schema?.required ?? []).some((name) => values[name] === undefined || values[name] === '');
}

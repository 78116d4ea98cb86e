// The form of a step that calls a service: which connectors there are, what the chosen one can do, and what the operation takes. All of
// that stands in files that somebody may have written anywhere: their hints for forms are not followed.

import { useMemo } from 'react';
import type { Commands, WorkflowNode } from '../../api/types.ts';
import { useCommand } from '../../api/queries.ts';
import { CONNECTOR_CALL, operationOf, type Connector } from '../../code/connector-step.ts';
import { t } from '../../i18n/index.ts';
import { isObject } from '../../json/json.ts';
import { asSchema, type JsonSchema } from '../../json/json-schema.ts';
import { plain } from '../../text/letters.ts';
import { plainSchema } from './tool-schema.ts';

type Operation = Commands['connector_operation']['response'];

function choices(schema: JsonSchema, known: readonly { name: string; label: string }[], value: string): JsonSchema {
  if (known.length === 0) return schema;
  const all = value !== '' && !known.some((one) => one.name === value) ? [...known, { name: value, label: value }] : known;
  // A reference, never an expression.
  return { ...schema, enum: all.map((one) => one.name), 'x-ui': { ...schema['x-ui'], widget: 'select', plain: true, labels: Object.fromEntries(all.map((one) => [one.name, plain(one.label)])) } };
}

const isEmpty = (schema: JsonSchema): boolean => Object.keys(schema.properties ?? {}).length === 0;

/** The settings of a step, as far as this machine knows its connector. */
export function connectorSchema(config: JsonSchema, node: WorkflowNode, connectors: readonly Connector[], operation: Operation | undefined): JsonSchema {
  const chosen = operationOf(node);
  const properties = { ...config.properties };
  const found = connectors.find((one) => one.name === chosen.connector);
  if (properties['connector']) {
    properties['connector'] = { ...choices(properties['connector'], connectors.map((one) => ({ name: one.name, label: one.title })), chosen.connector), ...(found?.description ? { description: plain(found.description) } : {}) };
  }
  if (properties['operation'] && found) {
    const known = found.operations.map((one) => ({ name: one.name, label: one.group === undefined ? one.title : `${one.group}: ${one.title}` }));
    properties['operation'] = { ...choices(properties['operation'], known, chosen.operation), ...(operation?.description ? { description: plain(operation.description) } : {}) };
  }
  if (properties['credential'] && found) {
    if (found.credential === undefined) delete properties['credential'];
    else if (found.credential !== '') properties['credential'] = { ...properties['credential'], description: plain(found.credential) };
  }
  const params = properties['params'];
  if (params && operation) {
    const taken = asSchema(plainSchema(operation.params));
    properties['params'] = isEmpty(taken)
      ? { ...params, additionalProperties: false, 'x-ui': { ...params['x-ui'], none: t('connectors.noParams') } }
      : { ...taken, type: 'object', title: params.title, description: params.description, 'x-ui': { ...params['x-ui'], widget: 'object' } } as JsonSchema;
  }
  // Only GraphQL has fields to select; what is set stays to be seen.
  if (properties['fields'] && operation) {
    const isSet = isObject(node.config) && node.config['fields'] !== undefined;
    if (operation.fields !== undefined) properties['fields'] = { ...properties['fields'], 'x-ui': { ...properties['fields']['x-ui'], placeholder: plain(operation.fields) } };
    else if (!isSet) delete properties['fields'];
  }
  const variables = properties['variables'];
  if (variables && found) {
    if (found.variables.length === 0) delete properties['variables'];
    else {
      properties['variables'] = {
        type: 'object', title: variables.title, description: variables.description, 'x-ui': { ...variables['x-ui'], widget: 'object' },
        required: found.variables.filter((one) => one.default === undefined).map((one) => one.name),
        properties: Object.fromEntries(found.variables.map((one): [string, JsonSchema] => [one.name, {
          type: 'string', ...(one.description === undefined ? {} : { description: plain(one.description) }), ...(one.default === undefined ? {} : { default: one.default }),
          ...(one.values.length > 0 ? { enum: one.values } : {}),
        }])),
      } as JsonSchema;
    }
  }
  return { ...config, properties };
}

/** The schema of the config of a step that calls a service; any other step's is left alone. */
export function useConnectorSchema(config: JsonSchema, node: WorkflowNode): JsonSchema {
  const calls = node.type === CONNECTOR_CALL;
  const { connector, operation } = operationOf(node);
  const connectors = useCommand('connector_list', {}, { enabled: calls, staleTime: 30_000 }).data;
  const known = connectors?.find((one) => one.name === connector)?.operations.some((one) => one.name === operation) === true;
  const taken = useCommand('connector_operation', { connector, operation }, { enabled: calls && known, staleTime: 30_000 }).data;
  return useMemo(() => (calls && connectors ? connectorSchema(config, node, connectors, known ? taken : undefined) : config), [calls, config, node, connectors, known, taken]);
}

/** The title that a step gets with another operation, where its old one was the first operation's own. */
export function retitledOperation(node: WorkflowNode, edit: { path: readonly (string | number)[]; value: unknown }, connectors: readonly Connector[]): string | undefined {
  if (node.type !== CONNECTOR_CALL || edit.path.length !== 1 || edit.path[0] !== 'operation' || typeof edit.value !== 'string' || edit.value === '') return undefined;
  const { connector, operation } = operationOf(node);
  const titleOf = (name: unknown) => connectors.find((one) => one.name === connector)?.operations.find((one) => one.name === name)?.title;
  if (node.title !== undefined && node.title !== titleOf(operation)) return undefined;
  return titleOf(edit.value);
}

/** The credential that a step gets with another connector, where it has none or the first connector's usual one; undefined: it stays as it is,
 * null: it goes. */
export function usualCredential(node: WorkflowNode, edit: { path: readonly (string | number)[]; value: unknown }, connectors: readonly Connector[]): string | null | undefined {
  if (node.type !== CONNECTOR_CALL || edit.path.length !== 1 || edit.path[0] !== 'connector') return undefined;
  const usualOf = (name: unknown) => connectors.find((one) => one.name === name)?.usualCredential;
  const now = isObject(node.config) ? node.config['credential'] : undefined;
  if (now !== undefined && now !== usualOf(operationOf(node).connector)) return undefined;
  const next = usualOf(edit.value);
  return next === now ? undefined : next ?? null;
}

// The form of a tool's step: which servers and tools there are on this machine, and what the chosen tool takes. All of that is
// told by the servers; their hints for forms are not followed.

import { useMemo } from 'react';
import { isObject } from '../../json/json.ts';
import { asSchema, type JsonSchema } from '../../json/json-schema.ts';
import { useCommand, usePermission } from '../../api/queries.ts';
import { plain } from '../../text/letters.ts';
import { MCP_TOOL, toolInId, toolOf, toolTitle } from '../../code/tool-step.ts';
import { t } from '../../i18n/index.ts';
import type { Commands, WorkflowNode } from '../../api/types.ts';
import { withModels } from './model-choice.ts';

export type Tool = Commands['tool_list']['response'][number];
export type Skill = Commands['skill_list']['response'][number];

/** Below these stand names that the tool chose, each with a schema or a list of names. */
const BY_NAME: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependentRequired', 'dependencies']);
/** Below these stand values, no schemas. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required']);

const mapped = (of: object, keep: (name: string) => boolean, as: (name: string, one: unknown) => unknown): unknown =>
  Object.fromEntries(Object.entries(of).filter(([name]) => keep(name)).map(([name, one]) => [name, as(name, one)]));

/** A foreign schema without what would change how our forms behave. What its tool calls its arguments is its own. */
export function plainSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainSchema);
  if (!isObject(value)) return value;
  return mapped(value, (keyword) => !keyword.startsWith('x-'), (keyword, one) => {
    if (VALUES.has(keyword)) return one;
    return BY_NAME.has(keyword) && isObject(one) ? mapped(one, () => true, (_, of) => plainSchema(of)) : plainSchema(one);
  });
}

/** `value` stays among the choices when this machine does not know it. */
function choices(schema: JsonSchema, known: readonly string[], value: unknown, unusable: ReadonlySet<string> = new Set()): JsonSchema {
  const all = typeof value === 'string' && value !== '' && !known.includes(value) ? [...known, value] : [...known];
  const labels = Object.fromEntries(all.map((name) => [name, unusable.has(name) ? t('tools.unusableChoice', { name: plain(name) }) : plain(name)]));
  // A reference, never an expression.
  return all.length === 0 ? schema : { ...schema, enum: all, 'x-ui': { ...schema['x-ui'], widget: 'select', plain: true, labels } };
}

/** An object that may have fields of no name at all. */
const takesNothing = (schema: JsonSchema): boolean => schema.additionalProperties === false && Object.keys(schema.properties ?? {}).length === 0 && Object.keys(schema.patternProperties ?? {}).length === 0;

/** `id`: that of the step, which may be called after its tool. */
export function toolSchema(config: JsonSchema, id: string, node: WorkflowNode, tools: readonly Tool[]): JsonSchema {
  const { server, tool } = toolOf(id, node);
  const properties = { ...config.properties };
  const servers = [...new Set(tools.map((one) => one.server))];
  const here = tools.filter((one) => one.server === server);
  if (properties['server']) properties['server'] = choices(properties['server'], servers, server);
  if (properties['tool']) properties['tool'] = choices(properties['tool'], here.map((one) => one.name), tool, new Set(here.filter((one) => one.unusable !== undefined).map((one) => one.name)));
  // What the step calls without a choice of its own stands there as what it is: nothing is written for it.
  const named = toolInId(id);
  if (properties['tool'] && named !== undefined) properties['tool'] = { ...properties['tool'], default: named };
  const found = here.find((one) => one.name === tool);
  const own = properties['arguments'];
  const says = found?.unusable === undefined ? found?.description : t('tools.unusable', { why: found.unusable });
  if (says && properties['tool']) properties['tool'] = { ...properties['tool'], description: plain(says) };
  if (found && own && Object.keys(asSchema(found.inputSchema).properties ?? {}).length > 0) {
    const taken = asSchema(plainSchema(found.inputSchema));
    properties['arguments'] = { ...taken, type: 'object', title: own.title, description: own.description, 'x-ui': { ...own['x-ui'], widget: 'object' } } as JsonSchema;
  }
  else if (found && own && takesNothing(asSchema(found.inputSchema))) properties['arguments'] = { ...own, additionalProperties: false, 'x-ui': { ...own['x-ui'], none: t('tools.noArguments') } };
  return { ...config, properties };
}

/** A list of tools of a model: those of this machine stand beside the field. Others, and names with a sign before them, are written as ever. */
export function offered(list: JsonSchema, tools: readonly Tool[], skills: readonly Skill[] = []): JsonSchema {
  const names = [...tools.filter((one) => one.unusable === undefined).map((one) => {
    const value = `${one.server}/${one.name}`;
    // A name does not pretend to be another.
    return plain(value) === value ? { value } : { value, label: plain(value) };
  }), ...skills.map(({ name, about, unusable }) => {
    const label = unusable === undefined ? about : t('tools.skillUnusable', { why: unusable });
    return { value: name, ...(label ? { label: plain(label) } : {}) };
  })];
  return { ...list, items: { ...list.items, 'x-ui': { ...list.items?.['x-ui'], offered: names } } as JsonSchema };
}

export function offeredSchema(config: JsonSchema, tools: readonly Tool[], skills: readonly Skill[] = []): JsonSchema {
  const list = config.properties?.['tools'];
  return list && tools.length + skills.length > 0 ? { ...config, properties: { ...config.properties, tools: offered(list, tools, skills) } } : config;
}

/** The skills of a folder, for who may look into it. */
export function useSkills(workflowId: string, folder: string) {
  const may = usePermission()('skill_list');
  return useCommand('skill_list', { workflowId, folder }, { enabled: may && folder !== '', staleTime: 30_000 });
}

/** The schema of a step's config on this machine. */
export function useConfigSchema(own: JsonSchema, id: string, node: WorkflowNode, skills: { workflowId: string; folder: unknown }): JsonSchema {
  const config = useMemo(() => withModels(own, node), [own, node]);
  const isTool = node.type === MCP_TOOL;
  const offers = node.type === 'agent.task' || node.type === 'llm.chat';
  const tools = useCommand('tool_list', {}, { enabled: isTool || offers, staleTime: 30_000 });
  const folder = typeof skills.folder === 'string' ? skills.folder : '';
  const learned = useSkills(skills.workflowId, offers ? folder : '');
  if (!tools.data) return config;
  return isTool ? toolSchema(config, id, node, tools.data) : offers ? offeredSchema(config, tools.data, learned.data) : config;
}

/** The title that a step gets with another tool, where its old one was the first tool's own: nobody chose it for the step. */
export function retitled(node: WorkflowNode, edit: { path: readonly (string | number)[]; value: unknown }, tools: readonly Pick<Tool, 'server' | 'name' | 'title'>[]): string | undefined {
  const { server, tool } = isObject(node.config) ? node.config : {};
  if (node.type !== MCP_TOOL || edit.path.length !== 1 || edit.path[0] !== 'tool' || typeof edit.value !== 'string' || edit.value === '') return undefined;
  const titleOf = (name: unknown) => toolTitle(tools.find((one) => one.server === server && one.name === name)?.title) ?? name;
  if (node.title === undefined || node.title !== titleOf(tool)) return undefined;
  return String(titleOf(edit.value));
}

// The form of a tool's step: which servers and tools there are on this machine, and what the chosen tool takes. All of that is
// told by the servers; their hints for forms are not followed.

import { useMemo } from 'react';
import { isObject } from '../../api/json.ts';
import { asSchema, type JsonSchema } from '../../api/json-schema.ts';
import { useCommand, useMay } from '../../api/queries.ts';
import { plain } from '../../code/letters.ts';
import { t } from '../../i18n/index.ts';
import type { Commands, WorkflowNode } from '../../api/types.ts';
import { withModels } from './model-choice.ts';

export type Tool = Commands['tool_list']['response'][number];
export type Skill = Commands['skill_list']['response'][number];
const MCP_TOOL = 'mcp.tool';

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

function chosenOf(node: WorkflowNode): { server: unknown; tool: unknown } {
  const config = (node.config ?? {}) as { server?: unknown; tool?: unknown };
  return { server: config.server, tool: config.tool };
}

/** `value` stays among the choices when this machine does not know it. */
function choices(schema: JsonSchema, known: readonly string[], value: unknown, unusable: ReadonlySet<string> = new Set()): JsonSchema {
  const all = typeof value === 'string' && value !== '' && !known.includes(value) ? [...known, value] : [...known];
  const labels = Object.fromEntries(all.map((name) => [name, unusable.has(name) ? t('tools.unusableChoice', { name: plain(name) }) : plain(name)]));
  // A reference, never an expression.
  return all.length === 0 ? schema : { ...schema, enum: all, 'x-ui': { ...schema['x-ui'], widget: 'select', plain: true, labels } };
}

export function toolSchema(config: JsonSchema, node: WorkflowNode, tools: readonly Tool[]): JsonSchema {
  const { server, tool } = chosenOf(node);
  const properties = { ...config.properties };
  const servers = [...new Set(tools.map((one) => one.server))];
  const here = tools.filter((one) => one.server === server);
  if (properties['server']) properties['server'] = choices(properties['server'], servers, server);
  if (properties['tool']) properties['tool'] = choices(properties['tool'], here.map((one) => one.name), tool, new Set(here.filter((one) => one.unusable !== undefined).map((one) => one.name)));
  const found = here.find((one) => one.name === tool);
  const own = properties['arguments'];
  const says = found?.unusable === undefined ? found?.description : t('tools.unusable', { why: found.unusable });
  if (says && properties['tool']) properties['tool'] = { ...properties['tool'], description: plain(says) };
  if (found && own && Object.keys(asSchema(found.inputSchema).properties ?? {}).length > 0) {
    const taken = asSchema(plainSchema(found.inputSchema));
    properties['arguments'] = { ...taken, type: 'object', title: own.title, description: own.description, 'x-ui': { ...own['x-ui'], widget: 'object' } } as JsonSchema;
  }
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
  const may = useMay()('skill_list');
  return useCommand('skill_list', { workflowId, folder }, { enabled: may && folder !== '', staleTime: 30_000 });
}

/** The schema of a step's config on this machine. */
export function useConfigSchema(own: JsonSchema, node: WorkflowNode, skills: { workflowId: string; folder: unknown }): JsonSchema {
  const config = useMemo(() => withModels(own, node), [own, node]);
  const isTool = node.type === MCP_TOOL;
  const offers = node.type === 'agent.task' || node.type === 'llm.chat';
  const tools = useCommand('tool_list', {}, { enabled: isTool || offers, staleTime: 30_000 });
  const folder = typeof skills.folder === 'string' ? skills.folder : '';
  const learned = useSkills(skills.workflowId, offers ? folder : '');
  if (!tools.data) return config;
  return isTool ? toolSchema(config, node, tools.data) : offers ? offeredSchema(config, tools.data, learned.data) : config;
}

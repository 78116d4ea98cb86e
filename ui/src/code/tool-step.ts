// Steps that call one tool each. Pure.

import { isObject } from '../json/json.ts';
import type { WorkflowNode } from '../api/types.ts';
import { plain } from '../text/letters.ts';

export const MCP_TOOL = 'mcp.tool';

/** Longest title that a step gets from a server. */
const TITLE = 80;

/** The tool that a step is called after where its settings name none (T-10): `Tool_010_ReadFile` is `ReadFile`. */
export const toolInId = (id: string): string | undefined => /^Tool_[0-9]+_(.+)$/su.exec(id)?.[1];

/** Server and tool of a step as it would call them. */
export function toolOf(id: string, node: WorkflowNode): { server: unknown; tool: unknown } {
  const { server, tool } = isObject(node.config) ? node.config : {};
  return { server, tool: tool ?? toolInId(id) };
}

/** A text of a server in one line, in letters that are seen, with an end. */
export function shortText(text: string, most: number): string | undefined {
  const line = plain(text).replace(/\s+/g, ' ').trim();
  return line === '' ? undefined : [...line].slice(0, most).join('');
}

/** How a server calls its tool, as a title of a step. */
export const toolTitle = (title: string | undefined): string | undefined => shortText(title ?? '', TITLE);

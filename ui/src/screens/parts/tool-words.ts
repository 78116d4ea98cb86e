// How a tool server is said, and read from what a person types. Pure.

import type { Commands } from '../../api/types.ts';

export type ToolServer = Commands['tool_server_list']['response'][number];
export type Definition = ToolServer['definition'];

/** Whether both are started and speak alike. The hash is of both; who was not asked has none. */
export const sameWords = (one: ToolServer, other: ToolServer): boolean => one.hash === other.hash && JSON.stringify(one.definition) === JSON.stringify(other.definition);

/** One line: its address, or its program with its arguments. */
export function howOf(definition: Definition): string {
  if (definition.transport === 'http') return definition.url;
  const word = (text: string) => (text === '' || /\s/.test(text) ? `'${text}'` : text);
  return [definition.command, ...(definition.args ?? [])].map(word).join(' ');
}

export const linesOf = (text: string): string[] => text.split('\n').map((line) => line.replace(/\r$/, '')).filter((line) => line.trim() !== '');

/** `NAME=text` on each line; `null` when a line is none. */
export function variablesOf(text: string): { [name: string]: string } | null {
  const found: { [name: string]: string } = {};
  for (const line of linesOf(text)) {
    const at = line.indexOf('=');
    if (at < 1) return null;
    found[line.slice(0, at).trim()] = line.slice(at + 1);
  }
  return found;
}

export const variableLines = (env: { [name: string]: string } | undefined): string => Object.entries(env ?? {}).map(([name, text]) => `${name}=${text}`).join('\n');

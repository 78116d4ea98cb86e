// How a tool server is said, and read from what a person types. Pure.

import type { Commands, Tool, ToolWord } from '../../api/types.ts';

export type ToolServer = Commands['tool_server_list']['response'][number];
export type Definition = ToolServer['definition'];

/** What a person may say of a tool (ADR 64). */
export const FIELDS = ['bearsSecrets', 'isEgress', 'isUntrusted'] as const;

/** All that is said of a tool when one thing of it is said; what is guessed anyway is not said. */
export function wordWith(tool: Pick<Tool, 'guess' | 'said'>, field: (typeof FIELDS)[number], on: boolean): ToolWord {
  const { [field]: _, ...others } = tool.said ?? {};
  return tool.guess[field] === on ? others : { ...others, [field]: on };
}

/** Whether both are started and speak alike. The hash is of both; who was not asked has none. */
export const sameWords = (one: ToolServer, other: ToolServer): boolean => one.hash === other.hash && JSON.stringify(one.definition) === JSON.stringify(other.definition);

/** One line: its address, or its program with its arguments. */
export function howOf(definition: Definition): string {
  if (definition.transport === 'http') return definition.url;
  const word = (text: string) => (text === '' || /\s/.test(text) ? `'${text}'` : text);
  return [definition.command, ...(definition.args ?? [])].map(word).join(' ');
}

/** What a line cannot hold (nothing, a line feed) stands in it as a JSON text behind this word. */
const MARK = 'json:';
const linesOf = (text: string): string[] => text.split(/\r?\n/).filter((line) => line.trim() !== '');

function writtenIn(text: string): string | undefined {
  if (!text.startsWith(`${MARK}"`)) return text;
  try {
    const value: unknown = JSON.parse(text.slice(MARK.length));
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
const written = (text: string): string => (/[\r\n]/.test(text) || text.startsWith(`${MARK}"`) ? MARK + JSON.stringify(text) : text);

/** A line that cannot be read, and what is wrong with it. */
export interface Wrong { wrong: string; why: 'none' | 'json' | 'twice' }

/** One argument on each line. */
export function argumentsOf(text: string): { args: string[] } | Wrong {
  const args: string[] = [];
  for (const line of linesOf(text)) {
    const arg = writtenIn(line);
    if (arg === undefined) return { wrong: line, why: 'json' };
    args.push(arg);
  }
  return { args };
}

export const argumentLines = (args: readonly string[] | undefined): string => (args ?? []).map((arg) => (arg.trim() === '' ? MARK + JSON.stringify(arg) : written(arg))).join('\n');

/** `NAME=text` on each line. */
export function variablesOf(text: string): { env: { [name: string]: string } } | Wrong {
  const found = new Map<string, string>();
  for (const line of linesOf(text)) {
    const at = line.indexOf('=');
    const name = line.slice(0, Math.max(at, 0)).trim();
    if (name === '') return { wrong: line, why: 'none' };
    if (found.has(name)) return { wrong: line, why: 'twice' };
    const value = writtenIn(line.slice(at + 1));
    if (value === undefined) return { wrong: line, why: 'json' };
    found.set(name, value);
  }
  return { env: Object.fromEntries(found) };
}

export const variableLines = (env: { [name: string]: string } | undefined): string => Object.entries(env ?? {}).map(([name, text]) => `${name}=${written(text)}`).join('\n');

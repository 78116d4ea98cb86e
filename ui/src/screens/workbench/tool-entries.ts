// Tools of approved servers as the palette and a new step name them. Pure.

import type { Tool } from '../../api/types.ts';
import { plain } from '../../code/letters.ts';
import type { ToolEntry } from '../../features/canvas/index.ts';

/** Longest title that a step gets from a server, and longest description in a list. */
const TITLE = 80;
const TEXT = 200;

/** Tools that cannot be called are no steps: the review of the server and the settings of a step say why. A server wrote the title, and it goes into lists and into the file: what is not seen is written out, and it has an end. */
export function toolEntries(tools: readonly Pick<Tool, 'server' | 'name' | 'title' | 'description' | 'unusable'>[]): ToolEntry[] {
  return tools.filter((one) => one.unusable === undefined).map(({ server, name, title, description }) => ({ server, name, title: short(title ?? '', TITLE), text: short(description, TEXT) }));
}

function short(text: string, most: number): string | undefined {
  const line = plain(text).replace(/\s+/g, ' ').trim();
  return line === '' ? undefined : [...line].slice(0, most).join('');
}

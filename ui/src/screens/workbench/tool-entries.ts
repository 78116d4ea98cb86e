// Tools of approved servers as the palette and a new step name them. Pure.

import type { Tool } from '../../api/types.ts';
import { plain } from '../../features/evidence/controls.ts';
import type { ToolEntry } from '../../features/canvas/actions.ts';

/** Longest title that a step gets from a server. */
const TITLE = 80;

/** A server wrote the title, and it goes into lists and into the file: what is not seen is written out, and it has an end. */
export function toolEntries(tools: readonly Pick<Tool, 'server' | 'name' | 'title'>[]): ToolEntry[] {
  return tools.map(({ server, name, title }) => {
    const called = plain(title ?? '').replace(/\s+/g, ' ').trim();
    return { server, name, title: called === '' ? undefined : [...called].slice(0, TITLE).join('') };
  });
}

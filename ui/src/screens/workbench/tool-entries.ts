// Tools of approved servers as the palette and a new step name them. Pure.

import type { Tool } from '../../api/types.ts';
import { shortText, toolTitle } from '../../code/tool-step.ts';
import type { ToolEntry } from '../../features/canvas/index.ts';

/** Longest description in a list. */
const TEXT = 200;

/** Tools that cannot be called are no steps: the review of the server and the settings of a step say why. A server wrote the title, and it goes into lists and into the file: what is not seen is written out, and it has an end. */
export function toolEntries(tools: readonly Pick<Tool, 'server' | 'name' | 'title' | 'description' | 'unusable'>[]): ToolEntry[] {
  return tools.filter((one) => one.unusable === undefined).map(({ server, name, title, description }) => ({ server, name, title: toolTitle(title), text: shortText(description, TEXT) }));
}

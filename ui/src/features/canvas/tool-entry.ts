// A tool of an approved server, as boxes and menus of the canvas offer it: a step that calls it. Pure.

import type { WorkflowNode } from '../../api/types.ts';

/** Texts of the server, in letters that are seen and of a sensible length. */
export interface ToolEntry { server: string; name: string; title?: string | undefined; text?: string | undefined }

/** What a new step has that calls it. */
export const presetOf = ({ server, name, title }: ToolEntry): Pick<WorkflowNode, 'title' | 'config'> => ({ title: title ?? name, config: { server, tool: name } });

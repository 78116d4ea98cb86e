/**
 * Graph edits are data, applied by one pure function; undo is the inverse list.
 *
 * `applyEdits(document, edits)` gives the next document and the patches that lead back, byte for byte.
 */

import type { Workflow } from '../../api/types.ts';
import { type Edit, patchesOf } from './model/edits.ts';
import { applyPatches, type Patch, type Patched } from './model/patch.ts';

export type { Edit, EdgeRef } from './model/edits.ts';
export type { Patch } from './model/patch.ts';
export { applyPatches } from './model/patch.ts';

export function applyEdits(document: Workflow, edits: readonly Edit[]): Patched<Workflow> {
  let current = document;
  let inverse: Patch[] = [];
  for (const edit of edits) {
    const done = applyPatches(current, patchesOf(current, edit));
    current = done.document;
    inverse = [...done.inverse, ...inverse];
  }
  return { document: current, inverse };
}

/** The text of a file as the host writes it, for comparing and for the clipboard. */
export function textOf(document: Workflow): string {
  return JSON.stringify(document, null, 2);
}

// Where in loops and branches, in words.

import { partsOf, readPath, slotKey } from '../api/run-paths.ts';
import type { RunDefinition, RunView } from '../api/run-types.ts';
import { formatNumber } from '../i18n/index.ts';

/** The title of a step; `path`: where it stands, when it stands in something. */
export type NameOf = (id: string, path?: string) => string;

/** Titles of steps wherever they stand: those of another file are known from the run alone, whatever the canvas calls so. */
export function namesIn(view: Pick<RunView, 'slots'> | null, definition: RunDefinition, titleOf: (id: string) => string): NameOf {
  return (id, path) => {
    if (path && readPath(path, definition).foreign) return view?.slots.get(slotKey(id, path))?.title ?? id;
    return Object.hasOwn(definition.nodes, id) ? titleOf(id) : id;
  };
}

/** `each[3]/inner[0]` as "Each order 4 › Inner 1": people count from 1. */
export function pathWords(path: string, nameOf: NameOf): string {
  const parts = path.split('/');
  return partsOf(path).map(({ id, index }, i) => {
    const name = nameOf(id, parts.slice(0, i).join('/'));
    return index === undefined ? name : `${name} ${formatNumber(index + 1)}`;
  }).join(' › ');
}

/** `each[3]/put` as "Each order 4 › Put": a step with where it is. */
export function stepWords(name: string, nameOf: NameOf): string {
  const at = name.lastIndexOf('/');
  return at < 0 ? nameOf(name) : `${pathWords(name.slice(0, at), nameOf)} › ${nameOf(name.slice(at + 1), name.slice(0, at))}`;
}

/** How deep something stands: an iteration is one step in; a branch is named after its container, and both are one. */
export function depthOf(path: string | undefined): number {
  if (!path) return 0;
  const parts = partsOf(path);
  const rounds = parts.filter((part) => part.index !== undefined).length;
  return rounds + Math.ceil((parts.length - rounds) / 2);
}

// Where in loops and branches, in words.

import { partsOf } from '../api/run-paths.ts';
import { formatNumber } from '../i18n/index.ts';

/** `each[3]/inner[0]` as "Each order 4 › Inner 1": people count from 1. `nameOf`: title of a step. */
export function pathWords(path: string, nameOf: (id: string) => string): string {
  return partsOf(path).map(({ id, index }) => (index === undefined ? nameOf(id) : `${nameOf(id)} ${formatNumber(index + 1)}`)).join(' › ');
}

/** `each[3]/put` as "Each order 4 › Put": a step with where it is. */
export function stepWords(name: string, nameOf: (id: string) => string): string {
  const at = name.lastIndexOf('/');
  return at < 0 ? nameOf(name) : `${pathWords(name.slice(0, at), nameOf)} › ${nameOf(name.slice(at + 1))}`;
}

/** How deep something stands: an iteration is one step in; a branch is named after its container, and both are one. */
export function depthOf(path: string | undefined): number {
  if (!path) return 0;
  const parts = partsOf(path);
  const rounds = parts.filter((part) => part.index !== undefined).length;
  return rounds + Math.ceil((parts.length - rounds) / 2);
}

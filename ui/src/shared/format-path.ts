// Where in loops and branches, in words.

import { partsOf, readPath, slotKey, stepAt } from '../run/run-paths.ts';
import type { RunDefinition, RunView } from '../run/run-types.ts';
import { formatNumber } from '../i18n/index.ts';

/** The title of a step; `path`: where it stands, when it stands in something. */
export type NameOf = (id: string, path?: string) => string;

/** What a run knows of its steps. */
type Known = Pick<RunView, 'slots' | 'calls' | 'callsOf'>;

/** Titles of steps wherever they stand: those of another file are known from the run alone, whatever the canvas calls so. */
export function namesIn(view: Known | null, definition: RunDefinition, titleOf: (id: string) => string): NameOf {
  return (id, path) => {
    if (path && readPath(path, definition).foreign) return view?.slots.get(slotKey(id, path))?.title ?? elsewhere(view, id, path) ?? id;
    return Object.hasOwn(definition.nodes, id) ? titleOf(id) : id;
  };
}

/** There may be a million iterations. */
const MOST_LOOKED_AT = 100;
const anyRound = (path: string): string => path.replaceAll(/\[\d+\]/g, '[]');

/** A step that has not begun here may have begun in another iteration, or for another item. */
function elsewhere(view: Known | null, id: string, path: string): string | undefined {
  const like = anyRound(slotKey(id, path));
  const calls = view?.callsOf.get(id)?.slice(0, MOST_LOOKED_AT).map((index) => view.calls.at(index));
  return calls?.find((call) => call !== undefined && anyRound(slotKey(id, call.path)) === like)?.title;
}

/** `each[3]/inner[0]` as "Each order 4 › Inner 1": people count from 1. */
export function formatPath(path: string, nameOf: NameOf): string {
  return namesAlong(path, nameOf).join(' › ');
}

/** The same of the place where a step stands, for a line that names the step, too: a branch is named after the step that it begins with, and
 * that is not said twice. */
export function formatPlace(path: string, step: string, nameOf: NameOf): string {
  const names = namesAlong(path, nameOf);
  const repeats = names.length > 1 && path.endsWith(`/${step}`) && names.at(-1) === nameOf(step, path);
  return (repeats ? names.slice(0, -1) : names).join(' › ');
}

function namesAlong(path: string, nameOf: NameOf): string[] {
  const parts = path.split('/');
  return partsOf(path).map(({ id, index }, i) => {
    const name = nameOf(id, parts.slice(0, i).join('/'));
    return index === undefined ? name : `${name} ${formatNumber(index + 1)}`;
  });
}

/** `each[3]/put` as "Each order 4 › Put": a step with where it is. */
export function formatStep(name: string, nameOf: NameOf): string {
  const { stepId, path } = stepAt(name);
  return path === undefined ? nameOf(stepId) : `${formatPlace(path, stepId, nameOf)} › ${nameOf(stepId, path)}`;
}

/** How deep something stands: an iteration is one step in; a branch is named after its container, and both are one. */
export function depthOf(path: string | undefined): number {
  if (!path) return 0;
  const parts = partsOf(path);
  const rounds = parts.filter((part) => part.index !== undefined).length;
  return rounds + Math.ceil((parts.length - rounds) / 2);
}

/** Which definition a kept result was made with. A re-run keeps results of its original, which may have kept them of its own: a step that is run
 * alone again and again stands at the end of a line of runs, and what comes before it is as old as the first of them. */
import { call } from '../../api/client.ts';
import { stepAt } from '../../run/run-paths.ts';
import type { Workflow } from '../../api/types.ts';
import type { MadeWith } from './stale.ts';

/** By the name of the step, in a container with its path (`each[0]/put`). */
export type Origins = ReadonlyMap<string, Workflow>;
/** A run, what it was started with, and where it has its kept results from. */
export interface RunMade { runId: string; definition: Workflow; origins: Origins }

export const NO_ORIGINS: Origins = new Map();
/** So many runs are read on the way back; what is older counts as made with the oldest of them. */
const MOST_READ = 20;

/** `kept` of a run that began from `parent`. `known`: the run on the screen, which it mostly began from. */
export async function originsOf(kept: readonly string[], parent: string | undefined, known: RunMade | null): Promise<Origins> {
  const found = new Map<string, Workflow>();
  let left = kept;
  let at = parent;
  let oldest: Workflow | undefined;
  for (let read = 0; left.length > 0 && at !== undefined && read < MOST_READ; read += 1) {
    if (known?.runId === at) {
      for (const name of left) found.set(name, known.origins.get(name) ?? known.definition);
      return found;
    }
    // One after the other: each says which one it began from. One that was deleted ends the way.
    const run = await call('run_get', { runId: at }).catch(() => null); // eslint-disable-line no-await-in-loop
    if (!run) break;
    const older = new Set(run.kept ?? []);
    for (const name of left) if (!older.has(name)) found.set(name, run.definition);
    left = left.filter((name) => older.has(name));
    oldest = run.definition;
    at = run.parentRunId;
  }
  if (oldest) for (const name of left) found.set(name, oldest);
  return found;
}

/** A step that was kept as a whole has its result from there; where some iterations were kept and others ran, from both. */
export function madeWith(ran: Workflow, origins: Origins): MadeWith {
  const here = [ran];
  const found = new Map<string, readonly Workflow[]>();
  for (const [name, definition] of origins) {
    const id = stepAt(name).stepId;
    const outermost = /^[^/[]*/.exec(name)?.[0] ?? name;
    const whole = origins.has(outermost);
    const there = found.get(id) ?? (whole ? [] : here);
    if (!there.includes(definition)) found.set(id, [...there, definition]);
  }
  return (id) => found.get(id) ?? here;
}

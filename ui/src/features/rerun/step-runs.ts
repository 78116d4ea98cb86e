/** Running a step, up to a step and from a step (UX C16): where that can be, and which run has the values for it. */
import { call } from '../../api/client.ts';
import { toApiError } from '../../api/error.ts';
import type { RunView } from '../../run/run-state.ts';
import type { Commands, NodeDescriptor, Workflow } from '../../api/types.ts';
import { slotKey, stepAt } from '../../run/run-paths.ts';
import { rerunPlace } from './steps.ts';

/** `only`: the step alone; `with`: the same with values that are looked at first; `to`: what leads to it, and it; `from`: it and what follows. */
export type StepRun = 'only' | 'with' | 'to' | 'from';
export type StepPlace = { name: string } | { why: 'goesOn' | 'iteration' | 'recovery' };

type Plan = Commands['rerun_look']['response'];

/** Where a run of this kind would begin or end, or what is in its way. */
export function stepPlace(kind: StepRun, view: RunView | null, document: Workflow, catalog: readonly NodeDescriptor[], id: string, picked?: { nodeId: string; path?: string }): StepPlace | null {
  const node = document.nodes[id];
  if (!node) return null;
  if (catalog.find((one) => one.type === node.type)?.role === 'recovery') return { why: 'recovery' };
  if (view && view.lastSeq > 0 && (view.status === 'created' || view.status === 'running')) return { why: 'goesOn' };
  if (!node.parent || kind === 'to') return { name: id };
  const place = view && rerunPlace(view, document, catalog, id, picked);
  if (place && 'name' in place) return place;
  // Alone it gets what it got last: the newest of its calls. What goes on from it must be said.
  return kind === 'from' ? { why: 'iteration' } : { name: newestCall(view, id) ?? id };
}

/** The call of a step in a frame that began last, with its path. */
function newestCall(view: RunView | null, id: string): string | undefined {
  let newest: string | undefined;
  for (const key of view?.slotsOf.get(id)?.values() ?? []) {
    const slot = view?.slots.get(key);
    if (slot?.path && (slot.calls > 0 || slot.state === 'kept')) newest = slotKey(id, slot.path);
  }
  return newest;
}

/** So many runs of the workflow are looked at for one that reached the step. */
const MOST_LOOKED_AT = 10;
/** Another run may have what this one has not. */
const NOT_THERE: ReadonlySet<string> = new Set(['STEP_NEVER_RAN', 'UNKNOWN_STEP', 'RUN_RUNNING']);

export interface Found { runId: string; plan: Plan }

/** A step in a frame that has no place on the screen: the calls that a run has of it, the newest last. */
const ranAs = (cause: unknown): string | undefined => {
  const { code, details } = toApiError(cause);
  return code === 'STEP_NEVER_RAN' ? (details as { ran?: string[] } | undefined)?.ran?.at(-1) : undefined;
};

/** The newest run that reached the step, the one on the screen first, and what a re-run of it from there would be; null when none did. */
export async function lastThatReached(step: string, alone: boolean, document: Workflow, shown: string | null, pins: { pins?: string } = {}): Promise<Found | null> {
  const plan = (runId: string, name: string) => call('rerun_look', { runId, stepId: name, definition: 'current', document, ...pins, ...(alone ? { until: stepAt(name).stepId } : {}) });
  const look = async (runId: string): Promise<Found | null> => {
    try {
      return { runId, plan: await plan(runId, step) };
    } catch (cause) {
      const name = stepAt(step).path === undefined ? ranAs(cause) : undefined;
      if (name !== undefined) return { runId, plan: await plan(runId, name) };
      if (NOT_THERE.has(toApiError(cause).code)) return null;
      throw cause;
    }
  };
  const here = shown === null ? null : await look(shown);
  if (here) return here;
  const { runs } = await call('run_list', { workflow: document.id, limit: MOST_LOOKED_AT });
  for (const { runId } of runs) {
    if (runId === shown) continue;
    // One after the other: the first that has it is the newest.
    const found = await look(runId); // eslint-disable-line no-await-in-loop
    if (found) return found;
  }
  return null;
}

/** Something outside would change, a person would be asked again, or a run that waits would be given up: not without a word. */
export const asksFirst = (plan: Plan): boolean =>
  plan.waits || plan.answers.length > 0 || plan.steps.some((one) => (one.fate === 'again' || one.fate === 'open') && (one.effect === 'write' || one.asks));

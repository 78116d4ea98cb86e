// Where on the canvas something belongs. An id names a step in its own file only: a step of a sub-workflow may have the name of one that is drawn.

import type { ReadonlyList } from './persistent-list';
import { CONTAINERS, EVERY, inChoice, partsOf, readPath, slotKey } from './run-paths';
import type { CallCard, CardStatus, RunDefinition, RunError, RunView } from './run-types';

/** The step that has a card: this one, or the one that called the file that it is in. */
export const cardAt = (definition: RunDefinition | undefined, id: string, path: string | null | undefined): string => (path ? readPath(path, definition).caller ?? id : id);

interface Failed {
  readonly failedStepId?: string | undefined;
  readonly error?: RunError | undefined;
  readonly calls: ReadonlyList<CallCard>;
  readonly callsOf: ReadonlyMap<string, readonly number[]>;
}

/** An error that came out of a container: the step stands in it. */
export const fromInside = (error: RunError | undefined): boolean => error?.details?.['childErrors'] !== undefined;

/** The call that the run failed with. */
export function failedCall({ failedStepId, error, calls, callsOf }: Failed): CallCard | undefined {
  if (failedStepId === undefined) return undefined;
  const inside = fromInside(error);
  // It names calls of the time after a moment of the past, too.
  const index = callsOf.get(failedStepId)?.findLast((one) => calls.at(one)?.error !== undefined && (!inside || calls.at(one)?.path !== undefined));
  return index === undefined ? undefined : calls.at(index);
}

/** The step on the canvas that the run failed at. */
export const failedAt = (run: Failed, definition: RunDefinition | undefined): string | undefined =>
  run.failedStepId === undefined ? undefined : cardAt(definition, run.failedStepId, failedCall(run)?.path);

/** The step on the canvas that a run rests at: where it stands stopped, else the first that asks a person. */
export function restsAt(run: Pick<RunView, 'status' | 'stopped' | 'tasks'>, definition: RunDefinition | undefined): string | undefined {
  if (run.status !== 'paused') return undefined;
  const { stopped } = run;
  if (stopped?.stepId !== undefined) return cardAt(definition, stopped.stepId, stopped.path);
  const task = run.tasks[0];
  return task && cardAt(definition, task.nodeId, task.path);
}

/** Whether a step that holds others goes on with nothing but what people are asked in it: the run waits for them alone. */
export function onlyAsks(view: RunView | null, id: string): boolean {
  const run = view?.nodes[id];
  if (!view || view.status !== 'paused' || view.stopped || run?.state !== 'running' || !CONTAINERS.has(run.kind ?? '')) return false;
  return view.tasks.some(({ path }) => path !== undefined && inChoice(path, view.choice ?? EVERY) && partsOf(path).some((part) => part.id === id));
}

/** How a call is, as the frame of its step shows it: what holds others waits for people when that is all that is left in it. */
export function statusIn(view: Pick<RunView, 'status' | 'stopped' | 'tasks'>, { status, kind, nodeId, path }: CallCard): CardStatus {
  if (status !== 'running' || view.status !== 'paused' || view.stopped || !CONTAINERS.has(kind ?? '')) return status;
  const own = slotKey(nodeId, path);
  return view.tasks.some((task) => task.path !== undefined && (task.path === own || task.path.startsWith(`${own}/`) || task.path.startsWith(`${own}[`))) ? 'asks' : status;
}

/** Whether the run stands stopped before this step, or in the file that it calls, in the iterations that are looked at. */
export function isStoppedAt(view: RunView | null, definition: RunDefinition, id: string): boolean {
  const stop = view?.stopped;
  return stop?.stepId !== undefined && cardAt(definition, stop.stepId, stop.path) === id && inChoice(stop.path, view?.choice ?? EVERY);
}

/** Where the step that failed a run stands, as its log says: the summary has its id alone. */
import { call } from '../../api/client.ts';
import type { RunError } from '../../run/run-types.ts';
import { slotKey } from '../../run/run-paths.ts';
import { fromInside } from '../../run/run-location.ts';
import type { RunDetails } from '../../api/types.ts';

/** So many events are read from the end: what a failure ends comes after it. */
const LOOKED_AT = 500;

/** The name that a re-run takes it by (`each[3]/put`). */
export async function failedPlace(run: Pick<RunDetails, 'runId' | 'lastSeq' | 'failedStepId' | 'error'>): Promise<string | undefined> {
  const { failedStepId, error } = run;
  if (failedStepId === undefined) return undefined;
  const events = await call('run_events', { runId: run.runId, after: Math.max(0, run.lastSeq - LOOKED_AT), limit: LOOKED_AT });
  const inside = fromInside(error as RunError | undefined);
  const failed = events.findLast((event) => event.type === 'step_error' && event.stepId === failedStepId && (!inside || event.path != null));
  return failed === undefined ? undefined : slotKey(failedStepId, failed.path);
}

/** Runs that began from a run: the other way along the tree that Runs shows. */
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';

/** A re-run is newer than its original: so many of the workflow's newer runs are looked through for one. */
const PAGE = 200;
const MOST_PAGES = 5;

export interface Original { runId: string; workflowId: string; startedAt: string }

/** The oldest first. */
async function findReruns({ runId, workflowId, startedAt }: Original, signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  const since = Date.parse(startedAt);
  let before: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    // Each page says where the next one begins.
    const { runs, next } = await call('run_list', { workflow: workflowId, limit: PAGE, ...(before === undefined ? {} : { before }) }, signal); // eslint-disable-line no-await-in-loop
    for (const run of runs) if (run.parentRunId === runId) found.push(run.runId);
    const last = runs.at(-1);
    if (next === undefined || last === undefined || Date.parse(last.startedAt) < since) break;
    before = next;
  }
  return found.toReversed();
}

/** `supersededBy`: the one that took the run's place, as its last event says. */
export function useReruns({ runId, workflowId, startedAt }: Original, supersededBy: string | undefined): readonly string[] {
  // Asked again by whatever makes the list of runs stale.
  const found = useQuery({ queryKey: ['run_list', { rerunsOf: runId }], queryFn: ({ signal }) => findReruns({ runId, workflowId, startedAt }, signal) }).data ?? [];
  return supersededBy === undefined || found.includes(supersededBy) ? found : [supersededBy, ...found];
}

/** Runs that began from a run: the other way along the tree that Runs shows. */
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';

/** A menu of more helps nobody; they are in the list of runs. */
const MOST = 500;

/** The oldest first. */
async function findReruns(runId: string, signal: AbortSignal): Promise<string[]> {
  const { runs } = await call('run_list', { parent: runId, limit: MOST }, signal);
  return runs.map((run) => run.runId).toReversed();
}

/** `supersededBy`: the one that took the run's place, as its last event says. */
export function useReruns(runId: string, supersededBy: string | undefined): readonly string[] {
  // Asked again by whatever makes the list of runs stale.
  const found = useQuery({ queryKey: ['run_list', { parent: runId }], queryFn: ({ signal }) => findReruns(runId, signal) }).data ?? [];
  return supersededBy === undefined || found.includes(supersededBy) ? found : [supersededBy, ...found];
}

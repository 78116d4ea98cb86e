/** Reads the iteration that a person chose when it is not among the loaded events of a long run. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../api/client.ts';
import type { RunEvent } from '../api/types.ts';
import type { Choice } from './run-paths.ts';
import { foldRounds, missingRounds, withRounds } from './rounds.ts';
import { isTerminal, type RunDefinition, type RunView } from './run-state.ts';

const PAGE = 1000;
/** Of a larger iteration nothing is read: the run is loaded from there, or as a whole. */
const MOST_EVENTS = 20_000;

async function readRound(runId: string, path: string, signal: AbortSignal): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (let after = 0; ;) {
    const page = await call('run_events', { runId, path, after, limit: PAGE }, signal); // eslint-disable-line no-await-in-loop
    events.push(...page);
    if (page.length < PAGE) return events;
    if (events.length >= MOST_EVENTS) return [];
    after = page.at(-1)?.seq ?? after;
  }
}

const NONE: Readonly<Record<string, string>> = {};

/** The view with what was chosen in it, as soon as that is here. `null` where there is no run. */
export function useRounds(view: RunView | null, definition: RunDefinition, choice: Choice): RunView | null {
  const missing = useMemo(() => (view ? missingRounds(view, definition, choice) : NONE), [view, definition, choice]);
  const paths = Object.values(missing);
  const runId = view?.runId ?? '';
  const { data } = useQuery({
    queryKey: ['run_events', runId, 'rounds', ...paths], enabled: paths.length > 0, staleTime: Infinity, refetchOnWindowFocus: false,
    // With or without masks it is another answer.
    gcTime: 0,
    queryFn: async ({ signal }) => Promise.all(paths.map((path) => readRound(runId, path, signal))),
  });
  const loops = Object.keys(missing).join('\n');
  // Of a moment of the past what came later is left out.
  const until = view?.moment === undefined ? Infinity : view.lastSeq;
  const last = view && view.moment === undefined && isTerminal(view.status) ? view.events.at(-1) : undefined;
  const rounds = useMemo(() => {
    const read = loops.split('\n').filter((_, at) => (data?.[at]?.length ?? 0) > 0);
    return data && loops !== '' && read.length > 0 ? foldRounds(runId, read, data.flat(), definition, until, last) : null;
  }, [data, loops, runId, definition, until, last]);
  return useMemo(() => (view && rounds ? withRounds(view, rounds) : view), [view, rounds]);
}

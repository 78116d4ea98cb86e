// A step that fails while its panel is open is offered at once to those who try rules on errors that happened.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import type { RunView } from '../../run/run-state.ts';

/** One question for all errors of such a time. */
export const AFTER_MS = 250;

/** What has failed in a run so far, and whether it goes on: another text means there may be errors that were not offered yet. */
export function failuresOf(run: RunView | null | undefined): string {
  if (!run) return '';
  const failed = Object.values(run.nodes).filter((node) => node.errorCode !== undefined || node.message !== undefined).map((node) => `${node.id} ${String(node.calls)}`);
  return [run.runId, run.status, ...failed].join('\n');
}

export function useNewErrors(run: RunView | null | undefined): void {
  const client = useQueryClient();
  const failures = useMemo(() => failuresOf(run), [run]);
  const known = useRef(failures);
  const latest = useRef(failures);
  latest.current = failures;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    // A burst that goes on does not put the question off.
    if (known.current === failures || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      known.current = latest.current;
      void client.invalidateQueries({ queryKey: ['past_errors'] });
    }, AFTER_MS);
  }, [failures, client]);
  useEffect(() => () => { clearTimeout(timer.current); timer.current = undefined; }, []);
}

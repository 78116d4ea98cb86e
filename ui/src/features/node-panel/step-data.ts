import { useMemo } from 'react';
import { useCommand } from '../../api/queries.ts';
import { cardsOf, type CallCard, type RunView } from '../../api/run-state.ts';
import type { ApiError } from '../../api/error.ts';
import { readError } from '../../api/run-error.ts';
import type { RunError } from '../../api/run-types.ts';
import type { Item } from '../../api/types.ts';

export interface StepValues {
  source: 'live' | 'last';
  runId: string;
  startedAt: string;
  /** the iteration or branch whose values these are */
  path?: string | undefined;
  input: { item: number; data: unknown }[];
  output: Record<string, Item[]>;
  config: unknown;
  error?: RunError | undefined;
  running: boolean;
}

export type StepDataState =
  | { kind: 'loading' }
  | { kind: 'failed'; error: ApiError }
  | { kind: 'none' }
  /** The run on the screen did not call this step. */
  | { kind: 'not_called' }
  | { kind: 'data'; values: StepValues };

/** The newest call of each item of a step, put together in item order. */
export function valuesOfCards(view: RunView, nodeId: string): StepValues | null {
  const cards = cardsOf(view, nodeId).filter((card) => card.status !== 'skipped');
  const last = cards.at(-1);
  if (!last) return null;
  // Items of one path belong together; the newest path is the one to look at.
  const newest = new Map<string, CallCard>();
  for (const card of cards) if (card.path === last.path) newest.set(String(card.item ?? ''), card);
  const ordered = [...newest.values()].toSorted((a, b) => (a.item ?? 0) - (b.item ?? 0));
  const output: Record<string, Item[]> = {};
  for (const card of ordered) {
    for (const [port, items] of Object.entries(card.items ?? {})) output[port] = [...(output[port] ?? []), ...(items as Item[])];
  }
  const failed = ordered.findLast((card) => card.error !== undefined && !card.question && card.status !== 'done');
  return {
    source: 'live',
    runId: view.runId,
    startedAt: last.startedAt,
    path: last.path,
    input: ordered.flatMap((card) => card.input),
    output,
    config: last.config,
    error: failed?.error,
    running: ordered.some((card) => card.endSeq === undefined),
  };
}

/** Data of the run on the screen, else of the last run that called the step. */
export function useStepData(workflowId: string, nodeId: string, run: RunView | null | undefined): StepDataState {
  const live = run != null && run.lastSeq > 0;
  const stored = useCommand('run_step_data', { workflowId, nodeId }, { enabled: !live });
  const version = run?.version ?? 0;
  return useMemo<StepDataState>(() => {
    if (live && run) {
      const values = valuesOfCards(run, nodeId);
      return values ? { kind: 'data', values } : { kind: 'not_called' };
    }
    if (stored.error) return { kind: 'failed', error: stored.error };
    if (stored.data === undefined) return { kind: 'loading' };
    if (stored.data === null) return { kind: 'none' };
    return { kind: 'data', values: { source: 'last', running: false, ...stored.data, error: readError(stored.data.error) } };
    // The cards of a run change in place: its version says when.
  }, [live, run, version, nodeId, stored.error, stored.data]); // eslint-disable-line react/exhaustive-deps
}

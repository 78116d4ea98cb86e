/** Pinned outputs of the workflow on the screen: runs in the builder put them out instead of calling the step (ADR 102). */
import { createContext, useCallback, useContext, useEffect, useMemo, useRef } from 'react';
import { act, useCommand, usePermission } from '../api/queries.ts';
import type { Pin } from '../api/types.ts';
import { showError } from './use-async-action.ts';

/** What is pinned: the output that a run had, in one iteration where the step is in a loop, or data of one's own. */
export type PinSource = { runId: string; path?: string | undefined } | { ports: Pin['ports'] };

export interface Pins {
  /** The workflow file that they belong to. */
  fileRef: string;
  /** By id of the step. */
  steps: { readonly [step: string]: Pin };
  /** Where they are kept. */
  file: string;
  pin(step: string, source: PinSource): Promise<void>;
  unpin(step: string): Promise<void>;
  /** Ends when what was changed last is written: a run that starts then has it. */
  written(): Promise<void>;
}

/** Null where nothing can be pinned: the workflow is not in the library, or somebody only looks on. */
export const PinsContext = createContext<Pins | null>(null);
export const usePins = (): Pins | null => useContext(PinsContext);

/** Of the file with this reference. Follows a step whose id is changed, when `onRename` tells it. */
export function useWorkflowPins(fileRef: string | undefined, onRename?: (listener: (from: string, to: string) => void) => () => void): Pins | null {
  const may = usePermission();
  const allowed = fileRef !== undefined && may('workflow_pins');
  const { data } = useCommand('workflow_pins', { ref: fileRef ?? '' }, { enabled: allowed, staleTime: 30_000 });
  const last = useRef<Promise<void>>(Promise.resolve());
  const change = useCallback((work: () => Promise<unknown>): Promise<void> => {
    const done = last.current.then(async () => { await work(); });
    last.current = done.catch(() => undefined);
    return done;
  }, []);
  const steps = data?.steps;
  useEffect(() => {
    if (!allowed || !onRename) return undefined;
    // Copied, not moved: who discards the draft still has it under the old id. The next save drops the one without a step.
    return onRename((from, to) => {
      if (steps?.[from] === undefined) return;
      change(() => act('workflow_pin', { ref: fileRef, stepId: to, fromStep: from })).catch(showError);
    });
  }, [allowed, onRename, steps, fileRef, change]);
  return useMemo(() => (!allowed || !data ? null : {
    fileRef, steps: data.steps, file: data.file,
    pin: (step, source) => change(() => act('workflow_pin', { ref: fileRef, stepId: step, ...('ports' in source ? { ports: source.ports } : { runId: source.runId, ...(source.path === undefined ? {} : { path: source.path }) }) })),
    unpin: (step) => change(() => act('workflow_unpin', { ref: fileRef, stepId: step })),
    written: () => last.current,
  }), [allowed, data, fileRef, change]);
}

/** For a run or a re-run of the draft: its file's pinned outputs are used. */
export const withPins = (pins: Pins | null): { pins?: string } => (pins && Object.keys(pins.steps).length > 0 ? { pins: pins.fileRef } : {});

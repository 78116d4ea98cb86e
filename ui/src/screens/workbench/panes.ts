/** What is open on the workbench: what the person chose is remembered for all workflows, what a run opened belongs to that run. */
import { useCallback, useState } from 'react';
import { create } from 'zustand';
import { usePaneOpen } from '../../api/settings.ts';

/** Runs whose log opened by itself; an empty workflow, opened next, has its canvas for itself. */
const useShown = create<{ runs: ReadonlySet<string> }>(() => ({ runs: new Set() }));

/** The log comes with the run, as long as that run is what the canvas shows. */
export function showLogOf(runId: string): void {
  useShown.setState(({ runs }) => ({ runs: new Set(runs).add(runId) }));
}
function hideLogOf(runId: string): void {
  useShown.setState(({ runs }) => ({ runs: new Set([...runs].filter((one) => one !== runId)) }));
}

/** `runId`: the run on the canvas. */
export function usePanes(runId: string | null = null) {
  const [kept, keep] = usePaneOpen('logOpen', false);
  const byRun = useShown(({ runs }) => runId !== null && runs.has(runId));
  const [panelOpen, onPanelOpen] = usePaneOpen('panelOpen', true);
  const [problemsOpen, onProblemsOpen] = useState(false);
  const onLogOpen = useCallback((open: boolean) => {
    if (runId !== null) hideLogOf(runId);
    keep(open);
  }, [runId, keep]);
  return { logOpen: kept || byRun, onLogOpen, panelOpen, onPanelOpen, problemsOpen, onProblemsOpen };
}

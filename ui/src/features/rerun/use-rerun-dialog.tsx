/** The dialog of one run: opened by whatever asks, closed by a new run. */
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import type { Workflow } from '../../api/types.ts';
import { RerunDialog } from './rerun-dialog.tsx';

export interface RerunOf {
  runId: string;
  /** Steps that ran, in the order of the file. */
  steps: readonly { name: string; title: string }[];
  document?: Workflow | undefined;
}

/** `ask` opens the dialog; `dialog` is to be drawn. */
export function useRerunDialog(of: RerunOf | null, onStarted: (runId: string) => void): { ask: ((step: string) => void) | null; dialog: ReactNode } {
  const [step, setStep] = useState<string | null>(null);
  const close = useCallback(() => setStep(null), []);
  const ask = useMemo(() => (of ? setStep : null), [of]);
  const dialog = of && step !== null ? (
    <RerunDialog runId={of.runId} step={step} steps={of.steps} document={of.document} onClose={close}
      onStarted={(runId) => { close(); onStarted(runId); }} />
  ) : null;
  return { ask, dialog };
}

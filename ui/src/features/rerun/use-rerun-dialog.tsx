/** The dialog of one run: opened by whatever asks, closed by a new run. */
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import type { Workflow } from '../../api/types.ts';
import type { NameOf } from '../../shared/format-path.ts';
import type { AskRerun, RerunPart } from '../../shared/rerun-context.ts';
import { RerunDialog } from './rerun-dialog.tsx';

export interface RerunOf {
  runId: string;
  /** Steps that ran, in the order of the file. */
  steps: readonly { name: string; title: string }[];
  /** The title of any step, those in containers too. */
  titleOf?: NameOf;
  document?: Workflow | undefined;
  /** What the run was started with. */
  definition?: Workflow | undefined;
}

/** `ask` opens the dialog; `dialog` is to be drawn. */
export function useRerunDialog(of: RerunOf | null, onStarted: (runId: string) => void): { ask: AskRerun | null; dialog: ReactNode } {
  const [asked, setAsked] = useState<{ step: string; part: RerunPart | undefined } | null>(null);
  const close = useCallback(() => setAsked(null), []);
  const ask = useMemo<AskRerun | null>(() => (of ? (step, part) => setAsked({ step, part }) : null), [of]);
  const dialog = of && asked !== null ? (
    <RerunDialog runId={of.runId} step={asked.step} part={asked.part} steps={of.steps} titleOf={of.titleOf} document={of.document} definition={of.definition} onClose={close}
      onStarted={(runId) => { close(); onStarted(runId); }} />
  ) : null;
  return { ask, dialog };
}

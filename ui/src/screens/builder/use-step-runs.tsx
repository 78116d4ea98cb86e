/** Running a step of the canvas alone, up to it, or from it: with the document as it is now. What changes something outside asks first. */
import { useCallback, useMemo, useRef, useState, type ReactNode } from 'react';
import { call } from '../../api/client.ts';
import { act, usePermission } from '../../api/queries.ts';
import { stepAt } from '../../run/run-paths.ts';
import type { RunView } from '../../run/run-state.ts';
import type { NodeDescriptor, Workflow } from '../../api/types.ts';
import { sendable, withTitle, type Breakpoint } from '../../shared/breakpoints.ts';
import { useEditor, type EditorStore } from '../../features/canvas/editor.ts';
import { titleOf } from '../../features/node-panel/index.ts';
import { RerunDialog } from '../../features/rerun/rerun-dialog.tsx';
import { madeWith, originsOf, type Origins, type RunMade } from '../../features/rerun/origins.ts';
import { staleSteps, type Stale } from '../../features/rerun/stale.ts';
import { StepLine } from '../../features/rerun/step-line.tsx';
import { asksFirst, lastThatReached, type StepRun } from '../../features/rerun/step-runs.ts';
import { rerunSteps } from '../../features/rerun/steps.ts';
import { withPins, type Pins } from '../../shared/pins.ts';
import { useLatest } from '../../code/use-latest.ts';
import { t } from '../../i18n/index.ts';
import { toast } from '../../kit/index.ts';
import { showError } from '../commands.ts';
import { takeTyped } from './typed.ts';
import { withoutUnfinished } from './without-unfinished.ts';

interface Given {
  editor: EditorStore;
  catalog: NodeDescriptor[];
  /** The run on the screen, and what it was started with. */
  runId: string | null;
  view: RunView | null;
  ran: Workflow;
  /** What its kept results were made with. */
  origins: Origins;
  /** Pinned outputs of the workflow. */
  pins: Pins | null;
  /** The moments of the past are looked at: nothing begins there. */
  past: boolean;
  /** Starts a run that ends after a step, with the values that it asks for. */
  startTo(step: string): void;
  /** A run began with this document; `kept`: steps whose result it has from another one. */
  begun(runId: string, sent: Workflow, breakpoints: readonly Breakpoint[], kept: readonly string[] | undefined, origins: Origins): void;
}

interface Asked { runId: string; step: string; alone: boolean; sent: Workflow }

export interface StepRuns {
  /** Absent where nobody may. */
  run: ((kind: StepRun, step: string) => void) | undefined;
  /** Why a result is stale, in words, for the canvas. */
  stale: ReadonlyMap<string, string>;
  dialog: ReactNode;
  /** Under the panel. */
  line: ReactNode;
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

export function useStepRuns({ editor, catalog, runId, view, ran, origins, pins, past, startTo, begun }: Given): StepRuns {
  const document = useEditor(editor, (state) => state.settled);
  const chosen = useEditor(editor, ({ selection: { nodes } }) => (nodes.length === 1 ? nodes[0] : undefined));
  const may = usePermission()('run_breakpoints');
  const [asked, setAsked] = useState<Asked | null>(null);
  // A second press before the first is answered would start a second run.
  const busy = useRef(false);
  const shown = useLatest<RunMade | null>(runId === null ? null : { runId, definition: ran, origins });
  const began = useCallback(async (id: string, sent: Workflow, breakpoints: readonly Breakpoint[]) => {
    const before = shown.current;
    // Without them it would only look poorer.
    const details = await call('run_get', { runId: id }).catch(() => null);
    begun(id, sent, breakpoints, details?.kept, await originsOf(details?.kept ?? [], details?.parentRunId, before));
  }, [begun, shown]);
  const pinsNow = useLatest(pins);
  const run = useCallback((kind: StepRun, step: string) => {
    if (busy.current) return;
    takeTyped();
    if (kind === 'to') {
      startTo(step);
      return;
    }
    const whole = editor.getState().document;
    const alone = kind !== 'from';
    busy.current = true;
    const go = async (sent: Workflow): Promise<void> => {
      const used = withPins(pinsNow.current);
      const found = await lastThatReached(step, alone, sent, runId, used);
      if (!found) toast({ signal: 'info', text: t('rerun.run.never'), detail: t('rerun.run.neverHint') });
      else if (kind === 'with' || asksFirst(found.plan)) setAsked({ runId: found.runId, step: found.plan.stepId, alone, sent });
      else {
        // Who runs one step alone does not want to stop before it.
        const breakpoints = alone ? [] : sendable(sent.id, sent);
        const started = await act('run_rerun', { runId: found.runId, stepId: found.plan.stepId, definition: 'current', document: sent, ...used, ...(alone ? { until: stepAt(step).stepId } : {}), ...(breakpoints.length ? { breakpoints } : {}) });
        await began(started.runId, sent, breakpoints);
      }
    };
    void (async () => {
      try {
        await pinsNow.current?.written();
        await go(whole).catch(async (cause: unknown) => {
          const less = alone ? withoutUnfinished(whole, stepAt(step).stepId, cause) : null;
          if (!less) throw cause;
          await go(less);
        });
      } catch (cause) {
        showError(withTitle(cause, (id) => titleOf(whole, id, catalog)), t('rerun.run.failed'));
      } finally {
        busy.current = false;
      }
    })();
  }, [editor, catalog, runId, startTo, began, pinsNow]);

  const states = view?.nodes;
  const looks = states !== undefined && may && !past;
  // A run sends many states; what has changed since does not depend on them.
  const changed = useMemo(() => (looks ? staleSteps(document, ran, madeWith(ran, origins)) : NONE), [document, ran, origins, looks]);
  const stale = useMemo<ReadonlyMap<string, Stale>>(() => {
    const has = (id: string): boolean => (states?.[id]?.calls ?? 0) > 0 || states?.[id]?.state === 'kept';
    return changed.size === 0 ? changed : new Map([...changed].filter(([id]) => has(id)));
  }, [changed, states]);
  const words = useMemo(() => (stale.size ? new Map([...stale].map(([id, why]) => [id, t(`rerun.stale.${why}`)])) : NONE), [stale]);
  const offered = may && !past;
  const dialog = asked === null ? null : (
    <RerunDialog runId={asked.runId} step={asked.step} alone={asked.alone} first="current" document={asked.sent} onClose={() => setAsked(null)}
      steps={rerunSteps(asked.sent, () => true, catalog)} titleOf={(id) => titleOf(asked.sent, id, catalog)}
      onStarted={(id, breakpoints) => { setAsked(null); void began(id, asked.sent, breakpoints); }} />
  );
  return { run: offered ? run : undefined, stale: words, dialog, line: offered && chosen !== undefined ? <StepLine stale={stale.get(chosen)} /> : null };
}

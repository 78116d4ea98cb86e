// Looking into the run of a screen: keys, buttons, banner, dialog. Only for who may build.

import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { act, usePermission } from '../../api/queries.ts';
import { isTerminal, type RunView } from '../../run/run-state.ts';
import type { Workflow } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { IconButton, keysOf, useActions, useAllActions } from '../../kit/index.ts';
import { debugActions } from './actions.ts';
import { BreakLine } from './break-line.tsx';
import { placeOf, type Breakpoint } from '../../shared/breakpoints.ts';
import { InputDialog } from './input-dialog.tsx';
import type { NameOf } from '../../shared/format-path.ts';
import { failed, useRunPoints } from './run-points.ts';
import { StoppedBanner } from './stopped-banner.tsx';

export interface Debugging {
  /** Pause, continue, step: for the bar of the screen. */
  bar: ReactNode;
  banner: ReactNode;
  dialog: ReactNode;
  /** Under the panel. */
  line: ReactNode;
  /** Step, or wire as `from>to` → condition, for the canvas. */
  marks: ReadonlyMap<string, string>;
  /** The run waits for the person who stopped it, not for a process or an answer. */
  stopped: boolean;
}

const NO_MARKS: ReadonlyMap<string, string> = new Map();

export function useDebug({ workflowId, document, ran = document, chosen, titleOf, runId, view, past = false, begun, stepStart, canStart = false }: {
  workflowId: string; document: Workflow; runId: string | null;
  /** The step or the wire that breakpoints are set on. */
  chosen: string | undefined; titleOf: NameOf;
  view: RunView | null;
  /** What the run was started with, where the document has gone on since: a breakpoint of a step that the run does not have is refused. */
  ran?: Workflow;
  /** What went with the run when this screen started it: what was set since has not reached it. */
  begun?: { runId: string; breakpoints: readonly Breakpoint[] } | null;
  /** The screen shows the run as it stood before: nothing can be done to it there. */
  past?: boolean;
  stepStart?: (() => void) | undefined; canStart?: boolean;
}): Debugging {
  const may = usePermission()('run_breakpoints');
  const [busy, setBusy] = useState(false);
  const [editing, setEditing] = useState<{ runId: string; over: boolean; /** The stop that it is about. */ stop: number | undefined } | null>(null);
  const open = view !== null && view.lastSeq > 0 && !isTerminal(view.status);
  const stopped = open && view.stopped !== null;
  const stopSeq = view?.stopped?.seq;
  const points = useRunPoints({ workflowId, ran, titleOf, runId, view, may, begun });

  // A second press before the first is answered is about a stop that is over.
  const asking = useRef(false);
  const ask = useCallback(async (command: 'run_pause' | 'run_continue' | 'run_step') => {
    if (runId === null || asking.current) return;
    asking.current = true;
    setBusy(true);
    try {
      await act(command, { runId });
    } catch (cause) {
      failed(cause);
    } finally {
      asking.current = false;
      setBusy(false);
    }
  }, [runId]);

  const marks = useMemo(() => (may && points.points.length ? new Map(points.points.map((point) => [placeOf(point), point.when ?? ''])) : NO_MARKS), [may, points.points]);
  const edit = useCallback(() => setEditing(runId === null ? null : { runId, over: false, stop: stopSeq }), [runId, stopSeq]);
  const live = may && !past;
  // Somebody else let the run go on: what is open is about a stop that is over, and is so at the next one, too.
  const over = editing !== null && (editing.over || !(live && stopped) || stopSeq !== editing.stop);
  useEffect(() => {
    if (editing !== null && editing.runId !== runId) setEditing(null);
    else if (over && !editing.over) setEditing((one) => one && { ...one, over });
  }, [over, editing, runId]);
  const actions = useMemo(() => debugActions({
    pause: () => void ask('run_pause'),
    canPause: () => live && open && !stopped,
    onward: () => void ask('run_continue'),
    step: () => void ask('run_step'),
    isStopped: () => live && stopped,
    stepStart,
    canStart: () => live && canStart,
    toggle: () => { if (chosen !== undefined) points.toggle(chosen); },
    canToggle: () => may && chosen !== undefined,
    isSet: () => points.points.some((point) => placeOf(point) === chosen),
    edit,
  }), [ask, live, may, open, stopped, stepStart, canStart, chosen, points, edit]);
  useActions(actions);
  const all = useAllActions();
  const keys = useMemo(() => {
    const of = (id: string) => {
      const action = all.find((one) => one.id === id);
      return action && keysOf(action)[0];
    };
    return { pause: of('debug.pause'), onward: of('debug.continue'), step: of('debug.step'), point: of('debug.breakpoint') };
  }, [all]);

  return {
    stopped,
    marks,
    bar: live && open ? (
      <span className="row gap1" role="group" aria-label={t('debug.bar')}>
        {stopped
          ? <IconButton icon="play" label={t('debug.continue')} keys={keys.onward} disabled={busy} onClick={() => void ask('run_continue')} />
          : <IconButton icon="pause" label={t('debug.pause')} keys={keys.pause} disabled={busy} onClick={() => void ask('run_pause')} />}
        <IconButton icon="step" label={t('debug.step')} keys={keys.step} disabled={busy || !stopped} onClick={() => void ask('run_step')} />
      </span>
    ) : null,
    banner: stopped && view ? (
      <StoppedBanner view={view} titleOf={titleOf} keys={keys} busy={busy}
        onContinue={live ? () => void ask('run_continue') : undefined} onStep={live ? () => void ask('run_step') : undefined} onEdit={live ? edit : undefined} />
    ) : null,
    dialog: editing !== null && editing.runId === runId ? <InputDialog runId={runId} titleOf={titleOf} seq={view?.lastSeq} over={over} onClose={() => setEditing(null)} /> : null,
    line: may ? <BreakLine document={document} chosen={chosen} points={points} titleOf={titleOf} keys={keys.point} runId={runId} /> : null,
  };
}

/** A run of now or of long ago: its pinned definition on the canvas, read only, with its states and log. */
import { errorText } from '../../api/error.ts';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { act, queryClient, useCommand, usePermission } from '../../api/queries.ts';
import { isPartial } from '../../run/event-gap.ts';
import { useRunView } from '../../run/follow-run.ts';
import { LoadingContext } from '../../run/loading-context.ts';
import { SIZES } from '../../run/run-parts.ts';
import { viewWith } from '../../run/run-paths.ts';
import { isTerminal, type RunFold } from '../../run/run-state.ts';
import { failedAt, restsAt } from '../../run/run-location.ts';
import type { NodeDescriptor, RunDetails } from '../../api/types.ts';
import { createEditor, type CanvasHandle } from '../../features/canvas/index.ts';
import { useEventWords } from '../workbench/event-words.ts';
import { useDebugging } from '../workbench/use-debugging.ts';
import { ChooseDialog } from '../../features/compare/choose-dialog.tsx';
import { inOrder } from '../../features/compare/choose.ts';
import { titleOf } from '../../features/node-panel/index.ts';
import { usePageName } from '../../shared/page-title.ts';
import { faultedSteps } from '../../shared/faults.ts';
import { PinsContext, useWorkflowPins } from '../../shared/pins.ts';
import { RerunContext } from '../../shared/rerun-context.ts';
import { EndsAfter } from '../../features/rerun/ends-after.tsx';
import { ranIn, rerunSteps } from '../../features/rerun/steps.ts';
import { useRerunDialog } from '../../features/rerun/use-rerun-dialog.tsx';
import { SpentChip } from '../../shared/model-cost.tsx';
import { shortRunId, StatusBadge } from '../../shared/run-status.tsx';
import { namesIn } from '../../shared/format-path.ts';
import { useCatalog } from '../../shared/use-catalog.ts';
import { timeActions } from '../../features/time-travel/actions.ts';
import { PastBanner } from '../../features/time-travel/past-banner.tsx';
import { useTimeTravel, type Moment, type TimeTravel } from '../../run/time-travel.ts';
import { plain } from '../../text/letters.ts';
import { Pieces } from '../../code/pieces.tsx';
import { formatDateTime, t } from '../../i18n/index.ts';
import { Badge, Banner, Button, ConfirmDialog, EmptyState, IconButton, Menu, Skeleton, toast, useActions } from '../../kit/index.ts';
import { viewActions } from '../builder/actions.ts';
import { attempt, copyText, showError } from '../commands.ts';
import { FindButton } from '../frame.tsx';
import { navigate, parseRoute } from '../router.ts';
import { MaskedBanner } from './masked-banner.tsx';
import { Began, Origin } from './origin.tsx';
import { ConnectionBanner } from '../workbench/connection-banner.tsx';
import { FailureBanner } from '../workbench/failure-banner.tsx';
import { WaitingBanner } from '../workbench/waiting-banner.tsx';
import { FaultedBanner } from '../workbench/faulted-banner.tsx';
import { TroubleBanner, useTrouble } from '../workbench/trouble-banner.tsx';
import { titled } from '../workbench/titled.ts';
import { usePanes } from '../workbench/panes.ts';
import { Workbench } from '../workbench/workbench.tsx';

/** `step`: the step that is shown first. `at`: the moment. */
export function RunScreen({ runId, step, at }: { runId: string; step?: string | undefined; at?: Moment | undefined }) {
  // It is asked by the listener below.
  const run = useCommand('run_get', { runId }, { refetchOnWindowFocus: false });
  const catalog = useCatalog();
  const failed = run.data ? null : run.error ?? catalog.error;
  const { refetch } = run;
  useEffect(() => {
    // Somebody else may have deleted it: one that has ended tells nothing of itself.
    const look = () => void refetch();
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [refetch]);
  if (failed) {
    return (
      <main className="start">
        <EmptyState title={t('run.cannotOpen')} text={errorText(failed)} actions={<>
          <Button variant="primary" icon="retry" onClick={() => { void run.refetch(); void catalog.refetch(); }}>{t('common.tryAgain')}</Button>
          <Button onClick={() => navigate({ screen: 'runs' })}>{t('run.toRuns')}</Button>
        </>} />
      </main>
    );
  }
  // A long run that went on since it was last looked at is opened as it stands now: its newest events are others.
  const older = run.data !== undefined && !isTerminal(run.data.status) && run.data.lastSeq > SIZES.page && run.isFetching && !run.isFetchedAfterMount;
  if (!run.data || !catalog.data || older) {
    return <main className="screen" aria-busy="true" aria-label={t('run.loading')}><header className="bar"><span className="sk" style={{ width: 180, height: 16 }} /></header><div style={{ padding: 16 }}><Skeleton rows={3} /></div></main>;
  }
  // With or without masks it is another run to look at: its events are read again.
  return <Run key={String(run.data.masked)} run={run.data} deleted={run.error?.code === 'NOT_FOUND'} catalog={catalog.data} step={step} at={at} />;
}

/** How often the cost of a long run that goes on is asked for. */
const USAGE_MS = 5000;

/** `deleted`: the host no longer has it; what was read of it is still shown. */
function Run({ run, deleted, catalog, step, at }: { run: RunDetails; deleted: boolean; catalog: NodeDescriptor[]; step: string | undefined; at: Moment | undefined }) {
  const editor = useMemo(() => createEditor(run.definition, { readOnly: true }), [run.runId]); // eslint-disable-line react/exhaustive-deps
  // Asked once: a run that ends while it is watched stays connected until its last event.
  const [ended] = useState(isTerminal(run.status) ? run.lastSeq : undefined);
  const { view: read, error, fold, loading, hold } = useRunView(run.runId, useMemo(() => titled(run.definition, catalog, run.kept), [run.definition, catalog, run.kept]), { ended, known: run });
  // As long as its events are read it stands as its row says: those that came first say that it runs.
  const begun = read !== null && read.lastSeq > 0;
  // Of one that was all here once, the row may know more than has come: that is news, and nothing to be read up.
  const [upWith, setUpWith] = useState<RunFold | null>(null);
  const caughtUp = upWith !== null && upWith === fold;
  if (begun && fold && !caughtUp && read.lastSeq >= run.lastSeq) setUpWith(fold);
  const behind = begun && !caughtUp && read.lastSeq < run.lastSeq;
  const known = begun && !behind;
  const waits = read !== null && !begun && run.status === 'queued';
  const view = useMemo(() => (behind ? viewWith(read, { status: run.status, behind: true }) : waits ? viewWith(read, { status: 'queued' }) : read), [behind, waits, read, run.status]);
  const travel = useTimeTravel({
    now: read, fold, at, step,
    onSettled: (seq) => {
      // A link that was just taken, and is not drawn yet, is not written over.
      const there = parseRoute(window.location.hash);
      if (there.screen !== 'run' || there.runId !== run.runId || there.at !== at) return;
      navigate({ screen: 'run', runId: run.runId, ...(step === undefined ? {} : { step }), ...(seq === undefined ? {} : { at: seq }) }, true);
    },
  });
  const time = useMemo(() => travel && view && { ...travel, now: view, view: travel.seq === null ? view : travel.view }, [travel, view]);
  const timeNow = useRef<TimeTravel | null>(null);
  useEffect(() => { timeNow.current = time; }, [time]);
  useActions(useMemo(() => timeActions(() => timeNow.current), []));
  const past = time !== null && time.seq !== null;
  useEffect(() => hold(past), [hold, past]);
  const words = useEventWords(time, run.definition, catalog);
  const notNow = past ? t('time.notNow') : undefined;
  usePageName(t('page.run', { name: run.workflowName, run: shortRunId(run.runId) }));
  const may = usePermission();
  const panes = usePanes();
  const { logOpen, onLogOpen, panelOpen, onPanelOpen } = panes;
  const [hideFailure, setHideFailure] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [comparing, setComparing] = useState(false);
  const [busy, setBusy] = useState(false);
  // Who deletes it here is on the way to the list.
  const gone = deleted && !deleting;
  const workflows = useCommand('workflow_list', {});
  const file = workflows.data?.find((entry) => entry.id === run.workflowId);
  // Who builds the workflow pins an output from any run of it.
  const pins = useWorkflowPins(file?.ref);
  const faulted = useMemo(() => faultedSteps(run.definition), [run.definition]);
  const faultMarks = useMemo(() => new Map(faulted.map((id) => [id, t('fault.ran')])), [faulted]);
  // What models cost in events that are not loaded, the host knows.
  const partial = isPartial(time?.view ?? view);
  const usage = useCommand('run_usage', { runId: run.runId }, { enabled: partial && !past, refetchInterval: ended === undefined ? USAGE_MS : false });
  const spent = partial ? (past ? undefined : usage.data?.total) : (time?.view ?? view)?.spent;
  const status = view && view.lastSeq > 0 ? view.status : run.status;
  // One that has ended shows earlier moments while its events are read: nothing of it goes on.
  const open = ended === undefined && !isTerminal(status);

  useEffect(() => {
    if (!isTerminal(status) || ended !== undefined) return;
    void queryClient.invalidateQueries({ queryKey: ['run_get'] });
    void queryClient.invalidateQueries({ queryKey: ['run_list'] });
  }, [status, ended]);

  // A run that goes on has nothing to begin again.
  const rests = isTerminal(status) || status === 'paused';
  const lastSeq = view?.lastSeq ?? 0;
  // There were so many when it was asked for; those of a run that goes on come later.
  const reading = behind && !error ? { at: lastSeq, of: run.lastSeq } : undefined;
  const offers = useMemo(() => (rests && !behind && !gone && lastSeq > 0 && may('run_rerun') ? { runId: run.runId, steps: rerunSteps(run.definition, ranIn(view), catalog), titleOf: namesIn(view, run.definition, (id) => titleOf(run.definition, id, catalog)), definition: run.definition } : null), [rests, behind, gone, lastSeq, run.runId, run.definition, catalog, may]); // eslint-disable-line react/exhaustive-deps
  const rerun = useRerunDialog(offers, useCallback((runId: string) => navigate({ screen: 'run', runId }), []));
  const { ask } = rerun;
  const actions = useMemo(() => [
    ...viewActions({ toggleLog: () => onLogOpen(!logOpen), togglePanel: () => onPanelOpen(!panelOpen) }),
    { id: 'run.compare', title: t('compare.action'), keys: [], icon: 'swap' as const, group: t('group.run'), run: () => setComparing(true) },
  ], [logOpen, onLogOpen, panelOpen, onPanelOpen]);
  useActions(actions);

  async function doing(work: () => Promise<unknown>) {
    // A second press before the first is answered would start a second run.
    if (busy) return;
    setBusy(true);
    await work();
    setBusy(false);
    // What was refused may be about a run that is not there any more.
    void queryClient.invalidateQueries({ queryKey: ['run_get', { runId: run.runId }] });
  }
  /** The same definition with the same input, as a new run. */
  const again = () => void doing(async () => {
    const started = await attempt(() => act('run_again', { runId: run.runId }), t('params.startFailed'));
    if (started) navigate({ screen: 'run', runId: started.runId });
  });
  const remove = () => void doing(async () => {
    if (await attempt(() => act('run_delete', { runId: run.runId }))) {
      toast({ signal: 'ok', text: t('runs.deleted') });
      navigate({ screen: 'runs' });
    }
    setDeleting(false);
  });
  const canvas = useRef<CanvasHandle | null>(null);
  const [ready, setReady] = useState<CanvasHandle | null>(null);
  // A banner or the log that comes later takes room; the step that failed, or that the run rests at, is what a person looks for. A link to a step leads there.
  const failed = status === 'failed' ? (view && failedAt(view, run.definition)) ?? run.failedStepId : undefined;
  const sought = failed ?? (view && !behind ? restsAt(view, run.definition) : undefined);
  useEffect(() => (step === undefined ? ready?.keepFitted(sought) : undefined), [ready, step, sought]);
  const onReady = useCallback((handle: CanvasHandle) => {
    canvas.current = handle;
    setReady(handle);
    if (step !== undefined && Object.hasOwn(run.definition.nodes, step)) handle.reveal(step);
  }, [step, run.definition]);
  const openStep = (nodeId: string) => {
    if (canvas.current) canvas.current.reveal(nodeId);
    else editor.select([nodeId]);
    onPanelOpen(true);
  };
  const trouble = useTrouble(run.runId, open);
  // A run that waits for a person is driven again by the answer. As long as its events are read its row says how many are asked.
  const openTasks = view && known ? view.tasks.length : run.openTasks.length;
  const asks = openTasks > 0;
  const debug = useDebugging({ workflowId: run.workflowId, document: run.definition, catalog, editor, runId: run.runId, view, past });
  // Whoever stopped it lets it go on; until its events are read the summary says so.
  const onPurpose = known ? debug.stopped : run.stopped !== undefined;
  const stopped = open && !run.driven && status !== 'created' && status !== 'queued' && !trouble && !asks && !onPurpose && run.place === undefined;
  const resume = () => void doing(() => attempt(() => act('run_resume', { runId: run.runId })));
  return (
    <LoadingContext value={loading}>
    <PinsContext value={pins}>
    <RerunContext value={past ? null : ask}>
      <Workbench editor={editor} catalog={catalog} diagnostics={null} view={time?.view ?? view} time={time} words={words} reading={reading} broken={error !== null && open} loading={view !== null && view.lastSeq === 0 && run.status !== 'created' && run.status !== 'queued' && !error} params={run.params} output={isTerminal(status) && !past ? run.output : undefined} breakpoints={debug.marks} faulted={faultMarks} underPanel={debug.line} workflowPanel={false} onReady={onReady} onRerun={past || gone || !may('run_rerun') ? undefined : (id) => ask?.(id)} {...panes}
        bar={(
          <header className="bar">
            <h1 className="ell shrink wb-run" title={plain(run.workflowName)}><bdi><Pieces text={run.workflowName} /></bdi></h1>
            <span className="s t2 nw" title={run.runId}>{t('run.title', { id: shortRunId(run.runId) })}</span>
            <StatusBadge status={status} openTaskCount={openTasks} place={status === 'queued' || trouble?.code === 'WAITS_FOR_WORKER' ? run.place : undefined} />
            <span className="opt-wide nw"><Badge signal="kept" title={t('run.pinnedHint')}>{t('builder.readOnly')}</Badge></span>
            <Origin run={run} catalog={catalog} view={view} />
            <Began run={run} supersededBy={view?.supersededBy} />
            <EndsAfter view={view} titleOf={(id) => titleOf(run.definition, id, catalog)} />
            <span className="grow" />
            <SpentChip spent={spent} />
            <span className="s t2 nw opt-wide">{t('run.started', { time: formatDateTime(run.startedAt) })}</span>
            <span className="opt"><FindButton /></span>
            <span className="vr" />
            <Menu trigger={<IconButton icon="dots" label={t('builder.more')} />} entries={[
              { id: 'copy', label: t('runs.copyId'), icon: 'copy', onSelect: () => void copyText(run.runId) },
              { id: 'compare', label: t('compare.open'), icon: 'swap', onSelect: () => setComparing(true) },
              { id: 'runs', label: t('builder.itsRuns'), icon: 'runs', onSelect: () => navigate({ screen: 'runs', workflow: run.workflowId }) },
              ...(may('run_delete') ? [null, { id: 'delete', label: t('run.delete'), icon: 'x' as const, danger: true, disabled: open || past || gone, onSelect: () => setDeleting(true) }] : []),
            ]} />
            {file ? <Button icon="flow" title={t('run.openWorkflow')} onClick={() => navigate({ screen: 'workflow', ref: file.ref })}><span className="word-wide">{t('run.openWorkflow')}</span></Button> : null}
            {debug.bar}
            {gone || !may(open ? 'run_cancel' : 'run_again') ? null : open
              ? <Button className="last" icon="stop" busy={busy} disabled={past} title={notNow} onClick={() => void doing(() => act('run_cancel', { runId: run.runId }).catch((cause: unknown) => showError(cause, t('run.cancelFailed'))))}>{t('builder.cancelRun')}</Button>
              : <Button className="last" variant={status === 'failed' && !hideFailure ? 'default' : 'primary'} icon="retry" busy={busy} onClick={again}>{t('run.again')}</Button>}
          </header>
        )}
        banners={<>
          {gone ? <Banner signal="warn" title={t('run.deleted')} actions={<Button onClick={() => navigate({ screen: 'runs' })}>{t('run.toRuns')}</Button>}><span className="s t2">{t('run.deletedText')}</span></Banner> : null}
          <PastBanner time={time} words={words} />
          {faulted.length > 0 ? <FaultedBanner steps={faulted.map((id) => titleOf(run.definition, id, catalog))} /> : null}
          {trouble && !gone ? <TroubleBanner trouble={trouble} onResume={may('run_resume') ? resume : undefined} busy={busy} /> : null}
          {status === 'queued' && !gone ? <Banner signal="wait" title={t('run.queued')}><span className="s t2">{t('run.queuedText')}</span></Banner> : null}
          {stopped && !gone ? (
            <Banner signal="warn" title={t('run.notDriven')} actions={may('run_resume') ? <Button variant="primary" icon="play" busy={busy} disabled={past} title={notNow} onClick={resume}>{t('run.resume')}</Button> : undefined}>
              <span className="s t2">{t('run.notDrivenText')}</span>
            </Banner>
          ) : null}
          {run.masked ? <MaskedBanner runId={run.runId} mayReveal={run.mayReveal} /> : null}
          {past || behind || gone ? null : debug.banner}
          {past || behind || gone ? null : <WaitingBanner view={view} />}
          {!past && !behind && view?.status === 'failed' && !hideFailure ? <FailureBanner view={view} document={run.definition} onOpenStep={openStep} onRunAgain={may('run_again') && !gone ? again : undefined} onRerun={ask ?? undefined} onClose={() => setHideFailure(true)} /> : null}
          <ConnectionBanner error={gone ? null : error} />
        </>} />
      <ConfirmDialog open={deleting} danger busy={busy} title={t('runs.deleteTitle')} text={t('runs.deleteText', { name: plain(run.workflowName) })}
        confirm={t('runs.deleteYes')} cancel={t('common.cancel')} late={t('common.noAnswer')} onConfirm={remove} onClose={() => setDeleting(false)} />
      {comparing ? <ChooseDialog run={run} onChoose={(id) => navigate({ screen: 'compare', ...inOrder(run.runId, id) })} onClose={() => setComparing(false)} /> : null}
      {debug.dialog}
      {rerun.dialog}
    </RerunContext>
    </PinsContext>
    </LoadingContext>
  );
}

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { sentences } from '../../api/error.ts';
import { isMissing, nodeOf, markTodos } from '../../api/diagnostics.ts';
import { useRunView } from '../../run/follow-run.ts';
import { LoadingContext } from '../../run/loading-context.ts';
import { useTimeTravel } from '../../run/time-travel.ts';
import { act, queryClient, useCommand, usePermission } from '../../api/queries.ts';
import { isTerminal } from '../../run/run-state.ts';
import type { CoverageFinding, JsonMap, NodeDescriptor, Workflow } from '../../api/types.ts';
import { useEditor, type CanvasHandle, type Edit, type TemplateId } from '../../features/canvas/index.ts';
import { portIds } from '../../features/canvas/model/ports.ts';
import { useActivation } from '../../features/automations/activation.tsx';
import { useLatest } from '../../code/use-latest.ts';
import { CoverageChip } from '../../features/coverage/coverage.tsx';
import { TestsChip } from '../../features/workflow-tests/tests-chip.tsx';
import { formatDateTime, t, tn } from '../../i18n/index.ts';
import { Badge, Banner, Button, EmptyState, Icon, IconButton, keysOf, ActionMenu, Menu, SignalIcon, Skeleton, toast, useActions, useAllActions } from '../../kit/index.ts';
import { sendable, withTitle, type Breakpoint } from '../../shared/breakpoints.ts';
import { useEventWords } from '../workbench/event-words.ts';
import { useDebugging } from '../workbench/use-debugging.ts';
import { titleOf } from '../../features/node-panel/index.ts';
import { usePageName } from '../../shared/page-title.ts';
import { FaultsContext } from '../../shared/faults.ts';
import { PinsContext, useWorkflowPins, withPins } from '../../shared/pins.ts';
import { RerunContext } from '../../shared/rerun-context.ts';
import { TriggerRunContext, type RunWithEvent } from '../../shared/trigger-run-context.ts';
import { NO_ORIGINS, type RunMade } from '../../features/rerun/origins.ts';
import { EndsAfter } from '../../features/rerun/ends-after.tsx';
import { ranIn, rerunSteps } from '../../features/rerun/steps.ts';
import { useRerunDialog } from '../../features/rerun/use-rerun-dialog.tsx';
import { namesIn } from '../../shared/format-path.ts';
import { StatusBadge } from '../../shared/run-status.tsx';
import { useCatalog } from '../../shared/use-catalog.ts';
import { timeActions } from '../../features/time-travel/actions.ts';
import { PastBanner } from '../../features/time-travel/past-banner.tsx';
import { attempt, showError, takePendingRun } from '../commands.ts';
import { FindButton } from '../frame.tsx';
import { ConnectionBanner } from '../workbench/connection-banner.tsx';
import { FailureBanner } from '../workbench/failure-banner.tsx';
import { WaitingBanner } from '../workbench/waiting-banner.tsx';
import { FaultedBanner } from '../workbench/faulted-banner.tsx';
import { TroubleBanner, useTrouble } from '../workbench/trouble-banner.tsx';
import { WorkflowName } from '../workbench/name.tsx';
import { titled } from '../workbench/titled.ts';
import { showLogOf, usePanes } from '../workbench/panes.ts';
import { Workbench } from '../workbench/workbench.tsx';
import { navigate } from '../router.ts';
import { builderActions } from './actions.ts';
import { refusedFor, useDiagnostics } from './diagnostics.ts';
import { askedSchema, firstValues, mustAsk } from './params.ts';
import { OutsideBanner } from './outside-banner.tsx';
import { ParamsDialog } from './params-dialog.tsx';
import { useSession, type Session } from './session.ts';
import { takeTyped } from './typed.ts';
import { useExport } from './use-export.tsx';
import { useFaultChoice } from './use-faults.tsx';
import { usePlan } from './use-plan.tsx';
import { useProof } from './use-proof.tsx';
import { useStepRuns } from './use-step-runs.tsx';
import { useChosenKind } from './chosen-kind.ts';
import { useSuggestedRule } from './suggested-rule.ts';
import { withoutUnfinished } from './without-unfinished.ts';

export function BuilderScreen({ fileRef }: { fileRef: string }) {
  const { session, error, retry } = useSession(fileRef);
  const catalog = useCatalog();
  const failed = error ?? catalog.error;
  const path = useCommand('workflow_list', {}, { enabled: error !== null }).data?.find((file) => file.ref === fileRef)?.path;
  if (failed) {
    return (
      <main className="start">
        <EmptyState title={t('builder.cannotOpen')} text={sentences(failed.message, failed.hint, path)} actions={<>
          <Button variant="primary" icon="retry" onClick={() => { retry(); void catalog.refetch(); }}>{t('common.tryAgain')}</Button>
          <Button onClick={() => navigate({ screen: 'workflows' })}>{t('builder.toGallery')}</Button>
        </>} />
      </main>
    );
  }
  if (!session || !catalog.data) {
    return <main className="screen" aria-busy="true" aria-label={t('builder.loading')}><header className="bar"><span className="sk" style={{ width: 180, height: 16 }} /></header><div style={{ padding: 16 }}><Skeleton rows={3} /></div></main>;
  }
  return <Builder session={session} catalog={catalog.data} />;
}

/** `paused`: it stops before its first step. `until`: it ends after this one. */
interface StartHow { paused?: boolean; until?: string }

/** The run shown on the canvas, with what it was started with; kept per file while the program is open. */
const lastRuns = new Map<string, RunMade & { kept?: readonly string[] | undefined }>();
const lastParams = new Map<string, JsonMap>();
/** The other ways to run, beside the one strong button. */
const RUN_MENU = [['run.start', 'run.with', 'debug.step'], ['run.only', 'run.onlyWith', 'run.to', 'run.from', 'run.rerunFrom'], ['run.fault', 'proof.open'], ['run.clear']];
const NOTHING_ASKED: ReadonlySet<string> = new Set();

function Builder({ session, catalog }: { session: Session; catalog: NodeDescriptor[] }) {
  const { editor } = session;
  const document = useEditor(editor, (state) => state.settled);
  usePageName(document.name);
  const dirty = useEditor(editor, (state) => state.dirty);
  const undoLabel = useEditor(editor, (state) => state.undoLabel);
  const redoLabel = useEditor(editor, (state) => state.redoLabel);
  const found = useDiagnostics(document, session.ref, session.diagnostics);
  /** Places that a refused run has named as missing. */
  const [asked, setAsked] = useState<ReadonlySet<string>>(NOTHING_ASKED);
  const diagnostics = useMemo(() => markTodos(found, asked), [found, asked]);
  const [renaming, setRenaming] = useState(false);
  const [asking, setAsking] = useState<{ params: JsonMap; how?: StartHow } | null>(null);
  const [runId, setRunId] = useState<string | null>(() => lastRuns.get(session.ref)?.runId ?? null);
  const panes = usePanes(runId);
  const { onLogOpen, onProblemsOpen } = panes;
  // The run of an earlier visit: it is there, its events have to be read.
  const [earlier] = useState(runId);
  const [definition, setDefinition] = useState<Workflow>(() => lastRuns.get(session.ref)?.definition ?? document);
  const [kept, setKept] = useState(() => lastRuns.get(session.ref)?.kept);
  const [origins, setOrigins] = useState(() => lastRuns.get(session.ref)?.origins ?? NO_ORIGINS);
  const [starting, setStarting] = useState(false);
  const [begun, setBegun] = useState<{ runId: string; breakpoints: readonly Breakpoint[] } | null>(null);
  const [cancelling, setCancelling] = useState(false);
  const [hideFailure, setHideFailure] = useState(false);
  const { view, error: runError, fold, loading: unloaded, hold } = useRunView(runId, useMemo(() => titled(definition, catalog, kept), [definition, catalog, kept]), { asks: earlier });
  const loading = view !== null && view.lastSeq === 0 && runId === earlier && !runError;
  const running = view !== null && !loading && !isTerminal(view.status);
  const trouble = useTrouble(runId, running);
  const time = useTimeTravel({ now: view, fold });
  const timeNow = useLatest(time);
  useActions(useMemo(() => timeActions(() => timeNow.current), [timeNow]));
  const past = time !== null && time.seq !== null;
  useEffect(() => hold(past), [hold, past]);
  const words = useEventWords(time, definition, catalog);
  const notNow = past ? t('time.notNow') : undefined;

  const canvas = useRef<CanvasHandle | null>(null);
  const onReady = useCallback((handle: CanvasHandle) => { canvas.current = handle; }, []);
  const logWasOpen = useLatest(panes.logOpen);
  /** A second press before the first is answered would start a second run. */
  const asksHost = useRef(false);
  const role = useCommand('who', {}, { staleTime: 60_000 }).data?.role;
  const known = useLatest(role);
  const may = usePermission();
  useEffect(() => { if (role !== undefined && role !== 'builder') session.lookOn(); }, [role, session]);

  const pins = useWorkflowPins(session.readOnly ? undefined : session.ref, editor.onRename);
  const pinsNow = useLatest(pins);
  const faults = useFaultChoice({ fileRef: session.ref, editor, document, catalog, pins, runId, may: may('run_start') && !session.readOnly });
  const faultsNow = useLatest(faults);

  /** Shows a run that has just begun. */
  const show = useCallback((id: string, sent: Workflow, breakpoints: readonly Breakpoint[], inherited?: readonly string[], from = NO_ORIGINS) => {
    lastRuns.set(session.ref, { runId: id, definition: sent, kept: inherited, origins: from });
    setDefinition(sent);
    setKept(inherited);
    setOrigins(from);
    setBegun({ runId: id, breakpoints });
    setHideFailure(false);
    setCancelling(false);
    setAsking(null);
    setRunId(id);
    // The button that was pressed goes away: the keys stay with the canvas, not with nothing. Who has gone on to a step or a box of the canvas
    // meanwhile stays there.
    if (!window.document.activeElement?.closest('[data-scope=panel], [data-scope=outline], .cv')) canvas.current?.focus();
    // The log takes room from the canvas, not the person: the graph stays in view.
    if (!logWasOpen.current) canvas.current?.fitWhenResized();
    showLogOf(id);
  }, [session.ref, logWasOpen]);

  const start = useCallback(async (params: JsonMap, { paused = false, until }: StartHow = {}) => {
    if (asksHost.current) return;
    asksHost.current = true;
    setStarting(true);
    try {
      // A run that begins with the screen is faster than the answer to who is there.
      const builds = (known.current ?? (await call('who', {})).role) === 'builder';
      // Who does not build runs what the file holds: that is what the run is drawn on.
      if (!builds && session.outside?.kind === 'changed') await session.reload();
      let sent = editor.getState().document;
      await pinsNow.current?.written();
      const pinned = builds && withPins(pinsNow.current).pins !== undefined;
      const ask = () => {
        const breakpoints = builds ? sendable(sent.id, sent) : [];
        const faulted = builds ? faultsNow.current.forRun(sent) : {};
        return act('run_start', { ...(builds ? { document: sent } : {}), ref: session.ref, params, ...(breakpoints.length ? { breakpoints } : {}), ...(paused ? { paused } : {}), ...(until === undefined ? {} : { until }), ...(pinned ? { pinned } : {}), ...(Object.keys(faulted).length ? { faults: faulted } : {}) })
          .then((answer) => ({ ...answer, breakpoints, faulted }));
      };
      const { runId: id, queued, breakpoints, faulted } = await ask()
        .catch((cause: unknown) => {
          const less = builds && until !== undefined ? withoutUnfinished(sent, until, cause) : null;
          if (!less) throw cause;
          sent = less;
          return ask();
        })
        .catch((cause: unknown) => { throw withTitle(cause, (step) => titleOf(sent, step, catalog)); });
      lastParams.set(session.ref, params);
      if (Object.keys(faulted).length) faultsNow.current.used(id, faulted);
      if (queued) toast({ signal: 'info', text: t('run.queued'), detail: t('run.queuedText') });
      show(id, sent, breakpoints);
    } finally {
      asksHost.current = false;
      setStarting(false);
    }
  }, [editor, session, show, known, catalog, pinsNow, faultsNow]);

  const runAs = useCallback((how: StartHow = {}) => {
    takeTyped();
    const schema = askedSchema(editor.getState().document);
    const params = schema ? firstValues(schema, lastParams.get(session.ref)) : {};
    if (mustAsk(schema, params)) setAsking({ params, how });
    else start(params, how).catch((cause: unknown) => {
      const list = refusedFor(cause);
      if (list === null) {
        showError(cause, t('params.startFailed'));
        return;
      }
      const missing = list.filter(isMissing);
      setAsked(new Set(missing.map((one) => one.path)));
      onProblemsOpen(true);
      if (missing.length < list.length) showError(cause, t('params.startFailed'));
      else if (missing.every((one) => one.code === 'EMPTY_WORKFLOW')) toast({ signal: 'warn', text: t('todo.runEmpty'), detail: t('todo.runEmptyHint') });
      else {
        toast({ signal: 'warn', text: tn('todo.run', missing.length) });
        const first = missing.map((one) => nodeOf(one, editor.getState().document)).find((id) => id !== undefined);
        if (first !== undefined) canvas.current?.reveal(first);
      }
    });
  }, [editor, session.ref, start, onProblemsOpen]);
  const run = useCallback(() => runAs(), [runAs]);
  const stepStart = useCallback(() => runAs({ paused: true }), [runAs]);
  const startTo = useCallback((until: string) => runAs({ until }), [runAs]);

  /** Starts the draft as a trigger would, with an event that was received or made up. */
  const runWithEvent = useCallback<RunWithEvent>((nodeId, payload) => {
    takeTyped();
    const schema = askedSchema(editor.getState().document);
    const params = { ...(schema ? firstValues(schema, lastParams.get(session.ref)) : {}), _trigger: { triggerId: payload?.['triggerId'] ?? null, nodeId, ...(payload ? { payload } : {}) } };
    start(params).catch((cause: unknown) => showError(cause, t('params.startFailed')));
  }, [editor, session.ref, start]);

  /** Asks for the values even when all of them have defaults. */
  const runWith = useCallback(() => {
    const schema = askedSchema(editor.getState().document);
    if (schema) setAsking({ params: firstValues(schema, lastParams.get(session.ref)) });
  }, [editor, session.ref]);
  const asksValues = useMemo(() => askedSchema(document) !== null, [document]);

  const cancel = useCallback(async () => {
    if (!runId) return;
    setCancelling(true);
    try {
      await act('run_cancel', { runId });
    } catch (cause) {
      showError(cause, t('run.cancelFailed'));
      setCancelling(false);
    }
  }, [runId]);

  // Lists show the end of the run without waiting for their next look.
  const status = view?.status;
  useEffect(() => {
    if (status && isTerminal(status)) {
      void queryClient.invalidateQueries({ queryKey: ['run_list'] });
      void queryClient.invalidateQueries({ queryKey: ['run_step_data'] });
      void queryClient.invalidateQueries({ queryKey: ['workflow_list'] });
    }
  }, [status]);

  const wanted = useRef(false);
  useEffect(() => {
    if (wanted.current || !takePendingRun(session.ref)) return;
    wanted.current = true;
    run();
  }, [run, session.ref]);

  useSuggestedRule(session, catalog, canvas);
  useChosenKind(session, catalog, canvas);

  const rests = view !== null && !loading && (isTerminal(view.status) || view.status === 'paused');
  const lastSeq = view?.lastSeq ?? 0;
  // With the document as it is now the current version is what the editor shows, saved or not.
  const offers = useMemo(() => (rests && runId && may('run_rerun') ? { runId, steps: rerunSteps(definition, ranIn(view), catalog), titleOf: namesIn(view, definition, (id) => titleOf(definition, id, catalog)), definition, document: session.readOnly ? undefined : document } : null), [rests, lastSeq, runId, definition, document, session.readOnly, catalog, may]); // eslint-disable-line react/exhaustive-deps
  const rerun = useRerunDialog(offers, useCallback((id: string) => navigate({ screen: 'run', runId: id }), []));
  const { ask } = rerun;

  const debug = useDebugging({ workflowId: document.id, document, ran: definition, catalog, editor, runId, view: loading ? null : view, past, begun, stepStart, canStart: !running && !starting && !loading });
  const steps = useStepRuns({ editor, catalog, runId, view: loading ? null : view, ran: definition, origins, pins, past, startTo, begun: show });
  const pinMarks = useMemo(() => new Map(Object.keys(pins?.steps ?? {}).map((id) => [id, t('pins.mark')])), [pins]);
  const { logOpen, panelOpen, onPanelOpen, problemsOpen } = panes;
  const barKeys = useBarKeys();
  const plan = usePlan({ session, catalog, runId, canvas, keys: barKeys.plan });
  const actions = useMemo(() => builderActions({
    // The title bar says that it is saved.
    save: () => { takeTyped(); void session.save(); },
    canSave: () => !session.readOnly,
    undo: () => editor.undo(),
    canUndo: () => !session.readOnly && undoLabel !== null,
    redo: () => editor.redo(),
    canRedo: () => !session.readOnly && redoLabel !== null,
    run,
    canRun: () => !running && !starting && !loading && may('run_start'),
    runWith,
    canRunWith: () => asksValues && !running && !starting && may('run_start'),
    cancel: () => void cancel(),
    canCancel: () => running && !past && may('run_cancel'),
    toggleLog: () => onLogOpen(!logOpen),
    togglePanel: () => onPanelOpen(!panelOpen),
    problems: () => onProblemsOpen(!problemsOpen),
    rename: () => setRenaming(true),
    canEdit: () => !session.readOnly,
    clearRun: () => {
      lastRuns.delete(session.ref);
      setRunId(null);
    },
    canClearRun: () => runId !== null && !running,
  }), [past, session, editor, undoLabel, redoLabel, run, running, starting, loading, cancel, runWith, asksValues, may, onLogOpen, logOpen, onPanelOpen, panelOpen, onProblemsOpen, problemsOpen, runId]);
  useActions(actions);
  const openStep = (nodeId: string) => {
    if (canvas.current) canvas.current.reveal(nodeId);
    else editor.select([nodeId]);
    onPanelOpen(true);
  };
  const applyFix = ({ template, port, edits, label }: NonNullable<CoverageFinding['fix']>, stepId: string | undefined) => {
    if (template !== undefined && port !== undefined) canvas.current?.addTemplate(template as TemplateId, port);
    else editor.apply(edits as unknown as Edit[], { label, ...(stepId === undefined ? {} : { select: [stepId] }) });
  };
  const fix = (finding: CoverageFinding) => applyFix(finding.fix ?? { edits: [], label: '' }, finding.stepId);
  const proof = useProof({ session, document, catalog, onFix: applyFix, onShow: openStep });
  const titles = useMemo(() => new Map(Object.keys(document.nodes).map((id) => [id, titleOf(document, id, catalog)])), [document, catalog]);
  const exporting = useExport({ session, document, dirty, catalog, onShow: openStep });
  const duplicate = async () => {
    const made = await attempt(() => act('workflow_duplicate', { ref: session.ref, name: t('gallery.copyName', { name: document.name }) }));
    if (made) navigate({ screen: 'workflow', ref: made.ref });
  };

  const activation = useActivation({
    document, current: () => editor.getState().document, fileRef: session.ref, catalog, readOnly: session.readOnly,
    pinned: Object.keys(pins?.steps ?? {}).filter((id) => Object.hasOwn(document.nodes, id)).map((id) => titleOf(document, id, catalog)),
    // One step of undo, whatever differs.
    onRestore: (version) => {
      const keys = [...new Set([...Object.keys(document), ...Object.keys(version)])].filter((key) => key !== 'id');
      editor.apply(keys.map((key) => ({ type: 'set', path: [key], value: version[key as keyof Workflow] }) as const), { label: t('activate.versionRestore') });
    },
    onShow: (problem) => { const id = nodeOf(problem, document); if (id !== undefined) openStep(id); },
  });
  const bar = (
    <header className={running ? 'bar live' : view && !loading ? 'bar ran' : 'bar'}>
      <WorkflowName name={document.name} editing={renaming} onEditing={setRenaming} readOnly={session.readOnly}
        onRename={(name) => editor.apply({ type: 'set', path: ['name'], value: name }, { label: t('builder.rename') })} />
      <SaveState session={session} dirty={dirty} />
      {view && !loading ? <><StatusBadge status={view.status} openTaskCount={view.tasks.length} />{view.until === undefined ? null : <span className="wb-ends"><EndsAfter view={view} titleOf={(id) => titleOf(definition, id, catalog)} /></span>}</> : null}
      <span className="grow" />
      <CoverageChip document={document} readOnly={session.readOnly} onFix={fix} onShow={openStep} onProof={proof.onProof} onProve={proof.prove} />
      <TestsChip fileRef={session.ref} document={document} catalog={catalog} portsOf={portIds} titles={titles} onShow={openStep} onProve={proof.prove} />
      {plan.button}
      <span className="opt"><FindButton /></span>
      <span className="vr opt" />
      <span className="row gap1">
        <IconButton icon="undo" label={undoLabel ? t('builder.undoOf', { what: undoLabel }) : t('builder.undo')} keys={barKeys.undo} disabled={undoLabel === null || session.readOnly} onClick={() => editor.undo()} />
        <IconButton icon="redo" label={redoLabel ? t('builder.redoOf', { what: redoLabel }) : t('builder.redo')} keys={barKeys.redo} disabled={redoLabel === null || session.readOnly} onClick={() => editor.redo()} />
      </span>
      <Menu trigger={<IconButton icon="dots" label={t('builder.more')} />} entries={[
        { id: 'rename', label: t('builder.rename'), icon: 'pencil', disabled: session.readOnly, onSelect: () => setRenaming(true) },
        ...(may('workflow_duplicate') ? [{ id: 'duplicate', label: t('builder.duplicate'), icon: 'copy' as const, onSelect: () => void duplicate() }] : []),
        { id: 'runs', label: t('builder.itsRuns'), icon: 'runs', onSelect: () => navigate({ screen: 'runs', workflow: document.id }) },
        ...(may('health_get') ? [{ id: 'health', label: t('health.open'), icon: 'signal' as const, onSelect: () => navigate({ screen: 'health', workflow: document.id }) }] : []),
        ...exporting.entries,
        ...activation.entries,
      ]} />
      <Button busy={session.saving} disabled={session.readOnly || (!dirty && session.outside?.kind !== 'gone')} title={session.path} onClick={() => void session.save()} keys={barKeys.save}>{t('builder.save')}</Button>
      {activation.bar}
      {debug.bar}
      {running
        ? <Button className="last" icon="stop" busy={cancelling} disabled={past || !may('run_cancel')} title={notNow} onClick={() => void cancel()}>{cancelling ? t('builder.cancelling') : t('builder.cancelRun')}</Button>
        : (
          <span className="btn-split last">
            <Button variant="primary" icon="play" busy={starting} disabled={loading || !may('run_start')} title={may('run_start') ? undefined : t('builder.runRole')} keys={barKeys.run} onClick={run}>{t('builder.run')}</Button>
            <ActionMenu groups={RUN_MENU} trigger={<IconButton icon="down" variant="default" className="pri" label={t('builder.runMore')} disabled={loading || starting || !may('run_start')} />} />
          </span>
        )}
    </header>
  );

  return (
    <LoadingContext value={unloaded}>
    <PinsContext value={pins}>
    <FaultsContext value={faults.choice}>
    <RerunContext value={past ? null : ask}>
      <TriggerRunContext value={running || starting || loading || past || !may('run_start') ? null : runWithEvent}>
      <Workbench editor={editor} catalog={catalog} diagnostics={diagnostics} view={time?.view ?? view} time={time} words={words} loading={loading} broken={runError !== null && running} bar={bar} breakpoints={debug.marks} underPanel={<>{steps.line}{past ? null : faults.line}{debug.line}</>} stale={steps.stale} pinned={pinMarks} faulted={faults.marks} proved={proof.marks} onStepRun={steps.run} workflowPanel planner={plan.panel} preview={plan.preview} onReady={onReady} onRerun={past || !may('run_rerun') ? undefined : (id) => ask?.(id)} {...panes} banners={<>
        {session.draft ? <DraftBanner session={session} savedAt={session.draft.savedAt} dirty={dirty} /> : null}
        {session.outside ? <OutsideBanner session={session} dirty={dirty} /> : null}
        <PastBanner time={time} words={words} />
        {view && faults.ran.length > 0 ? <FaultedBanner steps={faults.ran} /> : null}
        {trouble && !past ? <TroubleBanner trouble={trouble} onResume={may('run_resume') ? () => void attempt(() => act('run_resume', { runId: runId ?? '' })) : undefined} /> : null}
        {past ? null : debug.banner}
        {past ? null : <WaitingBanner view={view} />}
        {!past && view?.status === 'failed' && !hideFailure ? <FailureBanner view={view} document={document} onOpenStep={openStep} onRunAgain={may('run_start') ? run : undefined} onRerun={ask ?? undefined} onClose={() => setHideFailure(true)} /> : null}
        <ConnectionBanner error={running ? runError : null} />
      </>} />
      {asking ? <AskParams document={document} first={asking.params} onStart={(params) => start(params, asking.how)} onClose={() => setAsking(null)} /> : null}
      {activation.dialog}
      {debug.dialog}
      {steps.dialog}
      {rerun.dialog}
      {proof.dialog}
      {exporting.dialog}
      {faults.dialog}
      </TriggerRunContext>
    </RerunContext>
    </FaultsContext>
    </PinsContext>
    </LoadingContext>
  );
}

/** The keys that are set now, for the buttons of the bar. */
function useBarKeys() {
  const all = useAllActions();
  return useMemo(() => {
    const of = (id: string) => {
      const action = all.find((candidate) => candidate.id === id);
      return action && keysOf(action)[0];
    };
    return { undo: of('edit.undo'), redo: of('edit.redo'), save: of('workflow.save'), run: of('run.start'), plan: of('plan.open') };
  }, [all]);
}

function AskParams({ document, first, onStart, onClose }: { document: Workflow; first: JsonMap; onStart(params: JsonMap): Promise<void>; onClose(): void }) {
  const schema = useMemo(() => askedSchema(document), [document]);
  return schema ? <ParamsDialog name={document.name} schema={schema} first={first} onStart={onStart} onClose={onClose} /> : null;
}

function SaveState({ session, dirty }: { session: Session; dirty: boolean }) {
  if (session.readOnly) return <Badge signal="kept" title={t(session.looksOn ? 'builder.readOnlyRole' : 'builder.readOnlyHint')}>{t('builder.readOnly')}</Badge>;
  // What was saved is not there any more: the banner says so.
  if (session.outside?.kind === 'gone' && !dirty) return null;
  if (session.saving) return <span className="s t2 row gap1 nw"><SignalIcon signal="run" />{t('builder.saving')}</span>;
  if (dirty) return <span className="s t2 row gap1 nw" title={session.path}><span className="dirty-dot" aria-hidden="true" />{t('builder.unsaved')}</span>;
  return (
    <span className="s t2 wb-saved" title={session.path}><span className="row gap1 nw"><Icon name="check" size={12} />{t('builder.saved')}</span><span className="wb-revision nw">, {t('builder.revision', { revision: session.revision.slice(0, 7) })}</span></span>
  );
}

function DraftBanner({ session, savedAt, dirty }: { session: Session; savedAt: string; dirty: boolean }) {
  return (
    <Banner signal="info" title={t('builder.draftTitle', { when: formatDateTime(savedAt) })} actions={<>
      <Button variant="primary" onClick={() => { session.restoreDraft(); toast({ signal: 'ok', text: t('builder.draftRestored') }); }}>{t('builder.draftRestore')}</Button>
      <Button onClick={() => { session.discardDraft().catch(showError); }}>{t('builder.draftDiscard')}</Button>
    </>}>
      <span className="s t2">{t('builder.draftText')}{dirty ? ` ${t('builder.draftBeside')}` : ''}</span>
    </Banner>
  );
}

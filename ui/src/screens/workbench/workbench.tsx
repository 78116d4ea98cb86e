/** Canvas, right panel, detail log and status bar: the same for drawing and for looking at a run. */
import './workbench.css';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { errorText } from '../../api/error.ts';
import { EVERY, viewAt, type Choice } from '../../run/run-paths.ts';
import type { CallCard, RunView } from '../../run/run-state.ts';
import { useRounds } from '../../run/use-rounds.ts';
import { useCommand } from '../../api/queries.ts';
import { usePaneSize } from '../../api/settings.ts';
import type { Diagnostic, NodeDescriptor } from '../../api/types.ts';
import { useEditor, type EditorStore } from '../../features/canvas/editor.ts';
import { Canvas, type Fate, type ProofMark, canvasActions, toolActions, withRoomForTitle, type CanvasHandle, type Edit } from '../../features/canvas/index.ts';
import { fileOf, openFile, type PanelTab, titleOf } from '../../features/node-panel/index.ts';
import { rerunPlace } from '../../features/rerun/steps.ts';
import { stepPlace, type StepRun } from '../../features/rerun/step-runs.ts';
import { TimeBar, type EventWords } from '../../features/time-travel/time-bar.tsx';
import type { TimeTravel } from '../../run/time-travel.ts';
import { DetailLog, eventText } from '../../features/run-log/index.ts';
import { t } from '../../i18n/index.ts';
import { commandReader } from '../parts/paste-command.ts';
import { showTemplates } from '../parts/templates-dialog.tsx';
import { Button, SplitPane, toast, useActions } from '../../kit/index.ts';
import { MomentContext } from '../../kit/use-now.ts';
import { rerunAction, stepRunActions } from '../builder/actions.ts';
import { StepPanel } from './step-panel.tsx';
import { AllowFolder } from './allow-folder.tsx';
import { FirstStep } from './first-step.tsx';
import { useKeptFocus } from '../../shared/keep-focus.ts';
import { fullPanelActions, useFullPanel } from './full-panel.ts';
import { MENUS, panelActions } from './menus.ts';
import { setOpenGraph } from '../open-graph.ts';
import { Problems } from './problems.tsx';
import { RunPanel } from './run-panel.tsx';
import { StatusBar } from './status-bar.tsx';
import { operationEntries } from '../../code/connector-step.ts';
import { toolEntries } from './tool-entries.ts';

export interface WorkbenchProps {
  editor: EditorStore;
  catalog: NodeDescriptor[];
  /** `null`: nothing to check (an old run). */
  diagnostics: Diagnostic[] | null;
  view: RunView | null;
  /** The moments of a run can be looked at; `view` is the one that is. */
  time?: TimeTravel | null;
  /** Events in words, for the line of time. */
  words?: EventWords;
  /** The run was there before this screen, and its events are still being read. */
  loading?: boolean;
  /** Nothing comes of the run any more: nobody knows whether it goes on. */
  broken?: boolean;
  /** So many of its events are read: what is shown is an earlier moment of it. */
  reading?: { at: number; of: number } | undefined;
  /** The run's input and output, where they are known. */
  params?: unknown;
  output?: unknown[];
  bar: ReactNode;
  /** The planner, in the place of the panel; and what it proposes, drawn in the place of the document. */
  planner?: ReactNode;
  preview?: { editor: EditorStore; marks: ReadonlyMap<string, string>; fates: ReadonlyMap<string, Fate> } | null;
  /** Breakpoints: on the canvas, and under the panel. */
  breakpoints?: ReadonlyMap<string, string> | undefined;
  underPanel?: ReactNode;
  /** Opens the dialog of a re-run; absent where none can begin, whatever the run does. */
  onRerun?: ((step: string) => void) | undefined;
  /** Runs a step alone, up to it, or from it; absent where nobody may. */
  onStepRun?: ((kind: StepRun, step: string) => void) | undefined;
  /** Steps whose result is not what they would make now, and why in words. */
  stale?: ReadonlyMap<string, string> | undefined;
  /** Steps with pinned output, and what that means in words. */
  pinned?: ReadonlyMap<string, string> | undefined;
  /** Steps with a fault, in the next run or in this one, and which in words. */
  faulted?: ReadonlyMap<string, string> | undefined;
  /** What the last proof of this definition says about steps. */
  proved?: ReadonlyMap<string, ProofMark> | undefined;
  banners: ReactNode;
  logOpen: boolean;
  onLogOpen(open: boolean): void;
  panelOpen: boolean;
  onPanelOpen(open: boolean): void;
  problemsOpen: boolean;
  onProblemsOpen(open: boolean): void;
  /** The workflow's own settings can be shown (not for a run's pinned definition). */
  workflowPanel: boolean;
  onReady?(canvas: CanvasHandle): void;
}

const NONE: Diagnostic[] = [];

export function Workbench(props: WorkbenchProps) {
  const { editor, catalog, view: whole, diagnostics, logOpen, panelOpen, loading = false, time = null } = props;
  const document = useEditor(editor, (state) => state.settled);
  // One choice for canvas, panel and log; another run begins as a whole.
  const runId = whole?.runId ?? '';
  const [chosen, setChosen] = useState<{ runId: string; choice: Choice }>({ runId, choice: EVERY });
  const choice = chosen.runId === runId ? chosen.choice : EVERY;
  const choose = useCallback((next: Choice) => setChosen({ runId, choice: next }), [runId]);
  const read = useRounds(whole, document, choice);
  const view = useMemo(() => read && viewAt(read, document, choice), [read, document, choice]);
  const selected = useEditor(editor, (state) => state.selection.nodes);
  const readOnly = useEditor(editor, (state) => state.readOnly);
  // Rules, pauses and errors need more room than settings (VISUAL): each has a width of its own, and who drew one wide keeps it.
  const [shownTab, setShownTab] = useState<PanelTab | null>(null);
  const ordinary = usePaneSize('panel', 360);
  const roomy = usePaneSize('panel.error', Math.max(520, ordinary[0]));
  const [panelSize, setPanelSize] = shownTab === 'error' ? roomy : ordinary;
  const [logSize, setLogSize] = usePaneSize('log', logHeight(window.innerHeight));
  const found = diagnostics ?? NONE;

  const { onPanelOpen, onReady } = props;
  const [handle, setHandle] = useState<CanvasHandle | null>(null);
  const ready = useCallback((next: CanvasHandle) => {
    setHandle(next);
    onReady?.(next);
    // An empty canvas says "press Tab": then the keys must be its own.
    const { document: now, readOnly: looksOnly } = editor.getState();
    if (!looksOnly && Object.keys(now.nodes).length === 0 && window.document.activeElement === window.document.body) next.focus();
  }, [onReady, editor]);
  // What is proposed cannot be edited before it is accepted.
  const shownEditor = props.preview?.editor ?? editor;
  const fixed = readOnly || shownEditor !== editor;
  const readPasted = useMemo(() => commandReader(() => editor.getState().document), [editor]);
  const approved = useCommand('tool_list', {}, { staleTime: 30_000, enabled: !readOnly }).data;
  const tools = useMemo(() => (readOnly ? [] : toolEntries(approved ?? [])), [readOnly, approved]);
  const connectors = useCommand('connector_list', {}, { staleTime: 30_000, enabled: !readOnly }).data;
  const operations = useMemo(() => (readOnly ? [] : operationEntries(connectors ?? [])), [readOnly, connectors]);
  useActions(useMemo(() => (handle ? [...canvasActions(shownEditor, handle, fixed ? [] : catalog), ...(fixed ? [] : toolActions(editor, handle, catalog, tools))] : []), [editor, shownEditor, fixed, handle, catalog, tools]));

  // A part that closes may have had the focus: the keys go back to the canvas, not to nothing.
  const { problemsOpen } = props;
  const shownBefore = useRef({ panelOpen, logOpen, problemsOpen });
  useEffect(() => {
    const before = shownBefore.current;
    shownBefore.current = { panelOpen, logOpen, problemsOpen };
    const closed = (before.panelOpen && !panelOpen) || (before.logOpen && !logOpen) || (before.problemsOpen && !problemsOpen);
    if (closed && window.document.activeElement === window.document.body) handle?.focus();
  }, [panelOpen, logOpen, problemsOpen, handle]);

  const go = useCallback((nodeId: string | undefined, options?: { focus: boolean }) => {
    if (!nodeId) {
      editor.select([]);
      return;
    }
    if (handle) handle.reveal(nodeId, options);
    else editor.select([nodeId]);
    onPanelOpen(true);
  }, [editor, handle, onPanelOpen]);
  // The log is gone through by keys, and follows a run by itself: the keys stay where they are. Who types in the panel keeps the step that is in it.
  const goFromLog = useCallback((nodeId: string | undefined) => {
    if (!window.document.activeElement?.closest(PANEL_FIELD)) go(nodeId, { focus: false });
  }, [go]);
  /** The tab that was asked for, until another one is chosen. */
  const [wanted, setWanted] = useState<{ id: string; tab: PanelTab } | null>(null);
  useActions(useMemo(() => panelActions(editor, (id, tab) => {
    setWanted({ id, tab });
    onPanelOpen(true);
  }), [editor, onPanelOpen]));
  // Asked when a key or a menu is pressed, and not with each event of the run.
  const picked = useRef<CallCard | undefined>(undefined);
  const [at, setAt] = useState<{ nodeId: string; path: string | undefined }>();
  const onPicked = useCallback((card: CallCard | undefined) => {
    picked.current = card;
    setAt((before) => (card && before?.nodeId === card.nodeId && before.path === card.path ? before : card && { nodeId: card.nodeId, path: card.path }));
  }, []);
  const { onRerun, onStepRun } = props;
  const now = useRef({ view, document, catalog, onRerun, onStepRun });
  useEffect(() => { now.current = { view, document, catalog, onRerun, onStepRun }; });
  useActions(useMemo(() => [...stepRunActions((kind) => {
    const { view: run, document: drawn, catalog: kinds, onStepRun: ask } = now.current;
    const [id, ...others] = editor.getState().selection.nodes;
    return ask && id !== undefined && others.length === 0 ? stepPlace(kind, run, drawn, kinds, id, picked.current) : null;
  }, (kind, step) => now.current.onStepRun?.(kind, step)), rerunAction(() => {
    const { view: run, document: drawn, catalog: kinds, onRerun: ask } = now.current;
    const [id, ...others] = editor.getState().selection.nodes;
    return run && ask && id !== undefined && others.length === 0 ? rerunPlace(run, drawn, kinds, id, picked.current) : null;
  }, (step) => now.current.onRerun?.(step))], [editor]));
  const { data: library, refetch: askLibrary } = useCommand('workflow_list', {}, { enabled: Object.values(document.nodes).some((node) => node.type === SUB_WORKFLOW) });
  const { workflowPanel, onLogOpen } = props;
  const here = useRef(true);
  useEffect(() => {
    here.current = true;
    return () => { here.current = false; };
  }, []);
  /** A step that runs another file leads to that file; in a run to what ran there, which stands in the log: the file of today may be another one. */
  const enterNode = useCallback((id: string): boolean => {
    const node = editor.getState().document.nodes[id];
    const wanted = node?.type === SUB_WORKFLOW ? (node.config as { workflow?: unknown } | undefined)?.workflow : undefined;
    if (typeof wanted !== 'string' || wanted === '') return false;
    if (!workflowPanel) {
      // What never ran has nothing inside.
      const ran = now.current.view?.nodes[id];
      if (!ran?.calls && !ran?.unloaded) return false;
      onLogOpen(true);
      go(id);
      return true;
    }
    const enter = (entries: typeof library) => {
      const file = fileOf(wanted, entries);
      if (file) openFile(file);
      else say(t('subworkflow.notFound', { id: wanted }), 'err');
    };
    // What has not been told yet may be there all the same. Who has left meanwhile is not taken away from where they went.
    if (library) enter(library);
    else void askLibrary().then(({ data, error }) => (!here.current ? undefined : error ? say(errorText(error), 'err') : enter(data)));
    return true;
  }, [editor, library, askLibrary, workflowPanel, onLogOpen, go]);

  useEffect(() => {
    setOpenGraph({ document, select: (id) => go(id), titleOf: (id) => titleOf(document, id, catalog) });
    return () => setOpenGraph(null);
  }, [document, go, catalog]);

  const only = selected.length === 1 ? selected[0] : undefined;
  const workBox = useRef<HTMLDivElement>(null);
  const { full, setFull, panelBox, leavePanel, enterPanel } = useFullPanel(only, panelOpen, handle);
  useKeptFocus(workBox, '.node-panel');
  const openNode = useCallback((_id: string, keys = false) => {
    onPanelOpen(true);
    if (keys) enterPanel();
  }, [onPanelOpen, enterPanel]);
  useActions(useMemo(() => fullPanelActions(() => editor.getState().selection.nodes.length === 1, () => {
    onPanelOpen(true);
    setFull((now) => !now);
  }), [editor, onPanelOpen, setFull]));
  const empty = useMemo(() => (handle && !readOnly && Object.keys(document.nodes).length === 0 ? <FirstStep editor={editor} catalog={catalog} handle={handle} /> : null), [document, readOnly, handle, editor, catalog]);
  const kindsByType = useMemo(() => new Map(catalog.map((kind) => [kind.type, kind])), [catalog]);
  const nodePanel = (ids: readonly string[]) => (
    <StepPanel editor={editor} selected={ids} catalog={catalog} diagnostics={found} run={view} at={at} readOnly={readOnly}
      {...(wanted && wanted.id === ids[0] ? { tab: wanted.tab } : {})} onTab={() => setWanted(null)} onShown={setShownTab} empty={empty} full={full} onFull={setFull}
      onEdit={(edits, options) => editor.apply(withRoomForTitle(editor.getState().document, kindsByType, [edits].flat() as readonly Edit[]), options)} onSelect={(id) => go(id)}
      {...(props.onStepRun ? { onTry: (id: string) => props.onStepRun?.('to', id) } : {})}
      {...(handle ? { onEachEntry: (id: string, field: string) => handle.addBehind(id, SPLIT_LIST, field === '' ? {} : { config: { field } }) } : {})} />
  );
  const { planner, preview = null } = props;
  const planning = Boolean(planner);
  const ownPanel = useMemo(() => {
    if (!panelOpen || planning) return null;
    if (selected.length === 0 && view) {
      return <RunPanel view={view} definition={document} loading={loading} params={props.params} output={props.output} workflow={props.workflowPanel ? nodePanel(NO_IDS) : undefined} />;
    }
    return <div className="wb-panel wb-step" data-scope="panel">{nodePanel(selected)}</div>;
    // Every value that the panel draws from is listed.
  }, [handle, panelOpen, planning, selected, view, loading, document, catalog, found, readOnly, at, wanted, empty, full, setFull, props.params, props.output, props.workflowPanel]); // eslint-disable-line react/exhaustive-deps

  const panel = planner ?? ownPanel;
  const panelShown = panelOpen || planning;

  const { broken = false } = props;
  const [brokenMs, setBrokenMs] = useState<number>();
  useEffect(() => setBrokenMs(broken ? Date.now() : undefined), [broken]);
  // What is still being read stands at the newest event that has come.
  const readMs = view?.behind ? Date.parse(view.events.at(-1)?.ts ?? '') : NaN;
  return (
    <AllowFolder document={document} catalog={catalog} readOnly={readOnly}>
    <MomentContext value={brokenMs ?? (Number.isNaN(readMs) ? undefined : readMs)}>
    <main className={`wb ${time !== null && time.seq !== null ? 'past' : ''} ${broken ? 'broken' : ''}`}>
      {props.bar}
      <div className="wb-banners">{props.banners}</div>
      <div className="wb-main" ref={workBox}>
        {/* The panel is beside canvas and log, not above the log: its settings keep their height when the log opens. */}
        <SplitPane side="right" size={panelSize} min={280} max={900} collapsed={!panelShown} over={full} onResize={setPanelSize} label={t('builder.panelHandle')}
          onToggle={() => props.onPanelOpen(!panelOpen)} pane={panel ? <div className="dbg-panel" ref={panelBox} tabIndex={-1} onKeyDown={leavePanel}><div className="dbg-all">{panel}{props.underPanel && !planner ? <div className="dbg-under">{props.underPanel}</div> : null}</div></div> : null}>
          <SplitPane side="bottom" size={logSize} min={120} max={4000} reserve={time ? TIME_BAR : 0} collapsed={!logOpen} onResize={setLogSize} label={t('builder.logHandle')}
            onToggle={() => props.onLogOpen(!logOpen)}
            pane={logOpen ? <DetailLog run={view} time={time} loading={loading} document={document} selected={selected[0]} onSelectNode={goFromLog} onChoose={choose} onPicked={onPicked} /> : null}>
            <div className="wb-canvas">
              <Canvas editor={preview?.editor ?? editor} catalog={catalog} tools={tools} operations={operations} diagnostics={preview ? NONE : found} runView={preview ? null : view} differs={preview?.marks} proposed={preview?.fates} onChoose={choose} legend={view !== null && !loading && !preview} breakpoints={props.breakpoints} stale={props.stale} pinned={props.pinned} faulted={props.faulted} proved={props.proved} menus={MENUS} emptyActions={<Button icon="grid" onClick={showTemplates}>{t('templates.fromOne')}</Button>} onReady={ready} onOpenNode={openNode} onEnterNode={enterNode} onMessage={say} readCommand={fixed ? undefined : readPasted} />
            </div>
            {props.problemsOpen && diagnostics ? <Problems diagnostics={diagnostics} document={document} catalog={catalog} onGo={go} onGoWire={(index) => handle?.revealWire(index)} /> : null}
            {time ? <TimeBar time={time} words={props.words ?? eventText} /> : null}
          </SplitPane>
        </SplitPane>
      </div>
      <StatusBar view={whole} loading={loading} reading={props.reading} logOpen={logOpen} onToggleLog={() => props.onLogOpen(!logOpen)} diagnostics={diagnostics}
        problemsOpen={props.problemsOpen} onProblems={() => props.onProblemsOpen(!props.problemsOpen)} />
    </main>
    </MomentContext>
    </AllowFolder>
  );
}

/** Its height: the line of time stays above the log, however high that is drawn. */
const TIME_BAR = 36;

/** A low window leaves the log less until a person draws it higher. */
const logHeight = (window: number): number => Math.max(160, Math.min(300, Math.round(window * 0.27)));

const PANEL_FIELD = ['input', 'textarea', '[contenteditable="true"]'].map((field) => `.dbg-panel ${field}`).join();
const NO_IDS: readonly string[] = [];
const SUB_WORKFLOW = 'flow.subworkflow';
const SPLIT_LIST = 'data.split';

function say(text: string, tone: 'info' | 'err'): void {
  toast({ signal: tone, text });
}

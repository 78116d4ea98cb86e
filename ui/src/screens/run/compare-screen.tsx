/** Two runs beside each other (C28): the graph of one of them with marks at what differs, a list, and the values side by side. */
import '../../features/compare/compare.css';
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { isTransient, errorText, type ApiError } from '../../api/error.ts';
import { useRunView } from '../../run/follow-run.ts';
import { LoadingContext } from '../../run/loading-context.ts';
import { useRounds } from '../../run/use-rounds.ts';
import { useCommand } from '../../api/queries.ts';
import { choiceOf, EVERY, inChoice, loopsOf, readPath, viewAt, type Choice } from '../../run/run-paths.ts';
import { isTerminal } from '../../run/run-state.ts';
import { usePaneSize } from '../../api/settings.ts';
import type { NodeDescriptor, RunDetails } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { Pieces } from '../../code/pieces.tsx';
import { Canvas, createEditor, useEditor, type CanvasHandle } from '../../features/canvas/index.ts';
import { SideName, StepDetail, useAgain } from '../../features/compare/detail.tsx';
import { DifferenceList, entriesOf, keyOf, type Entry } from '../../features/compare/list.tsx';
import { ChangeDetail, WholeDetail } from '../../features/compare/whole.tsx';
import { cardOf, marksOf, SIDES, type Comparison, type Side } from '../../features/compare/words.ts';
import { titleOf } from '../../features/node-panel/index.ts';
import { GapLine } from '../../features/run-log/index.ts';
import { shortRunId, StatusBadge } from '../../shared/run-status.tsx';
import { namesIn, type NameOf } from '../../shared/format-path.ts';
import { useCatalog } from '../../shared/use-catalog.ts';
import { formatDateTime, formatDuration, formatNumber, t } from '../../i18n/index.ts';
import { Banner, Button, EmptyState, Segmented, Skeleton, SplitPane, toast } from '../../kit/index.ts';
import { useNow } from '../../kit/use-now.ts';
import { navigate } from '../router.ts';
import { titled } from '../workbench/titled.ts';

/** How often a run under way is asked how far it is; and what failed in a way that passes is asked again. */
const AGAIN_MS = 2_000;
/** Nobody answered, or not in time. Else the answer is the same the next time: a run that is gone. */
const mayPass = (error: ApiError | null): boolean => error !== null && isTransient(error);

/** How far two runs are. */
const cameTo = (a: RunDetails, b: RunDetails): string => `${String(a.lastSeq)} ${String(b.lastSeq)}`;
const goesOn = (run: RunDetails | undefined): boolean => run?.status === 'created' || run?.status === 'running';
const again = ({ state: { status, error, data } }: { state: { status: string; error: ApiError | null; data: RunDetails | undefined } }): number | false => ((status === 'error' ? mayPass(error) : goesOn(data)) ? AGAIN_MS : false);

export function CompareScreen({ runId, with: other }: { runId: string; with: string }) {
  const asked = { refetchInterval: again, refetchOnWindowFocus: false };
  const a = useCommand('run_get', { runId }, asked);
  const b = useCommand('run_get', { runId: other }, asked);
  // A run that stands still may do so for days: it is asked when the person comes back to the window, once, and not for the tab besides.
  const { refetch: askA } = a;
  const { refetch: askB } = b;
  const [openA, openB] = [a, b].map(({ data }) => data !== undefined && !isTerminal(data.status));
  useEffect(() => {
    const ask = () => {
      if (openA) void askA();
      if (openB) void askB();
    };
    window.addEventListener('focus', ask);
    return () => window.removeEventListener('focus', ask);
  }, [openA, openB, askA, askB]);
  // The host reads both logs for it: after how far the runs are, so that it is never older, and again only when one of them has come further.
  const found = useCommand('run_diff', { runId, with: other }, {
    enabled: a.data !== undefined && b.data !== undefined, refetchOnWindowFocus: false, refetchInterval: ({ state }) => (state.status === 'error' && mayPass(state.error) ? AGAIN_MS : false),
  });
  const came = a.data && b.data ? cameTo(a.data, b.data) : null;
  useAgain(came, found);
  const catalog = useCatalog();
  const failed = found.error ?? a.error ?? b.error ?? catalog.error;
  if (failed && !(found.data && a.data && b.data && catalog.data)) {
    return (
      <main className="start">
        <EmptyState title={t('compare.failed')} text={errorText(failed)} actions={<>
          <Button variant="primary" icon="retry" onClick={() => { for (const one of [found, a, b, catalog]) void one.refetch(); }}>{t('common.tryAgain')}</Button>
          <Button onClick={() => navigate({ screen: 'runs' })}>{t('run.toRuns')}</Button>
        </>} />
      </main>
    );
  }
  if (!found.data || !a.data || !b.data || !catalog.data) {
    return <main className="screen" aria-busy="true" aria-label={t('compare.loading')}><header className="bar"><h1>{t('compare.title')}</h1></header><div style={{ padding: 16 }}><Skeleton rows={3} /></div></main>;
  }
  return <Comparing key={String(a.data.masked)} found={found.data} since={found.dataUpdatedAt} a={a.data} b={b.data} catalog={catalog.data} />;
}

function Comparing({ found, since, a, b, catalog }: { found: Comparison; /** When it was. */ since: number; a: RunDetails; b: RunDetails; catalog: NodeDescriptor[] }) {
  const entries = useMemo(() => entriesOf(found), [found]);
  const [chosen, setChosen] = useState<string | null>(null);
  const [entering, setEntering] = useState(false);
  const entered = useCallback(() => setEntering(false), []);
  // The first step that came to something else, or differs at all, as long as nobody has chosen.
  const first = entries.find(({ step }) => step && step.a?.state !== step.b?.state) ?? entries.find((entry) => entry.step) ?? entries[0];
  const key = chosen ?? (first ? keyOf(first) : null);
  const entry = entries.find((one) => keyOf(one) === key);
  const [side, setSide] = useState<Side>('a');
  const graph = useGraph(side === 'a' ? a : b, side === 'a' ? b : a, found, catalog);
  const marks = useMemo(() => marksOf(found, graph.definition), [found, graph.definition]);

  // List and graph share one choice, and the iteration. What was chosen in the list is shown on the graph; the keys stay in the list.
  const { editor, definition, canvas, choice, chooseAt, slotsOf } = graph;
  const choose = useCallback((next: string) => {
    setChosen(next);
    setEntering(false);
    const step = entries.find((one) => keyOf(one) === next)?.step;
    const card = step && cardOf(step, definition);
    // A step that only the other run has stands on the graph of that one.
    const there = side === 'a' ? 'b' : 'a';
    if (step && card === undefined && cardOf(step, (there === 'a' ? a : b).definition) !== undefined) setSide(there);
    else if (card === undefined) editor.select([]);
    else canvas.current?.reveal(card, { focus: false });
    if (step?.path !== undefined) chooseAt(step.path);
  }, [entries, editor, definition, canvas, chooseAt, side, a, b]);
  // Only chosen, not moved to: the whole graph is in view at first.
  const begins = entry?.step && cardOf(entry.step, definition);
  useEffect(() => {
    if (begins !== undefined) editor.select([begins]);
    if (entry?.step?.path !== undefined) chooseAt(entry.step.path);
  }, [editor]); // eslint-disable-line react/exhaustive-deps
  const selected = useEditor(editor, (state) => state.selection.nodes);
  const [only] = selected.length === 1 ? selected : [];
  useEffect(() => {
    if (only === undefined) return;
    setChosen((before) => {
      const here = entries.filter((one) => one.step && cardOf(one.step, definition) === only && inChoice(one.step.path, choice));
      // What was chosen in the list stays; so does what is shown before anybody has chosen.
      if (here.some((one) => keyOf(one) === before) || (before === null && here.includes(first as Entry))) return before;
      if (here[0]) return keyOf(here[0]);
      // Its iteration is not in the list: the same in both, or one of those that were left out.
      const name = slotsOf?.get(only)?.get(loopsOf(definition, only).map((loop) => choice[loop]).join());
      return name?.includes('/') ? `step ${name}` : `same ${only}`;
    });
  }, [only, entries, first, definition, choice, slotsOf]);

  const [listSize, setListSize] = usePaneSize('compare.list', 336);
  const [valueSize, setValueSize] = usePaneSize('compare.values', Math.max(240, Math.round(window.innerHeight * 0.4)));
  // Escape leads back from the values to the list.
  const body = useRef<HTMLDivElement>(null);
  const back = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && event.target instanceof Element && event.target.closest('.cmp-detail')) body.current?.querySelector<HTMLElement>('.cmp-list .vlist')?.focus();
  };
  const detail = <Detail key={key} of={key ?? ''} entry={entry} foreign={entry?.step?.path !== undefined && readPath(entry.step.path, definition).foreign} enter={entering ? entered : null} found={found} came={cameTo(a, b)} definitions={{ a: a.definition, b: b.definition }} titleOf={graph.titleOf} />;
  return (
    <main className="cmp">
      <header className="bar">
        <h1 className="shrink ell">{t('compare.title')}</h1>
        <span className="s t2 ell" title={plain(a.workflowName)}><bdi><Pieces text={a.workflowName} /></bdi></span>
        <span className="grow" />
        <Button icon="swap" onClick={() => navigate({ screen: 'compare', runId: b.runId, with: a.runId }, true)}>{t('compare.swap')}</Button>
      </header>
      <div className="cmp-runs-head">{(['a', 'b'] as const).map((side) => <Head key={side} side={side} run={found[side]} since={since} asked={(side === 'a' ? a : b).openTasks.length} />)}</div>
      <div className="wb-banners"><Notes found={found} /></div>
      <div className="cmp-body" ref={body} onKeyDown={back}>
        {found.same ? <EmptyState title={t('compare.same')} text={t(found.masked ? 'compare.sameMasked' : 'compare.sameText')} actions={<Button onClick={() => navigate({ screen: 'run', runId: b.runId })}>{t('compare.openRun', { run: shortRunId(b.runId) })}</Button>} /> : (
          <SplitPane side="left" size={listSize} min={240} max={720} onResize={setListSize} label={t('compare.listHandle')}
            pane={<DifferenceList found={found} entries={entries} chosen={key} titleOf={graph.titleOf} onChoose={choose} onEnter={(next) => { choose(next); setEntering(true); }} />}>
            <SplitPane side="bottom" size={valueSize} min={160} max={4000} onResize={setValueSize} label={t('compare.valuesHandle')} pane={detail}>
              <div className="cmp-canvas">
                <header className="cmp-head row wrap">
                  <b>{t('compare.graph')}</b>
                  <Segmented<Side> small label={t('compare.graph')} value={side} onChange={setSide} options={SIDES.map((one) => ({ value: one, label: t(`compare.side.${one}`) }))} />
                </header>
                <LoadingContext value={graph.loading}>{graph.view ? <GapLine now={graph.view} searching={false} /> : null}</LoadingContext>
                <Canvas key={side} editor={editor} catalog={catalog} runView={graph.view} differs={marks} onChoose={graph.choose} onReady={graph.onReady} onMessage={say} />
              </div>
            </SplitPane>
          </SplitPane>
        )}
      </div>
    </main>
  );
}

/** What is shown of the chosen one. A card without a mark is `same` and its id; a step that is not listed here has its name. */
function Detail({ of, entry, enter, found, came, definitions, foreign, titleOf: nameOfStep }: { of: string; definitions: Record<Side, RunDetails['definition']>; foreign: boolean; entry: Entry | undefined; /** See `useEnter`. */ enter: (() => void) | null; found: Comparison; came: string; titleOf: NameOf }) {
  if (entry?.whole) return <WholeDetail found={found} definitions={definitions} whole={entry.whole} titleOf={nameOfStep} enter={enter} />;
  if (of.startsWith('step ')) return <StepDetail found={found} came={came} name={of.slice('step '.length)} inOtherFile={foreign} titleOf={nameOfStep} enter={enter} />;
  if (!of.startsWith('same ')) return <div className="cmp-detail"><EmptyState title={t('compare.pick')} text={t('compare.pickText')} /></div>;
  const changed = found.definition.steps.find((one) => one.stepId === of.slice('same '.length));
  if (changed) return <ChangeDetail found={found} step={changed} titleOf={nameOfStep} />;
  return <div className="cmp-detail"><EmptyState title={t('compare.stepSame')} text={t('compare.stepSameText')} /></div>;
}

/** The last event of a run that has ended. Looked at once for each run: one that ends while it is shown is followed to its end. */
const endOf = (run: RunDetails): number | undefined => (isTerminal(run.status) ? run.lastSeq : undefined);

/** The graph of one of the two runs, as that run left it. */
function useGraph(mine: RunDetails, other: RunDetails, found: Comparison, catalog: NodeDescriptor[]) {
  const editor = useMemo(() => createEditor(mine.definition, { readOnly: true }), [mine.runId]); // eslint-disable-line react/exhaustive-deps
  const ended = useMemo(() => endOf(mine), [mine.runId]); // eslint-disable-line react/exhaustive-deps
  const definition = useMemo(() => titled(mine.definition, catalog, mine.kept), [mine.definition, mine.kept, catalog]);
  const { view: read, loading } = useRunView(mine.runId, definition, { ended, known: mine });
  const [choice, setChoice] = useState<Choice>(EVERY);
  const whole = useRounds(read, definition, choice);
  const view = useMemo(() => whole && viewAt(whole, definition, choice), [whole, definition, choice]);
  const chooseAt = useCallback((path: string) => {
    const at = choiceOf(path, definition);
    setChoice((now) => (Object.entries(at).every(([loop, index]) => now[loop] === index) ? now : { ...now, ...at }));
  }, [definition]);
  const canvas = useRef<CanvasHandle | null>(null);
  const [ready, setReady] = useState<CanvasHandle | null>(null);
  const onReady = useCallback((handle: CanvasHandle) => {
    canvas.current = handle;
    setReady(handle);
  }, []);
  // The whole graph stays in view until somebody moves it.
  useEffect(() => ready?.keepFitted(undefined), [ready]);
  // Steps of a file that is called are known by title from the log of a run that came to them.
  const foreign = useMemo(() => found.steps.some((step) => step.path !== undefined && readPath(step.path, definition).foreign), [found, definition]);
  const endedOther = useMemo(() => endOf(other), [other.runId]); // eslint-disable-line react/exhaustive-deps
  const { view: wholeOther } = useRunView(foreign ? other.runId : null, other.definition, { ended: endedOther, known: other });
  // A step that only the other run has is named as there.
  const names = useMemo<NameOf>(() => {
    const here = namesIn(whole, mine.definition, (id) => titleOf(mine.definition, id, catalog));
    const there = namesIn(wholeOther, other.definition, (id) => titleOf(other.definition, id, catalog));
    return (id, path) => {
      if (path !== undefined && readPath(path, mine.definition).foreign) return [here(id, path), there(id, path)].find((name) => name !== id) ?? id;
      return Object.hasOwn(mine.definition.nodes, id) || !Object.hasOwn(other.definition.nodes, id) ? here(id, path) : there(id, path);
    };
  }, [whole, wholeOther, mine.definition, other.definition, catalog]);
  return { editor, definition, view, loading, choice, choose: setChoice, chooseAt, slotsOf: whole?.slotsOf, canvas, onReady, titleOf: names };
}

function Head({ side, run, since, asked }: { side: Side; run: Comparison['a']; since: number; /** Open tasks. */ asked: number }) {
  const ended = isTerminal(run.status);
  const now = useNow(ended ? 0 : 1000);
  const took = formatDuration(run.durationMs + (ended ? 0 : Math.max(0, now - since)));
  const parent = run.parentRunId;
  return (
    <div role="group" aria-label={t(`compare.side.${side}`)}>
      <SideName side={side} run={run.runId} />
      <StatusBadge status={run.status} openTaskCount={asked} />
      <span className="s t2 ell">{t(ended ? 'compare.tookStarted' : 'compare.soFar', { time: formatDateTime(run.startedAt), took })}</span>
      {parent === undefined ? null : <span className="s t3 nw opt">{t('compare.reran', { run: shortRunId(parent) })}</span>}
      <span className="grow" />
      <button type="button" className="link s nw" onClick={() => navigate({ screen: 'run', runId: run.runId })}>{t('compare.openRun', { run: shortRunId(run.runId) })}</button>
    </div>
  );
}

function Notes({ found }: { found: Comparison }) {
  const long = [found.a, found.b].filter((run) => run.valuesUntil !== undefined);
  return (
    <>
      {found.sameWorkflow ? null : <Banner signal="info" title={t('compare.otherWorkflow')}><span className="s t2">{t('compare.otherWorkflowText')}</span></Banner>}
      {found.masked && !found.same ? <Banner signal="info" title={t('compare.masked')} /> : null}
      {long.map((run) => <Banner key={run.runId} signal="warn" title={t('compare.long', { run: shortRunId(run.runId), n: formatNumber(run.valuesUntil ?? 0) })} />)}
    </>
  );
}

function say(text: string, tone: 'info' | 'err'): void {
  toast({ signal: tone, text });
}

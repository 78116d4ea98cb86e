// The bottom pane: a run as cards, events or timeline; one choice for all of them and the canvas.

import { use, useCallback, useEffect, useMemo, useState } from 'react';
import { eventAt } from '../../run/event-gap.ts';
import { choiceOf, EVERY, readPath, viewAt, type Choice } from '../../run/run-paths.ts';
import { emptyRunView, isTerminal, type CallCard, type RunEventLike, type RunView } from '../../run/run-state.ts';
import { statusIn } from '../../run/run-location.ts';
import { usePaneSize } from '../../api/settings.ts';
import type { Workflow } from '../../api/types.ts';
import { ValueView, CopyButton } from '../../code/ValueView.tsx';
import { t } from '../../i18n/index.ts';
import { Button, EmptyState, Segmented, Select, Skeleton, TextInput } from '../../kit/index.ts';
import { MomentContext } from '../../kit/use-now.ts';
import type { TimeTravel } from '../../run/time-travel.ts';
import { CardDetail, type SectionId, type Sections, type Where } from './card.tsx';
import { CardsView, waitsForRetry, type Look } from './cards-view.tsx';
import { EventsView } from './events-view.tsx';
import { GapLine } from './gap-line.tsx';
import { PathsDialog } from './paths-dialog.tsx';
import { thinksNow } from './model-output.tsx';
import { TimelineView } from './timeline-view.tsx';
import { stepTitle } from '../../shared/step-title.ts';
import { namesIn, formatPlace, formatPath } from '../../shared/format-path.ts';
import { useCatalog } from '../../shared/use-catalog.ts';
import './run-log.css';

export type LogView = 'cards' | 'events' | 'timeline';

export interface DetailLogProps {
  run: RunView | null;
  /** Moments of the run can be looked at; `run` is the one that is. */
  time?: TimeTravel | null;
  /** For the titles of steps that the run has not reached. */
  document: Workflow;
  selected?: string | undefined;
  onSelectNode: (nodeId: string | undefined) => void;
  /** The run is there, its events are not yet. */
  loading?: boolean;
  view?: LogView;
  onView?: (view: LogView) => void;
  /** looks at the iteration of a path */
  onChoose?: (choice: Choice) => void;
  /** the card that is chosen, when one is */
  onPicked?: (card: CallCard | undefined) => void;
}

const VIEWS: readonly LogView[] = ['cards', 'events', 'timeline'];

/** The one that was chosen last, for the next run, too: kept with the sizes of the panes, which are numbers. */
function useLogView(): [LogView, (view: LogView) => void] {
  const [at, set] = usePaneSize('log.view', 0);
  return [VIEWS[at] ?? 'cards', useCallback((view: LogView) => set(VIEWS.indexOf(view)), [set])];
}

const ALL = '';
const NOTHING = emptyRunView();

export function DetailLog(props: DetailLogProps) {
  // Filters and choices are about one run.
  return <Log key={props.run?.runId ?? ''} {...props} />;
}

function Log({ run: runView, time = null, loading = false, document, selected, onSelectNode, view: asked, onView, onChoose, onPicked }: DetailLogProps) {
  const catalog = useCatalog().data;
  // Where nothing comes of the run any more, its clock stands.
  const stands = use(MomentContext);
  const selectedNode = selected ?? null;
  const [kept, keep] = useLogView();
  const view = asked ?? kept;
  const [step, setStep] = useState(ALL);
  const [errorsOnly, setErrorsOnly] = useState(false);
  const [text, setText] = useState('');
  const [picked, setPicked] = useState<number | null>(null);
  const [seq, setSeq] = useState<number | null>(null);
  const filter = useMemo(() => ({ step, errorsOnly, text }), [step, errorsOnly, text]);
  const sections = useSections(CLOSED);
  const detailSections = useSections(OPEN_IN_DETAIL);

  const looks = useMemo(() => new Map((catalog ?? []).map((one) => [one.type, { icon: one.icon, tone: one.category, title: one.title, recovery: one.role === 'recovery', effects: one.effects }])), [catalog]);
  const lookOf = useCallback((kind: string | undefined): Look => (kind === undefined ? undefined : looks.get(kind)) ?? { icon: 'box', tone: 'start' }, [looks]);
  const shown = useCallback((nodeId: string) => step === ALL || nodeId === step, [step]);

  const titles = runView?.nodes;
  const nameOf = useCallback((id: string) => titles?.[id]?.title ?? stepTitle(document.nodes[id]?.title, looks.get(document.nodes[id]?.type ?? '')?.title, id), [titles, document, looks]);
  const runId = runView?.runId ?? '';
  const past = time !== null && time.seq !== null;
  // Timeline and table show the whole run, with a mark where one is; cards are as they were then.
  const whole = runView && past ? viewAt(time.now, document, runView.choice ?? EVERY) : runView;
  const { slots, calls, callsOf } = whole ?? NOTHING;
  const where = useMemo<Where>(() => {
    const names = namesIn({ slots, calls, callsOf }, document, nameOf);
    return {
      runId,
      words: (path, step) => (step === undefined ? formatPath(path, names) : formatPlace(path, step, names)),
      // The file of a step elsewhere is not at hand.
      about: (card) => (card.path && readPath(card.path, document).foreign ? undefined : document.nodes[card.nodeId]?.description),
      look: onChoose && ((path) => onChoose(choiceOf(path, document))),
    };
  }, [runId, slots, calls, callsOf, nameOf, document, onChoose]);

  // With more of the run loaded, its calls have other places.
  const gap = whole?.gap;
  const [ofGap, setOfGap] = useState(gap);
  if (gap !== ofGap) {
    setOfGap(gap);
    setPicked(null);
  }
  const pickedCard = picked === null ? undefined : calls?.at(picked);
  useEffect(() => onPicked?.(pickedCard), [onPicked, pickedCard]);
  useEffect(() => () => onPicked?.(undefined), [onPicked]);
  // A step chosen on the canvas is shown by its newest call.
  const ofNode = selectedNode === null ? undefined : runView?.nodes[selectedNode]?.lastCard;
  const chosen = pickedCard && (selectedNode === null || pickedCard.nodeId === selectedNode) ? picked : (ofNode ?? null);
  const [pathsOpen, setPathsOpen] = useState(false);
  const [follow, setFollow] = useState(false);
  const live = runView !== null && !past && !isTerminal(runView.status);
  const newest = calls?.length ?? 0;
  useEffect(() => {
    const card = follow && live ? calls?.at(newest - 1) : undefined;
    if (!card) return;
    setPicked(card.index);
    setSeq(null);
    onSelectNode(card.nodeId);
    // Only a new call is followed.
  }, [follow, live, newest]); // eslint-disable-line react/exhaustive-deps
  const pick = (index: number) => {
    setFollow(false);
    const card = calls?.at(index);
    if (!card) return;
    setPicked(index);
    setSeq(null);
    onSelectNode(card.nodeId);
  };
  const pickEvent = (event: RunEventLike) => {
    setFollow(false);
    setSeq(event.seq ?? null);
    if (!event.stepId) return;
    const at = whole ? callOf(whole, event) : undefined;
    if (at !== undefined) setPicked(at);
    onSelectNode(event.stepId);
  };
  // Who goes back to what was, looks at it: the newest call does not take the view away.
  const leave = (target: EventTarget): void => {
    if (follow && (target as Element).closest('.cards, .vlist')) setFollow(false);
  };
  const setView = (next: LogView) => {
    keep(next);
    onView?.(next);
  };
  const begun = runView !== null && runView.lastSeq > 0;
  const steps = runView ? Object.values(runView.nodes).filter((node) => node.lastCard !== undefined) : [];

  return (
    <MomentContext value={runView?.moment ?? stands}>
    <section className="runlog" aria-label={t('log.title')} data-scope="log"
      // Rows lie over the list: what is pressed of it alone is its scrollbar.
      onPointerDown={(event) => { if ((event.target as Element).matches('.cards, .vlist')) leave(event.target); }}
      onWheel={(event) => { if (event.deltaY < 0) leave(event.target); }}
      onKeyDownCapture={(event) => { if (['ArrowUp', 'PageUp', 'Home'].includes(event.key)) leave(event.target); }}>
      <div className="ph runlog-head">
        <Segmented<LogView> small label={t('log.views')} value={view} onChange={setView}
          options={[{ value: 'timeline', label: t('log.view.timeline'), icon: 'gantt' }, { value: 'events', label: t('log.view.events'), icon: 'rows' }, { value: 'cards', label: t('log.view.cards'), icon: 'doc' }]} />
        {begun ? (
          <>
            <span className="runlog-filter">
              <Select small label={t('log.filterStep')} value={step} onChange={setStep}
                options={[{ value: ALL, label: t('log.allSteps') }, ...steps.map((node) => ({ value: node.id, label: nameOf(node.id) }))]} />
            </span>
            {view === 'timeline' ? null : <TextInput icon="search" className="sm runlog-search" aria-label={t(view === 'cards' ? 'log.searchCards' : 'events.search')} placeholder={t(view === 'cards' ? 'log.searchCards' : 'events.search')} value={text} onChange={setText} />}
            {view === 'cards' ? <Button small aria-pressed={errorsOnly} className={errorsOnly ? 'is-press' : ''} icon="errd" onClick={() => setErrorsOnly(!errorsOnly)}>{t('log.errorsOnly')}</Button> : null}
            {whole && whole.loops.size > 0 && where.look ? <Button small icon="loop" onClick={() => setPathsOpen(true)}>{t('paths.open')}</Button> : null}
            {live ? <Button small aria-pressed={follow} className={`end ${follow ? 'is-press' : ''}`} icon="down" title={t('log.followHint')} onClick={() => setFollow(!follow)}>{t('log.follow')}</Button> : null}
          </>
        ) : null}
      </div>
      {pathsOpen && runView && whole && where.look ? <PathsDialog runId={runView.runId} live={!isTerminal(whole.status)} words={where.words} onLook={(path) => { where.look?.(path); setPathsOpen(false); }} onClose={() => setPathsOpen(false)} /> : null}
      {begun && whole ? <GapLine now={whole} searching={step !== ALL || (view !== 'timeline' && text.trim() !== '') || (view === 'cards' && errorsOnly)} /> : null}
      {loading ? <div className="ev-none" aria-busy="true"><Skeleton rows={5} /></div> : !begun || !runView ? (
        runView && runView.runId !== '' ? <EmptyState title={t('log.starting')} text={t('log.startingText')} /> : <EmptyState title={t('log.noRun')} text={t('log.noRunText')} />
      ) : view === 'cards' ? (
        <CardsView view={runView} filter={filter} where={where} lookOf={lookOf} sections={sections} selectedCard={chosen} onPick={pick} />
      ) : (
        <div className={`runlog-two ${view === 'events' ? 'wide' : ''}`}>
          {view === 'timeline' ? (
            // It shows the whole run, whose time goes on while one looks at a moment of its past.
            <MomentContext value={stands}><TimelineView view={whole ?? runView} moment={runView.moment} shown={shown} lookOf={lookOf} selectedNode={selectedNode} selectedCall={chosen} onPick={pick} /></MomentContext>
          ) : (
            <EventsView view={whole ?? runView} here={time?.seq ?? null} onMoment={time?.go} text={text} step={step} where={where.words} nameOf={nameOf} names={lookOf} selectedSeq={seq} selectedCall={chosen} onPick={pickEvent} />
          )}
          <div className="runlog-detail">
            <Detail view={runView} time={time} where={where} seq={view === 'events' ? seq : null} card={chosen === null ? undefined : calls?.at(chosen)} lookOf={lookOf} sections={detailSections} onSelectNode={onSelectNode} />
          </div>
        </div>
      )}
    </section>
    </MomentContext>
  );
}

function Detail({ view, time, where, seq, card, lookOf, sections, onSelectNode }: {
  view: RunView; time: TimeTravel | null; where: Where; seq: number | null; card: CallCard | undefined; lookOf: (kind: string | undefined) => Look; sections: Sections; onSelectNode: (nodeId: string | undefined) => void;
}) {
  const event = seq === null ? undefined : eventAt(view, seq);
  if (event) {
    const { runId: _, ...rest } = event;
    return (
      <div className="ev-detail">
        <div className="row"><b>{t('events.payload', { n: event.seq ?? 0 })}</b><code className="t2">{event.type}</code><span className="end row gap1">{time && event.seq != null && event.seq !== (time.seq ?? time.now.lastSeq) ? <Button small icon="clock" onClick={() => time.go(event.seq ?? null)}>{t('time.look')}</Button> : null}<CopyButton value={event} /></span></div>
        <ValueView value={rest} label={t('events.payload', { n: event.seq ?? 0 })} />
      </div>
    );
  }
  if (!card) return <p className="s t3 ev-none">{t('card.none')}</p>;
  const look = lookOf(card.kind);
  const then = view.calls.at(card.index);
  if (!then) {
    return (
      <div className="ev-detail">
        <p className="s t2">{t('time.notBegun')}</p>
        {time ? <span><Button small icon="clock" onClick={() => time.go(card.startSeq)}>{t('time.toItsStart')}</Button></span> : null}
      </div>
    );
  }
  return <CardDetail card={then} status={statusIn(view, then)} where={where} look={look} sections={sections} waiting={waitsForRetry(view, then)} onSelect={() => onSelectNode(card.nodeId)} />;
}

/** The call that an event is of: the last of its step and place that had begun. */
function callOf(view: RunView, event: RunEventLike): number | undefined {
  return view.callsOf.get(event.stepId ?? '')?.findLast((index) => {
    const card = view.calls.at(index);
    return card !== undefined && card.startSeq <= (event.seq ?? 0) && (card.path ?? '') === (event.path ?? '');
  });
}

const CLOSED: ReadonlySet<SectionId> = new Set<SectionId>(['response', 'conversation']);
/** Beside timeline and table there is one card, with room for what one looks for first. */
const OPEN_IN_DETAIL: ReadonlySet<SectionId> = new Set<SectionId>(['error', 'inputs', 'outputs', 'response', 'conversation']);

/** What a model thinks is open as long as it thinks; its answer takes its place then. */
const isThought = (card: CallCard, section: SectionId): boolean => section === 'thinking' && thinksNow(card);
const keyOf = (card: CallCard, section: SectionId): string => `${card.key} ${section}${isThought(card, section) ? ' now' : ''}`;

/** Which sections are turned from their default. Kept apart from the cards, which leave the screen while one scrolls. */
function useSections(byDefault: ReadonlySet<SectionId>): Sections {
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  return useMemo<Sections>(
    () => ({
      isOpen: (card, section) => turned.has(keyOf(card, section)) !== (byDefault.has(section) || isThought(card, section)),
      toggle: (card, section) => {
        const key = keyOf(card, section);
        setTurned((before) => {
          const next = new Set(before);
          if (!next.delete(key)) next.add(key);
          return next;
        });
      },
    }),
    [turned, byDefault],
  );
}

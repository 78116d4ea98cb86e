// The log itself, as a table one can filter and sort. What is not seen is not drawn.

import { useDeferredValue, useMemo, useState } from 'react';
import { placeOf, sizeOf } from '../../run/event-gap.ts';
import { isQuestion } from '../../json/json.ts';
import { slotKey } from '../../run/run-paths.ts';
import type { RunEventLike, RunView } from '../../run/run-state.ts';
import { plain } from '../../text/letters.ts';
import { Pieces } from '../../code/pieces.tsx';
import { formatDuration, formatNumber, formatTime, t } from '../../i18n/index.ts';
import { Icon, SignalIcon, VirtualList, type Signal } from '../../kit/index.ts';
import { EventRows, IN_ORDER, type SortKey, type Sorting } from './event-rows.ts';
import { eventText } from './words.ts';

const COLUMNS: readonly { by: SortKey; text: 'events.seq' | 'events.time' | 'events.step' | 'events.where' | 'events.what' | 'events.took' | 'events.call' | 'events.error' }[] = [
  { by: 'seq', text: 'events.seq' }, { by: 'time', text: 'events.time' }, { by: 'step', text: 'events.step' }, { by: 'path', text: 'events.where' },
  { by: 'status', text: 'events.what' }, { by: 'took', text: 'events.took' }, { by: 'attempt', text: 'events.call' }, { by: 'error', text: 'events.error' },
];

const SIGNAL: { readonly [type: string]: Signal } = {
  workflow_done: 'ok', workflow_failed: 'err', workflow_cancelled: 'stop', step_done: 'ok', step_error: 'err', step_skipped: 'skip', step_interrupted: 'warn', retry_scheduled: 'retry',
  human_task_created: 'person', human_task_completed: 'person', human_task_closed: 'person', human_task_reminded: 'person', escalated: 'person', pause_start: 'wait', pause_timeout: 'warn',
};

/** It began then; whether it still runs is not said here, so nothing moves. */
const BEGINS: ReadonlySet<string> = new Set(['workflow_start', 'workflow_resumed', 'step_start', 'pause_resumed']);

/** Of a long place the number at its end stays in sight: it is what tells two lines apart. */
function Place({ words, path }: { words: string; path: string | null | undefined }) {
  const end = words.search(/ \S+$/);
  return <span className="ev-where t2" title={path ? `${plain(words)} (${path})` : undefined}><span className="ell"><Pieces text={end < 0 ? words : words.slice(0, end)} /></span>{end < 0 ? null : <span className="nw"><Pieces text={words.slice(end)} /></span>}</span>;
}

/** From here on the numbers of events need a wider column. */
const LONG_NUMBERS = 1_000_000;

export function EventsView({ view, here, onMoment, text, step, where, nameOf, names, selectedSeq, selectedCall, onPick }: {
  view: RunView;
  /** The event after which one looks at the run; null: now. */
  here: number | null;
  onMoment?: ((seq: number) => void) | undefined;
  text: string;
  /** '' for all */
  step: string;
  where: (path: string, step?: string) => string;
  nameOf: (nodeId: string) => string;
  /** Another value when `nameOf` has other names: itself it changes with each batch. */
  names: unknown;
  selectedSeq: number | null;
  selectedCall: number | null;
  onPick: (event: RunEventLike) => void;
}) {
  const [sorting, setSorting] = useState<Sorting>(IN_ORDER);
  const wanted = useDeferredValue(text);
  // The list of events of a run is one that grows; another list begins anew.
  const rows = useMemo(() => new EventRows(), [view.events]); // eslint-disable-line react/exhaustive-deps
  const nameAt = (event: RunEventLike): string => (event.stepId ? (event.path ? view.slots.get(slotKey(event.stepId, event.path))?.title : undefined) ?? nameOf(event.stepId) : '');
  const placeAt = (event: RunEventLike): string => (event.path ? where(event.path, event.stepId ?? undefined) : '');
  const order = useMemo(() => rows.order(view, { text: wanted, step, choice: view.choice }, sorting, (event) => `${nameAt(event)} ${placeAt(event)}`, names), [rows, view, wanted, step, sorting, names]); // eslint-disable-line react/exhaustive-deps
  const call = selectedCall === null ? undefined : view.calls.at(selectedCall);
  // What was chosen in another view is where its call began.
  const chosen = selectedSeq ?? call?.startSeq ?? null;
  const selected = useMemo(() => (chosen === null ? -1 : order.place(placeOf(view.gap, chosen))), [order, chosen, view.gap]);
  const eventAt = (place: number): RunEventLike | undefined => view.events[order.at(place) ?? -1];
  const inOrder = sorting.by === 'seq' && !sorting.down;
  const sort = (by: SortKey) => setSorting((before) => (before.by !== by ? { by, down: false } : before.down ? IN_ORDER : { by, down: true }));
  return (
    <div className="ev" style={view.lastSeq < LONG_NUMBERS ? undefined : { '--ev-no': '68px' } as React.CSSProperties}>
      <div className="ev-row ev-head cap" role="group" aria-label={t('events.sort')}>
        {COLUMNS.map((column) => (
          <button key={column.by} type="button" className={`ev-sort ${column.by === 'took' || column.by === 'attempt' ? 'ev-num' : ''}`} aria-pressed={sorting.by === column.by && !inOrder} title={t('events.sortBy', { column: t(column.text) })} onClick={() => sort(column.by)}>
            <span className="ell">{t(column.text)}</span>{sorting.by === column.by ? <Icon name={sorting.down ? 'down' : 'up'} size={12} label={t(sorting.down ? 'events.down' : 'events.up')} /> : null}
          </button>
        ))}
      </div>
      {order.length === 0 ? <p className="s t3 ev-none">{t(view.rounds && view.choice ? 'gap.roundEvents' : 'log.nothing')}</p> : (
        <VirtualList<number>
          key={`${sorting.by} ${String(sorting.down)}`}
          className="ev-list"
          items={order}
          rowHeight={28}
          keyOf={String}
          label={t('events.list')}
          selected={selected}
          reveal={here === null ? selected : order.place(placeOf(view.gap, here))}
          follow={selected < 0 && here === null && inOrder}
          onSelect={(place) => { const event = eventAt(place); if (event) onPick(event); }}
          onOpen={onMoment && ((place) => { const event = eventAt(place); if (event?.seq != null) onMoment(event.seq); })}
          row={(at) => {
            const event = view.events[at];
            if (!event) return null;
            const words = eventText(event, view);
            const signal = isQuestion(event.payload) ? 'person' : SIGNAL[event.type];
            const took = rows.took.get(at);
            const attempt = rows.attempt.get(at);
            const seq = event.seq ?? 0;
            return (
              <div className={`ev-row ${inOrder && seq - 1 === view.gap?.to ? 'behind-gap' : ''} ${here === null ? '' : seq === here ? 'here' : seq > here ? 'later' : ''}`} aria-current={seq === here ? 'step' : undefined} title={inOrder && seq - 1 === view.gap?.to ? t('gap.here', { n: formatNumber(sizeOf(view.gap)) }) : undefined}>
                <span className="t3 mono">{formatNumber(seq)}</span>
                <span className="t2" title={event.ts}>{formatTime(event.ts)}</span>
                <span className="ell" title={event.stepId ?? undefined}><Pieces text={nameAt(event)} /></span>
                <Place words={placeAt(event)} path={event.path} />
                <span className="ev-what" title={`${event.type}: ${words}`}>{signal ? <SignalIcon signal={signal} /> : <Icon name={BEGINS.has(event.type) ? 'play' : 'dot'} size={12} className="t3" />}<span className={`ell ${signal === 'err' ? 'c-err' : ''}`}>{words}</span></span>
                <span className="t2 ev-num">{Number.isNaN(took) ? '' : formatDuration(took)}</span>
                <span className="t2 ev-num">{attempt < 0 ? '' : attempt + 1}</span>
                <code className="ell c-err" title={plain(rows.errorOf(at))}><Pieces text={rows.errorOf(at)} /></code>
              </div>
            );
          }}
        />
      )}
    </div>
  );
}

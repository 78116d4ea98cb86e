// The log itself, as a table one can filter.

import { useDeferredValue, useMemo } from 'react';
import { inChoice } from '../../api/run-paths.ts';
import type { RunEventLike, RunView } from '../../api/run-state.ts';
import { formatTime, t } from '../../i18n/index.ts';
import { VirtualList } from '../../kit/index.ts';
import { eventText } from './words.ts';

export function filterEvents(events: readonly RunEventLike[], text: string, shown: (nodeId: string) => boolean, view: Pick<RunView, 'nodes' | 'choice'>): RunEventLike[] {
  const needle = text.trim().toLowerCase();
  return events.filter((event) => {
    if (event.stepId && !shown(event.stepId)) return false;
    if (view.choice && !inChoice(event.path, view.choice)) return false;
    if (needle === '') return true;
    return event.type.includes(needle) || (event.stepId ?? '').toLowerCase().includes(needle) || eventText(event, view).toLowerCase().includes(needle);
  });
}

export function EventsView({ view, here, onMoment, text, shown, where, selectedSeq, onPick }: {
  view: RunView;
  /** The event after which one looks at the run; null: now. */
  here: number | null;
  onMoment?: ((seq: number) => void) | undefined;
  text: string;
  shown: (nodeId: string) => boolean;
  where: (path: string) => string;
  selectedSeq: number | null;
  onPick: (event: RunEventLike) => void;
}) {
  const wanted = useDeferredValue(text);
  const rows = useMemo(() => filterEvents(view.events, wanted, shown, view), [view, wanted, shown]);
  const selected = selectedSeq === null ? -1 : rows.findIndex((event) => event.seq === selectedSeq);
  return (
    <div className="ev">
      <div className="ev-row ev-head cap">
        <span>{t('events.seq')}</span><span>{t('events.time')}</span><span>{t('events.type')}</span><span>{t('events.what')}</span>
      </div>
      {rows.length === 0 ? <p className="s t3 ev-none">{t('log.nothing')}</p> : (
        <VirtualList<RunEventLike>
          className="ev-list"
          items={rows}
          rowHeight={28}
          keyOf={(event) => String(event.seq)}
          label={t('events.list')}
          selected={selected}
          follow={selected < 0 && here === null}
          onSelect={(index) => { const event = rows[index]; if (event) onPick(event); }}
          onOpen={onMoment && ((index) => { const event = rows[index]; if (event?.seq != null) onMoment(event.seq); })}
          row={(event) => (
            <div className={`ev-row ${here === null ? '' : event.seq === here ? 'here' : (event.seq ?? 0) > here ? 'later' : ''}`} aria-current={event.seq === here ? 'step' : undefined}>
              <span className="t3 mono">{event.seq}</span>
              <span className="t2">{formatTime(event.ts)}</span>
              <code className="ell">{event.type}</code>
              <span className={`ell ${event.type === 'step_error' || event.type === 'workflow_failed' ? 'c-err' : ''}`} title={eventText(event, view)}>{event.path ? <span className="t3" title={event.path}>{where(event.path)} </span> : null}{eventText(event, view)}</span>
            </div>
          )}
        />
      )}
    </div>
  );
}

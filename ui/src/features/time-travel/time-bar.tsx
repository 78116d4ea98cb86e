// All events of a run on one line: drag to see the run as it was.

import './time-travel.css';
import { useMemo } from 'react';
import { eventAt, placeOf, seqOf, sizeOf } from '../../run/event-gap.ts';
import { isTerminal, type RunEventLike, type RunView } from '../../run/run-state.ts';
import { formatNumber, formatTime, t } from '../../i18n/index.ts';
import { Badge, Button, IconButton, Kbd, keysOf, useAllActions } from '../../kit/index.ts';
import { Marks, shareOf } from './marks.ts';
import type { TimeTravel } from '../../run/time-travel.ts';

/** What happened, in words: the screen brings them. */
export type EventWords = (event: RunEventLike, view: Pick<RunView, 'nodes'>) => string;

export function TimeBar({ time, words }: { time: TimeTravel; words: EventWords }) {
  const { now, view, seq, go } = time;
  const last = now.lastSeq;
  const here = seq ?? last;
  // The line is as long as what is loaded.
  const { gap } = now;
  const end = last === 0 ? 0 : placeOf(gap, last) + 1;
  const at = here === 0 ? 0 : placeOf(gap, here) + 1;
  const marks = useMemo(() => new Marks(), [now.events]); // eslint-disable-line react/exhaustive-deps
  // The list of events is one that grows: its length says when there are more.
  const shown = useMemo(() => {
    marks.take(now.events);
    return marks.shown(end);
  }, [marks, now.events, end]);
  const keys = useAllActions();
  const keyOf = (id: string) => { const found = keys.find((action) => action.id === id); return found ? keysOf(found)[0] : undefined; };
  const [back, on] = [keyOf('time.back'), keyOf('time.on')];
  const event = eventAt(now, here);
  const what = event ? words(event, view) : '';
  return (
    <div className={`time ${seq === null ? '' : 'past'}`} role="group" aria-label={t('time.title')} data-scope="time">
      <IconButton small icon="left" label={t('time.do.back')} disabled={here <= 1 || last === 0} onClick={() => time.byEvent(-1)} />
      <IconButton small icon="right" label={t('time.do.on')} disabled={seq === null} onClick={() => time.byEvent(1)} />
      <span className="time-at mono">{event ? exactTime(event.ts) : ''}</span>
      <div className="time-track" style={{ '--at': `${(shareOf(at, end) * 100).toFixed(3)}%` } as React.CSSProperties}>
        <span className="time-line" /><span className="time-gone" />
        {shown.map((mark) => <i key={`${mark.kind}${String(mark.seq)}`} className={`time-mark ${mark.kind}`} style={{ left: `${(mark.share * 100).toFixed(2)}%` }} />)}
        {gap ? <i className="time-gap" style={{ left: `${(shareOf(gap.from - 0.5, end) * 100).toFixed(2)}%` }} title={t('gap.here', { n: formatNumber(sizeOf(gap)) })} /> : null}
        <span className="time-thumb" />
        <input type="range" min={1} max={Math.max(1, end)} step={1} value={Math.max(1, at)} disabled={last < 2} aria-label={t('time.slider')} aria-valuetext={t('time.value', { n: formatNumber(here), of: formatNumber(last), what })}
          // The end of the line as it is drawn is now, by whatever the run has grown since.
          onChange={({ target }) => go(Number(target.value) >= Number(target.max) ? null : seqOf(gap, Number(target.value) - 1))} />
      </div>
      <span className="time-what ell t3" title={what}>{what}</span>
      <span className="time-n nw">{last === 0 ? '' : t('time.event', { n: formatNumber(here), of: formatNumber(last) })}</span>
      <span className="time-now">
        {seq !== null ? <Button small icon="right" onClick={() => go(null)}>{t(isTerminal(now.status) ? 'time.toEnd' : 'time.toNow')}</Button>
          : last === 0 ? null : isTerminal(now.status) ? <Badge signal="stop">{t('time.ended')}</Badge> : <Badge signal={now.status === 'running' ? 'run' : 'wait'}>{t('time.live')}</Badge>}
      </span>
      {back && on ? <span className="row gap1 s t3 time-keys"><Kbd keys={back} /><Kbd keys={on} />{t('time.keys')}</span> : null}
    </div>
  );
}

/** 14:02:11.480: events lie close together. */
export function exactTime(ts: string): string {
  const date = new Date(ts);
  return Number.isNaN(date.getTime()) ? ts : `${formatTime(ts)}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

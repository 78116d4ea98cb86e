// What one looks at is over: said plainly, with the way back.

import { use } from 'react';
import { eventAt } from '../../run/event-gap.ts';
import { LoadingContext } from '../../run/loading-context.ts';
import { isTerminal } from '../../run/run-state.ts';
import { formatNumber, t } from '../../i18n/index.ts';
import { Banner, Button } from '../../kit/index.ts';
import { exactTime, type EventWords } from './time-bar.tsx';
import type { TimeTravel } from '../../run/time-travel.ts';

/** So many events before a moment are loaded with it. */
const BEFORE = 500;

export function PastBanner({ time, words }: { time: TimeTravel | null; words: EventWords }) {
  const loading = use(LoadingContext);
  if (time && time.missing !== null) {
    const { missing } = time;
    return (
      <Banner signal="info" title={typeof missing === 'number' ? t('gap.missing', { n: formatNumber(missing) }) : t('gap.missingTime')}
        actions={<>
          {loading ? <Button variant="primary" busy={loading.busy} title={t('gap.allHint')} onClick={() => (typeof missing === 'number' ? loading.from(missing - BEFORE) : loading.all())}>{t(typeof missing === 'number' ? 'gap.fromThere' : 'gap.all')}</Button> : null}
          <Button onClick={() => time.go(null)}>{t(isTerminal(time.now.status) ? 'time.toEnd' : 'time.toNow')}</Button>
        </>}>
        <span className="s t2">{t('gap.missingText')}</span>
      </Banner>
    );
  }
  if (!time || time.seq === null) return null;
  const { now, view, seq } = time;
  const event = eventAt(now, seq);
  const ended = isTerminal(now.status);
  return (
    <Banner signal="info" title={t('time.past', { n: formatNumber(seq), of: formatNumber(now.lastSeq), time: event ? exactTime(event.ts) : '' })}
      actions={<Button variant="primary" icon="right" onClick={() => time.go(null)}>{t(ended ? 'time.toEnd' : 'time.toNow')}</Button>}>
      <span className="s t2">{event ? `${sentence(words(event, view))} ` : ''}{t(now.status === 'running' ? 'time.pastTextLive' : 'time.pastText')}</span>
    </Banner>
  );
}

const sentence = (text: string): string => (/[.?!…]$/.test(text) ? text : `${text}.`);

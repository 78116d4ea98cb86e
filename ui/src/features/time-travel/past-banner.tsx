// What one looks at is over: said plainly, with the way back.

import { isTerminal } from '../../run/run-state.ts';
import { formatNumber, t } from '../../i18n/index.ts';
import { Banner, Button } from '../../kit/index.ts';
import { exactTime, type EventWords } from './time-bar.tsx';
import type { TimeTravel } from '../../run/time-travel.ts';

export function PastBanner({ time, words }: { time: TimeTravel | null; words: EventWords }) {
  if (!time || time.seq === null) return null;
  const { now, view, seq } = time;
  const event = now.events[seq - 1];
  const ended = isTerminal(now.status);
  return (
    <Banner signal="info" title={t('time.past', { n: formatNumber(seq), of: formatNumber(now.lastSeq), time: event ? exactTime(event.ts) : '' })}
      actions={<Button variant="primary" icon="right" onClick={() => time.go(null)}>{t(ended ? 'time.toEnd' : 'time.toNow')}</Button>}>
      <span className="s t2">{event ? `${sentence(words(event, view))} ` : ''}{t(now.status === 'running' ? 'time.pastTextLive' : 'time.pastText')}</span>
    </Banner>
  );
}

const sentence = (text: string): string => (/[.?!…]$/.test(text) ? text : `${text}.`);

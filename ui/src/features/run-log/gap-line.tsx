// Of a long run only the first and the newest events are loaded: how many, and how to get more.

import './run-log.css';
import { sizeOf } from '../../run/event-gap.ts';
import type { RunView } from '../../run/run-state.ts';
import { formatNumber, t } from '../../i18n/index.ts';
import { SignalIcon } from '../../kit/index.ts';
import { LoadMore } from '../../shared/load-more.tsx';

/** `searching`: a search or a filter is on; it covers the loaded events. */
export function GapLine({ now, searching }: { now: RunView; searching: boolean }) {
  const { gap, lastSeq } = now;
  if (!gap) return null;
  const counts = { n: formatNumber(lastSeq), head: formatNumber(gap.from - 1), tail: formatNumber(lastSeq - gap.to) };
  return (
    <div className="runlog-gap row wrap s" role="note">
      <SignalIcon signal="info" />
      <span className="t2">{t('gap.line', counts)}{searching ? ` ${t('gap.search')}` : ''}</span>
      <LoadMore earlier={sizeOf(gap)} />
    </div>
  );
}

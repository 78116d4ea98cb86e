// Attempts as bars, pauses dashed, idle time folded: one row per step.

import { useMemo } from 'react';
import { EVERY, inChoice } from '../../api/run-paths.ts';
import type { RunView } from '../../api/run-state.ts';
import { isTerminal } from '../../api/run-state.ts';
import { formatDuration, t } from '../../i18n/index.ts';
import { NamedIcon, SignalIcon, VirtualList } from '../../kit/index.ts';
import { titleText } from './card.tsx';
import type { Look } from './cards-view.tsx';
import { rowsOf, scaleOf, type TimelineRow } from './timeline-model.ts';
import { useNow } from './use-now.ts';
import { CARD_SIGNAL, callText } from './words.ts';

export function TimelineView({ view, moment, shown, lookOf, selectedNode, onPick }: {
  view: RunView;
  /** When one looks at the run; undefined: now. */
  moment?: number | undefined;
  shown: (nodeId: string) => boolean;
  lookOf: (kind: string | undefined) => Look;
  selectedNode: string | null;
  onPick: (card: number) => void;
}) {
  const live = !isTerminal(view.status);
  const now = useNow(live);
  const end = view.endedMs ?? now;
  const rows = useMemo(() => rowsOf(view.choice ? view.cards.filter((card) => inChoice(card.path, view.choice ?? EVERY)) : view.cards, end), [view.version, view.cards, view.choice, end]); // eslint-disable-line react/exhaustive-deps
  const scale = useMemo(() => scaleOf(rows, view.startedMs ?? end, end), [rows, view.startedMs, end]);
  const visible = useMemo(() => rows.filter((row) => shown(row.nodeId)), [rows, shown]);
  const selected = visible.findIndex((row) => row.nodeId === selectedNode);
  return (
    <div className="tl">
      <div className="tl-row tl-head">
        <span className="cap tl-name">{t('timeline.step')}</span>
        <span className="tl-line t3">
          {scale.ticks.map((tick) => <span key={tick.text} className="tl-tick" style={{ left: percent(tick.at) }}>{tick.text}</span>)}
        </span>
        <span className="cap tl-time">{t('timeline.time')}</span>
      </div>
      <VirtualList<TimelineRow>
        className="tl-list"
        items={visible}
        rowHeight={28}
        keyOf={(row) => row.key}
        label={t('timeline.list')}
        selected={selected}
        onSelect={(index) => { const row = visible[index]; if (row) onPick(row.last.index); }}
        row={(row) => (
          <div className="tl-row">
            <span className="tl-name" style={row.depth > 0 ? { paddingLeft: 12 + row.depth * 16 } : undefined}><NamedIcon name={lookOf(row.kind).icon} size={12} /><span className="ell" title={row.nodeId}>{titleText(row.last, lookOf(row.kind))}</span></span>
            <span className="tl-line">
              {row.bars.map((bar) => (
                <span key={bar.key} className={`tl-bar ${bar.kind}`} title={`${row.title}, ${formatDuration(bar.to - bar.from)}`}
                  onClick={(event) => { event.stopPropagation(); onPick(bar.card); }}
                  style={{ left: percent(scale.at(bar.from)), width: `max(${bar.kind === 'wait' ? '0px' : '5px'}, ${percent(scale.at(bar.to) - scale.at(bar.from))})` }} />
              ))}
              {scale.folds.map((fold) => <span key={fold.at} className="tl-fold" style={{ left: percent(fold.at) }} title={t('timeline.folded', { time: formatDuration(fold.ms) })} />)}
              <span className="tl-now" style={{ left: percent(moment === undefined ? scale.end : scale.at(moment)) }} />
            </span>
            <span className="tl-time s t2">
              <SignalIcon signal={CARD_SIGNAL[row.last.status]} label={t(`card.status.${row.last.status}`)} />
              {row.last.status === 'failed' && row.last.attempt > 0 && row.last.maxAttempts ? `${String(row.last.attempt + 1)}/${String(row.last.maxAttempts + 1)}` : formatDuration(row.busyMs)}
              {row.last.attempt > 0 ? <span className="vh">{callText(row.last)}</span> : null}
            </span>
          </div>
        )}
      />
    </div>
  );
}

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;

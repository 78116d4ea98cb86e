// Attempts as bars, pauses dashed, idle time folded: one row per step and place. Only the rows that are seen have bars.

import { memo, useCallback, useMemo, useState } from 'react';
import { STATUSES, type CallTable, type Line } from '../../run/call-table.ts';
import { CONTAINERS, inChoice } from '../../run/run-paths.ts';
import { isTerminal, type RunView } from '../../run/run-state.ts';
import { statusIn } from '../../run/run-location.ts';
import { formatDuration, t, tn } from '../../i18n/index.ts';
import { Button, NamedIcon, SignalIcon, VirtualList } from '../../kit/index.ts';
import { titleText } from './card.tsx';
import type { Look } from './cards-view.tsx';
import { CallsOfChoice, inTree, LinesOfBars, roughly, scaleOf, type Bars, type Scale } from './timeline-model.ts';
import { useShownNow } from '../../kit/use-now.ts';
import { useLatest } from '../../code/use-latest.ts';
import { depthOf } from '../../shared/format-path.ts';
import { CARD_SIGNAL, callText } from './words.ts';

/** So many folds have room to say how long they are; a tick that stands so near gives way. */
const TOLD_FOLDS = 3;
const NEAR_FOLD = 0.12;

export function TimelineView({ view, moment, shown, lookOf, selectedNode, selectedCall, onPick }: {
  view: RunView;
  /** When one looks at the run; undefined: now. */
  moment?: number | undefined;
  shown: (nodeId: string) => boolean;
  lookOf: (kind: string | undefined) => Look;
  selectedNode: string | null;
  selectedCall: number | null;
  onPick: (call: number) => void;
}) {
  const { table, choice } = view;
  const live = !isTerminal(view.status);
  const now = useShownNow(live);
  const end = view.endedMs ?? now;
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(NONE);
  // While it runs the scale moves once a second, not with every event.
  const turn = live ? 0 : view.version;
  const scale = useMemo(() => scaleOf(table, view.startedMs ?? end, end, unfolded), [table, view.startedMs, end, unfolded, turn]); // eslint-disable-line react/exhaustive-deps
  const bars = useMemo(() => new LinesOfBars(table), [table]);
  const fits = useMemo(() => (choice === undefined ? undefined : (call: number) => inChoice(view.calls.at(call)?.path, choice)), [view.calls, choice]);
  const chosenCalls = useMemo(() => new CallsOfChoice(fits), [fits]);
  // The lines only grow in number; of one iteration any call may be the first of a line.
  const grown = fits === undefined ? table.lines.length : table.version;
  const lines = useMemo(() => inTree(table.lines.filter((line) => shown(line.nodeId) && chosenCalls.of(line) >= 0)), [table, grown, shown, chosenCalls]); // eslint-disable-line react/exhaustive-deps
  const chosen = selectedCall === null ? undefined : table.lines[table.line.get(selectedCall)];
  const selected = lines.findIndex((line) => (chosen ? line === chosen : line.nodeId === selectedNode));
  const selectedKind = selectedCall === null ? undefined : view.calls.at(selectedCall)?.kind;
  const marks = useMemo(() => scale.folds.map((fold) => <span key={fold.key} className="tl-fold" style={{ left: percent(fold.at) }} />), [scale]);
  const told = scale.folds.length <= TOLD_FOLDS;
  const latest = useLatest(onPick);
  const pick = useCallback((call: number) => latest.current(call), [latest]);
  return (
    <div className="tl">
      <div className="tl-row tl-head">
        <span className="cap tl-name">{t('timeline.step')}</span>
        <span className="tl-line t3">
          {scale.ticks.filter((tick) => !told || scale.folds.every((fold) => Math.abs(fold.at - tick.at) > NEAR_FOLD)).map((tick) => <span key={tick.at} className="tl-tick" style={{ left: percent(tick.at) }}>{tick.text}</span>)}
          {scale.folds.map((fold) => (
            <button key={fold.key} type="button" className="tl-fold tl-unfold" style={{ left: `clamp(26px, ${percent(fold.at)}, calc(100% - 26px))` }} title={t('timeline.unfold', { time: formatDuration(fold.ms) })} aria-label={t('timeline.unfold', { time: formatDuration(fold.ms) })}
              onClick={() => setUnfolded(new Set([...unfolded, fold.key]))}>{told ? roughly(fold.ms) : '…'}</button>
          ))}
        </span>
        <span className="cap tl-time">{unfolded.size > 0 ? <Button small variant="ghost" onClick={() => setUnfolded(NONE)}>{t('timeline.fold')}</Button> : t('timeline.time')}</span>
      </div>
      <VirtualList<Line>
        className="tl-list"
        items={lines}
        rowHeight={28}
        keyOf={(line) => line.key}
        label={t('timeline.list')}
        selected={selected}
        reveal={selected}
        revealOnTop={CONTAINERS.has(selectedKind ?? '')}
        onSelect={(index) => { const line = lines[index]; if (line) pick(chosenCalls.of(line)); }}
        row={(line) => {
          const last = view.calls.at(chosenCalls.of(line));
          if (!last) return null;
          const look = lookOf(last.kind);
          const depth = depthOf(line.path);
          const newest = statusIn(view, last);
          const worst = chosenCalls.worst(line, table, newest);
          return (
            <div className="tl-row">
              <span className="tl-name" style={depth > 0 ? { paddingLeft: 12 + depth * 16 } : undefined}><NamedIcon name={look.icon} size={12} /><span className="ell" title={line.nodeId}>{titleText(last, look)}</span></span>
              <span className="tl-line">
                <LineBars bars={bars.of(line)} table={table} turn={table.version} scale={scale} fits={fits} title={titleText(last, look)} asking={newest === 'asks' ? last.index : null} selected={selectedCall} onPick={pick} />
                {marks}
                <span className="tl-now" style={{ left: percent(moment === undefined ? scale.end : scale.at(moment)) }} />
              </span>
              <span className="tl-time s t2">
                <SignalIcon signal={CARD_SIGNAL[worst]} label={t(`card.status.${worst}`)} />
                {last.status === 'failed' && last.attempt > 0 && last.maxAttempts ? `${String(last.attempt + 1)}/${String(last.maxAttempts + 1)}` : formatDuration(chosenCalls.busyMs(line, table, end))}
                {last.attempt > 0 ? <span className="vh">{callText(last)}</span> : null}
              </span>
            </div>
          );
        }}
      />
    </div>
  );
}

const NONE: ReadonlySet<number> = new Set();

interface LineBarsProps { bars: Bars; table: CallTable; turn: number; scale: Scale; fits: ((call: number) => boolean) | undefined; title: string; /** The call that waits for people; the table does not know it of one that holds others. */ asking: number | null; selected: number | null; onPick: (call: number) => void }
/** `onPick` stays the same: bars are drawn again only for what they show. */
const LineBars = memo(function LineBars({ bars, table, scale, fits, title, asking, selected, onPick }: LineBarsProps) {
  return bars.of(scale, fits).map((bar, n) => {
    const status = bar.call === asking ? 'asks' : STATUSES[table.status.get(bar.call)] ?? 'running';
    const kind = bar.call === asking ? 'person' : bar.kind;
    const words = bar.merged > 1 ? tn('timeline.together', bar.merged, { time: formatDuration(bar.ms) }) : `${t(bar.kind === 'wait' ? 'timeline.pause' : `card.status.${status}`)}, ${formatDuration(bar.ms)}`;
    return (
      <span key={`${String(bar.call)}${bar.kind}${String(n)}`} className={['tl-bar', kind, bar.call === selected && bar.kind !== 'wait' ? 'on' : ''].filter(Boolean).join(' ')} title={`${title}: ${words}`}
        onClick={(event) => { event.stopPropagation(); onPick(bar.call); }}
        style={{ left: percent(bar.from), width: `max(${bar.kind === 'wait' ? '0px' : '5px'}, ${percent(bar.to - bar.from)})` }} />
    );
  });
});

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;

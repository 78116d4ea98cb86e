// The records, one line each, on the chain that holds them together.

import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useEffect, useLayoutEffect, useRef, type KeyboardEvent } from 'react';
import { shortRunId } from '../../shared/run-status.tsx';
import { t } from '../../i18n/index.ts';
import { Icon } from '../../kit/index.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { PayloadMark } from './apart.tsx';
import type { AuditRow, AuditVerdict } from './types.ts';
import { ACTOR_ICON, actorText, clock, eventLook, LEVELS, levelText, summaryText } from './words.ts';

const ROW = 28;

export interface AuditTableProps {
  rows: AuditRow[];
  /** Rows that came on top with the last answer. */
  added: number;
  selected: number | null;
  /** Another number: the top is shown. */
  top?: number;
  verdict: AuditVerdict | undefined;
  onSelect(seq: number): void;
  onRun(runId: string, step?: string): void;
  onEnd(): void;
}

export function AuditTable({ rows, added, selected, top = 0, verdict, onSelect, onRun, onEnd }: AuditTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => ROW, overscan: 16, getItemKey: (index) => rows[index]?.seq ?? index });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= rows.length - 40 && rows.length > 0) onEnd();
  }, [last, rows.length, onEnd]);
  // New rows on top do not move what is being read; at the top they are simply seen.
  const newest = rows[0]?.seq;
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box && added > 0 && box.scrollTop > 0) box.scrollTop += added * ROW;
  }, [newest, added]);
  useEffect(() => {
    if (top > 0 && scroller.current) scroller.current.scrollTop = 0;
  }, [top]);
  const at = rows.findIndex((row) => row.seq === selected);
  const seen = useRef<number | null>(null);
  useEffect(() => {
    if (at < 0 || seen.current === selected) return;
    seen.current = selected;
    virtual.scrollToIndex(at);
  }, [at, selected, virtual]);

  // Rows that stay are not drawn again while others come into view.
  const latest = useRef({ onSelect, onRun });
  latest.current = { onSelect, onRun };
  const select = useCallback((seq: number) => latest.current.onSelect(seq), []);
  const run = useCallback((runId: string, step: string) => latest.current.onRun(runId, step), []);

  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== event.currentTarget || event.ctrlKey || event.altKey || event.metaKey) return;
    // Home, End and the pages are keys of the whole screen: they lead further than what is loaded.
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
    if (row) onSelect(row.seq);
  }
  return (
    <div className="au-table" role="grid" aria-label={t('audit.table')} aria-rowcount={rows.length}>
      <div className="au-row au-head" role="row">
        <span role="columnheader" aria-label={t('audit.col.chain')} /><span role="columnheader">{t('audit.col.time')}</span><span role="columnheader" className="seq">{t('audit.col.seq')}</span><span role="columnheader" aria-label={t('audit.level')} /><span role="columnheader">{t('audit.col.event')}</span>
        <span role="columnheader">{t('audit.col.actor')}</span><span role="columnheader" className="au-opt">{t('audit.col.workflow')}</span><span role="columnheader">{t('audit.col.run')}</span><span role="columnheader" className="au-opt">{t('audit.col.step')}</span><span role="columnheader">{t('audit.col.summary')}</span>
      </div>
      <div ref={scroller} className="vlist" role="rowgroup" tabIndex={0} aria-label={t('audit.table')} onKeyDown={onKeyDown}>
        <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {shown.map((item) => {
            const row = rows[item.index];
            if (!row) return null;
            return <Row key={item.key} row={row} index={item.index} top={item.start} on={row.seq === selected} state={tickOf(row, verdict)} onSelect={select} onRun={run} />;
          })}
        </div>
      </div>
    </div>
  );
}

interface RowProps { row: AuditRow; index: number; top: number; on: boolean; state: Link; onSelect(seq: number): void; onRun(runId: string, step: string): void }
const Row = memo(function Row({ row, index, top, on, state, onSelect, onRun }: RowProps) {
  const event = eventLook(row.event, row.level);
  const level = LEVELS[row.level];
  return (
    <div role="row" aria-rowindex={index + 1} aria-selected={on} className={`au-row ${on ? 'on' : ''} ${state === 'broken' ? 'broken' : ''}`} style={{ transform: `translateY(${String(top)}px)` }} onClick={() => onSelect(row.seq)}>
      <span role="gridcell" className="ck"><Tick state={state} /></span>
      <span role="gridcell" className="mono" title={row.timestamp}>{clock(row.timestamp)}</span>
      <span role="gridcell" className="mono t3 seq">{row.seq}</span>
      <span role="gridcell">{row.level === 'INFO' ? <span className="vh">{levelText(row.level)}</span> : <Icon name={level.icon} size={12} className={level.color} label={levelText(row.level)} />}</span>
      <span role="gridcell" className="au-ev"><Icon name={event.icon} size={12} className={event.color} /><SafeText line text={event.text} /></span>
      <span role="gridcell" className="au-ev"><Icon name={ACTOR_ICON[row.actor.type]} size={12} className="t2" label={t(`audit.actor.${row.actor.type}`)} /><SafeText line text={actorText(row.actor)} /></span>
      <span role="gridcell" className="au-opt t2"><SafeText line text={row.workflowName ?? ''} /></span>
      <span role="gridcell">{row.runId && row.workflowId ? <button type="button" className="link mono" tabIndex={-1} title={t('audit.openRun')} onClick={(click) => { click.stopPropagation(); onRun(row.runId, row.nodeId); }}>{shortRunId(row.runId)}</button> : <span className="mono t3"><SafeText line text={shortRunId(row.runId)} /></span>}</span>
      <span role="gridcell" className="au-opt t2"><SafeText line text={row.nodeTitle ?? (row.nodeId === '$run' ? '' : row.nodeId)} /></span>
      <span role="gridcell" className="t2 au-ev"><PayloadMark state={row.payload} /><SafeText line text={summaryText(row)} /></span>
    </div>
  );
});

/** `after`: behind the place where it broke. */
type Link = 'intact' | 'sealed' | 'broken' | 'after' | 'unknown';
function tickOf({ seq, sealed }: AuditRow, verdict: AuditVerdict | undefined): Link {
  const broken = verdict?.state === 'broken' ? verdict.broken?.seq : undefined;
  if (broken !== undefined && seq >= broken) return seq === broken ? 'broken' : 'after';
  if (sealed === true || (verdict?.lastCheckpoint !== undefined && seq === verdict.lastCheckpoint.size - 1)) return 'sealed';
  return broken !== undefined || (verdict?.state === 'intact' && seq < verdict.checked) ? 'intact' : 'unknown';
}

/** A link of the chain: a circle, a box with a mark where a checkpoint seals it, a diamond where it broke. */
function Tick({ state }: { state: Link }) {
  const line = state === 'broken' || state === 'after' ? 'var(--err)' : 'var(--sel)';
  return (
    <svg width="28" height="28" viewBox="0 0 28 28" role="img" aria-label={t(`audit.tick.${state}`)} fill="none">
      {state === 'broken' ? <><path d="M14 0V5M14 23V28" stroke={line} strokeWidth="1.5" /><path d="M14 8l6 6-6 6-6-6z" fill="var(--err-bg)" stroke={line} strokeWidth="1.5" /></>
        : state === 'sealed' ? <><path d="M14 0V28" stroke={line} /><rect x="8.5" y="8.5" width="11" height="11" rx="2" fill="var(--bg-surface)" stroke={line} /><path d="M11 14l2 2 4-4" stroke={line} strokeWidth="1.5" /></>
          : <><path d="M14 0V28" stroke={line} strokeDasharray={state === 'intact' ? undefined : '2 2'} /><circle cx="14" cy="14" r="3" fill="var(--bg-surface)" stroke={line} strokeWidth="1.5" /></>}
    </svg>
  );
}

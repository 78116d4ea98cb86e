// Where the bars of a run stand. Idle time is folded, so that one long wait does not press everything into one corner. Pure.

import type { CallCard } from '../../api/run-state.ts';
import { lineKey } from '../../api/call-table.ts';
import { depthOf } from './where.ts';

export interface Bar {
  key: string;
  /** Index of the card; the first of those that were put together. */
  card: number;
  kind: 'ok' | 'err' | 'run' | 'wait' | 'person' | 'off';
  from: number;
  to: number;
  merged: number;
}

export interface TimelineRow {
  /** the same step in every iteration is one row */
  key: string;
  depth: number;
  nodeId: string;
  title: string;
  kind: string | undefined;
  bars: Bar[];
  busyMs: number;
  calls: number;
  last: CallCard;
}

export interface Scale {
  /** Share of the width, 0 to 1, of a moment. */
  at(ms: number): number;
  ticks: { at: number; text: string }[];
  folds: { at: number; ms: number }[];
  end: number;
}

const MAX_BARS = 240;

const KIND: Record<CallCard['status'], Bar['kind']> = {
  running: 'run', retrying: 'wait', waiting: 'run', asks: 'person', done: 'ok', failed: 'err', handled: 'err', skipped: 'off', interrupted: 'off', cancelled: 'off',
};

export function rowsOf(cards: readonly CallCard[], now: number): TimelineRow[] {
  const rows = new Map<string, TimelineRow>();
  for (const card of cards) {
    const key = lineKey(card.nodeId, card.path);
    let row = rows.get(key);
    if (!row) {
      row = { key, depth: depthOf(card.path), nodeId: card.nodeId, title: card.title, kind: card.kind, bars: [], busyMs: 0, calls: 0, last: card };
      rows.set(key, row);
    }
    const to = card.endedMs ?? Math.max(now, card.startedMs);
    row.bars.push({ key: card.key, card: card.index, kind: KIND[card.status], from: card.startedMs, to, merged: 1 });
    row.busyMs += to - card.startedMs;
    row.calls += card.status === 'skipped' ? 0 : 1;
    row.last = card;
    if (card.retryAtMs !== undefined && card.endedMs !== undefined) {
      row.bars.push({ key: `${card.key} wait`, card: card.index, kind: 'wait', from: card.endedMs, to: card.retryAtMs, merged: 1 });
    }
  }
  for (const row of rows.values()) row.bars = merge(row.bars);
  return [...rows.values()];
}

/** Thousands of bars are not told apart by the eye: neighbours of one kind become one. */
function merge(bars: Bar[]): Bar[] {
  let list = bars;
  let gap = 0;
  const span = Math.max(1, (bars.at(-1)?.to ?? 0) - (bars[0]?.from ?? 0));
  while (list.length > MAX_BARS && gap < span) {
    gap = gap === 0 ? span / 2000 : gap * 2;
    const next: Bar[] = [];
    for (const bar of list) {
      const last = next.at(-1);
      if (last && (last.kind === bar.kind || gap > span / 100) && bar.from - last.to <= gap) {
        next[next.length - 1] = { ...last, kind: last.kind === 'err' || bar.kind === 'err' ? 'err' : bar.kind, to: Math.max(last.to, bar.to), merged: last.merged + bar.merged };
      } else next.push(bar);
    }
    list = next;
  }
  return list;
}

const FOLD_SHARE = 0.02;

export function scaleOf(rows: readonly TimelineRow[], start: number, end: number): Scale {
  const last = Math.max(end, start + 1);
  const spans = rows.flatMap((row) => row.bars.map((bar) => [bar.from, bar.to] as const)).toSorted((a, b) => a[0] - b[0]);
  const busy: [number, number][] = [];
  for (const [from, to] of spans) {
    const before = busy.at(-1);
    if (before && from <= before[1]) before[1] = Math.max(before[1], to);
    else busy.push([from, to]);
  }
  const work = busy.reduce((sum, [from, to]) => sum + (to - from), 0);
  const limit = Math.max(2000, work * 2);
  const gaps: [number, number][] = [];
  let cursor = start;
  for (const [from, to] of busy) {
    if (from - cursor > limit) gaps.push([cursor, from]);
    cursor = Math.max(cursor, to);
  }
  if (last - cursor > limit) gaps.push([cursor, last]);
  const hidden = gaps.reduce((sum, [from, to]) => sum + (to - from), 0);
  const visible = Math.max(1, last - start - hidden);
  // A strip at the right stays free, so that a short last step is seen.
  const room = 0.97 - gaps.length * FOLD_SHARE;
  const at = (ms: number): number => {
    let skipped = 0;
    let folds = 0;
    for (const [from, to] of gaps) {
      if (ms >= to) {
        skipped += to - from;
        folds += 1;
      } else if (ms > from) {
        return clamp(((from - start - skipped) / visible) * room + folds * FOLD_SHARE + FOLD_SHARE / 2);
      }
    }
    return clamp(((ms - start - skipped) / visible) * room + folds * FOLD_SHARE);
  };
  const step = niceStep(visible / 4);
  const ticks = [];
  let lastAt = -1;
  for (let ms = 0; ms <= last - start && ticks.length < 12; ms += step) {
    const place = at(start + ms);
    if (place - lastAt < 0.12 && lastAt >= 0) continue;
    if (place > 0.94) break;
    ticks.push({ at: place, text: tickText(ms) });
    lastAt = place;
  }
  return { at, ticks, folds: gaps.map(([from, to]) => ({ at: at(from), ms: to - from })), end: at(last) };
}

const clamp = (value: number) => Math.min(1, Math.max(0, value));

export function niceStep(raw: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, raw)));
  const factor = raw / power;
  return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

function tickText(ms: number): string {
  if (ms === 0) return '0 s';
  if (ms < 1000) return `${String(ms)} ms`;
  if (ms < 120_000) return `${String(Math.round(ms / 100) / 10)} s`;
  return `${String(Math.round(ms / 60_000))} min`;
}

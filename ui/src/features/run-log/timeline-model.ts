// Where the bars of a run stand. Time without work is folded, so that one long wait does not press everything into one corner. Pure.

import { cover, STATUSES, type CallTable, type Line } from '../../run/call-table.ts';
import type { CardStatus } from '../../run/run-state.ts';
import { formatPause, t } from '../../i18n/index.ts';

export interface Bar {
  /** Number of the call; the first of those that were put together. */
  call: number;
  kind: 'ok' | 'err' | 'run' | 'wait' | 'person' | 'off';
  /** Share of the width, 0 to 1. */
  from: number;
  to: number;
  ms: number;
  merged: number;
}

export interface Fold { key: number; at: number; ms: number }

export interface Scale {
  /** Share of the width, 0 to 1, of a moment. */
  at(ms: number): number;
  ticks: { at: number; text: string }[];
  folds: Fold[];
  /** Where now is. */
  end: number;
  endMs: number;
}

const KIND: { readonly [S in CardStatus]: Bar['kind'] } = {
  running: 'run', retrying: 'wait', waiting: 'wait', asks: 'person', done: 'ok', failed: 'err', handled: 'err', skipped: 'off', interrupted: 'off', cancelled: 'off',
};
/** A retry stands as a line between two calls, a wait as a bar of its own. */
const kindOf = (status: CardStatus): Bar['kind'] => (status === 'waiting' ? 'run' : KIND[status]);

/** Bars nearer than this are not told apart by the eye. */
const NEAR = 1 / 400;
/** A line with fewer calls shows each of them. */
const FEW = 240;

/** Bars, and where the last of each kind stands. */
class Drawn {
  readonly bars: Bar[];
  readonly lastOf: Map<Bar['kind'], number>;

  constructor(from?: Drawn) {
    this.bars = [...(from?.bars ?? [])];
    this.lastOf = new Map(from?.lastOf);
  }
}

/** The bars of one line. While the scale stays, calls that have ended are not looked at again. */
export class Bars {
  /** Calls looked at, for tests of what it costs. */
  read = 0;
  private scale: Scale | undefined;
  private fits: ((call: number) => boolean) | undefined;
  private done = 0;
  private settled = new Drawn();

  constructor(private readonly table: CallTable, private readonly line: Line) {}

  /** `fits`: calls that are looked at; all when absent. */
  of(scale: Scale, fits?: (call: number) => boolean): readonly Bar[] {
    if (scale !== this.scale || fits !== this.fits) {
      [this.scale, this.fits, this.done, this.settled] = [scale, fits, 0, new Drawn()];
    }
    const { calls } = this.line;
    const take = (list: Drawn, call: number): void => {
      this.read++;
      if (fits === undefined || fits(call)) this.add(list, call, scale);
    };
    for (; this.done < calls.length && !this.table.open.has(calls[this.done] as number); this.done++) take(this.settled, calls[this.done] as number);
    const list = new Drawn(this.settled);
    for (let n = this.done; n < calls.length; n++) take(list, calls[n] as number);
    return list.bars;
  }

  private add(list: Drawn, call: number, scale: Scale): void {
    const { table } = this;
    const from = table.from.get(call);
    const end = table.to.get(call);
    const to = Number.isNaN(end) ? Math.max(scale.endMs, from) : end;
    const kind = kindOf(STATUSES[table.status.get(call)] ?? 'running');
    this.put(list, { call, kind, from: scale.at(from), to: scale.at(to), ms: to - from, merged: 1 });
    const retry = table.retryAt.get(call);
    if (!Number.isNaN(retry) && !Number.isNaN(end)) this.put(list, { call, kind: 'wait', from: scale.at(end), to: scale.at(retry), ms: retry - end, merged: 0 });
  }

  private put({ bars, lastOf }: Drawn, bar: Bar): void {
    const at = lastOf.get(bar.kind);
    const last = at === undefined ? undefined : bars[at];
    // Only with its like: one call that failed among many that went well is one, and is seen.
    if (this.line.calls.length > FEW && at !== undefined && last && bar.from - last.to < NEAR) {
      bars[at] = { ...last, to: Math.max(last.to, bar.to), ms: last.ms + bar.ms, merged: last.merged + bar.merged };
    } else lastOf.set(bar.kind, bars.push(bar) - 1);
  }
}

/** The calls of each line that fit: the newest of them, the worst, and the time in them. Each call is looked at once, however often it is asked. */
export class CallsOfChoice {
  /** Calls looked at, for tests of what it costs. */
  read = 0;
  private readonly known = new Map<string, { done: number; newest: number; busyMs: number; open: number[]; calls: number[] }>();

  /** `fits`: calls that are looked at; all when absent. */
  constructor(private readonly fits?: (call: number) => boolean) {}

  /** -1 when none of them fits. */
  of(line: Line): number {
    return this.fits === undefined ? line.calls.at(-1) ?? -1 : this.look(line, this.fits).newest;
  }

  /** What stands for the line: an error that no retry answered, however many calls went well; else how the newest call is. */
  worst(line: Line, table: CallTable, newest: CardStatus): CardStatus {
    if (this.fits === undefined) return line.failed > 0 ? 'failed' : line.handled > 0 ? 'handled' : newest;
    const bad = this.look(line, this.fits).calls.map((call) => table.troubleOf(call));
    return bad.find((one) => one === 'failed') ?? bad.find((one) => one === 'handled') ?? newest;
  }

  /** Time in calls, up to `end` in those that have not ended. Without a choice the newest alone is looked at: there may be very many. */
  busyMs(line: Line, table: CallTable, end: number): number {
    const openMs = (call: number): number => Math.max(0, end - table.from.get(call));
    if (this.fits === undefined) {
      const last = line.calls.at(-1);
      return line.busyMs + (last !== undefined && table.open.has(last) ? openMs(last) : 0);
    }
    const known = this.look(line, this.fits);
    const ended = known.open.filter((call) => !table.open.has(call));
    if (ended.length > 0) {
      known.open = known.open.filter((call) => table.open.has(call));
      known.busyMs += ended.reduce((sum, call) => sum + table.to.get(call) - table.from.get(call), 0);
    }
    return known.busyMs + known.open.reduce((sum, call) => sum + openMs(call), 0);
  }

  private look(line: Line, fits: (call: number) => boolean) {
    const known = this.known.get(line.key) ?? { done: 0, newest: -1, busyMs: 0, open: [], calls: [] };
    this.known.set(line.key, known);
    for (; known.done < line.calls.length; known.done++) {
      const call = line.calls[known.done] as number;
      this.read++;
      if (!fits(call)) continue;
      known.newest = call;
      known.open.push(call);
      known.calls.push(call);
    }
    return known;
  }
}

/** The bars of all lines, each made when it is first seen. */
export class LinesOfBars {
  private readonly made = new Map<string, Bars>();
  constructor(private readonly table: CallTable) {}

  of(line: Line): Bars {
    const known = this.made.get(line.key);
    if (known) return known;
    const bars = new Bars(this.table, line);
    this.made.set(line.key, bars);
    return bars;
  }
}

/** Lines as they stand in each other: what runs in a loop, a branch or another file comes right below it, else as it began. */
export function inTree(lines: readonly Line[]): Line[] {
  const keys = new Set(lines.map((line) => line.key));
  const under = new Map<string, Line[]>();
  for (const line of lines) {
    // What is cut off is the step itself, or a branch, which is no line.
    let above = line.key;
    do above = above.slice(0, Math.max(0, above.lastIndexOf('/')));
    while (above !== '' && !keys.has(above));
    under.set(above, [...(under.get(above) ?? []), line]);
  }
  const list: Line[] = [];
  const add = (above: string): void => {
    for (const line of under.get(above) ?? []) {
      list.push(line);
      add(line.key);
    }
  };
  add('');
  return list;
}

/** Share of the width that a letter of a tick takes, on a narrow line. */
const LETTER = 0.018;
const FOLD_SHARE = 0.02;
/** Folds together never take more than this. */
const FOLDS_SHARE = 0.3;
/** What they take where there is next to no work, and how little that is. */
const MOST_SHARE = 0.8;
const LITTLE_MS = 20;
const SHORTEST_FOLD_MS = 2000;

/** `unfolded`: keys of folds that are drawn in full. */
export function scaleOf(table: CallTable, start: number, end: number, unfolded: ReadonlySet<number> = new Set()): Scale {
  const last = Math.max(end, start + 1);
  const busy = table.busy.map(([from, to]): [number, number] => [from, to]);
  for (const call of table.open) if (table.works(call)) cover(busy, table.from.get(call), last);
  const work = busy.reduce((sum, [from, to]) => sum + (to - from), 0);
  const limit = Math.max(SHORTEST_FOLD_MS, work * 2);
  const gaps: [number, number][] = [];
  let cursor = start;
  for (const [from, to] of busy) {
    if (from - cursor > limit && !unfolded.has(cursor)) gaps.push([cursor, from]);
    cursor = Math.max(cursor, to);
  }
  if (last - cursor > limit && !unfolded.has(cursor)) gaps.push([cursor, last]);
  const hidden: number[] = [0];
  for (const [from, to] of gaps) hidden.push((hidden.at(-1) ?? 0) + to - from);
  const visible = Math.max(1, last - start - (hidden.at(-1) ?? 0));
  // Where nearly all is waiting there is nothing else to be seen: then the folds have the room.
  const little = Math.max(0, 1 - visible / LITTLE_MS);
  const narrow = Math.min(FOLD_SHARE, FOLDS_SHARE / Math.max(1, gaps.length));
  const share = narrow + little * (MOST_SHARE / Math.max(1, gaps.length) - narrow);
  // A strip at the right stays free, so that a short last step is seen.
  const room = 0.97 - gaps.length * share;
  const at = (ms: number): number => {
    let [low, high] = [0, gaps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((gaps[middle] as [number, number])[1] <= ms) low = middle + 1;
      else high = middle;
    }
    const inside = (gaps[low]?.[0] ?? Infinity) < ms;
    const stands = inside ? (gaps[low] as [number, number])[0] : ms;
    return clamp(((stands - start - (hidden[low] ?? 0)) / visible) * room + low * share + (inside ? share / 2 : 0));
  };
  const step = niceStep(visible / 4);
  const ticks: Scale['ticks'] = [];
  let free = 0;
  // Where time is folded the steps go on behind the fold.
  for (let ms = 0, tries = 0; ms <= last - start && ticks.length < 12 && tries < 400; ms += step, tries++) {
    const gap = gaps.find(([from, to]) => start + ms > from && start + ms < to);
    if (gap) ms = Math.ceil((gap[1] - start) / step) * step;
    const place = at(start + ms);
    const text = formatPause(ms);
    // The whole text has room, on the line and before the next one.
    if (place > 1 - text.length * LETTER) break;
    if (place < free) continue;
    ticks.push({ at: place, text });
    free = place + Math.max(0.12, text.length * LETTER + 0.02);
  }
  return { at, ticks, folds: gaps.map(([from, to]) => ({ key: from, at: at((from + to) / 2), ms: to - from })), end: at(last), endMs: last };
}

/** How long a fold is, in as few letters as say it: "40 s", "12 min", "3 h", "2 d". */
export function roughly(ms: number): string {
  const s = Math.round(ms / 1000);
  if (s < 60) return t('unit.s', { n: s });
  const min = Math.round(s / 60);
  if (min < 60) return t('unit.min', { n: min });
  const h = Math.round(min / 60);
  return h < 48 ? t('unit.h', { n: h }) : t('unit.d', { n: Math.round(h / 24) });
}

const clamp = (value: number) => Math.min(1, Math.max(0, value));

export function niceStep(raw: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, raw)));
  const factor = raw / power;
  return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

// The calls of a run in columns: what timeline and table read when there are many. Kept up with the fold, one call at a time.

import { Column } from './growable-array';
import type { ReadonlyList } from './persistent-list';
import { CONTAINERS, partsOf } from './run-paths';
import type { CallCard, CardStatus } from './run-types';

export const STATUSES: readonly CardStatus[] = ['running', 'retrying', 'waiting', 'asks', 'done', 'failed', 'handled', 'skipped', 'interrupted', 'cancelled'];
const NUMBER_OF = new Map(STATUSES.map((status, n) => [status, n]));

/** The same step in every iteration. */
export const lineKey = (nodeId: string, path: string | undefined): string => (path ? `${partsOf(path).map((part) => part.id).join('/')}/${nodeId}` : nodeId);

/** One row of the timeline. */
export interface Line {
  key: string;
  nodeId: string;
  /** of its first call */
  path: string | undefined;
  /** Numbers of its calls. */
  calls: number[];
  /** Time in calls that have ended. */
  busyMs: number;
  /** Calls that were not skipped. */
  begun: number;
  /** Calls with an error that no retry answered. */
  failed: number;
  handled: number;
}

/** Texts by number: a column of them is a column of numbers. */
export class StringInterner {
  private readonly numbers = new Map<string, number>();
  readonly list: string[] = [];

  number(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    this.numbers.set(text, this.list.length);
    return this.list.push(text) - 1;
  }
}

export class CallTable {
  readonly line = new Column(Int32Array);
  readonly status = new Column(Uint8Array);
  /** milliseconds since 1970 */
  readonly from = new Column(Float64Array);
  /** NaN while it goes on */
  readonly to = new Column(Float64Array);
  /** when the next attempt is due, NaN without one */
  readonly retryAt = new Column(Float64Array);
  readonly startSeq = new Column(Int32Array);
  /** `version` of the batch that changed it last */
  readonly changedIn = new Column(Int32Array);
  /** 1: it works while it is open; 0: it waits for a time or a person, or for the steps in it */
  private readonly busyOnes = new Column(Uint8Array);
  readonly lines: Line[] = [];
  /** Calls that have not ended. */
  readonly open = new Set<number>();
  /** Grows with each batch. */
  version = 0;
  /** Calls read so far, for tests of what it costs. */
  read = 0;
  /** Time in which something worked, in order and apart, without what is still open; near ones are one. A wait is a moment at each end. */
  readonly busy: [from: number, to: number][] = [];
  private readonly keys = new Map<string, number>();

  get length(): number {
    return this.line.length;
  }

  /** Brings the calls up to date that a batch changed. */
  take(cards: ReadonlyList<CallCard>, changed: Iterable<number>): void {
    this.version++;
    for (const index of changed) {
      const card = cards.at(index);
      if (card) this.put(card);
    }
  }

  /** It works, and does not only wait. */
  works(call: number): boolean {
    return this.busyOnes.get(call) === 1;
  }

  /** How it went wrong, if it did and was not called again. */
  troubleOf(call: number): 'failed' | 'handled' | undefined {
    const status = STATUSES[this.status.get(call)];
    return (status === 'failed' && Number.isNaN(this.retryAt.get(call))) || status === 'handled' ? status : undefined;
  }

  private put(card: CallCard): void {
    this.read++;
    const at = card.index;
    this.changedIn.set(at, this.version);
    const fresh = at >= this.line.length;
    if (fresh) {
      const line = this.lineOf(card);
      this.line.set(at, line);
      (this.lines[line] as Line).calls.push(at);
      this.from.set(at, card.startedMs);
      this.startSeq.set(at, card.startSeq);
    }
    const line = this.lines[this.line.get(at)] as Line;
    const works = card.dueMs === undefined && card.people === undefined && !CONTAINERS.has(card.kind ?? '');
    if (!works && (fresh || this.works(at))) cover(this.busy, card.startedMs, card.startedMs);
    this.busyOnes.set(at, works ? 1 : 0);
    const trouble = fresh ? undefined : this.troubleOf(at);
    const before = fresh ? Number.NaN : this.to.get(at);
    const to = card.endedMs ?? Number.NaN;
    this.to.set(at, to);
    this.status.set(at, NUMBER_OF.get(card.status) ?? 0);
    this.retryAt.set(at, card.retryAtMs ?? Number.NaN);
    if (trouble) line[trouble]--;
    const now = this.troubleOf(at);
    if (now) line[now]++;
    if (fresh && card.status !== 'skipped') line.begun++;
    if (Number.isNaN(to)) this.open.add(at);
    else {
      this.open.delete(at);
      if (Number.isNaN(before)) {
        line.busyMs += to - card.startedMs;
        cover(this.busy, works ? card.startedMs : to, to);
      }
    }
  }

  private lineOf(card: CallCard): number {
    const key = lineKey(card.nodeId, card.path);
    const known = this.keys.get(key);
    if (known !== undefined) return known;
    this.keys.set(key, this.lines.length);
    return this.lines.push({ key, nodeId: card.nodeId, path: card.path, calls: [], busyMs: 0, begun: 0, failed: 0, handled: 0 }) - 1;
  }
}

/** Pauses shorter than this are never folded: the spans around them are kept as one. */
const NEAR_MS = 1000;

/** Adds a span to spans that are in order and apart. It is nearly always the last one. */
export function cover(spans: [number, number][], from: number, to: number): void {
  let first = spans.length;
  while (first > 0 && (spans[first - 1] as [number, number])[1] >= from - NEAR_MS) first--;
  let behind = first;
  let [start, end] = [from, to];
  for (; behind < spans.length; behind++) {
    const span = spans[behind] as [number, number];
    if (span[0] > to + NEAR_MS) break;
    start = Math.min(start, span[0]);
    end = Math.max(end, span[1]);
  }
  spans.splice(first, behind - first, [start, end]);
}

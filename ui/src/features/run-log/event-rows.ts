// The events of a run in columns, with what the table filters and sorts by. Kept up as events come; pure.

import { StringInterner } from '../../run/call-table.ts';
import { Column } from '../../run/growable-array.ts';
import { isQuestion } from '../../json/json.ts';
import { callKey } from '../../run/run-fold-state.ts';
import { inChoice, type Choice } from '../../run/run-paths.ts';
import type { RunEventLike, RunView } from '../../run/run-state.ts';
import { indexIn } from '../../run/binary-search.ts';
import { SearchQuery } from './search-query.ts';
import { eventText } from './words.ts';

export type SortKey = 'seq' | 'time' | 'step' | 'path' | 'status' | 'took' | 'attempt' | 'error';
export interface Sorting { by: SortKey; down: boolean }
export const IN_ORDER: Sorting = { by: 'seq', down: false };

export interface EventFilter {
  text: string;
  /** '' for all */
  step: string;
  choice: Choice | undefined;
}

/** Step and place as the table says them. */
type Drawn = (event: RunEventLike) => string;
const nothing: Drawn = () => '';

/** Events by their place in the table; numbers are those of the list of events, from 0. */
export interface EventOrder {
  length: number;
  at(place: number): number | undefined;
  place(event: number): number;
}

export class EventRows {
  /** Events looked at to filter or sort, for tests of what it costs. */
  read = 0;
  readonly ms = new Column(Float64Array);
  /** NaN where nothing ended */
  readonly took = new Column(Float64Array);
  /** -1 without one */
  readonly attempt = new Column(Int32Array);
  private readonly step = new Column(Int32Array);
  private readonly path = new Column(Int32Array);
  private readonly status = new Column(Int32Array);
  private readonly error = new Column(Int32Array);
  private readonly words = new StringInterner();
  private readonly open = new Map<string, number>();
  private names: unknown;
  private filtered: { of: string; from: number; hits: number[] } | undefined;
  private sorted: { of: string; from: number; order: number[] } | undefined;

  get length(): number {
    return this.ms.length;
  }

  /** Code or type of the error that an event tells; empty without one. */
  errorOf(event: number): string {
    return this.words.list[this.error.get(event)] ?? '';
  }

  /** Events only come at the end. */
  take(events: readonly RunEventLike[]): void {
    for (let at = this.length; at < events.length; at++) {
      const event = events[at] as RunEventLike;
      const ms = Date.parse(event.ts);
      const error = (event.payload as { error?: { type?: string; details?: { code?: unknown } } } | null | undefined)?.error;
      this.ms.push(ms);
      this.step.push(this.words.number(event.stepId ?? ''));
      this.status.push(this.words.number(event.type));
      this.attempt.push(event.stepId == null || event.attempt == null ? -1 : event.attempt);
      this.error.push(this.words.number(isQuestion(event.payload) ? '' : typeof error?.details?.code === 'string' ? error.details.code : error?.type ?? ''));
      this.took.push(this.tookOf(event, ms));
    }
  }

  private tookOf(event: RunEventLike, ms: number): number {
    const whole = (event.payload as { duration_ms?: unknown } | null | undefined)?.duration_ms;
    if (typeof whole === 'number') return whole;
    if (event.stepId == null) return Number.NaN;
    const key = callKey(event);
    if (event.type === 'step_start') this.open.set(key, ms);
    if (event.type !== 'step_done' && event.type !== 'step_error' && event.type !== 'step_interrupted') return Number.NaN;
    const began = this.open.get(key);
    this.open.delete(key);
    return began === undefined ? Number.NaN : Math.max(0, ms - began);
  }

  /** In a long run nearly each place is another one: they are numbered when somebody sorts by them. */
  private takePaths(events: readonly RunEventLike[]): void {
    for (let at = this.path.length; at < this.length; at++) this.path.push(this.words.number(events[at]?.path ?? ''));
  }

  /** The events that fit, in order. Unfiltered and unsorted none of them is looked at. `names`: another value when steps are drawn with other names. */
  order(view: RunView, filter: EventFilter, sorting: Sorting, drawn: Drawn = nothing, names?: unknown): EventOrder {
    if (this.names !== names) {
      this.names = names;
      this.filtered = this.sorted = undefined;
    }
    this.take(view.events);
    const total = this.length;
    const hits = this.hits(view, filter, drawn);
    if (sorting.by === 'seq') {
      const count = hits?.length ?? total;
      const turn = (place: number) => (sorting.down ? count - 1 - place : place);
      return {
        length: count,
        at: (place) => (place < 0 || place >= count ? undefined : hits ? hits[turn(place)] : turn(place)),
        place: (event) => {
          const found = hits ? indexIn(hits, event) : event < total ? event : -1;
          return found < 0 ? -1 : turn(found);
        },
      };
    }
    if (sorting.by === 'path') this.takePaths(view.events);
    const order = this.sort(hits, sorting, JSON.stringify([filter, sorting]));
    return { length: order.length, at: (place) => order[place], place: (event) => order.indexOf(event) };
  }

  private hits(view: RunView, { text, step, choice }: EventFilter, drawn: Drawn): number[] | undefined {
    const needle = new SearchQuery(text);
    const { words } = needle;
    if (words === '' && step === '' && choice === undefined) return undefined;
    const of = JSON.stringify([words, step, choice]);
    if (this.filtered?.of !== of) this.filtered = { of, from: 0, hits: [] };
    const found = this.filtered;
    for (; found.from < this.length; found.from++) {
      this.read++;
      const event = view.events[found.from] as RunEventLike;
      if (step !== '' && event.stepId && event.stepId !== step) continue;
      if (choice !== undefined && !inChoice(event.path, choice)) continue;
      if (words === '' || this.says(event, found.from, needle, view, drawn)) found.hits.push(found.from);
    }
    return found.hits;
  }

  private says(event: RunEventLike, at: number, needle: SearchQuery, view: RunView, drawn: Drawn): boolean {
    return needle.is(event.seq) || needle.in(event.type) || needle.in(event.stepId ?? '') || needle.inPath(event.path)
      || needle.in(this.errorOf(at)) || needle.in(eventText(event, view)) || needle.in(drawn(event));
  }

  /** What is new is sorted by itself and put between what is sorted already. */
  private sort(hits: number[] | undefined, { by, down }: Sorting, of: string): number[] {
    if (this.sorted?.of !== of) this.sorted = { of, from: 0, order: [] };
    const known = this.sorted;
    const count = hits?.length ?? this.length;
    if (known.from === count) return known.order;
    const key = this.keyOf(by);
    const compare = (a: number, b: number): number => {
      this.read++;
      const [x, y] = [key(a), key(b)];
      // What has no value stands last, whichever way one sorts.
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) === Number.isNaN(y) ? a - b : Number.isNaN(x) ? 1 : -1;
      return x === y ? a - b : (x < y ? -1 : 1) * (down ? -1 : 1);
    };
    const fresh = Array.from({ length: count - known.from }, (_, n) => (hits ? (hits[known.from + n] as number) : known.from + n)).toSorted(compare);
    const merged: number[] = [];
    let at = 0;
    for (const event of fresh) {
      while (at < known.order.length && compare(known.order[at] as number, event) <= 0) merged.push(known.order[at++] as number);
      merged.push(event);
    }
    while (at < known.order.length) merged.push(known.order[at++] as number);
    this.sorted = { of, from: count, order: merged };
    return merged;
  }

  private keyOf(by: SortKey): (event: number) => number {
    if (by === 'seq') return (event) => event;
    if (by === 'time') return (event) => this.ms.get(event);
    if (by === 'took') return (event) => this.took.get(event);
    if (by === 'attempt') return (event) => (this.attempt.get(event) < 0 ? Number.NaN : this.attempt.get(event));
    const column = { step: this.step, path: this.path, status: this.status, error: this.error }[by];
    const ranks: number[] = [];
    for (const [rank, word] of [...this.words.list.keys()].toSorted((a, b) => byNumber.compare(this.words.list[a] ?? '', this.words.list[b] ?? '')).entries()) ranks[word] = this.words.list[word] === '' ? Number.NaN : rank;
    return (event) => ranks[column.get(event)] as number;
  }
}

/** `each[10]` stands behind `each[9]`. */
const byNumber = new Intl.Collator('en', { numeric: true });

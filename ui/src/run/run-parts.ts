// Which events of a long run are read: its first ones and its newest. The rest is read when somebody asks for it.

import { canSkip, wholeHead, type Standing } from './run-fold-skip.ts';
import { placeOf } from './event-gap.ts';
import type { RunEventLike, RunFold, RunView } from './run-state.ts';

/** How much of a run is read at first. */
export interface Sizes {
  /** A run with at most so many events is read as a whole. */
  readonly whole: number;
  /** The start, with the first rounds of its loops. */
  readonly head: number;
  /** The newest events, and how many more *Load earlier events* brings. */
  readonly page: number;
}
export const SIZES: Sizes = { whole: 100_000, head: 1_000, page: 20_000 };

/** The parts of a run to read. */
export interface RunParts {
  readonly known: Standing;
  /** So many of the first events. */
  readonly head: number;
  /** Number of the first and of the last of the newest events. What comes later is followed. */
  readonly from: number;
  readonly to: number;
  /** A view of the same run whose events need not be read again. */
  readonly have?: Pick<RunView, 'events' | 'gap'> | undefined;
}

/** The part that is read first; undefined: all of it. */
export function firstParts(known: Standing | undefined, sizes: Sizes): RunParts | undefined {
  if (!known || known.lastSeq <= sizes.whole || known.lastSeq <= sizes.head + sizes.page) return undefined;
  return { known, head: sizes.head, from: known.lastSeq - sizes.page + 1, to: known.lastSeq };
}

/** Events that are folded without a break: a few milliseconds. */
const PIECE = 250;

/** Brings the parts into a fold, piece by piece; between two of them others may work. False at its end: what is not loaded would be missed, and nothing
 * was brought in. */
export function* bring(fold: RunFold, head: readonly RunEventLike[], tail: readonly RunEventLike[], known: Standing): Generator<undefined, boolean> {
  const whole = wholeHead(head);
  const from = tail[0]?.seq ?? 0;
  if (from <= whole || whole === 0 || !canSkip(tail, known)) return false;
  for (let at = 0; at < whole; at += PIECE) {
    fold.apply(head.slice(at, Math.min(whole, at + PIECE)));
    yield;
  }
  yield* fold.skip(from - 1, tail, known);
  for (let at = 0; at < tail.length; at += PIECE) {
    yield;
    fold.apply(tail.slice(at, at + PIECE));
  }
  return true;
}

/** The same without a break. */
export function bringAll(...parts: Parameters<typeof bring>): boolean {
  const work = bring(...parts);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** A run that is followed is not kept as a whole forever: with so many events behind the gap, only the newest of them stay. `undefined`: those that are
 * loaded are needed. */
export function lessParts(view: RunView, known: Standing, sizes: Sizes): RunParts | undefined {
  const { events, gap, lastSeq } = view;
  if (!isLong(view, sizes) || !canSkip(events.slice(-sizes.page), known)) return undefined;
  return { known, head: sizes.head, from: lastSeq - sizes.page + 1, to: Math.max(known.lastSeq, lastSeq), have: { events, gap } };
}

export const isLong = ({ gap, lastSeq }: Pick<RunView, 'gap' | 'lastSeq'>, sizes: Sizes): boolean => lastSeq - (gap?.to ?? 0) > sizes.whole + sizes.page;

/** Events of a view from one number to another; undefined when one of them is not loaded. */
export function eventsOf({ events, gap }: Pick<RunView, 'events' | 'gap'>, from: number, to: number): readonly RunEventLike[] | undefined {
  const [first, last] = [placeOf(gap, from), placeOf(gap, to)];
  return first < 0 || last < 0 || last - first !== to - from || last >= events.length ? undefined : events.slice(first, last + 1);
}

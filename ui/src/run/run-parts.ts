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

/** Brings the parts into a fold. False: what is not loaded would be missed, and nothing was brought in. */
export function bring(fold: RunFold, head: readonly RunEventLike[], tail: readonly RunEventLike[], known: Standing): boolean {
  const whole = wholeHead(head);
  const from = tail[0]?.seq ?? 0;
  if (from <= whole || whole === 0 || !canSkip(tail, known)) return false;
  fold.apply(head.slice(0, whole));
  fold.skip(from - 1, tail, known);
  fold.apply(tail);
  return true;
}

/** Events of a view from one number to another; undefined when one of them is not loaded. */
export function eventsOf({ events, gap }: Pick<RunView, 'events' | 'gap'>, from: number, to: number): readonly RunEventLike[] | undefined {
  const [first, last] = [placeOf(gap, from), placeOf(gap, to)];
  return first < 0 || last < 0 || last - first !== to - from || last >= events.length ? undefined : events.slice(first, last + 1);
}

// Moments of a run by number: one call on or back, and the event of a time.

import type { ReadonlyList } from './persistent-list.ts';
import { seqOf, type EventGap } from './event-gap.ts';
import type { CallCard, RunEventLike } from './run-state.ts';

/** Where the next call begins, or the one before; undefined when there is none that way. */
export function callStart(calls: ReadonlyList<CallCard>, seq: number, by: 1 | -1): number | undefined {
  let [low, high] = [0, calls.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const start = calls.at(middle)?.startSeq ?? Infinity;
    if (by > 0 ? start > seq : start >= seq) high = middle;
    else low = middle + 1;
  }
  return calls.at(by > 0 ? low : low - 1)?.startSeq;
}

/** The last event up to a time; of those at that very time the last one of a step, when there is one. Null when it is not loaded: the time lies in the gap. */
export function seqAt(events: readonly RunEventLike[], time: string, step?: string, gap?: EventGap): number | null {
  const wanted = Date.parse(time);
  const last = events.findLastIndex((event) => Date.parse(event.ts) <= wanted);
  if (gap && last === gap.from - 2 && Date.parse(events[last]?.ts ?? '') !== wanted) return null;
  const first = events.findLastIndex((event, at) => at <= last && Date.parse(event.ts) !== wanted) + 1;
  const ofStep = step === undefined ? -1 : events.slice(first, last + 1).findLastIndex((event) => event.stepId === step);
  return seqOf(gap, Math.max(0, ofStep < 0 ? last : first + ofStep));
}

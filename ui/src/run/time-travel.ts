// Which moment of a run is looked at: now, or after one of its events.

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { isTerminal, type RunFold, type RunView } from './run-state.ts';
import { isInGap } from './event-gap.ts';
import { callStart, seqAt } from './event-index.ts';

export interface TimeTravel {
  /** The run as it is now. */
  now: RunView;
  /** The run as it was at the moment that is looked at; `now` when that is the present. */
  view: RunView;
  /** The event after which one looks; null: now. */
  seq: number | null;
  /** The moment that was asked for is among events that are not loaded: the run is shown as it is now. */
  missing: Moment | null;
  go(seq: number | null): void;
  byEvent(by: 1 | -1): void;
  byCall(by: 1 | -1): void;
}

/** The number of an event, or the time of one (RFC 3339). */
export type Moment = number | string;

interface Options {
  now: RunView | null;
  fold: RunFold | null;
  /** From the address. */
  at?: Moment | undefined;
  /** The step that a time is about. */
  step?: string | undefined;
  /** Told when the moment has stood still for a while: dragging does not fill the history. Absent where no address tells the moment. */
  onSettled?(at: number | undefined): void;
}

const SETTLED_MS = 250;

export function useTimeTravel({ now, fold, at, step, onSettled }: Options): TimeTravel | null {
  const [moment, setMoment] = useState<Moment | null>(at ?? null);
  // What this wrote into the address comes back from there; anything else is a link to another moment.
  const written = useRef<Moment | undefined>(at);
  const pending = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    if (at === written.current) return;
    // A moment from before the link must not be written over it.
    clearTimeout(pending.current);
    written.current = at;
    setMoment(at ?? null);
  }, [at]);

  // Another run is looked at as it is now.
  const runId = now?.runId;
  const [ofRun, setOfRun] = useState(runId);
  if (runId !== undefined && runId !== ofRun) {
    setOfRun(runId);
    if (ofRun !== undefined) setMoment(null);
  }

  const last = now?.lastSeq ?? 0;
  const reached = now && (isTerminal(now.status) || Date.parse(now.events.at(-1)?.ts ?? '') > Date.parse(typeof moment === 'string' ? moment : ''));
  useEffect(() => {
    const found = typeof moment === 'string' && now && reached ? seqAt(now.events, moment, step, now.gap) : null;
    if (found !== null) setMoment(found);
  }, [moment, now, reached, step]);
  const gap = now?.gap;
  const missing = useMemo<Moment | null>(() => {
    if (!now || !gap || moment === null) return null;
    return (typeof moment === 'number' ? isInGap(gap, moment) : reached && seqAt(now.events, moment, step, gap) === null) ? moment : null;
    // Later events do not fill the gap.
  }, [moment, gap, reached, step]); // eslint-disable-line react/exhaustive-deps

  const seq = typeof moment === 'number' && moment < last && missing === null ? Math.max(1, moment) : null;
  const settled = useRef(onSettled);
  settled.current = onSettled;
  useEffect(() => {
    // An event that is still to come or is not loaded, or a time that is not found yet, stays in the address.
    if (missing !== null || (moment !== null && seq === null && !(typeof moment === 'number' && now && isTerminal(now.status))) || (seq ?? undefined) === written.current) return undefined;
    pending.current = setTimeout(() => {
      written.current = seq ?? undefined;
      settled.current?.(seq ?? undefined);
    }, SETTLED_MS);
    return () => clearTimeout(pending.current);
  }, [moment, seq, now, missing]);

  const go = useCallback((next: number | null) => setMoment(next === null || next >= (fold?.view.lastSeq ?? 0) ? null : Math.max(1, Math.trunc(next))), [fold]);
  const view = now && fold && seq !== null ? fold.at(seq) : now;
  return useMemo(() => {
    if (!now || !view) return null;
    const here = seq ?? now.lastSeq;
    return {
      now, view, seq, missing, go,
      byEvent: (by) => {
        const next = here + by;
        go(gap && isInGap(gap, next) ? (by > 0 ? gap.to + 1 : gap.from - 1) : next);
      },
      byCall: (by) => {
        const next = callStart(now.calls, here, by);
        go(next ?? (by > 0 ? null : 1));
      },
    };
  }, [now, view, seq, missing, gap, go]);
}

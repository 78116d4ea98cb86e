/** Follows one run: replay after the last known seq, live batches, fetch again after a gap, reconnect after a break. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { call, transport, whenTokenChanges } from '../api/client.ts';
import { toApiError, type ApiError } from '../api/error.ts';
import { createYieldToMain } from '../api/yield-to-main.ts';
import { createRunFold, emptyRunView, isTerminal, type RunDefinition, type RunFold, type RunView } from './run-state.ts';
import type { EventGap } from './event-gap.ts';
import { bring, eventsOf, firstParts, isLong, lessParts, SIZES, type RunParts, type Sizes } from './run-parts.ts';
import type { Standing } from './run-fold-skip.ts';
import type { RunDetails, RunEvent } from '../api/types.ts';

const PAGE = 1000;
/** Pages that are asked for at once: a host with several processors reads them side by side. */
const AHEAD = 4;
const RECONNECT_MS = [250, 500, 1000, 2000, 5000];

export interface Follower { stop(): void }

export interface FollowOptions {
  fold: RunFold;
  /** The run has ended with this event: read all of them and do not stay connected. */
  ended?: number | undefined;
  /** Of a long run only these are read. */
  parts?: RunParts | undefined;
  onError?(error: ApiError | null): void;
  wait?(ms: number): Promise<void>;
}

export function followRun(runId: string, { fold, ended, parts, onError, wait = pause }: FollowOptions): Follower {
  let open = true;
  let unsubscribe: (() => void) | undefined;
  let failures = 0;
  let hurry: (() => void) | undefined;
  const unlisten = whenTokenChanges(() => hurry?.());
  const yieldToMain = createYieldToMain();

  function take(batch: RunEvent[]): boolean {
    const result = fold.apply(batch);
    return result.gapAfter === undefined;
  }

  async function readAll(upTo: number): Promise<void> {
    const asked: Promise<RunEvent[]>[] = [];
    let at = fold.view.lastSeq;
    let next = at;
    const ask = (after: number): void => {
      const page = call('run_events', { runId, after, limit: PAGE });
      // Of a page that nobody waits for any more nothing is told.
      page.catch(() => undefined);
      asked.push(page);
      next = after + PAGE;
    };
    const fill = (): void => { for (let after = next; asked.length < AHEAD && after < upTo; after += PAGE) ask(after); };
    for (;;) {
      fill();
      // More may have come since the last one was told.
      if (asked.length === 0) ask(next);
      const page = await (asked.shift() as Promise<RunEvent[]>); // eslint-disable-line no-await-in-loop
      if (!open) return;
      // The host reads on while these are taken.
      fill();
      take(page);
      at += PAGE;
      if (page.length < PAGE || fold.view.lastSeq !== at) return;
    }
  }

  function rest(): Promise<void> {
    return new Promise<void>((done) => {
      hurry = done;
      void wait(RECONNECT_MS[Math.min(failures, RECONNECT_MS.length - 1)] ?? 5000).then(done);
      failures += 1;
    });
  }

  /** The events from one number to another, those that are at hand without asking. */
  async function readSpan(from: number, to: number, have: RunParts['have']): Promise<RunEvent[]> {
    const pages: (() => RunEvent[] | Promise<RunEvent[]>)[] = [];
    for (let first = from; first <= to; first += PAGE) {
      const last = Math.min(to, first + PAGE - 1);
      pages.push(() => (have && (eventsOf(have, first, last) as RunEvent[] | undefined)) ?? call('run_events', { runId, after: first - 1, limit: last - first + 1 }));
    }
    const read: RunEvent[][] = pages.map(() => []);
    // Several go through one list: each page is asked for once. The newest first: the last events of a run hold most of its data, and take longest.
    const left = [...pages.entries()].toReversed().values();
    const some = async (): Promise<void> => {
      for (const [at, page] of left) {
        if (!open) return;
        read[at] = await page(); // eslint-disable-line no-await-in-loop
      }
    };
    await Promise.all(Array.from({ length: AHEAD }, some));
    return read.flat();
  }

  /** The first and the newest events. When what lies between cannot be left out, all of them are read from here on. */
  async function readParts({ known, head, from, to, have }: RunParts): Promise<void> {
    // Who may not ask where it stops may not change it either.
    const stops = ended === undefined ? call('run_debug', { runId }).then((debug) => debug.breakpoints, () => undefined) : undefined;
    const [first, newest, breakpoints] = await Promise.all([readSpan(1, head, have), readSpan(from, to, have), stops]);
    if (!open || fold.view.lastSeq > 0) return;
    const work = bring(fold, first, newest, { ...known, breakpoints });
    for (;;) {
      if (!open || work.next().done === true) return;
      await yieldToMain(); // eslint-disable-line no-await-in-loop
    }
  }

  /** Of one that has ended: what is missing is asked for until it is here. */
  async function readUp(upTo: number): Promise<void> {
    try {
      if (parts && fold.view.lastSeq === 0) await readParts(parts);
      if (!open) return;
      if (fold.view.gap === undefined || fold.view.lastSeq < upTo) await readAll(upTo);
      if (open && failures > 0) onError?.(null);
    } catch (cause) {
      if (!open) return;
      onError?.(toApiError(cause));
      await rest();
      if (open) await readUp(upTo);
    }
  }

  async function again(cause: unknown): Promise<void> {
    unsubscribe?.();
    unsubscribe = undefined;
    if (!open || isTerminal(fold.view.status)) return;
    if (cause !== null) onError?.(toApiError(cause));
    await rest();
    // The last batch may have come while this waited.
    if (open && !isTerminal(fold.view.status)) connect();
  }

  function connect(): void {
    let broken = false;
    const stop = transport().subscribe(
      runId,
      fold.view.lastSeq,
      (batch) => {
        if (!open || broken) return;
        if (take(batch)) {
          failures = 0;
          onError?.(null);
          if (isTerminal(fold.view.status)) unsubscribe?.();
        } else {
          // Something between is missing: what came is thrown away and read again from the last known event.
          broken = true;
          void again(null);
        }
      },
      (cause) => {
        if (broken) return;
        broken = true;
        void again(cause);
      },
      // A run that waits may say nothing for days.
      () => { if (open && !broken) onError?.(null); },
    );
    unsubscribe = stop;
  }

  /** Of a long run that goes on: its parts, and then what comes. */
  async function begin(some: RunParts): Promise<void> {
    try {
      await readParts(some);
      if (!open) return;
      if (failures > 0) onError?.(null);
      connect();
    } catch (cause) {
      if (!open) return;
      onError?.(toApiError(cause));
      await rest();
      if (open) await begin(some);
    }
  }

  if (ended !== undefined) void readUp(ended);
  else if (parts) void begin(parts);
  else connect();
  return {
    stop() {
      open = false;
      unlisten();
      unsubscribe?.();
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => { setTimeout(done, ms); });
}

const DRAW_MS = 33;
const LATEST_MS = 500;
/** After each drawing a run goes on for so many times as long as the drawing took: most of the time is for its events, and for what a person does. */
const REST = 3;
/** While one that has ended is read, only how far it is says something. */
const REST_READING = 9;
/** How often a run that has become long is looked at again, where all that is loaded of it was needed. */
const LESS_MS = 10_000;

/** Asks how a run stands until somebody answers. */
function askStanding(runId: string, onAnswer: (run: RunDetails) => void, onError: (error: ApiError | null) => void): () => void {
  let open = true;
  let hurry: (() => void) | undefined;
  const unlisten = whenTokenChanges(() => hurry?.());
  const ask = async (failures: number): Promise<void> => {
    try {
      const run = await call('run_get', { runId });
      if (!open) return;
      if (failures > 0) onError(null);
      onAnswer(run);
    } catch (cause) {
      if (!open) return;
      onError(toApiError(cause));
      await Promise.race([pause(RECONNECT_MS[Math.min(failures, RECONNECT_MS.length - 1)] ?? 5000), new Promise<void>((done) => { hurry = done; })]);
      if (open) await ask(failures + 1);
    }
  };
  void ask(0);
  return () => {
    open = false;
    unlisten();
  };
}

/** What of a long run is not loaded, and how it is. */
export interface Loading {
  gap: EventGap;
  /** More is on the way. */
  busy: boolean;
  /** One more page before the newest events. */
  earlier(): void;
  /** Everything from this event on. */
  from(seq: number): void;
  all(): void;
}

interface Options {
  /** The last event of a run that has ended. */
  ended?: number | undefined;
  /** How the run stands: a long one is then read in part. */
  known?: Standing | undefined;
  /** This run was there before, and nobody knows how it stands: that is asked first. */
  asks?: string | null | undefined;
  sizes?: Sizes;
}

/** `hold`: told whether a moment of the past is looked at: nothing that is loaded is dropped then. */
interface Followed { view: RunView | null; error: ApiError | null; fold: RunFold | null; loading: Loading | null; hold: (past: boolean) => void }

/** The view of a run, drawn as often as there is time for it. */
export function useRunView(runId: string | null, definition: RunDefinition | undefined, { ended: ends, known: given, asks, sizes = SIZES }: Options = {}): Followed {
  // What is asked for in place of what is read at first; null: all of it. `itself`: by nobody, the run has become long.
  const [more, setMore] = useState<{ runId: string; parts: RunParts | null; itself?: boolean } | null>(null);
  const wanted = more && more.runId === runId ? more : null;
  const holds = useRef(false);
  const hold = useCallback((past: boolean) => { holds.current = past; }, []);
  const [answer, setAnswer] = useState<RunDetails | null>(null);
  const asked = runId !== null && asks === runId;
  const mineNow = asked && answer?.runId === runId ? answer : null;
  const waits = asked && mineNow === null;
  const known = wanted?.parts?.known ?? given ?? mineNow ?? undefined;
  const ended = ends ?? (mineNow && isTerminal(mineNow.status) ? mineNow.lastSeq : undefined);
  const [held, setHeld] = useState<RunFold | null>(null);
  const [view, setView] = useState<RunView | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const shown = useRef<RunFold | null>(null);
  // Until the first event, and in the drawing in which the run changes, there is an empty one: never that of another run.
  const none = useMemo(() => (runId === null ? null : emptyRunView(runId)), [runId]);
  const drawing = useRef({ began: 0, next: 0 });
  useEffect(() => {
    if (!view) return;
    const now = performance.now();
    drawing.current.next = now + Math.min(LATEST_MS, (now - drawing.current.began) * (ended === undefined ? REST : REST_READING));
  }, [view, ended]);
  useEffect(() => (waits && runId !== null ? askStanding(runId, setAnswer, setError) : undefined), [waits, runId]);
  useEffect(() => {
    const parts = wanted ? wanted.parts ?? undefined : firstParts(known, sizes);
    setError(null);
    // More of the same run takes the place of what is shown when it is here.
    const keeps = wanted?.parts != null && shown.current?.view.runId === runId;
    const show = (fold: RunFold | null): void => {
      shown.current = fold;
      setHeld(fold);
      setView(null);
    };
    if (!keeps) show(null);
    if (runId === null || waits) return undefined;
    const fold = createRunFold(runId, definition);
    if (!keeps) show(fold);
    drawing.current.next = 0;
    let frame = 0;
    const unlisten = fold.subscribe(() => {
      // The first and the newest events together are a state of the run, and not what is in between.
      if (parts && fold.view.lastSeq < parts.to && (fold.view.gap !== undefined || fold.view.lastSeq <= parts.head)) return;
      frame ||= window.setTimeout(() => {
        frame = 0;
        drawing.current.began = performance.now();
        shown.current = fold;
        setHeld(fold);
        setView(fold.view);
      }, Math.max(DRAW_MS, drawing.current.next - performance.now()));
    });
    const follower = followRun(runId, { fold, ended, parts, onError: setError });
    return () => {
      follower.stop();
      unlisten();
      window.clearTimeout(frame);
    };
    // The definition belongs to the run and does not change with it; how the run stood is asked for once.
  }, [runId, ended, wanted, waits]); // eslint-disable-line react/exhaustive-deps
  // Who asked for more keeps it.
  const long = view !== null && view.runId === runId && ended === undefined && !isTerminal(view.status) && (wanted === null || wanted.itself === true) && isLong(view, sizes);
  useEffect(() => {
    if (!long || runId === null) return undefined;
    let open = true;
    const less = async (): Promise<void> => {
      const stands = await call('run_get', { runId });
      const now = shown.current?.view;
      const fewer = open && !holds.current && now?.runId === runId ? lessParts(now, stands, sizes) : undefined;
      if (fewer) setMore({ runId, parts: fewer, itself: true });
    };
    const look = (): void => void less().catch(() => undefined);
    look();
    const timer = setInterval(look, LESS_MS);
    return () => {
      open = false;
      clearInterval(timer);
    };
  }, [long, runId, sizes]);
  const mine = view !== null && view.runId === runId;
  const gap = mine ? view.gap : undefined;
  // What was asked for takes its place with another fold.
  const busy = wanted?.parts != null && gap !== undefined && wanted.parts.from <= gap.to;
  const loading = useMemo<Loading | null>(() => {
    if (gap === undefined || known === undefined || runId === null) return null;
    const from = (seq: number): void => {
      const now = shown.current?.view;
      if (!now) return;
      if (seq <= sizes.head + 1) setMore({ runId, parts: null });
      else setMore({ runId, parts: { known, head: sizes.head, from: seq, to: Math.max(known.lastSeq, now.lastSeq), have: { events: now.events, gap: now.gap } } });
    };
    return { gap, busy, from, earlier: () => from(gap.to - sizes.page + 1), all: () => setMore({ runId, parts: null }) };
  }, [gap, busy, runId, known, sizes]);
  return { view: mine ? view : none, error, fold: held?.view.runId === runId ? held : null, loading, hold };
}

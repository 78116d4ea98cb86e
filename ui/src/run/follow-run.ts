/** Follows one run: replay after the last known seq, live batches, fetch again after a gap, reconnect after a break. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { call, transport, whenTokenChanges } from '../api/client.ts';
import { toApiError, type ApiError } from '../api/error.ts';
import { createRunFold, emptyRunView, isTerminal, type RunDefinition, type RunFold, type RunView } from './run-state.ts';
import type { RunEvent } from '../api/types.ts';

const PAGE = 1000;
/** Pages that are asked for at once: a host with several processors reads them side by side. */
const AHEAD = 4;
const RECONNECT_MS = [250, 500, 1000, 2000, 5000];

export interface Follower { stop(): void }

export interface FollowOptions {
  fold: RunFold;
  /** The run has ended with this event: read all of them and do not stay connected. */
  ended?: number | undefined;
  onError?(error: ApiError | null): void;
  wait?(ms: number): Promise<void>;
}

export function followRun(runId: string, { fold, ended, onError, wait = pause }: FollowOptions): Follower {
  let open = true;
  let unsubscribe: (() => void) | undefined;
  let failures = 0;
  let hurry: (() => void) | undefined;
  const unlisten = whenTokenChanges(() => hurry?.());

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

  /** Of one that has ended: what is missing is asked for until it is here. */
  async function readUp(upTo: number): Promise<void> {
    try {
      await readAll(upTo);
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

  if (ended !== undefined) void readUp(ended);
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

/** The view of a run, drawn as often as there is time for it. `ended`: the last event of a run that has ended. */
export function useRunView(runId: string | null, definition: RunDefinition | undefined, ended?: number): { view: RunView | null; error: ApiError | null; fold: RunFold | null } {
  const [held, setHeld] = useState<RunFold | null>(null);
  const [view, setView] = useState<RunView | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  // Until the first event, and in the drawing in which the run changes, there is an empty one: never that of another run.
  const none = useMemo(() => (runId === null ? null : emptyRunView(runId)), [runId]);
  const drawing = useRef({ began: 0, next: 0 });
  useEffect(() => {
    if (!view) return;
    const now = performance.now();
    drawing.current.next = now + Math.min(LATEST_MS, (now - drawing.current.began) * (ended === undefined ? REST : REST_READING));
  }, [view, ended]);
  useEffect(() => {
    setError(null);
    setView(null);
    setHeld(null);
    if (runId === null) return undefined;
    const fold = createRunFold(runId, definition);
    setHeld(fold);
    drawing.current.next = 0;
    let frame = 0;
    const unlisten = fold.subscribe(() => {
      frame ||= window.setTimeout(() => {
        frame = 0;
        drawing.current.began = performance.now();
        setView(fold.view);
      }, Math.max(DRAW_MS, drawing.current.next - performance.now()));
    });
    const follower = followRun(runId, { fold, ended, onError: setError });
    return () => {
      follower.stop();
      unlisten();
      window.clearTimeout(frame);
    };
    // The definition belongs to the run and does not change with it.
  }, [runId, ended]); // eslint-disable-line react/exhaustive-deps
  const mine = view !== null && view.runId === runId;
  return { view: mine ? view : none, error, fold: held?.view.runId === runId ? held : null };
}

// The breakpoints that a screen shows and changes: those of its run while that goes on, wherever they were set; else those that the person
// keeps here for the next one.

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { toApiError } from '../../api/error.ts';
import { act } from '../../api/queries.ts';
import { isTerminal, type RunView } from '../../run/run-state.ts';
import type { Workflow } from '../../api/types.ts';
import { useLatest } from '../../code/use-latest.ts';
import { t } from '../../i18n/index.ts';
import { toast } from '../../kit/index.ts';
import { asSent, at, placeOf, put, sendable, stands, useBreakpoints, withTitle, type Breakpoint, type Points } from '../../shared/breakpoints.ts';
import { same } from '../../shared/diff.ts';
import type { NameOf } from '../../shared/format-path.ts';

/** Conditions are typed: not every letter is sent. */
const SETTLE_MS = 500;

/** What the person changed and the run has not told yet: the place, and what is to stand there. */
type Changes = ReadonlyMap<string, Breakpoint | null>;
const NO_CHANGES: Changes = new Map();
const NONE: readonly Breakpoint[] = [];

export const failed = (cause: unknown): void => {
  const error = toApiError(cause);
  toast({ signal: 'err', text: `${t('debug.failed')}: ${error.message}`, detail: error.hint || undefined });
};

const pointAt = (list: readonly Breakpoint[], place: string): Breakpoint | null => list.find((one) => placeOf(one) === place) ?? null;

function changed(list: readonly Breakpoint[], changes: Changes): readonly Breakpoint[] {
  if (changes.size === 0) return list;
  const known = list.flatMap((point) => (changes.has(placeOf(point)) ? changes.get(placeOf(point)) ?? [] : point));
  const more = [...changes.values()].filter((point) => point !== null && pointAt(list, placeOf(point)) === null);
  return [...known, ...more as Breakpoint[]];
}

/** What a list of the run does not have as it is to be: of a condition it has what was sent, not the space that was typed behind it. */
function missingIn(list: readonly Breakpoint[], changes: Changes): Changes {
  const left = [...changes].filter(([place, point]) => !same(pointAt(list, place), point && asSent(point)));
  return left.length === changes.size ? changes : new Map(left);
}

/** What makes one list of the other. */
function between(before: readonly Breakpoint[], after: readonly Breakpoint[]): Changes {
  const gone = before.filter((point) => pointAt(after, placeOf(point)) === null);
  return missingIn(before, new Map([...gone.map((point) => [placeOf(point), null] as const), ...after.map((point) => [placeOf(point), point] as const)]));
}

export function useRunPoints({ workflowId, ran, titleOf, runId, view, may, begun }: {
  workflowId: string;
  /** What the run was started with. */
  ran: Workflow;
  /** What is refused is told with the names that a person knows. */
  titleOf: NameOf;
  runId: string | null; view: RunView | null; may: boolean;
  /** What went with the run when this screen started it. */
  begun: { runId: string; breakpoints: readonly Breakpoint[] } | null | undefined;
}): Points {
  const own = useBreakpoints(workflowId);
  const [made, setMade] = useState<{ runId: string | null; changes: Changes }>({ runId, changes: NO_CHANGES });
  const changes = made.runId === runId ? made.changes : NO_CHANGES;
  const change = useCallback((of: (changes: Changes) => Changes) => {
    setMade((before) => {
      const now = before.runId === runId ? before.changes : NO_CHANGES;
      const next = of(now);
      return next === now && before.runId === runId ? before : { runId, changes: next };
    });
  }, [runId]);
  const ended = view !== null && isTerminal(view.status);
  const open = view !== null && view.lastSeq > 0 && !ended;
  const errorText = view?.breakpoints;
  const has = errorText ?? (begun?.runId === runId ? begun?.breakpoints : undefined) ?? NONE;

  // What the person set after the run was asked for, and before it was there.
  const seen = useRef<string | null>(null);
  useEffect(() => {
    if (runId === null || begun?.runId !== runId || seen.current === runId) return;
    seen.current = runId;
    const since = between(begun.breakpoints, sendable(workflowId, ran));
    change((now) => new Map([...since, ...now]));
  }, [runId, begun, workflowId, ran, change]);

  // The run tells what it has: of that nothing is to be changed any more.
  useEffect(() => { if (errorText !== undefined) change((now) => missingIn(errorText, now)); }, [errorText, change]);

  // One after the other: each begins with what the run has then, whoever set it.
  const names = useLatest(titleOf);
  const queue = useRef(Promise.resolve());
  const unsent = useRef<(() => void) | null>(null);
  useEffect(() => {
    unsent.current = null;
    // Also while one looks at the past: what is set there is set, and the run goes on beside it.
    if (!may || runId === null || !open || changes.size === 0) return undefined;
    const send = () => {
      unsent.current = null;
      queue.current = queue.current.then(async () => {
        const { breakpoints } = await call('run_debug', { runId });
        const list = changed(breakpoints, new Map([...changes].map(([place, point]) => [place, point && asSent(point)])));
        if (same(list, breakpoints)) change((now) => missingIn(breakpoints, now));
        else await act('run_breakpoints', { runId, breakpoints: [...list] });
      }).catch((cause: unknown) => failed(withTitle(cause, names.current)));
    };
    unsent.current = send;
    const timer = setTimeout(send, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [may, runId, open, changes, change, names]);
  // Who leaves the screen at once has set it nevertheless.
  useEffect(() => () => unsent.current?.(), []);

  // Of the steps that were drawn since, the run knows nothing.
  const points = useMemo(() => (open ? [...changed(has, changes), ...own.points.filter((point) => !stands(point, ran))] : own.points), [open, has, changes, own.points, ran]);

  const latest = useLatest({ points, has });
  const set = useCallback((place: string, point: Breakpoint | null) => {
    const known = stands(at(place), ran) || pointAt(latest.current.has, place) !== null;
    if (runId !== null && !ended && known) change((now) => new Map(now).set(place, point));
  }, [runId, ended, ran, change, latest]);
  // What is set or taken away here holds for the runs that begin here, too.
  const both = useCallback((place: string, point: Breakpoint | null) => {
    set(place, point);
    put(workflowId, place, point);
  }, [set, workflowId]);
  const toggle = useCallback((place: string) => both(place, pointAt(latest.current.points, place) === null ? at(place) : null), [both, latest]);
  const { setWhen: setOwnWhen } = own;
  const setWhen = useCallback((place: string, when: string) => {
    set(place, { ...at(place), ...(when === '' ? {} : { when }) });
    setOwnWhen(place, when);
  }, [set, setOwnWhen]);
  const clear = useCallback(() => { for (const point of latest.current.points) both(placeOf(point), null); }, [both, latest]);
  return useMemo(() => ({ points, toggle, setWhen, clear }), [points, toggle, setWhen, clear]);
}

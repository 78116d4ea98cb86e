import { act, fireEvent, screen } from '@testing-library/react';
import { useEffect } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRunFold, type RunEventLike, type RunFold } from '../../run/run-state.ts';
import { callStart, seqAt } from '../../run/event-index.ts';
import { firstAbove, indexIn } from '../../run/binary-search.ts';
import { useTimeTravel, type Moment, type TimeTravel } from '../../run/time-travel.ts';
import { FIRST, FIRST_EVENTS } from '../../test/walkthrough.ts';
import { pretendLayout, renderWith } from '../../test/render.tsx';
import { timeActions } from './actions.ts';
import { Marks, shareOf } from './marks.ts';
import { PastBanner } from './past-banner.tsx';
import { TimeBar } from './time-bar.tsx';

pretendLayout();
const LAST = FIRST_EVENTS.length;

function folded(events: readonly RunEventLike[] = FIRST_EVENTS): RunFold {
  const fold = createRunFold('R', FIRST);
  fold.apply(events);
  return fold;
}

const words = (event: RunEventLike): string => event.type;
let shown: TimeTravel | null = null;
const settled = vi.fn();
/** `version`: what tells React that the fold went on. */
function Place({ fold, at, step }: { fold: RunFold; version?: number; at?: Moment | undefined; step?: string }) {
  const time = useTimeTravel({ now: fold.view, fold, at, step, onSettled: settled });
  useEffect(() => { shown = time; });
  return time ? <><PastBanner time={time} words={words} /><TimeBar time={time} words={words} /></> : null;
}
const slider = () => screen.getByRole<HTMLInputElement>('slider', { name: 'Selected event of the run' });

beforeEach(() => { vi.useFakeTimers(); settled.mockClear(); });
afterEach(() => vi.useRealTimers());

describe('C26: the slider', () => {
  it('shows now until it is moved; then graph and variables are those of then', () => {
    renderWith(<Place fold={folded()} />);
    expect([slider().value, slider().max]).toEqual([String(LAST), String(LAST)]);
    expect(screen.getByText('Ended')).toBeTruthy();
    expect(screen.queryByRole('status')).toBeNull();
    fireEvent.change(slider(), { target: { value: '4' } });
    expect(shown?.view.nodes['fetch']).toMatchObject({ state: 'retrying', attempt: 1 });
    expect(shown?.view.variables).toEqual({});
    expect(shown?.now.status).toBe('completed');
    expect(screen.getByRole('status').textContent).toContain(`Viewing the past: after event 4 of ${String(LAST)}`);
    expect(slider().getAttribute('aria-valuetext')).toContain('Event 4 of');
    fireEvent.click(screen.getAllByRole('button', { name: 'Back to the end' })[0] as HTMLElement);
    expect(shown?.seq).toBeNull();
  });

  it('steps by event and by call, forward and back, and stops at both ends', () => {
    renderWith(<Place fold={folded()} />);
    act(() => shown?.byEvent(-1));
    expect(shown?.seq).toBe(LAST - 1);
    act(() => shown?.byCall(-1));
    const start = shown?.seq ?? 0;
    expect(FIRST_EVENTS[start - 1]?.type).toBe('step_start');
    act(() => shown?.byCall(-1));
    expect(FIRST_EVENTS[(shown?.seq ?? 0) - 1]?.type).toBe('step_start');
    expect(shown?.seq).toBeLessThan(start);
    act(() => shown?.byCall(1));
    expect(shown?.seq).toBe(start);
    act(() => shown?.go(1));
    act(() => shown?.byEvent(-1));
    expect(shown?.seq).toBe(1);
    act(() => shown?.byCall(-1));
    expect(shown?.seq).toBe(1);
    for (let n = 0; n < LAST + 3; n++) act(() => shown?.byEvent(1));
    expect(shown?.seq).toBeNull();
  });

  it('its right end is now, also where the run has grown since it was drawn', () => {
    const fold = folded(FIRST_EVENTS.slice(0, 8));
    const { rerender } = renderWith(<Place fold={fold} version={0} />);
    fireEvent.change(slider(), { target: { value: '3' } });
    fold.apply(FIRST_EVENTS.slice(8, 12));
    fireEvent.change(slider(), { target: { value: slider().max } });
    rerender(<Place fold={fold} version={1} />);
    expect(shown?.seq).toBeNull();
    expect(shown?.view.lastSeq).toBe(12);
  });

  it('a running run goes on while one looks at the past', () => {
    const fold = folded(FIRST_EVENTS.slice(0, 8));
    const { rerender } = renderWith(<Place fold={fold} version={0} />);
    expect(screen.getByText('Live')).toBeTruthy();
    fireEvent.change(slider(), { target: { value: '3' } });
    const then = shown?.view;
    fold.apply(FIRST_EVENTS.slice(8, 12));
    rerender(<Place fold={fold} version={1} />);
    expect(shown?.seq).toBe(3);
    expect(shown?.view).toBe(then);
    expect(slider().max).toBe('12');
    fireEvent.click(screen.getAllByRole('button', { name: 'Back to live' })[0] as HTMLElement);
    expect(shown?.view.lastSeq).toBe(12);
    fold.apply(FIRST_EVENTS.slice(12));
    rerender(<Place fold={fold} version={2} />);
    expect(shown?.view.lastSeq).toBe(LAST);
  });
});

it('says that the run goes on meanwhile only while it does', () => {
  const stop: RunEventLike = { runId: 'R', seq: 2, ts: '2026-11-22T00:00:00.000Z', type: 'workflow_paused', stepId: null, payload: { reason: 'request' } };
  for (const [list, goesOn] of [[FIRST_EVENTS.slice(0, 8), true], [[...FIRST_EVENTS.slice(0, 1), stop], false], [FIRST_EVENTS, false]] as const) {
    const { unmount } = renderWith(<Place fold={folded(list)} />);
    fireEvent.change(slider(), { target: { value: '1' } });
    expect(screen.getByRole('status').textContent?.includes('The run continues meanwhile')).toBe(goesOn);
    expect(screen.getByRole('status').textContent).toContain('show that moment');
    unmount();
  }
});

describe('the address', () => {
  it('a number opens that moment, also when its event is still to come', () => {
    const fold = folded(FIRST_EVENTS.slice(0, 2));
    const { rerender } = renderWith(<Place fold={fold} version={0} at={5} />);
    expect(shown?.seq).toBeNull();
    act(() => vi.advanceTimersByTime(1000));
    expect(settled).not.toHaveBeenCalled();
    fold.apply(FIRST_EVENTS.slice(2));
    rerender(<Place fold={fold} version={1} at={5} />);
    expect(shown?.seq).toBe(5);
    act(() => vi.advanceTimersByTime(1000));
    expect(settled).not.toHaveBeenCalled();
  });

  it('is written once one stands still, and leads elsewhere when it changes', () => {
    const fold = folded();
    const { rerender } = renderWith(<Place fold={fold} />);
    for (const value of ['9', '8', '7']) fireEvent.change(slider(), { target: { value } });
    expect(settled).not.toHaveBeenCalled();
    act(() => vi.advanceTimersByTime(250));
    expect(settled.mock.calls).toEqual([[7]]);
    fireEvent.change(slider(), { target: { value: '6' } });
    // What was written comes back late: it does not move the slider.
    rerender(<Place fold={fold} at={7} />);
    expect(shown?.seq).toBe(6);
    rerender(<Place fold={fold} at={3} />);
    expect(shown?.seq).toBe(3);
    act(() => shown?.go(null));
    act(() => vi.advanceTimersByTime(250));
    expect(settled).toHaveBeenLastCalledWith(undefined);
  });

  it('E5: a time opens the event of that time, of its step when several fall together', () => {
    const fold = folded();
    const failed = FIRST_EVENTS.find((event) => event.type === 'step_error');
    renderWith(<Place fold={fold} at={failed?.ts} step="fetch" />);
    const seq = shown?.seq ?? 0;
    expect(FIRST_EVENTS[seq - 1]?.ts).toBe(failed?.ts);
    expect(FIRST_EVENTS[seq - 1]?.stepId).toBe('fetch');
    act(() => vi.advanceTimersByTime(250));
    expect(settled).toHaveBeenLastCalledWith(seq);
  });
});

it('a time finds its event; before the first one it is the first', () => {
  const at = (ms: number, stepId: string): RunEventLike => ({ runId: 'R', ts: new Date(ms).toISOString(), type: 'x', stepId });
  const events = [at(10, 'a'), at(20, 'a'), at(20, 'b'), at(20, 'c'), at(30, 'd')];
  const time = (ms: number) => new Date(ms).toISOString();
  expect([seqAt(events, time(5)), seqAt(events, time(10)), seqAt(events, time(20)), seqAt(events, time(20), 'a'), seqAt(events, time(20), 'd'), seqAt(events, time(25), 'a'), seqAt(events, time(99))]).toEqual([1, 1, 4, 2, 4, 4, 5]);
});

it('a time among events that are not loaded is not found', () => {
  const at = (ms: number, seq: number): RunEventLike => ({ runId: 'R', seq, ts: new Date(ms).toISOString(), type: 'x', stepId: 'a' });
  const events = [at(10, 1), at(20, 2), at(90, 9), at(95, 10)];
  const gap = { from: 3, to: 8 };
  expect([5, 20, 50, 90, 99].map((ms) => seqAt(events, new Date(ms).toISOString(), undefined, gap))).toEqual([1, 2, null, 9, 10]);
});

it('starts of calls are found by halving', () => {
  const calls = folded().view.calls;
  const starts = Array.from({ length: calls.length }, (_, n) => calls.at(n)?.startSeq ?? 0);
  for (let seq = 0; seq <= LAST + 1; seq++) {
    expect(callStart(calls, seq, 1)).toBe(starts.find((start) => start > seq));
    expect(callStart(calls, seq, -1)).toBe(starts.findLast((start) => start < seq));
  }
});

it('signs of errors and questions: each event is looked at once, and near ones are one', () => {
  const marks = new Marks();
  const events: RunEventLike[] = Array.from({ length: 100_000 }, (_, n) => ({ runId: 'R', seq: n + 1, ts: '', type: n % 10 === 0 ? 'step_error' : n === 51_234 ? 'human_task_created' : 'step_done' }));
  marks.take(events.slice(0, 60_000));
  marks.take(events);
  expect(marks.read).toBe(100_000);
  const shownMarks = marks.shown(100_000);
  expect(shownMarks.filter((mark) => mark.kind === 'err').length).toBeLessThanOrEqual(120);
  expect(shownMarks.filter((mark) => mark.kind === 'person')).toEqual([{ kind: 'person', seq: 51_235, share: shareOf(51_235, 100_000) }]);
  expect(marks.shown(100_000).every((mark) => mark.share >= 0 && mark.share <= 1)).toBe(true);
  expect([firstAbove([1, 3, 5], 0), firstAbove([1, 3, 5], 3), firstAbove([1, 3, 5], 9)]).toEqual([0, 2, 3]);
  expect([indexIn([1, 3, 5], 3), indexIn([1, 3, 5], 4), indexIn([], 1)]).toEqual([1, -1, -1]);
});

it('the keys are those of UX C26, and do nothing without a run', () => {
  const actions = timeActions(() => null);
  expect(Object.fromEntries(actions.map((action) => [action.id, action.keys]))).toMatchObject({ 'time.back': ['['], 'time.on': [']'] });
  expect(actions.every((action) => action.when?.() === false)).toBe(true);
});

it('marks no error where a person is asked about a call of a tool (ADR 51)', () => {
  const event = (seq: number, type: string, payload: object): RunEventLike => ({ runId: 'R', seq, ts: '2026-01-01T00:00:00.000Z', type, stepId: 'a', payload });
  const marks = new Marks();
  marks.take([event(1, 'step_error', { error: {}, held: {} }), event(2, 'human_task_created', {}), event(3, 'step_error', { error: {} })]);
  expect(marks.shown(3).map(({ kind, seq }) => [kind, seq])).toEqual([['err', 3], ['person', 2]]);
});

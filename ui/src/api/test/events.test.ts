import { act, renderHook, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listenForToken, setTransport } from '../client.ts';
import { followRun, useRunView } from '../../run/follow-run.ts';
import { createRunFold } from '../../run/run-state.ts';
import type { Transport } from '../transport/transport.ts';
import type { RunEvent } from '../types.ts';

const log: RunEvent[] = [
  { runId: 'r', seq: 1, ts: '2026-01-01T00:00:00.000Z', type: 'workflow_start', stepId: null, payload: { name: 'W', version: 'v', params: {}, seed: '0' } },
  { runId: 'r', seq: 2, ts: '2026-01-01T00:00:00.001Z', type: 'step_start', stepId: 'a', visit: 1, attempt: 0, payload: { type: 'flow.noop', meta: {}, resolvedInputs: null, config: {}, input: [] } },
  { runId: 'r', seq: 3, ts: '2026-01-01T00:00:00.002Z', type: 'step_done', stepId: 'a', visit: 1, attempt: 0, payload: { outputs: null, ports: {}, items: {} } },
  { runId: 'r', seq: 4, ts: '2026-01-01T00:00:00.003Z', type: 'workflow_done', stepId: null, payload: { duration_ms: 3 } },
];

interface Sub { after: number; send(batch: RunEvent[]): void; fail(cause: unknown): void; opened(): void; open: boolean }
let subs: Sub[] = [];
const events = vi.fn(async ({ after }: { after: number }) => log.filter((event) => (event.seq ?? 0) > after));

beforeEach(() => {
  subs = [];
  setTransport({
    host: 'fake',
    call: async (_command: string, payload: unknown) => events(payload as { after: number }),
    subscribe(_runId: string, after: number, send: Sub['send'], fail: Sub['fail'], opened: Sub['opened']) {
      const sub: Sub = { after, send, fail, opened, open: true };
      subs.push(sub);
      return () => { sub.open = false; };
    },
  } as unknown as Transport);
});
afterEach(() => vi.clearAllMocks());
const soon = () => new Promise((done) => { setTimeout(done, 0); });
const wait = () => Promise.resolve();

describe('following a run', () => {
  it('reads a long run that has ended with four pages under way, in order, and each event once', async () => {
    const long = Array.from({ length: 6_500 }, (_, i): RunEvent => (i === 0 ? log[0] : { ...log[1], seq: i + 1, visit: i }) as RunEvent);
    const asked: number[] = [];
    let answered = 0;
    const waiting: (() => void)[] = [];
    events.mockImplementation(async ({ after }) => {
      asked.push(after);
      await new Promise<void>((done) => { waiting.push(done); });
      answered++;
      return long.filter((event) => (event.seq ?? 0) > after).slice(0, 1_000);
    });
    const fold = createRunFold('r');
    // What is asked for when a page arrives is asked before the page is drawn.
    const ahead: number[] = [];
    fold.subscribe(() => ahead.push(asked.length - answered));
    followRun('r', { fold, ended: 6_500 });
    expect(asked).toEqual([0, 1_000, 2_000, 3_000]);
    // The second answer comes before the first.
    waiting[1]?.();
    await soon();
    expect(fold.view.lastSeq).toBe(0);
    for (let i = 0; i < 7; i += 1) {
      waiting[i]?.();
      await soon(); // eslint-disable-line no-await-in-loop
    }
    expect(fold.view.lastSeq).toBe(6_500);
    expect(fold.view.events).toHaveLength(6_500);
    expect(asked).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000]);
    expect(ahead[0]).toBe(3);
    events.mockImplementation(async ({ after }) => log.filter((event) => (event.seq ?? 0) > after));
  });

  it('reads on where a run has more events than was told', async () => {
    const long = Array.from({ length: 2_500 }, (_, i): RunEvent => (i === 0 ? log[0] : { ...log[1], seq: i + 1, visit: i }) as RunEvent);
    events.mockImplementation(async ({ after }) => long.filter((event) => (event.seq ?? 0) > after).slice(0, 1_000));
    const fold = createRunFold('r');
    followRun('r', { fold, ended: 900 });
    await waitFor(() => expect(fold.view.lastSeq).toBe(2_500));
    events.mockImplementation(async ({ after }) => log.filter((event) => (event.seq ?? 0) > after));
  });

  it('reads on when the host is back that was away in between', async () => {
    const long = Array.from({ length: 2_500 }, (_, i): RunEvent => (i === 0 ? log[0] : { ...log[1], seq: i + 1, visit: i }) as RunEvent);
    let away = true;
    events.mockImplementation(async ({ after }) => {
      if (away && after > 0) throw new Error('away');
      return long.slice(after, after + 1_000);
    });
    const fold = createRunFold('r');
    const told: (string | undefined)[] = [];
    followRun('r', { fold, ended: 2_500, onError: (error) => told.push(error?.message), wait: async () => { away = false; } });
    await waitFor(() => expect(fold.view.lastSeq).toBe(2_500));
    await waitFor(() => expect(told).toEqual(['away', undefined]));
    events.mockImplementation(async ({ after }) => log.filter((event) => (event.seq ?? 0) > after));
  });

  it('starts after the last known event and leaves after the last one', () => {
    const fold = createRunFold('r');
    followRun('r', { fold, wait });
    expect(subs[0]?.after).toBe(0);
    subs[0]?.send(log.slice(0, 2));
    expect(fold.view.status).toBe('running');
    subs[0]?.send(log.slice(1));
    expect(fold.view).toMatchObject({ status: 'completed', lastSeq: 4 });
    expect(subs[0]?.open).toBe(false);
  });

  it('throws away what comes after a gap and asks again from the last good event', async () => {
    const fold = createRunFold('r');
    followRun('r', { fold, wait });
    subs[0]?.send([log[0] as RunEvent]);
    subs[0]?.send([log[3] as RunEvent]);
    expect(fold.view.status).toBe('running');
    await soon();
    expect(subs.map((sub) => [sub.after, sub.open])).toEqual([[0, false], [1, true]]);
    subs[1]?.send(log.slice(1));
    expect(fold.view.status).toBe('completed');
  });

  /** A run that is followed up to its second event, where the connection broke. */
  async function broken() {
    const fold = createRunFold('r');
    const onError = vi.fn();
    followRun('r', { fold, wait, onError });
    subs[0]?.send(log.slice(0, 2));
    subs[0]?.fail(new Error('cut'));
    expect(onError).toHaveBeenLastCalledWith(expect.objectContaining({ message: 'cut' }));
    await soon();
    expect(subs[1]?.after).toBe(2);
    return onError;
  }

  it('connects again after a break and tells of it until it works', async () => {
    const onError = await broken();
    subs[1]?.send(log.slice(2));
    expect(onError).toHaveBeenLastCalledWith(null);
  });

  it('is there again with the connection: a run that waits says nothing', async () => {
    const onError = await broken();
    subs[1]?.opened();
    expect(onError).toHaveBeenLastCalledWith(null);
    // One that is over says nothing of the next one.
    subs[1]?.fail(new Error('cut again'));
    subs[1]?.opened();
    expect(onError).toHaveBeenLastCalledWith(expect.objectContaining({ message: 'cut again' }));
  });

  it('does not wait any longer once the page has another token', async () => {
    const fold = createRunFold('r');
    const follower = followRun('r', { fold, wait: () => new Promise(() => undefined) });
    subs[0]?.fail(new Error('refused'));
    await soon();
    expect(subs).toHaveLength(1);
    const unlisten = listenForToken();
    window.history.pushState(null, '', '#token=new');
    window.dispatchEvent(new HashChangeEvent('hashchange', { oldURL: 'http://localhost/#/runs' }));
    unlisten();
    await soon();
    expect(subs).toHaveLength(2);
    follower.stop();
  });

  it('reads the events of an ended run without staying connected', async () => {
    const fold = createRunFold('r');
    followRun('r', { fold, ended: 4 });
    await soon();
    expect(subs).toEqual([]);
    expect(fold.view).toMatchObject({ status: 'completed', lastSeq: 4 });
  });

  it('is silent after stop', async () => {
    const fold = createRunFold('r');
    const follower = followRun('r', { fold, wait });
    follower.stop();
    subs[0]?.send(log);
    subs[0]?.fail(new Error('late'));
    await soon();
    expect(fold.view.lastSeq).toBe(0);
    expect(subs).toHaveLength(1);
  });
});

describe('the view of a run on a screen', () => {
  it('is never that of another run, not even in the first drawing after the run changed', async () => {
    const drawn: [string | null, string | undefined, number | undefined][] = [];
    const { result, rerender } = renderHook(({ runId }: { runId: string | null }) => {
      const { view, fold } = useRunView(runId, undefined);
      drawn.push([runId, view?.runId, fold?.view.lastSeq]);
      return view;
    }, { initialProps: { runId: 'r' as string | null } });
    act(() => subs[0]?.send(log));
    await waitFor(() => expect(result.current?.status).toBe('completed'));
    rerender({ runId: 'other' });
    rerender({ runId: null });
    for (const [asked, shown, seq] of drawn) {
      expect(shown ?? null).toBe(asked);
      if (asked === 'other') expect(seq ?? 0).toBe(0);
    }
    expect(subs.map((sub) => sub.open)).toEqual([false, false]);
  });
});

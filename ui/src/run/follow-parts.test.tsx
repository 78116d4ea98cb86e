// A long run is read in part: which pages are asked for, what comes later, and how the rest is loaded.

import { act, renderHook, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { setTransport } from '../api/client.ts';
import { followRun, useRunView } from './follow-run.ts';
import { createRunFold } from './run-state.ts';
import { firstParts } from './run-parts.ts';
import type { Standing } from './run-fold-skip.ts';
import type { Transport } from '../api/transport/transport.ts';
import type { RunEvent } from '../api/types.ts';

const SIZES = { whole: 3_000, head: 100, page: 1_500 };
const T = Date.parse('2026-01-01T00:00:00.000Z');

/** A loop of `rounds` rounds with one step each. */
function loop(rounds: number, ends: boolean): RunEvent[] {
  const all: RunEvent[] = [];
  const add = (type: string, stepId: string | null, payload: unknown, path?: string): void => void all.push({ runId: 'r', seq: all.length + 1, ts: new Date(T + all.length).toISOString(), type, stepId, payload, ...(path === undefined ? {} : { path }), ...(stepId ? { visit: 1, attempt: 0 } : {}) } as RunEvent);
  add('workflow_start', null, { name: 'W', version: 'v', params: {}, seed: '0' });
  add('step_start', 'each', { type: 'flow.loop', meta: {}, resolvedInputs: null, config: { while: 'true' }, input: [] });
  for (let n = 0; n < rounds; n++) {
    add('step_start', 'a', { type: 'flow.noop', meta: {}, resolvedInputs: null, config: {}, input: [] }, `each[${String(n)}]`);
    add('step_done', 'a', { outputs: null, ports: { success: 1 }, items: {} }, `each[${String(n)}]`);
  }
  if (ends) {
    add('step_done', 'each', { outputs: null, ports: { success: 1 }, items: {} });
    add('workflow_done', null, { duration_ms: all.length });
  }
  return all;
}
const DEFINITION = { nodes: { each: { type: 'flow.loop' }, a: { type: 'flow.noop', parent: 'each' } }, edges: [] };
const known = (log: RunEvent[], rounds: number, status: Standing['status']): Standing => ({
  status, lastSeq: log.length, context: {}, openTasks: [],
  steps: { each: { state: status === 'completed' ? 'SUCCEEDED' : 'RUNNING', visits: 1, attempts: 1 }, a: { state: 'SUCCEEDED', visits: rounds, attempts: rounds } },
});

interface Sub { after: number; send(batch: RunEvent[]): void; fail(cause: unknown): void; open: boolean }
let subs: Sub[] = [];
let log: RunEvent[] = [];
let asked: [after: number, limit: number][] = [];
let away = false;

beforeEach(() => {
  subs = [];
  asked = [];
  away = false;
  setTransport({
    host: 'fake',
    call: async (_command: string, { after, limit }: { after: number; limit: number }) => {
      if (away) throw new Error('away');
      asked.push([after, limit]);
      return log.slice(after, after + limit).map((event) => ({ ...event }));
    },
    subscribe(_runId: string, after: number, send: Sub['send'], fail: Sub['fail']) {
      const sub: Sub = { after, send, fail, open: true };
      subs.push(sub);
      return () => { sub.open = false; };
    },
  } as unknown as Transport);
});
afterEach(() => vi.clearAllMocks());
const wait = () => Promise.resolve();

it('reads the first and the newest events of a long run that has ended, and tries again when the host is away', async () => {
  log = loop(5_000, true);
  const stands = known(log, 5_000, 'completed');
  const fold = createRunFold('r', DEFINITION);
  away = true;
  const told: (string | undefined)[] = [];
  followRun('r', { fold, ended: log.length, parts: firstParts(stands, SIZES), onError: (error) => told.push(error?.message), wait: async () => { away = false; } });
  await waitFor(() => expect(fold.view.status).toBe('completed'));
  expect(told).toHaveLength(2);
  expect(asked.toSorted(([a], [b]) => a - b)).toEqual([[0, 100], [8_504, 1_000], [9_504, 500]]);
  expect(fold.view.gap).toEqual({ from: 101, to: 8_504 });
  expect(fold.view.nodes['a']).toMatchObject({ state: 'done', calls: 798, unloaded: 4_202 });
  expect(fold.view.nodes['each']).toMatchObject({ state: 'done', durationMs: 10_001 });
});

it('one that goes on is followed from its newest event; after a gap and a break it is read again from the last known one', async () => {
  log = loop(5_000, false);
  const fold = createRunFold('r', DEFINITION);
  followRun('r', { fold, parts: firstParts(known(log, 5_000, 'running'), SIZES), wait });
  await waitFor(() => expect(subs).toHaveLength(1));
  expect(subs[0]?.after).toBe(10_002);
  const later = loop(5_003, true).slice(10_002);
  subs[0]?.send(later.slice(0, 2));
  expect(fold.view.lastSeq).toBe(10_004);
  subs[0]?.send(later.slice(3));
  await waitFor(() => expect(subs).toHaveLength(2));
  expect(subs[1]?.after).toBe(10_004);
  subs[1]?.fail(new Error('gone'));
  await waitFor(() => expect(subs).toHaveLength(3));
  subs[2]?.send(later.slice(2));
  expect(fold.view).toMatchObject({ status: 'completed', lastSeq: 10_010, gap: { from: 101, to: 8_502 } });
});

it('reads all of a long run where a question that still stands is not among its newest events', async () => {
  log = loop(2_000, true);
  const fold = createRunFold('r', DEFINITION);
  followRun('r', { fold, ended: log.length, parts: firstParts({ ...known(log, 2_000, 'completed'), openTasks: ['t'] }, SIZES) });
  await waitFor(() => expect(fold.view.lastSeq).toBe(log.length));
  expect(fold.view.gap).toBeUndefined();
  expect(fold.view.nodes['a']?.calls).toBe(2_000);
});

it('loads a page before the newest events without reading them again, from a moment on, and all of them', async () => {
  log = loop(5_000, true);
  const stands = known(log, 5_000, 'completed');
  const { result } = renderHook(() => useRunView('r', DEFINITION, { ended: log.length, known: stands, sizes: SIZES }));
  await waitFor(() => expect(result.current.view?.gap).toEqual({ from: 101, to: 8_504 }));
  expect(result.current.loading?.busy).toBe(false);
  asked = [];
  act(() => result.current.loading?.earlier());
  // What is shown stays until there is more.
  expect(result.current.view?.gap).toEqual({ from: 101, to: 8_504 });
  expect(result.current.loading?.busy).toBe(true);
  await waitFor(() => expect(result.current.view?.gap).toEqual({ from: 101, to: 7_004 }));
  expect(asked.map(([after]) => after).toSorted((a, b) => a - b)).toEqual([7_004, 8_004]);
  expect(result.current.fold?.view.gap?.to).toBe(7_004);
  expect(result.current.loading?.busy).toBe(false);
  act(() => result.current.loading?.from(5_000));
  await waitFor(() => expect(result.current.view?.gap?.to).toBe(4_999));
  act(() => result.current.loading?.all());
  await waitFor(() => expect(result.current.view).toMatchObject({ lastSeq: 10_004, status: 'completed' }));
  expect(result.current.view?.gap).toBeUndefined();
  expect(result.current.loading).toBeNull();
  expect(result.current.view?.nodes['a']?.calls).toBe(5_000);
});

it('a run below the limit is read as before', async () => {
  log = loop(1_000, true);
  const { result } = renderHook(() => useRunView('r', DEFINITION, { ended: log.length, known: known(log, 1_000, 'completed'), sizes: SIZES }));
  await waitFor(() => expect(result.current.view?.lastSeq).toBe(log.length));
  expect(asked.map(([after]) => after)).toEqual([0, 1_000, 2_000]);
  expect(result.current.view?.gap).toBeUndefined();
});

it('a run that is followed is not kept as a whole: with many events the oldest of the newest go, nothing is read again, and what comes meanwhile is not lost', async () => {
  log = loop(3_000, false);
  setTransport({
    host: 'fake',
    call: async (command: string, { after, limit }: { after: number; limit: number }) => {
      if (command === 'run_get') return known(log.slice(0, 5_000), 2_499, 'running');
      if (command === 'run_debug') return { breakpoints: [] };
      asked.push([after, limit]);
      return log.slice(after, after + limit).map((event) => ({ ...event }));
    },
    subscribe(_runId: string, after: number, send: Sub['send'], fail: Sub['fail']) {
      const sub: Sub = { after, send, fail, open: true };
      subs.push(sub);
      return () => { sub.open = false; };
    },
  } as unknown as Transport);
  const { result } = renderHook(() => useRunView('r', DEFINITION, { sizes: SIZES }));
  await act(async () => { subs[0]?.send(log.slice(0, 4_500)); });
  await waitFor(() => expect(result.current.view?.lastSeq).toBe(4_500));
  expect(result.current.view?.gap).toBeUndefined();
  await act(async () => { subs[0]?.send(log.slice(4_500, 5_000)); });
  await waitFor(() => expect(result.current.view?.gap).toEqual({ from: 101, to: 3_500 }));
  await waitFor(() => expect(subs).toHaveLength(2));
  expect([subs[0]?.open, subs[1]?.after]).toEqual([false, 5_000]);
  expect(asked).toEqual([]);
  await act(async () => { subs[1]?.send(log.slice(5_000)); });
  await waitFor(() => expect(result.current.view?.lastSeq).toBe(6_002));
  expect(result.current.view?.nodes['a']).toMatchObject({ state: 'done', calls: 49 + 1_251, unloaded: 1_700 });
  // Who asks for all of them keeps them.
  act(() => result.current.loading?.all());
  await waitFor(() => expect(subs).toHaveLength(3));
  await act(async () => { subs[2]?.send(log); });
  await waitFor(() => expect(result.current.view).toMatchObject({ lastSeq: 6_002, gap: undefined }));
});

it('of a run that was there before it is asked first how it stands, until somebody answers', async () => {
  log = loop(5_000, true);
  const stands = { ...known(log, 5_000, 'completed'), runId: 'r' };
  let answers = false;
  const calls: string[] = [];
  setTransport({
    host: 'fake',
    call: async (command: string, { after, limit }: { after: number; limit: number }) => {
      calls.push(command);
      if (!answers) throw new Error('away');
      return command === 'run_get' ? stands : log.slice(after, after + limit).map((event) => ({ ...event }));
    },
    subscribe: () => { throw new Error('it has ended'); },
  } as unknown as Transport);
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { result } = renderHook(() => useRunView('r', DEFINITION, { asks: 'r', sizes: SIZES }));
  await waitFor(() => expect(result.current.error?.message).toBe('away'));
  expect(result.current.view?.lastSeq).toBe(0);
  answers = true;
  await vi.advanceTimersByTimeAsync(5_000);
  vi.useRealTimers();
  await waitFor(() => expect(result.current.view).toMatchObject({ status: 'completed', gap: { from: 101, to: 8_504 } }));
  expect(result.current.error).toBeNull();
  expect(calls.filter((name) => name === 'run_get')).toHaveLength(2);
  expect(result.current.loading?.gap).toEqual({ from: 101, to: 8_504 });
});

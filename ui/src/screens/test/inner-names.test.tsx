/** Where a run stands stopped before a step of another file that has not begun. */
import { renderHook, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { fakeTransport } from '../../api/transport/fake.ts';
import { foldRun, type RunEventLike, type RunStop } from '../../run/run-state.ts';
import type { TimeTravel } from '../../run/time-travel.ts';
import type { Workflow } from '../../api/types.ts';
import { namesIn } from '../../shared/format-path.ts';
import { useEventWords } from '../workbench/event-words.ts';
import { useInnerNames } from '../workbench/inner-names.ts';

const DRAWN = { signalbox: 1, id: 'w', name: 'Trip', nodes: { par: { type: 'flow.parallel' }, s: { type: 'flow.subworkflow', title: 'Charge', parent: 'par', config: { workflow: 'pay' } }, pay: { type: 'data.set', title: 'Book the hotel' } }, edges: [] } as unknown as Workflow;
const FILE = { ...DRAWN, id: 'pay', nodes: { each: { type: 'flow.loop', title: 'Each card' }, pay: { type: 'http.request', title: 'Charge the card', parent: 'each' }, more: { type: 'flow.subworkflow', title: 'More' } } } as unknown as Workflow;

it('names it as the file does, and steps of files beyond that by their ids', async () => {
  const fake = fakeTransport({ workflow_list: () => [{ id: 'pay', ref: 'r-pay' }] as never, workflow_open: ({ ref }) => ({ ref, document: FILE }) as never });
  setTransport(fake);
  const names = namesIn(null, DRAWN, (id) => DRAWN.nodes[id]?.title ?? id);
  const stop = { reason: 'breakpoint', stepId: 'pay', path: 'par/s/s/each[0]' } as unknown as RunStop;
  const { result } = renderHook(() => useInnerNames(names, stop, DRAWN, []));
  expect(result.current('pay', 'par/s/s/each[0]')).toBe('pay');
  await waitFor(() => expect(result.current('pay', 'par/s/s/each[0]')).toBe('Charge the card'));
  expect([result.current('each', 'par/s/s'), result.current('pay'), result.current('pay', 'par/s/s/more'), result.current('gone', 'par/s/s')]).toEqual(['Each card', 'Book the hotel', 'pay', 'gone']);
});

it('asks for no file while all names are known', () => {
  const fake = fakeTransport();
  setTransport(fake);
  renderHook(() => useInnerNames((id) => `The ${id}`, { reason: 'breakpoint', stepId: 'pay', path: 'par/s/s' } as unknown as RunStop, DRAWN, []));
  expect(fake.calls).toEqual([]);
});

it('the line of time says where a step stands, and names one of a called file as the banner does', async () => {
  const fake = fakeTransport({ workflow_list: () => [{ id: 'pay', ref: 'r-pay' }] as never, workflow_open: ({ ref }) => ({ ref, document: FILE }) as never });
  setTransport(fake);
  const event = (seq: number, type: string, stepId: string | null, path: string | null, payload: unknown = {}): RunEventLike => ({ runId: 'r', seq, ts: '2026-11-22T00:00:00.000Z', type, stepId, payload, ...(path === null ? {} : { path }) });
  const drawn = { ...DRAWN, nodes: { ...DRAWN.nodes, all: { type: 'flow.loop', title: 'Each order' }, mail: { type: 'data.set', title: 'Send mail', parent: 'all' } } } as Workflow;
  const events = [event(1, 'workflow_start', null, null, { resumedFrom: 'par/s/s/pay' }), event(2, 'step_start', 'mail', 'all[1]', { type: 'data.set', input: [] }), event(3, 'workflow_paused', 'pay', 'par/s/s/each[0]', { reason: 'breakpoint' })];
  const view = foldRun(events, drawn);
  const words = (seq: number | null) => {
    const { result } = renderHook(() => useEventWords({ now: view, view, seq } as TimeTravel, drawn, []));
    return () => result.current(events[(seq ?? 3) - 1] as RunEventLike, view);
  };
  expect(words(2)()).toBe('Each order 2 › Send mail is running');
  const [first, last] = [words(1), words(null)];
  await waitFor(() => expect(last()).toContain('The run stopped before par › Charge › Charge › Each card 1 › Charge the card'));
  await waitFor(() => expect(first()).toBe('Resuming from: par › Charge › Charge › Charge the card'));
});

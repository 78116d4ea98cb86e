import { act, renderHook, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { useSettings } from '../../api/settings.ts';
import type { FakeTransport } from '../../api/transport/fake.ts';
import { demoHost } from '../../test/fixtures.ts';
import { showLogOf, usePanes } from '../workbench/panes.ts';

let host: FakeTransport;
beforeEach(() => {
  host = demoHost();
  setTransport(host);
  useSettings.setState({ settings: { theme: 'system', layout: {}, keymap: {} } });
});
const panes = (runId: string | null) => renderHook(({ run }) => usePanes(run), { initialProps: { run: runId } });

it('opens the log with a run, for that run only, and keeps nothing of it', () => {
  const { result, rerender } = panes('r1');
  expect(result.current.logOpen).toBe(false);
  act(() => showLogOf('r1'));
  expect(result.current.logOpen).toBe(true);
  expect(useSettings.getState().settings.layout).toEqual({});
  // Another workflow, without a run or with one that was only looked at.
  expect(panes(null).result.current.logOpen).toBe(false);
  expect(panes('r2').result.current.logOpen).toBe(false);
  // The run is taken off the canvas, and shown again.
  rerender({ run: null as unknown as string });
  expect(result.current.logOpen).toBe(false);
  rerender({ run: 'r1' });
  expect(result.current.logOpen).toBe(true);
  act(() => result.current.onLogOpen(false));
  expect(result.current.logOpen).toBe(false);
});

it('keeps what the person chose, for every workflow', async () => {
  const { result } = panes('r3');
  act(() => result.current.onLogOpen(true));
  expect(panes(null).result.current.logOpen).toBe(true);
  await waitFor(() => expect(host.calls.find((call) => call.command === 'settings_set')?.payload).toMatchObject({ settings: { layout: { logOpen: true } } }));
});

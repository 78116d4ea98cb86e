// Where spans go: what a builder sets and tries, what the variables decide, what a viewer is not shown.
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { queryClient } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { RunTrace } from '../../code/RunTrace.tsx';
import { useMessages } from '../../kit/messages.ts';
import { renderOnce } from '../../test/render.tsx';
import { TelemetrySection } from '../parts/telemetry.tsx';

afterEach(() => {
  cleanup();
  queryClient.clear();
  useMessages.setState({ shown: [], past: [] });
});
const who = (role: string) => () => ({ operatorId: 'user:ada', role, via: 'app' }) as Commands['who']['response'];
type Telemetry = Commands['telemetry_get']['response'];
const OFF: Telemetry = { on: false, protocol: 'http', variables: [], sending: false, sent: 0, dropped: 0 };

it('an address is saved, tried, and then spans are turned on', async () => {
  let now = OFF;
  const { fake } = renderOnce(<TelemetrySection />, {
    who: who('builder'), secret_list: () => [], telemetry_get: () => now,
    telemetry_set: ({ on, endpoint }) => now = { ...OFF, on, ...(endpoint ? { endpoint } : {}) },
    telemetry_test: () => ({ ok: false, endpoint: 'http://localhost:4318', traceId: 'a'.repeat(32), error: 'connection refused' }),
  });
  const toggle = await screen.findByRole('switch', { name: 'Send traces of runs' });
  // Without an address there is nothing to turn on.
  expect(toggle.getAttribute('aria-disabled') ?? toggle.hasAttribute('data-disabled')).toBeTruthy();
  fireEvent.change(screen.getByRole('textbox', { name: 'Collector address' }), { target: { value: 'http://localhost:4318' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Send a test span' }).hasAttribute('disabled')).toBe(false));
  expect(fake.calls.filter((call) => call.command === 'telemetry_set').map((call) => call.payload)).toEqual([{ on: false, endpoint: 'http://localhost:4318', protocol: 'http', link: '' }]);
  fireEvent.click(screen.getByRole('button', { name: 'Send a test span' }));
  expect(await screen.findByText('connection refused')).toBeTruthy();
  fireEvent.click(screen.getByRole('switch', { name: 'Send traces of runs' }));
  await waitFor(() => expect(now.on).toBe(true));
});

it('variables of the process are named and cannot be changed here', async () => {
  renderOnce(<TelemetrySection />, { who: who('builder'), secret_list: () => [], telemetry_get: () => ({ ...OFF, on: true, sending: true, sent: 7, dropped: 2, endpoint: 'http://collector:4318/v1/traces', variables: ['SIGNALBOX_OTEL'] }) });
  expect(await screen.findByText('Set by SIGNALBOX_OTEL')).toBeTruthy();
  expect((screen.getByRole('textbox', { name: 'Collector address' }) as HTMLInputElement).readOnly).toBe(true);
  expect(screen.getByText(/spans sent since/).textContent).toBe('7 spans sent since the start. 2 dropped.');
});

it('a step of a run has its trace and a link where the settings name a program for traces, else nothing', async () => {
  const of = (more: object) => ({ traceId: 'b'.repeat(32), sending: false, ...more });
  const { fake } = renderOnce(<RunTrace runId="r" stepId="s" path="each[2]" />, { run_trace: () => of({ url: `https://traces.example/trace/${'b'.repeat(32)}` }) });
  expect((await screen.findByRole('link', { name: 'Open trace' })).getAttribute('href')).toBe(`https://traces.example/trace/${'b'.repeat(32)}`);
  expect(screen.getByRole('button', { name: 'Copy trace ID' })).toBeTruthy();
  expect(fake.calls.find((call) => call.command === 'run_trace')?.payload).toEqual({ runId: 'r', stepId: 's', path: 'each[2]' });
  cleanup();
  queryClient.clear();
  const nothing = renderOnce(<RunTrace runId="r" stepId="s" />, { run_trace: () => of({}) });
  await waitFor(() => expect(nothing.fake.calls.some((call) => call.command === 'run_trace')).toBe(true));
  expect(screen.queryByText('Trace')).toBeNull();
});

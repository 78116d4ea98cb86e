// A run whose events are still being read: it stands as its row says, and of its steps no more is said than is here.
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import type { RunEvent } from '../../api/types.ts';
import { runAction } from '../../kit/index.ts';
import { useMessages } from '../../kit/messages.ts';
import { KINDS } from '../../test/fixtures.ts';
import { pretendLayout, renderWith } from '../../test/render.tsx';
import { RunScreen } from '../run/run-screen.tsx';

pretendLayout();
// jsdom has none.
vi.stubGlobal('CSS', { escape: (name: string) => name });
afterEach(() => { cleanup(); useMessages.setState({ shown: [] }); });

const ID = '0193a5c0-0000-7000-8000-0000000abcde';
const DEFINITION = { signalbox: 1, id: 'w', name: 'Orders', version: 1, nodes: { each: { type: 'flow.loop', title: 'Each order' }, put: { type: 'data.set', parent: 'each' }, last: { type: 'data.set', title: 'Last' } }, edges: [{ from: 'each.success', to: 'last' }] };
const log = (...list: [type: string, stepId: string | null, path?: string, payload?: object][]) => list.map(([type, stepId, path, payload], i) => ({
  runId: ID, seq: i + 1, ts: new Date(Date.UTC(2026, 10, 23, 10) + 1000 * i).toISOString(), type, stepId, visit: 1, attempt: 0, ...(path ? { path } : {}), payload: payload ?? (type === 'step_start' ? { input: [{ item: 0, data: {} }] } : {}),
})) as unknown as RunEvent[];
const EVENTS = log(
  ['workflow_start', null], ['step_start', 'each', undefined, { type: 'flow.loop', config: { source: [1, 2] }, input: [] }], ['step_start', 'put', 'each[0]'], ['step_done', 'put', 'each[0]', { ports: { success: 1 } }],
  ['step_start', 'put', 'each[1]'], ['step_done', 'put', 'each[1]', { ports: { success: 1 } }], ['workflow_paused', null, undefined, { reason: 'request' }],
);

function show(step: string, status: string, more: object = {}) {
  const run = { runId: ID, workflowId: 'w', workflowName: 'Orders', status, startedAt: '2026-11-23T10:00:00.000Z', durationMs: 7000, definition: DEFINITION, steps: {}, lastSeq: EVENTS.length, params: {}, context: {}, output: [], openTasks: [], driven: false, masked: false, mayReveal: false, ...more };
  return renderWith(<RunScreen runId={ID} step={step} />, {
    run_get: () => run, catalog_list: () => KINDS, workflow_list: () => [], run_list: () => ({ runs: [] }), run_events: () => EVENTS.slice(0, 4), run_debug: () => ({ waiting: [], breakpoints: [] }), expression_names: () => [], past_errors: () => [],
  } as never);
}
const said = () => useMessages.getState().shown.map((one) => one.text);

it('a step in a loop can be re-run when all of the run is here: until then one iteration of many may be known', async () => {
  const { fake } = show('put', 'paused', { stopped: { reason: 'request' } });
  await screen.findByRole('heading', { name: 'Orders' });
  await act(async () => fake.emit(ID, EVENTS.slice(0, 4)));
  await screen.findByText('Loading the run, 4 of 7 events');
  expect(document.title).toBe('Orders, run 0abcde · Signalbox');
  expect(runAction('run.rerunFrom')).toBe(true);
  expect(said()).toEqual(['The run is still loading. Re-run from a step when it is complete.']);
  expect(screen.queryByRole('button', { name: 'Re-run from here' })).toBeNull();
  // What it stood stopped at then is over.
  expect(screen.queryByText(/^Stopped/)).toBeNull();
  await act(async () => fake.emit(ID, EVENTS.slice(4)));
  await waitFor(() => expect(screen.queryByText(/Loading the run/)).toBeNull());
  runAction('run.rerunFrom');
  expect(said().at(-1)).toBe('Select an iteration: this step ran in more than one.');
});

it('of a step whose calls may still come nobody says that it was not called', async () => {
  show('last', 'completed', { endedAt: '2026-11-23T10:00:07.000Z' });
  await screen.findByText('Loading the run, 4 of 7 events');
  fireEvent.click(await screen.findByRole('tab', { name: /^Output/ }));
  expect(await screen.findByText('The run is still loading.')).toBeTruthy();
  expect(screen.queryByText('This step did not run')).toBeNull();
});

it('a run that waits for a person is not said to stand still while it is read', async () => {
  const { fake } = show('put', 'paused', { openTasks: ['t'] });
  await screen.findByRole('heading', { name: 'Orders' });
  await act(async () => fake.emit(ID, EVENTS.slice(0, 4)));
  await screen.findByText('Loading the run, 4 of 7 events');
  expect(screen.getAllByText('Waiting for a person').length).toBeGreaterThan(0);
  expect(screen.queryByText('No program is executing this run')).toBeNull();
});

it('the clock of what is read stands at its newest event', async () => {
  show('each', 'completed', { endedAt: '2026-11-23T10:00:07.000Z' });
  await screen.findByText('Loading the run, 4 of 7 events');
  fireEvent.click(screen.getByRole('button', { name: /^Detail log/ }));
  fireEvent.click(await screen.findByRole('radio', { name: 'Timeline' }));
  const line = await screen.findByRole('option', { name: /Each order/ });
  // It began a second after the run, and the fourth event came two seconds later.
  expect(line.textContent).toContain('2.00 s');
});

// A long run on the screen: it says what is loaded, and nothing of what is not.
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import type { RunEvent } from '../../api/types.ts';
import type * as Parts from '../../run/run-parts.ts';
import { runAction } from '../../kit/index.ts';
import { useMessages } from '../../kit/messages.ts';
import { KINDS } from '../../test/fixtures.ts';
import { pretendLayout, renderWith } from '../../test/render.tsx';
import { RunScreen } from '../run/run-screen.tsx';

vi.mock('../../run/run-parts.ts', async (whole) => ({ ...await whole<typeof Parts>(), SIZES: { whole: 100, head: 20, page: 40 } }));
pretendLayout();
// jsdom has none.
vi.stubGlobal('CSS', { escape: (name: string) => name });
afterEach(() => { cleanup(); useMessages.setState({ shown: [] }); });

const ID = '0193a5c0-0000-7000-8000-0000000abcde';
const ROUNDS = 60;
const DEFINITION = { signalbox: 1, id: 'w', name: 'Orders', version: 1, nodes: { each: { type: 'flow.loop', title: 'Each order' }, put: { type: 'data.set', title: 'Put', parent: 'each' } }, edges: [] };
const EVENTS: RunEvent[] = [];
const add = (type: string, stepId: string | null, payload: object, path?: string) => void EVENTS.push({ runId: ID, seq: EVENTS.length + 1, ts: new Date(Date.UTC(2026, 10, 23, 10) + 1000 * EVENTS.length).toISOString(), type, stepId, ...(stepId ? { visit: 1, attempt: 0 } : {}), ...(path ? { path } : {}), payload } as unknown as RunEvent);
add('workflow_start', null, {});
add('step_start', 'each', { type: 'flow.loop', config: { while: 'true' }, input: [] });
for (let n = 0; n < ROUNDS; n++) {
  add('step_start', 'put', { type: 'data.set', input: [{ item: 0, data: { n } }] }, `each[${String(n)}]`);
  add('step_done', 'put', { ports: { success: 1 }, items: { success: [{ id: 'i', data: { n } }] } }, `each[${String(n)}]`);
}
add('step_done', 'each', { ports: { success: 1 } });
add('workflow_done', null, { duration_ms: 124_000 });

/** Iterations that were read alone, and the answer to the newest question. */
const asked: string[] = [];
let answer: (events: RunEvent[]) => void = () => undefined;

function show(step: string | undefined, at?: number) {
  asked.length = 0;
  const steps = { each: { state: 'SUCCEEDED', visits: 1, attempts: 1 }, put: { state: 'SUCCEEDED', visits: ROUNDS, attempts: ROUNDS } };
  const run = { runId: ID, workflowId: 'w', workflowName: 'Orders', status: 'completed', startedAt: '2026-11-23T10:00:00.000Z', endedAt: '2026-11-23T10:02:04.000Z', durationMs: 124_000, definition: DEFINITION, steps, lastSeq: EVENTS.length, params: {}, context: {}, output: [], openTasks: [], driven: false, masked: false, mayReveal: false };
  return renderWith(<RunScreen runId={ID} step={step} at={at} />, {
    run_get: () => run, catalog_list: () => KINDS, workflow_list: () => [], run_list: () => ({ runs: [] }), expression_names: () => [], past_errors: () => [],
    run_events: ({ after, limit, path }: { after: number; limit: number; path?: string }) => {
      if (path === undefined) return EVENTS.slice(after, after + limit).map((event) => ({ ...event }));
      asked.push(path);
      return new Promise<RunEvent[]>((done) => { answer = done; });
    },
    run_usage: () => ({ runId: ID, total: { calls: 3, inputTokens: 10, outputTokens: 5, thinkingTokens: 0, costMicros: 2_500_000, unpriced: 0 }, steps: [] }),
  } as never);
}
/** It stays as it was in the run before. */
async function openLog() {
  const log = await screen.findByRole('button', { name: /^Detail log/ });
  if (log.getAttribute('aria-expanded') === 'false') fireEvent.click(log);
}
const slider = () => screen.getByRole<HTMLInputElement>('slider', { name: 'Selected event of the run' });

it('says in the log what is loaded; the time line is as long as that, and the cost is that of all of it', async () => {
  show(undefined);
  await openLog();
  expect(await screen.findByText('124 events. Loaded: the first 20 and the newest 40.')).toBeTruthy();
  expect(screen.getAllByText('Completed').length).toBeGreaterThan(0);
  expect(slider().max).toBe('60');
  expect(screen.getByText('Event 124 of 124')).toBeTruthy();
  expect(await screen.findByText('2.50')).toBeTruthy();
  expect(screen.getAllByText('in the loaded events')).toHaveLength(3);
  fireEvent.click(screen.getByRole('radio', { name: 'Events' }));
  fireEvent.change(screen.getByRole('textbox', { name: 'Filter events' }), { target: { value: 'each[3]' } });
  expect(await screen.findByText(/Search and filters cover the loaded events/)).toBeTruthy();
  // The moment before what is not loaded is known as a whole.
  fireEvent.change(slider(), { target: { value: '20' } });
  expect(await screen.findByText('Event 20 of 124')).toBeTruthy();
  expect(screen.queryByText('in the loaded events')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Next event' }));
  expect(await screen.findByText('Event 85 of 124')).toBeTruthy();
});

it('a link to a moment that is not loaded offers to load it', async () => {
  show(undefined, 50);
  expect(await screen.findByText('Event 50 is not loaded')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Load events from there' }));
  // There is not much before it: all of it is read.
  expect(await screen.findByText(/after event 50 of 124/)).toBeTruthy();
});

it('an iteration that is not loaded is not said to have been left out, and is not re-run by guess', async () => {
  show('put');
  await openLog();
  await screen.findByText('124 events. Loaded: the first 20 and the newest 40.');
  runAction('run.rerunFrom');
  expect(useMessages.getState().shown.map((one) => one.text)).toEqual(['Select an iteration: this step ran in more than one.']);
  fireEvent.click(await screen.findByRole('button', { name: /All 60 iterations/ }));
  const number = await screen.findByRole('textbox', { name: /^Type a number/ });
  fireEvent.change(number, { target: { value: '30' } });
  fireEvent.keyDown(number, { key: 'Enter' });
  fireEvent.click(await screen.findByRole('tab', { name: /^Output/ }));
  expect(await screen.findByText('This iteration is not among the loaded events.')).toBeTruthy();
  runAction('run.rerunFrom');
  expect(useMessages.getState().shown.at(-1)?.text).toContain('are not loaded');
  // It is read alone; the rest stays where it is.
  await act(async () => { answer(EVENTS.filter((event) => event.path === 'each[29]')); });
  expect((await screen.findAllByText('29')).length).toBeGreaterThan(0);
  expect(asked).toEqual(['each[29]']);
  expect(screen.getByText('124 events. Loaded: the first 20 and the newest 40.')).toBeTruthy();
  await act(async () => { fireEvent.click(screen.getAllByRole('button', { name: 'Load all events' })[0] as HTMLElement); });
  await waitFor(() => expect(screen.queryByText(/events. Loaded:/)).toBeNull());
  expect((await screen.findAllByText('29')).length).toBeGreaterThan(0);
});

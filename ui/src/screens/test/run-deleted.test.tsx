// A run that somebody else deletes while it is looked at.
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import { useMessages } from '../../kit/messages.ts';
import { KINDS } from '../../test/fixtures.ts';
import { pretendLayout, renderOnce } from '../../test/render.tsx';
import { RunScreen } from '../run/run-screen.tsx';

pretendLayout();
// jsdom has none.
vi.stubGlobal('CSS', { escape: (name: string) => name });
const ID = '0193a5c0-0000-7000-8000-0000000abcde';
const RUN = {
  runId: ID, workflowId: 'w', workflowName: 'Orders', status: 'completed', startedAt: '2026-11-23T10:00:00.000Z', endedAt: '2026-11-23T10:00:07.000Z', durationMs: 7000,
  definition: { signalbox: 1, id: 'w', name: 'Orders', version: 1, nodes: { last: { type: 'data.set', title: 'Last' } }, edges: [] }, steps: {}, lastSeq: 1, params: {}, context: {}, output: [], openTasks: [], driven: false, masked: false, mayReveal: false,
};
let there = true;
const missing = () => new ApiError({ code: 'NOT_FOUND', message: 'not found', hint: `There is no run ${ID}.` });
const gone = () => screen.queryByText('This run was deleted');

beforeEach(() => {
  there = true;
  queryClient.clear();
  window.location.hash = `#/run/${ID}`;
  renderOnce(<RunScreen runId={ID} />, {
    run_get: () => { if (!there) throw missing(); return RUN; },
    run_again: () => { throw missing(); },
    run_events: () => [{ runId: ID, seq: 1, ts: '2026-11-23T10:00:00.000Z', type: 'workflow_start', stepId: null, payload: { name: 'Orders', params: {} } }],
    catalog_list: () => KINDS, workflow_list: () => [], run_list: () => ({ runs: [] }), run_debug: () => ({ waiting: [], breakpoints: [] }), expression_names: () => [], past_errors: () => [],
    who: () => ({ operatorId: 'user:ada', role: 'builder' }),
  } as never);
});
afterEach(() => {
  cleanup();
  useMessages.setState({ shown: [] });
  window.history.replaceState(null, '', '#');
});

it('is told when the window is looked at again, offers nothing that would be refused, and leads back to the list', async () => {
  await screen.findByRole('button', { name: 'Run again' });
  act(() => { window.dispatchEvent(new Event('focus')); });
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  expect(gone()).toBeNull();
  there = false;
  act(() => { window.dispatchEvent(new Event('focus')); });
  await screen.findByText('This run was deleted');
  // What was read of it is still here.
  expect(screen.getByRole('heading', { name: 'Orders' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Run again' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'To all runs' }));
  expect(window.location.hash).toBe('#/runs');
});

it('is told after an action that was refused because of it', async () => {
  const again = await screen.findByRole('button', { name: 'Run again' });
  there = false;
  await userEvent.click(again);
  await screen.findByText('This run was deleted');
});

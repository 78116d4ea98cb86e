import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { fakeTransport } from '../../api/transport/fake.ts';
import { isStoppedAt, failedAt } from '../../run/run-location.ts';
import { foldRun, type RunEventLike } from '../../run/run-state.ts';
import type { Workflow } from '../../api/types.ts';
import { whereStopped } from '../../features/debug/words.ts';
import { failedPlace } from '../../features/rerun/failed-place.ts';
import { eventText } from '../../features/run-log/words.ts';
import { namesIn } from '../../shared/format-path.ts';
import { renderWith } from '../../test/render.tsx';
import { FailureBanner } from '../workbench/failure-banner.tsx';
import { nowText } from '../workbench/status-bar.tsx';

afterEach(cleanup);

const DRAWN = {
  signalbox: 1, id: 'w', name: 'Trip', version: 1,
  nodes: { pay: { type: 'http.request', title: 'Book the hotel' }, s: { type: 'flow.subworkflow', title: 'Charge' } }, edges: [{ from: 'pay.success', to: 's' }],
} as unknown as Workflow;
const ERROR = { type: 'ValidationError', message: 'No', details: { code: 'INPUT_INVALID' } };
const OUTER = { ...ERROR, details: { ...ERROR.details, childErrors: [ERROR] } };

/** The step of the file has this id. */
function log(inner: string, ...end: [type: string, stepId: string | null, path: string | null, payload?: object][]): RunEventLike[] {
  const lines: typeof end = [
    ['workflow_start', null, null], ['step_start', 'pay', null, { type: 'http.request', meta: { title: 'Book the hotel' } }], ['step_done', 'pay', null, { ports: { success: 1 } }],
    ['step_start', 's', null, { type: 'flow.subworkflow', meta: { title: 'Charge' } }], ...end,
  ];
  return lines.map(([type, stepId, path, payload], i) => ({ runId: 'r', seq: i + 1, ts: new Date(1000 * i).toISOString(), type, stepId: stepId === '?' ? inner : stepId, path, visit: 1, attempt: 0, payload: payload ?? {} }));
}
const fails = (inner: string) => log(inner,
  ['step_start', '?', 's', { type: 'http.request', meta: { title: 'Charge the card' } }], ['step_error', '?', 's', { error: ERROR }], ['step_error', 's', null, { error: OUTER }],
  ['workflow_failed', null, null, { error: OUTER, failed_step_id: inner }]);

it('a failure in another file is that of the step that calls it, whatever else has the id of the step inside', () => {
  const view = foldRun(fails('pay'), DRAWN);
  expect([view.nodes['pay']?.state, view.nodes['s']?.state, failedAt(view, DRAWN)]).toEqual(['done', 'failed', 's']);
  expect(nowText(view)).toContain('Charge the card');
  const told = eventText(view.events.at(-1) as RunEventLike, view);
  expect([told.includes('Charge the card'), told.includes('Book the hotel')]).toEqual([true, false]);
});

it.each(['pay', 'p'])('the banner names the step of the file and leads there (%s)', async (inner) => {
  const open = vi.fn();
  const rerun = vi.fn();
  renderWith(<FailureBanner view={foldRun(fails(inner), DRAWN)} document={DRAWN} onOpenStep={open} onRunAgain={undefined} onRerun={rerun} onClose={() => undefined} />, { catalog_list: () => [] });
  const banner = within(screen.getByRole('alert'));
  expect(banner.getByTitle(`s/${inner}`).textContent).toContain('Charge › Charge the card');
  await userEvent.click(banner.getByRole('button', { name: 'Open step' }));
  await userEvent.click(banner.getByRole('button', { name: 'Correct and continue…' }));
  await userEvent.click(banner.getByRole('button', { name: 'Re-run from…' }));
  expect([open.mock.calls, rerun.mock.calls]).toEqual([[['s']], [[`s/${inner}`, 'input'], [`s/${inner}`]]]);
});

it('a stop in another file marks the step that calls it, and names the step by what the file calls it', () => {
  const view = foldRun(log('pay', ['workflow_paused', '?', 's', { reason: 'breakpoint' }]), DRAWN);
  expect([isStoppedAt(view, DRAWN, 'pay'), isStoppedAt(view, DRAWN, 's')]).toEqual([false, true]);
  const names = namesIn(view, DRAWN, (id) => DRAWN.nodes[id]?.title ?? id);
  expect(view.stopped && whereStopped(view.stopped, names)).toBe('Stopped before pay in Charge');
});

it('in the history the failed step has its place from the log', async () => {
  setTransport(fakeTransport({ run_events: () => fails('pay') as never }));
  await waitFor(async () => expect(await failedPlace({ runId: 'r', lastSeq: 8, failedStepId: 'pay', error: OUTER as never })).toBe('s/pay'));
});

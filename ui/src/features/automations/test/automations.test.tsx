import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { queryClient } from '../../../api/queries.ts';
import type { Activation, Commands, Diagnostic, Trigger, Workflow, WorkflowVersion } from '../../../api/types.ts';
import { useMessages } from '../../../kit/messages.ts';
import { AutomationsScreen } from '../../../screens/automations-screen.tsx';
import { KINDS, kind } from '../../../test/fixtures.ts';
import { pretendLayout, renderOnce } from '../../../test/render.tsx';
import { useActivation } from '../activation.tsx';
import { ScheduleEditor } from '../../../shared/schedule/schedule-editor.tsx';

pretendLayout();
afterEach(() => {
  cleanup();
  queryClient.clear();
  useMessages.setState({ shown: [], past: [] });
  window.location.hash = '';
});

const who = (role: string) => () => ({ operatorId: 'user:ada', role, via: 'app' }) as Commands['who']['response'];
const NEXT = [{ utc: '2026-11-30T07:00:00Z', local: '2026-11-30T08:00:00+01:00[Europe/Berlin]' }];
const DAILY: Trigger = {
  triggerId: 'daily.every', workflowId: 'daily', workflowName: 'Daily report', nodeId: 'every', kind: 'trigger.schedule', title: 'Every morning', version: '9f86d081',
  config: { cron: '0 8 * * 1-5', timezone: 'Europe/Berlin' }, next: NEXT, last: { scheduledAt: '2026-11-27T07:00:00Z', firedAt: '2026-11-27T07:00:00Z', outcome: 'fired', runId: 'r1', runStatus: 'failed', count: 1 },
  activity: { runs: 0, failed: 0, waiting: 0 },
};
const FLOW: Workflow = { signalbox: 1, id: 'daily', name: 'Daily report', nodes: { every: { type: 'trigger.schedule', typeVersion: 1, config: { cron: '0 8 * * *' } } }, edges: [] };
const ACTIVE: Activation = { workflowId: 'daily', workflowName: 'Daily report', active: true, version: '9f86d081', activatedAt: '2026-11-28T09:00:00.000Z', activatedBy: 'user:anna', triggers: ['daily.every'] };
const version = (document: Workflow): WorkflowVersion => ({ version: '9f86d081', active: true, activatedAt: ACTIVE.activatedAt, activatedBy: ACTIVE.activatedBy, document });
const CATALOG = [...KINDS, kind('trigger.schedule', { role: 'trigger', title: 'Schedule' })];

it('shows when each workflow runs next and how it ended last', async () => {
  renderOnce(<AutomationsScreen />, { who: who('builder'), trigger_list: () => [DAILY], workflow_list: () => [] });
  const row = await screen.findByRole('row');
  expect(row.textContent).toContain('Every weekday at 08:00, Europe/Berlin');
  expect(row.textContent).toContain('2026-11-30 08:00, in');
  expect(row.textContent).toContain('Failed');
});

it('counts the runs of a day, and leads to the failed run and to the queue in one press', async () => {
  const busy = { ...DAILY, activity: { runs: 12, failed: 2, lastFailedRunId: 'r9', waiting: 3 } };
  renderOnce(<AutomationsScreen />, { who: who('builder'), trigger_list: () => [busy], workflow_list: () => [], activation_list: () => [] });
  const row = await screen.findByRole('row');
  expect(row.textContent).toContain('12 runs, 2 failed, 3 queued');
  await userEvent.click(within(row).getByRole('button', { name: 'Open the last failed run of Daily report' }));
  expect(window.location.hash).toBe('#/run/r9');
  await userEvent.click(within(row).getByRole('button', { name: 'Show the queued runs of Daily report' }));
  expect(window.location.hash).toBe('#/runs?workflow=daily&status=queued');
});

it('tells a start that the limit left out from one that could not be made', async () => {
  const last = { scheduledAt: '2026-11-27T07:00:00Z', firedAt: '2026-11-27T07:00:00Z', outcome: 'skipped' as const, reason: 'RUN_LIMIT', count: 1 };
  renderOnce(<AutomationsScreen />, { who: who('builder'), trigger_list: () => [{ ...DAILY, last, problem: 'The limits allow no other run now.' }], workflow_list: () => [], activation_list: () => [] });
  const row = await screen.findByRole('row');
  expect(row.textContent).toContain('Skipped: limit reached');
});

it('shows the whole text of a problem, which the list has no room for', async () => {
  const problem = `The server mail.example.com did not answer. ${'Check host and port. '.repeat(8)}`.trim();
  renderOnce(<AutomationsScreen />, { who: who('builder'), trigger_list: () => [{ ...DAILY, problem }], trigger_get: () => ({ ...DAILY, problem, firings: [] }), workflow_list: () => [], activation_list: () => [] });
  await userEvent.click(await screen.findByRole('row'));
  expect((await screen.findByRole('dialog')).textContent).toContain(problem);
});

it('activates all workflows again with the versions that were active last', async () => {
  const off = { ...ACTIVE, active: false };
  const { fake } = renderOnce(<AutomationsScreen />, { who: who('builder'), trigger_list: () => [], workflow_list: () => [], activation_list: () => [off], workflow_activate: () => ACTIVE });
  await userEvent.click(await screen.findByRole('button', { name: 'Activate all again' }));
  const dialog = await screen.findByRole('dialog');
  expect(dialog.textContent).toContain('Daily report');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Activate all again' }));
  expect(await screen.findByText('All workflows are active again')).toBeTruthy();
  expect(fake.calls.filter((call) => call.command === 'workflow_activate').map((call) => call.payload)).toEqual([{ workflowId: 'daily', version: '9f86d081' }]);
});

it('shows what a trigger waits for', async () => {
  const inbox: Trigger = { ...DAILY, triggerId: 'in.t', kind: 'trigger.file_watch', config: { path: '/inbox', glob: '*.csv' }, next: [] };
  const mail: Trigger = { ...DAILY, triggerId: 'mail.t', kind: 'trigger.mail', config: { host: 'imap.example.org' }, next: [] };
  const message: Trigger = { ...DAILY, triggerId: 'message.t', kind: 'trigger.message', config: { host: 'broker.example.org', topic: 'orders' }, next: [] };
  const alarm: Trigger = { ...DAILY, triggerId: 'alarm.t', kind: 'trigger.error', config: {}, next: [] };
  const orders: Trigger = { ...DAILY, triggerId: 'orders.t', kind: 'trigger.poll', config: { url: 'https://shop.example/orders', every: 300_000 }, next: [] };
  const asked: Trigger = { ...orders, triggerId: 'asked.t', config: { source: { kind: 'workflow', workflow: 'shop' }, every: 300_000 } };
  renderOnce(<AutomationsScreen />, { who: who('builder'), trigger_list: () => [inbox, alarm, orders, asked, mail, message], trigger_get: () => ({ ...inbox, firings: [] }), workflow_list: () => [] });
  const rows = await screen.findAllByRole('row');
  expect(rows[0]?.textContent).toContain('Files *.csv in /inbox');
  expect(rows[1]?.textContent).toContain('When another workflow fails');
  expect(rows[2]?.textContent).toContain('New items of https://shop.example/orders, Every 5 minutes');
  expect(rows[3]?.textContent).toContain('New items of the workflow shop, Every 5 minutes');
  expect(rows[4]?.textContent).toContain('New mail in INBOX at imap.example.org');
  expect(rows[5]?.textContent).toContain('New message in orders at broker.example.org');
});

it('says that a run that was started now waits for its turn', async () => {
  renderOnce(<AutomationsScreen />, { who: who('builder'), trigger_list: () => [DAILY], workflow_list: () => [], trigger_fire: () => ({ runId: 'r2', queued: true }) });
  const [row] = await screen.findAllByRole('row');
  await userEvent.click(within(row as HTMLElement).getByRole('button'));
  await userEvent.click(await screen.findByText('Run now'));
  expect(await screen.findByText(/^Run queued/)).toBeTruthy();
});

it('runs one now, and stops one or all of them', async () => {
  let list = [DAILY, { ...DAILY, triggerId: 'daily.noon', nodeId: 'noon', title: 'At noon' }];
  const { fake } = renderOnce(<AutomationsScreen />, {
    who: who('builder'), trigger_list: () => list, workflow_list: () => [], trigger_fire: () => ({ runId: 'r2' }),
    workflow_deactivate: () => { list = []; return { ...ACTIVE, active: false }; },
  });
  const [first] = await screen.findAllByRole('row');
  await userEvent.click(within(first as HTMLElement).getByRole('button'));
  await userEvent.click(await screen.findByText('Run now'));
  expect(await screen.findByText('Run started')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Deactivate all' }));
  await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Deactivate all' }));
  expect(await screen.findByText('All workflows are deactivated')).toBeTruthy();
  // Two triggers of one workflow are one workflow.
  expect(fake.calls.filter((call) => call.command === 'workflow_deactivate').map((call) => call.payload)).toEqual([{ workflowId: 'daily' }]);
});

it('says what to do where nothing runs by itself, and a viewer is offered no change', async () => {
  const { unmount } = renderOnce(<AutomationsScreen />, { who: who('viewer'), trigger_list: () => [], workflow_list: () => [] });
  expect(await screen.findByText('Nothing runs automatically yet')).toBeTruthy();
  unmount();
  queryClient.clear();
  renderOnce(<AutomationsScreen />, { who: who('viewer'), trigger_list: () => [DAILY], workflow_list: () => [] });
  await screen.findByRole('row');
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Deactivate all' })).toBeNull());
});

function Bar({ document, onShow = () => undefined, onRestore = () => undefined }: { document: Workflow; onShow?(problem: Diagnostic): void; onRestore?(version: Workflow): void }) {
  const { bar, entries, dialog } = useActivation({ document, fileRef: 'daily.signalbox.json', catalog: CATALOG, readOnly: false, pinned: [], onRestore, onShow });
  return <>{bar}{entries.map((entry) => (entry ? <button key={entry.id} type="button" onClick={entry.onSelect}>{entry.label}</button> : null))}{dialog}</>;
}

it('activates what is on the canvas and says when it runs', async () => {
  let active: Activation[] = [];
  const { fake } = renderOnce(<Bar document={FLOW} />, {
    who: who('builder'), activation_list: () => active, workflow_versions: () => [version(FLOW)], trigger_list: () => [DAILY],
    workflow_activate: () => { active = [ACTIVE]; return ACTIVE; },
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Activate' }));
  expect(await screen.findByText('Next run: 2026-11-30 08:00')).toBeTruthy();
  expect(fake.calls.find((call) => call.command === 'workflow_activate')?.payload).toEqual({ document: FLOW, ref: 'daily.signalbox.json' });
});

it('a workflow that only a person can start is not offered to activate', async () => {
  const byHand: Workflow = { ...FLOW, nodes: { start: { type: 'trigger.manual', typeVersion: 1 } } };
  const { fake } = renderOnce(<Bar document={byHand} />, { who: who('builder'), activation_list: () => [] });
  await waitFor(() => expect(fake.calls.some((call) => call.command === 'activation_list')).toBe(true));
  expect(screen.queryByRole('button')).toBeNull();
});

it('lists what is missing, and leads to the step', async () => {
  const problem: Diagnostic = { severity: 'error', code: 'BAD_CONFIG', path: '/nodes/every/config/cron', message: 'This schedule never fires.', hint: 'Choose a day that exists.' };
  const onShow = vi.fn();
  renderOnce(<Bar document={FLOW} onShow={onShow} />, {
    who: who('builder'), activation_list: () => [],
    workflow_activate: () => { throw Object.assign(new Error('The workflow has errors.'), { code: 'INVALID_WORKFLOW', hint: '', details: { diagnostics: [problem] } }); },
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Activate' }));
  const dialog = await screen.findByRole('dialog');
  expect(dialog.textContent).toContain('This schedule never fires.');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Show step' }));
  expect(onShow).toHaveBeenCalledWith(problem);
});

it('publishes changes after showing them, and a moved step is no change', async () => {
  const published: Workflow = { ...FLOW, layout: { every: [0, 0] } };
  const handlers = { who: who('builder'), activation_list: () => [ACTIVE], workflow_versions: () => [version(published)], trigger_list: () => [], workflow_activate: () => ACTIVE };
  const { unmount } = renderOnce(<Bar document={{ ...FLOW, layout: { every: [200, 80] } }} />, handlers);
  expect(await screen.findByText('Active')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Publish changes' })).toBeNull();
  unmount();
  queryClient.clear();
  renderOnce(<Bar document={{ ...FLOW, nodes: { every: { type: 'trigger.schedule', typeVersion: 1, config: { cron: '0 9 * * *' } } } }} />, handlers);
  await userEvent.click(await screen.findByRole('button', { name: 'Publish changes' }));
  const dialog = await screen.findByRole('dialog');
  expect(dialog.textContent).toContain('0 9 * * *');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Publish changes' }));
  expect(await screen.findByText('Changes published')).toBeTruthy();
});

it('copies an earlier version to the draft', async () => {
  const before: Workflow = { ...FLOW, name: 'Report of last week' };
  const onRestore = vi.fn();
  renderOnce(<Bar document={FLOW} onRestore={onRestore} />, { who: who('builder'), activation_list: () => [ACTIVE], workflow_versions: () => [version(before)], trigger_list: () => [] });
  await userEvent.click(await screen.findByRole('button', { name: 'Versions' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Copy to the draft' }));
  expect(onRestore).toHaveBeenCalledWith(before);
});

it('a schedule is said in words and shows its next runs', async () => {
  const onChange = vi.fn();
  renderOnce(<ScheduleEditor config={{ cron: '0 8 * * 1-5', timezone: 'Europe/Berlin' }} pointer="/nodes/every/config" diagnostics={[]} readOnly={false} onChange={onChange} />, { schedule_preview: () => ({ next: NEXT, diagnostics: [] }) });
  expect(await screen.findByText('2026-11-30 08:00')).toBeTruthy();
  expect(screen.getByText('Every weekday at 08:00, Europe/Berlin')).toBeTruthy();
  await userEvent.click(screen.getByRole('checkbox', { name: 'Mon' }));
  expect(onChange).toHaveBeenLastCalledWith({ cron: '0 8 * * 2-5', every: undefined });
  await userEvent.click(screen.getByRole('combobox', { name: 'Repeat' }));
  await userEvent.click(await screen.findByRole('option', { name: 'At an interval' }));
  expect(onChange).toHaveBeenLastCalledWith({ cron: undefined, every: 900_000 });
});

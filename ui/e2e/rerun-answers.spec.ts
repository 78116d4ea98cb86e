/** A re-run that gives the answers of people again, or asks them again; and a run that begins at a checkpoint of another program. */
import type { Page } from '@playwright/test';
import { expect, type Host, test } from './host.ts';

const file = (name: string) => ({
  signalbox: 1, id: 'x', name, settings: { errorPolicy: 'fail' },
  context: { schema: { type: 'object', properties: { plan: { type: 'string' } } } },
  nodes: {
    make: { type: 'data.set', typeVersion: 1, title: 'Make it', config: { assign: { amount: 7 } }, out: { $plan: 'made' } },
    ask: { type: 'builtin.human_approval', typeVersion: 1, title: 'Ask somebody', config: { title: 'Pay it?' } },
    paid: { type: 'data.set', typeVersion: 1, title: 'Paid', config: { assign: { paid: '=context.plan' }, keep: false } },
    kept: { type: 'data.set', typeVersion: 1, title: 'Not paid', config: { assign: { paid: false }, keep: false } },
  },
  edges: [{ from: 'make.success', to: 'ask' }, { from: 'ask.approved', to: 'paid' }, { from: 'ask.rejected', to: 'kept' }],
  layout: { make: [0, 0], ask: [248, 0], paid: [496, -72], kept: [496, 96] },
});

async function saved(host: Host, name: string): Promise<{ ref: string; id: string }> {
  const made = await host.rpc<{ ref: string; revision: string; document: { id: string } }>('workflow_create', { name });
  await host.rpc('workflow_save', { ref: made.ref, document: { ...file(name), id: made.document.id }, baseRevision: made.revision });
  return { ref: made.ref, id: made.document.id };
}

interface Summary { runId: string; status: string; parentRunId?: string }
const runsOf = async (host: Host, id: string) => (await host.rpc<{ runs: Summary[] }>('run_list', { workflow: id })).runs;

/** A run whose question was answered with yes, open on its own screen. */
async function approved(host: Host, open: (hash: string) => Promise<Page>, name: string): Promise<{ page: Page; id: string; runId: string }> {
  const { ref, id } = await saved(host, name);
  const { runId } = await host.rpc<{ runId: string }>('run_start', { ref, params: {} });
  const page = await open('#/inbox');
  await page.getByRole('row', { name: /Pay it\?/ }).first().click();
  await page.getByRole('region', { name: 'Task', exact: true }).getByRole('button', { name: /^Approve/ }).click();
  await expect.poll(async () => (await runsOf(host, id))[0]?.status).toBe('completed');
  await page.goto(`${host.origin}/#/run/${runId}`);
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
  return { page, id, runId };
}

async function again(page: Page, choice: string): Promise<void> {
  await page.locator('[data-node=ask]').click();
  await page.keyboard.press('Shift+R');
  const dialog = page.getByRole('dialog', { name: 'Re-run from Ask somebody' });
  const choices = dialog.getByRole('radiogroup', { name: 'Decisions of people' });
  await expect(choices.getByRole('radio', { name: 'Ask again' })).toBeChecked();
  await choices.getByRole('radio', { name: choice }).click();
  await dialog.getByRole('button', { name: /^Re-run (up to )?\d/ }).click();
  await expect(dialog).toHaveCount(0);
}

test('answers that are kept are given again: nobody is asked', async ({ open, host }) => {
  const { page, id, runId } = await approved(host, open, 'Reuse the answer');
  await again(page, 'Reuse 1 answer');
  await expect(page).not.toHaveURL(new RegExp(runId));
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
  const runs = await runsOf(host, id);
  expect(runs.map((run) => [run.status, run.parentRunId])).toEqual([['completed', runId], ['completed', undefined]]);
});

test('answers that are asked again: the new run waits for somebody, who may say something else', async ({ open, host }) => {
  const { page, id, runId } = await approved(host, open, 'Ask once more');
  await again(page, 'Ask again');
  await expect(page).not.toHaveURL(new RegExp(runId));
  await expect.poll(async () => (await runsOf(host, id))[0]?.status).toBe('paused');
  await page.goto(`${host.origin}/#/inbox`);
  await page.getByRole('row', { name: /Pay it\?/ }).first().click();
  const task = page.getByRole('region', { name: 'Task', exact: true });
  await expect(task.getByRole('button', { name: /^Reject/ })).toBeVisible();
  // Somebody else answers, from another place; the host that drives the run goes on.
  await host.rpc('task_complete', { taskId: await task.getAttribute('data-task'), action: 'reject', notes: 'Not this time' });
  await expect.poll(async () => (await runsOf(host, id)).map((run) => run.status)).toEqual(['completed', 'completed']);
});

test('a run that begins at a checkpoint of another program says so, and can be run again from there', async ({ open, host }) => {
  const { ref, id } = await saved(host, 'From elsewhere');
  const checkpoint = {
    _type: 'vl_workflow_checkpoint', _version: 2, workflowID: 'wf_1710000000000', currentStepID: 'paid', variables: { $plan: 'restored' },
    completedSteps: ['make', 'ask'], createdAt: '2026-03-14T10:00:00.000Z',
  };
  const { runId } = await host.rpc<{ runId: string }>('run_start', { ref, params: {}, checkpoint });
  const page = await open(`#/run/${runId}`);
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
  await expect(page.getByText(/Started at Paid, from a checkpoint of another program\. Run wf_1710000000000 there/)).toBeVisible();
  await expect(page.locator('.cv-node.is-kept')).toHaveCount(2);
  await page.locator('[data-node=paid]').click();
  await page.keyboard.press('Shift+R');
  const dialog = page.getByRole('dialog', { name: 'Re-run from Paid' });
  await expect(dialog.getByRole('textbox', { name: 'Variables' })).toContainText('restored');
  await dialog.getByRole('button', { name: /^Re-run (up to )?\d/ }).click();
  await expect.poll(async () => (await runsOf(host, id)).map((run) => [run.status, run.parentRunId])).toEqual([['completed', runId], ['completed', undefined]]);
});

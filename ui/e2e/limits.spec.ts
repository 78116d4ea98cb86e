/** Limits of a workflow, as a person sets them: one run at a time, the second one waits in the list and is cancelled there. */
import { openDocument, saved, shot } from './document.ts';
import { expect, test } from './host.ts';

interface Doc { settings: { concurrency?: unknown; rateLimit?: unknown } }

const parts = {
  settings: { errorPolicy: 'fail' },
  nodes: {
    begin: { type: 'trigger.manual', typeVersion: 1 },
    ask: { type: 'builtin.human_approval', typeVersion: 1, config: { title: 'Send the order?' } },
  },
  edges: [{ from: 'begin.success', to: 'ask' }],
  layout: { begin: [0, 0], ask: [280, 0] },
};

test('a workflow runs one at a time, and what waits is seen and cancelled', async ({ open, host, page }) => {
  const name = 'Orders one at a time';
  const { made } = await openDocument<Doc & typeof parts>(open, host, name, parts as never);
  const limits = page.getByRole('group', { name: 'Limit runs at the same time' });
  await limits.getByRole('switch').click();
  await limits.getByText('Wait in a queue').waitFor();
  await limits.scrollIntoViewIfNeeded();
  await shot(page, 'limits');
  expect((await saved(page, made)).settings.concurrency).toEqual({ max: 1 });

  const start = () => host.rpc<{ runId: string; queued?: boolean }>('run_start', { ref: made.ref, params: {} });
  const first = await start();
  const second = await start();
  expect([first.queued, second.queued]).toEqual([undefined, true]);
  await page.getByRole('link', { name: 'Runs' }).click();
  const row = page.getByRole('row').filter({ hasText: name }).filter({ hasText: 'Queued, place 1' });
  await expect(row).toHaveCount(1);
  await shot(page, 'limits-runs');
  await row.click();
  await expect(page.getByText('It starts when its turn comes')).toBeVisible();
  await shot(page, 'limits-run');
  await page.locator('.bar').getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(page.locator('.bar').getByText('Cancelled')).toBeVisible();

  // The place of the first one is free for the next as soon as it ends.
  const third = await start();
  expect(third.queued).toBe(true);
  await host.rpc('run_cancel', { runId: first.runId });
  await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId: third.runId })).status).toBe('paused');
});

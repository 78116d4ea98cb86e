/** The audit viewer over the chain that the program really writes. */
import { expect, test } from './host.ts';
import { makeWorkflow, MEAN, openTasks, startRun } from './people.ts';

test('records appear, are asked for, hashed again on the page, and verified', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, MEAN);
  const runId = await startRun(host, ref, { name: 'Ada', total: 12, count: 0 });
  const page = await open(`#/audit?query=run:${runId}`);
  await expect(page.getByRole('row', { name: /Task created/ })).toBeVisible({ timeout: 15_000 });
  const task = (await openTasks(host)).find((one) => one.runId === runId);
  await host.rpc('task_complete', { taskId: task?.id, action: 'correct', correctedInput: { name: 'Ada', total: 12, count: 4 }, notes: 'Counted again' });
  // Written elsewhere: it comes by itself.
  await expect(page.getByRole('row', { name: /Run ended/ })).toBeVisible({ timeout: 15_000 });

  await page.getByRole('combobox').fill(`run:${runId} event:HITL_COMPLETED `);
  await expect(page.locator('.vlist .au-row')).toHaveCount(1);
  await page.locator('.vlist .au-row').click();
  await expect(page.getByRole('heading', { name: 'Task completed' })).toBeVisible();
  await expect(page.locator('.au-ds').getByText('Counted again')).toBeVisible();
  await expect(page.getByRole('group', { name: 'Change' })).toContainText('"count": 4');
  // The browser's own SHA-256 over the canonical text gives the stored hash, and the one before is linked.
  await expect(page.locator('.au-ds').getByText('equal', { exact: true })).toBeVisible();
  await page.getByRole('radio', { name: 'Bytes' }).click();
  await expect(page.getByLabel('Canonical bytes')).toContainText('"event":"HITL_COMPLETED"');
  await page.getByRole('button', { name: 'Clear the query' }).first().click();

  await page.getByRole('button', { name: 'Verify chain' }).click();
  await expect(page.getByText(/Every record fits, up to record/)).toBeVisible();
  await expect(page.getByText(/Chain intact up to record/)).toBeVisible();
  await page.getByRole('button', { name: 'What this proves' }).click();
  await expect(page.getByText('Tamper-evident up to the last anchored checkpoint.')).toBeVisible();

  // Exported, and that is a record of its own.
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export evidence' }).click();
  await page.getByRole('menuitem', { name: /JSON lines/ }).click();
  await saved;
  await expect(page.getByRole('row', { name: /Records exported/ })).toBeVisible({ timeout: 15_000 });
});

test('a query is kept in the settings and found again', async ({ open, host }) => {
  const page = await open('#/audit?query=level%3AERROR');
  await page.getByRole('button', { name: 'Save query' }).click();
  await page.getByLabel(/Name/).fill('Only errors');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('button', { name: 'Only errors', exact: true })).toBeVisible();
  await expect.poll(async () => (await host.rpc<{ queries?: { [name: string]: string } }>('settings_get')).queries).toEqual({ 'Only errors': 'level:ERROR' });
});

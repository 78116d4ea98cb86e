/** Templates over the real program: found by a word of the job, tried with sample data, used. */
import { openDocument, shot } from './document.ts';
import { expect, readJson, test } from './host.ts';

test('a template is found by its job, tried without anything outside, and becomes a workflow', async ({ open, host }) => {
  const page = await open();
  await page.locator('.bar').getByRole('button', { name: 'Templates' }).click();
  const dialog = page.getByRole('dialog', { name: 'Templates' });
  const list = dialog.getByRole('listbox', { name: 'Templates' });
  await expect.poll(async () => await list.getByRole('option').count()).toBeGreaterThanOrEqual(24);
  await shot(page, 'templates');
  await dialog.getByRole('radio', { name: 'Finance' }).click();
  await expect(list.getByRole('option')).toHaveCount(5);
  await dialog.getByRole('radio', { name: 'All' }).click();
  await dialog.getByRole('textbox', { name: 'Search templates' }).fill('库存');
  await expect(list.getByRole('option')).toHaveCount(1);
  const one = dialog.getByRole('region', { name: 'Stock alert' });
  await expect(one.getByRole('img', { name: 'Drawing of Stock alert' })).toBeVisible();
  await shot(page, 'templates-one');
  await one.getByRole('button', { name: 'Try with sample data' }).click();
  await expect(page).toHaveURL(/#\/run\//);
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
  await expect(page.locator('[data-node=message]')).toHaveAttribute('data-state', 'done');
  await shot(page, 'templates-tried');

  await openDocument((hash) => open(hash), host, 'Nothing yet', {});
  await page.getByRole('button', { name: 'Start from a template' }).click();
  await dialog.getByRole('textbox', { name: 'Search templates' }).fill('expense');
  await dialog.getByRole('region', { name: 'Expense approval' }).getByRole('button', { name: 'Use this template' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Expense approval' })).toBeVisible();
  // Only the folder of its record file is still to be allowed.
  await page.locator('.wb-status').getByRole('button', { name: '1 problem' }).click();
  await expect(page.getByText(/^No folder is open to this workflow/).last()).toBeVisible();
  const file = host.files().find((path) => path.includes('expense-approval'));
  expect(readJson<{ nodes: object }>(file ?? '').nodes).toHaveProperty('approve');
});

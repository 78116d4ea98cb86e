/** An ended task is asked again by a new run (UX D2.15). Against the real program. */
import { expect, test } from './host.ts';
import { makeWorkflow, MEAN, startRun } from './people.ts';

test('UX-D2.15 a decided task is opened again as a new, linked one', async ({ open, host }) => {
  await startRun(host, (await makeWorkflow(host, { ...MEAN, name: 'Again' })).ref, { name: 'Grace', total: 4, count: 0 });
  const page = await open('#/inbox');
  await page.getByRole('row', { name: /No mean for Grace/ }).click();
  const task = page.getByRole('region', { name: 'Task', exact: true });
  await task.getByRole('button', { name: /^Skip/ }).click();
  await page.getByRole('button', { name: /^Done/ }).click();
  await page.getByRole('row', { name: /No mean for Grace/ }).click({ timeout: 20_000 });
  const first = await task.getAttribute('data-task');
  await task.getByRole('button', { name: 'Reopen…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reopen this task?' });
  await expect(dialog.getByRole('button', { name: /Reopen/ })).toBeDisabled();
  await dialog.getByLabel('Why do you reopen it?').fill('The count has come by mail');
  await dialog.getByRole('button', { name: /Reopen/ }).click();
  // The new task is open, in front of the person, and knows the first one.
  await expect(task.getByRole('button', { name: /^Skip/ })).toBeVisible({ timeout: 20_000 });
  expect(await task.getAttribute('data-task')).not.toBe(first);
  const links = task.getByRole('group', { name: 'The same question in other runs' });
  await links.getByRole('button', { name: 'the first decision' }).click();
  await expect(task).toHaveAttribute('data-task', first ?? '');
  await expect(task.getByText(/Skipped by/)).toBeVisible();
  await task.getByRole('tab', { name: /History/ }).click();
  await expect(task.getByText('The count has come by mail')).toBeVisible();
  await expect(task.getByText(/reopened it/)).toBeVisible();
  await links.getByRole('button', { name: 'the new task' }).click();
  await expect(task.getByRole('button', { name: /^Skip/ })).toBeVisible();
});

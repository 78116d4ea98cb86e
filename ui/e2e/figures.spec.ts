/** What tasks say together, and a rule that decisions suggest (UX D2.14). Against the real program. */
import { shot } from './document.ts';
import { expect, test } from './host.ts';
import { makeWorkflow, MEAN, openTasks, startRun } from './people.ts';

test('UX-D2.14 figures of the inbox, and a rule that the author sees come and can take back', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, { ...MEAN, name: 'Means' });
  for (const name of ['Ada', 'Bob', 'Eve']) {
    const runId = await startRun(host, ref, { name, total: 1, count: 0 });
    // The host is shared with other files: only the tasks of these runs count.
    const asked = async () => (await openTasks(host)).find((task) => task.runId === runId);
    await expect.poll(async () => (await asked())?.state, { timeout: 20_000 }).toBe('open');
    await host.rpc('task_complete', { taskId: (await asked())?.id, action: 'abort' });
  }
  const page = await open('#/inbox');
  await page.getByRole('button', { name: 'Statistics' }).click();
  const figures = page.getByRole('region', { name: 'Statistics' });
  await expect(figures.getByRole('list', { name: 'Decisions' })).toContainText('Aborted');
  await expect(figures.getByRole('table', { name: 'By workflow' })).toContainText('Means');
  await expect(figures.getByText('The last 3 decisions were all to abort: a rule can do that.')).toBeVisible();
  await shot(page, 'statistics');
  await figures.getByRole('button', { name: 'Add the rule…' }).click();
  await expect(page.getByText(/is in the workflow, not saved yet/)).toBeVisible({ timeout: 20_000 });
  const rules = async () => {
    const opened = await host.rpc<{ document: { nodes: { [id: string]: { type: string } } } }>('workflow_open', { ref });
    return Object.values(opened.document.nodes).filter((node) => node.type === 'builtin.error_handler').length;
  };
  expect(await rules(), 'nothing is saved by itself').toBe(0);
  const made = page.locator('.react-flow__node').filter({ hasText: /Error handler/i });
  await expect(made).toHaveCount(1);
  // One step of Undo takes all of it back; Redo brings it, and saving keeps it.
  await page.keyboard.press('Control+z');
  await expect(made).toHaveCount(0);
  await page.keyboard.press('Control+Shift+z');
  await expect(made).toHaveCount(1);
  await page.keyboard.press('Control+s');
  await expect.poll(rules, { timeout: 20_000 }).toBe(1);
  const ruled = await startRun(host, ref, { name: 'Zoe', total: 1, count: 0 });
  await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId: ruled })).status, { timeout: 20_000 }).toBe('failed');
  expect((await openTasks(host)).filter((one) => one.runId === ruled), 'nobody is asked any more').toEqual([]);
});

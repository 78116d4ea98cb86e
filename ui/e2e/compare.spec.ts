/** Two runs beside each other (C28), as a person comes to it from a re-run. */
import type { Page } from '@playwright/test';
import { badPlan } from './document.ts';
import { expect, type Host, test } from './host.ts';

/** A run that failed, and one that began from it with a better plan. */
async function family(host: Host, name: string): Promise<{ first: string; again: string }> {
  const made = await host.rpc<{ ref: string; revision: string; document: { id: string } }>('workflow_create', { name });
  await host.rpc('workflow_save', { ref: made.ref, document: { ...badPlan(name), id: made.document.id }, baseRevision: made.revision });
  const ended = async (runId: string): Promise<void> => {
    await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status).toMatch(/completed|failed/);
  };
  const { runId: first } = await host.rpc<{ runId: string }>('run_start', { ref: made.ref, params: {} });
  await ended(first);
  const { runId: again } = await host.rpc<{ runId: string }>('run_rerun', { runId: first, stepId: 'check', overrides: { $plan: 'good' } });
  await ended(again);
  return { first, again };
}

const mark = (page: Page, node: string) => page.locator(`.cv-node[data-node=${node}] [data-mark=differs]`);

test('c28 a re-run is compared with its original: marks on the graph, a list, values side by side', async ({ open, host }) => {
  const { first, again } = await family(host, 'Side by side');
  const page = await open(`#/run/${again}`);
  await page.locator('.bar').getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Compare with…' }).click();
  const dialog = page.getByRole('dialog', { name: /^Compare run/ });
  await expect(dialog.getByRole('option').first()).toContainText('the original of this run');
  await dialog.getByRole('option').first().click();

  // The older one is the first, whatever was open.
  await expect(page).toHaveURL(new RegExp(`#/compare/${first}\\?with=${again}`));
  await expect(page.getByRole('group', { name: 'Run A', exact: true })).toContainText('Failed');
  await expect(page.getByRole('group', { name: 'Run B', exact: true })).toContainText('Completed');
  const list = page.getByRole('region', { name: 'Differences' });
  await expect(list).toContainText('3 steps differ');
  for (const node of ['check', 'done', 'refuse']) await expect(mark(page, node)).toBeVisible();
  await expect(mark(page, 'plan')).toHaveCount(0);

  // The keys go through the list; the graph shows what is chosen.
  const box = list.getByRole('listbox');
  await box.focus();
  await page.keyboard.press('Home');
  await expect(page.getByRole('region', { name: 'Variables at the end' }).getByRole('row', { name: /^plan/ })).toContainText('good');
  await page.keyboard.press('End');
  await expect(box).toBeFocused();
  await list.getByRole('option', { name: /^Skipped Done/ }).click();
  const values = page.getByRole('group', { name: 'Output, run A and run B' });
  await expect(values).toContainText('"good"');
  await expect(page.locator('.react-flow__node.selected [data-node=done]')).toBeVisible();

  // A marked step on the graph is chosen in the list.
  await page.locator('.cv-node[data-node=refuse]').click();
  await expect(page.getByRole('group', { name: 'Error, run A and run B' })).toContainText('The plan is bad');
  await page.locator('.cv-node[data-node=plan]').click();
  await expect(page.getByText('This step does not differ')).toBeVisible();

  await page.getByRole('button', { name: 'Swap sides' }).click();
  await expect(page.getByRole('group', { name: 'Run A', exact: true })).toContainText('Completed');
  await page.getByRole('group', { name: 'Run A', exact: true }).getByRole('button', { name: /^Open run/ }).click();
  await expect(page).toHaveURL(new RegExp(`#/run/${again}`));
});

test('c28 runs that do not differ are said to be the same', async ({ open, host }) => {
  const { first } = await family(host, 'Twice the same');
  const { runId: twice } = await host.rpc<{ runId: string }>('run_again', { runId: first });
  await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId: twice })).status).toBe('failed');
  const page = await open(`#/compare/${first}?with=${twice}`);
  await expect(page.getByText('These runs do not differ')).toBeVisible();
});

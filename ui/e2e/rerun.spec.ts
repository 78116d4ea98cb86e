/** Re-run from a step, as a person does it: from the banner, from a card, from the history. */
import type { Page } from '@playwright/test';
import { badPlan } from './document.ts';
import { expect, type Host, test } from './host.ts';

/** A run that failed, open on its own screen. */
async function failed(host: Host, open: (hash: string) => Promise<Page>, name: string): Promise<{ page: Page; runId: string; id: string }> {
  const made = await host.rpc<{ ref: string; revision: string; document: { id: string } }>('workflow_create', { name });
  await host.rpc('workflow_save', { ref: made.ref, document: { ...badPlan(name), id: made.document.id }, baseRevision: made.revision });
  const { runId } = await host.rpc<{ runId: string }>('run_start', { ref: made.ref, params: {} });
  const page = await open(`#/run/${runId}`);
  await expect(page.locator('.wb-banners').getByRole('alert')).toContainText('The plan is bad');
  return { page, runId, id: made.document.id };
}

async function type(page: Page, label: string, text: string): Promise<void> {
  const editor = page.getByRole('dialog').getByRole('textbox', { name: label });
  await editor.click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(text);
}

test('ts_091 a failed run begins again at a step with an edited value, and its steps before are kept', async ({ open, host }) => {
  const { page, runId, id } = await failed(host, open, 'Begin again');
  await page.locator('.wb-banners').getByRole('button', { name: 'Re-run from…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Re-run from Refuse' });
  await expect(dialog).toContainText('do not run again');
  // Another step than the one that failed.
  await dialog.getByRole('combobox', { name: 'Step' }).click();
  await page.getByRole('option', { name: /Is it good/ }).click();
  const chosen = page.getByRole('dialog', { name: 'Re-run from Is it good' });
  await expect(chosen.getByRole('textbox', { name: 'Variables' })).toContainText('"bad"');
  await expect(chosen).toContainText('No side effect is repeated');
  await type(page, 'Variables', '{ "plan": ');
  await expect(chosen.getByRole('alert')).toContainText('This is not JSON yet');
  await expect(chosen.getByRole('button', { name: /^Re-run (up to )?\d/ })).toBeDisabled();
  await type(page, 'Variables', '{}');
  await expect(chosen.getByRole('alert')).toContainText('Values can be changed but not removed: plan');
  await type(page, 'Variables', '{ "plan": "good" }');
  await expect(chosen.getByRole('group', { name: 'Changes' })).toContainText('good');
  await chosen.getByRole('button', { name: /^Re-run (up to )?\d/ }).click();

  // The new run opens, says where it comes from, and shows what it did not execute.
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
  await expect(page).not.toHaveURL(new RegExp(runId));
  await expect(page.locator('[data-node=plan] .cv-node, .cv-node.is-kept').first()).toBeVisible();
  await expect(page.locator('.cv-node.is-kept')).toHaveCount(2);
  const runs = (await host.rpc<{ runs: { runId: string; parentRunId?: string; status: string }[] }>('run_list', { workflow: id })).runs;
  expect(runs.map((run) => [run.status, run.parentRunId])).toEqual([['completed', runId], ['failed', undefined]]);
  await page.locator('.bar').getByRole('button', { name: /^Re-run of/ }).click();
  await expect(page).toHaveURL(new RegExp(runId));
  // The original leads to the run that began from it.
  const made = String(runs[0]?.runId);
  await page.locator('.bar').getByRole('button', { name: `Run ${made.slice(-6)} was re-run from this one` }).click();
  await expect(page).toHaveURL(new RegExp(made));

  // The history shows the tree, and begins a run again too.
  await page.goto(`${host.origin}/#/runs?workflow=${encodeURIComponent(id)}`);
  const rows = page.getByRole('grid', { name: /Runs/ }).getByRole('row');
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(1)).toContainText('Re-run of');
  await rows.nth(0).getByRole('button', { name: /^Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Re-run from…' }).click();
  await expect(page.getByRole('dialog', { name: 'Re-run from Refuse' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('a card and a key open the dialog; the version of now says what fits', async ({ open, host }) => {
  const { page, id } = await failed(host, open, 'From a card');
  await page.keyboard.press('ControlOrMeta+J');
  const card = page.getByRole('article', { name: /Make a plan/ });
  await card.getByRole('button', { name: 'Re-run from here' }).click();
  const dialog = page.getByRole('dialog', { name: 'Re-run from Make a plan' });
  await expect(dialog).toBeVisible();
  await dialog.getByRole('radio', { name: 'Current workflow' }).click();
  await expect(dialog).toContainText('The workflow has not changed since');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);

  // The workflow changes: the step is another one now.
  const entry = (await host.rpc<{ id: string; ref: string }[]>('workflow_list')).find((one) => one.id === id);
  const opened = await host.rpc<{ revision: string; document: { nodes: Record<string, { config: unknown }> } }>('workflow_open', { ref: entry?.ref });
  const changed = structuredClone(opened.document);
  changed.nodes['check']!.config = { condition: 'true' };
  await host.rpc('workflow_save', { ref: entry?.ref, document: changed, baseRevision: opened.revision });
  await page.locator('[data-node=check]').click();
  await page.keyboard.press('Shift+R');
  const again = page.getByRole('dialog', { name: 'Re-run from Is it good' });
  await again.getByRole('radio', { name: 'Current workflow' }).click();
  await expect(again).toContainText('1 step has new settings or wires');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
});

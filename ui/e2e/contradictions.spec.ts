/** What a person reads in one place agrees with what stands in another. */
import type { Page } from '@playwright/test';
import { make, openDocument, saved } from './document.ts';
import { expect, test } from './host.ts';

interface Doc {
  name: string;
  settings?: { errorPolicy?: unknown };
  nodes: { [id: string]: { type: string; title?: string; config?: Record<string, unknown>; mode?: string; [more: string]: unknown } };
  edges: { from: string; to: string }[];
  layout: { [id: string]: [number, number] };
}
const ROWS = "[{'id': 1}, {'id': 2}, {'id': 3}]";
const PARTS: Partial<Doc> = {
  settings: { errorPolicy: 'safe' },
  nodes: {
    start: { type: 'trigger.manual', title: 'Start' },
    rows: { type: 'data.transform', title: 'Rows', config: { expression: ROWS, split: true } },
    keep: { type: 'data.filter', title: 'Keep', config: { when: 'item.id > 1' } },
    text: { type: 'data.format', title: 'Table' },
  },
  edges: [{ from: 'start.success', to: 'rows' }, { from: 'rows.success', to: 'keep' }, { from: 'keep.success', to: 'text' }],
  layout: { start: [0, 0], rows: [248, 0], keep: [496, 0], text: [744, 0] },
};
const pick = async (page: Page, id: string) => {
  await page.locator(`[data-node="${id}"]`).click();
  return page.getByRole('complementary', { name: 'Step settings' });
};

test('the panel, the output and the status bar say the same', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Agree', PARTS);
  const panel = await pick(page, 'text');
  // A choice that has a default is made: nobody is asked for it.
  await expect(panel.getByLabel('Format', { exact: true })).toContainText('JSON');
  await expect(panel.getByText(/^Fill in/)).toHaveCount(0);
  await panel.getByLabel('Format', { exact: true }).click();
  await page.getByRole('option', { name: 'CSV' }).click();
  await expect(panel.getByText(/Each item becomes a .*CSV text/)).toBeVisible();
  await panel.locator('summary').filter({ hasText: /^More$/ }).click();
  await panel.getByLabel('Items', { exact: true }).click();
  await page.getByRole('option', { name: 'All at once' }).click();
  await expect(panel.getByText(/Each item becomes a .*CSV text/)).toHaveCount(0);
  await panel.getByRole('tab', { name: /Error handling/ }).click();
  await expect(panel.getByLabel('Ask a person from')).toContainText('Always (default error handling)');
  await page.keyboard.press('F5');
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
  await panel.getByRole('tab', { name: /Output/ }).click();
  await expect(panel.getByText(/id\\n2\\n3/)).toBeVisible();
  const filter = await pick(page, 'keep');
  await filter.getByRole('tab', { name: /Output/ }).click();
  await expect(filter.getByRole('radio', { name: 'Kept 2' })).toBeVisible();
  await filter.getByRole('tab', { name: /Settings/ }).click();
  // A red field is counted, also where the file as such is fine.
  await filter.getByRole('textbox', { name: 'Keep when' }).fill('item.id > "a"');
  await filter.getByRole('tab', { name: /Settings/ }).focus();
  await expect(page.locator('.wb-status').getByText(/field to check|problem/)).toBeVisible();
  await expect(page.locator('.wb-status').getByText('No problems')).toHaveCount(0);
  expect((await saved<Doc>(page, made)).nodes.text).toMatchObject({ mode: 'all', config: { format: 'csv' } });
});

test('a step of the catalog comes into a workflow', async ({ open, host }) => {
  const made = await make<Doc>(host, 'From the catalog', PARTS);
  const page = await open('#/catalog/data.sort');
  await expect(page.getByRole('heading', { name: 'Sort', level: 2 })).toBeVisible();
  await expect(page.getByText('Input', { exact: true }).first()).toBeVisible();
  if (process.env.SIGNALBOX_PICTURES) await page.screenshot({ path: `${process.env.SIGNALBOX_PICTURES}/catalog.png` });
  await page.getByRole('button', { name: 'Add to workflow' }).click();
  await page.getByRole('menuitem', { name: 'From the catalog' }).click();
  await expect(page.locator('[data-node="sort"]')).toBeVisible();
  const doc = await saved<Doc>(page, made);
  expect(doc.nodes.sort?.type).toBe('data.sort');
  expect(doc.edges).toContainEqual({ from: 'text.success', to: 'sort' });
});

test('settings have a list of their parts, models and secrets first', async ({ open }) => {
  const page = await open('#/settings');
  const parts = page.getByRole('navigation', { name: 'Parts of the settings' });
  await expect(parts.getByRole('link')).toHaveText(['Models', 'Secrets', 'Tool servers', 'Folders', 'Notifications', 'Access', 'Audit and retention', 'Network', 'Telemetry', 'Data and backup', 'Appearance', 'Shortcuts', 'About']);
  await expect(page.getByRole('heading', { name: 'Models' }).first()).toBeInViewport();
  await parts.getByRole('link', { name: 'Shortcuts' }).click();
  await expect(page.getByRole('heading', { name: 'Shortcuts' })).toBeInViewport();
  await expect(parts.getByRole('link', { name: 'Shortcuts' })).toHaveAttribute('aria-current', 'location');
  if (process.env.SIGNALBOX_PICTURES) await page.screenshot({ path: `${process.env.SIGNALBOX_PICTURES}/settings.png` });
});

test('the run history marks a run of a part of the workflow', async ({ open, host }) => {
  const made = await make<Doc>(host, 'In part', PARTS);
  const { runId } = await host.rpc<{ runId: string }>('run_start', { ref: made.ref, params: {}, until: 'rows' });
  await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status).toBe('completed');
  const page = await open('#/runs');
  await expect(page.getByRole('row', { name: /In part/ }).getByText('Part of the workflow')).toBeVisible();
});

test('a step is found by its job, in English and in Chinese', async ({ open, host }) => {
  const { page } = await openDocument<Doc>(open, host, 'By job', PARTS);
  await page.locator('.cv .react-flow__pane').click({ position: { x: 300, y: 480 } });
  for (const words of ['every day', '每天']) {
    await page.keyboard.press('Tab');
    const box = page.getByRole('dialog', { name: 'Add a step' });
    await expect(box).toBeVisible();
    await page.keyboard.insertText(words);
    await expect(box.getByRole('option').first()).toContainText('Schedule');
    await page.keyboard.press('Escape');
  }
});

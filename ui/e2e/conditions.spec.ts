/** Conditions in rows over the real program: made without typing an expression, read back from one, and what the engine does with them. */
import type { Locator, Page } from '@playwright/test';
import { inBothThemes } from './axe.ts';
import { openDocument, saved } from './document.ts';
import { expect, test } from './host.ts';

interface Doc {
  name: string;
  nodes: { [id: string]: { type: string; title?: string; config?: Record<string, unknown>; [more: string]: unknown } };
  edges: { from: string; to: string }[];
  layout: { [id: string]: [number, number] };
}

const ORDERS = "[{'id': 1, 'total': 150, 'currency': 'EUR', 'tags': ['vip']}, {'id': 2, 'total': 50, 'currency': 'USD', 'tags': []}, {'id': 3, 'currency': 'NOK', 'tags': []}]";
const FILTER: Partial<Doc> = {
  nodes: {
    start: { type: 'trigger.manual', title: 'Start' },
    orders: { type: 'data.transform', title: 'Orders', config: { expression: ORDERS, split: true } },
    large: { type: 'data.filter', title: 'Large orders', config: { when: 'true' } },
  },
  edges: [{ from: 'start.success', to: 'orders' }, { from: 'orders.success', to: 'large' }],
  layout: { start: [0, 0], orders: [248, 0], large: [496, 0] },
};

async function pick(page: Page, id: string): Promise<Locator> {
  await page.locator(`[data-node="${id}"]`).click();
  const panel = page.getByRole('complementary', { name: 'Step settings' });
  await expect(panel).toBeVisible();
  return panel;
}
const run = async (page: Page) => {
  await page.keyboard.press('F5');
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
};
const choose = async (page: Page, box: Locator, name: string) => {
  await box.click();
  await page.getByRole('option', { name, exact: true }).click();
};

test('a filter is made in rows, without an expression, and keeps what the rows say', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Rows', FILTER);
  await run(page);
  const panel = await pick(page, 'large');
  const rows = panel.getByRole('group', { name: 'Keep when: conditions' });
  // `true` compares no field: it stays as text, with the reason.
  await expect(panel.getByText('It stays as text.')).toBeVisible();
  await panel.getByRole('textbox', { name: 'Keep when' }).fill('');
  await panel.getByRole('tab', { name: /Settings/ }).focus();
  await expect(rows).toBeVisible();
  // The names are those of the data that arrived.
  await expect(rows.locator('datalist option[value="total"]').first()).toBeAttached();
  await rows.getByRole('combobox', { name: 'Field of row 1' }).fill('total');
  await choose(page, rows.getByRole('combobox', { name: 'Comparison of row 1' }), 'is greater than');
  await rows.getByRole('textbox', { name: 'Value of row 1' }).or(rows.getByRole('combobox', { name: 'Value of row 1' })).fill('100');
  await expect(panel.getByRole('textbox', { name: 'Keep when' })).toHaveText('has(item.total) && item.total != null && item.total > 100');
  await rows.getByRole('button', { name: 'Add a group of conditions' }).click();
  await rows.getByRole('combobox', { name: 'Field of row 2.1' }).fill('currency');
  await expect(rows.locator('option[value="EUR"]').first()).toBeAttached();
  await rows.getByRole('combobox', { name: 'Value of row 2.1' }).fill('EUR');
  await rows.getByRole('button', { name: 'Add a condition to group 2' }).click();
  await rows.getByRole('combobox', { name: 'Field of row 2.2' }).fill('tags');
  await rows.getByRole('combobox', { name: 'Value of row 2.2' }).fill('vip');
  await run(page);
  const doc = await saved<Doc>(page, made);
  expect(doc.nodes.large?.config?.when).toBe("has(item.total) && item.total != null && item.total > 100 && ((has(item.currency) && item.currency == 'EUR') || (has(item.tags) && item.tags != null && 'vip' in item.tags))");
  await pick(page, 'large');
  await panel.getByRole('tab', { name: /Output/ }).click();
  await expect(panel.getByRole('radio', { name: /1$/ }).first()).toBeVisible();
});

test('rows and expression are the same condition, and nothing is lost in between', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Both ways', { ...FILTER, nodes: { ...FILTER.nodes, large: { type: 'data.filter', title: 'Large orders', config: { when: "item.total >= 10 && item.total <= 20 && item.tags.exists(t, t == 'vip')" } } } });
  const panel = await pick(page, 'large');
  const rows = panel.getByRole('group', { name: 'Keep when: conditions' });
  await expect(rows.getByRole('textbox', { name: 'Expression of row 2' })).toHaveValue("item.tags.exists(t, t == 'vip')");
  await expect(rows.getByLabel('Upper limit of row 1')).toHaveValue('20');
  await rows.getByLabel('Upper limit of row 1').fill('30');
  const cel = panel.getByRole('textbox', { name: 'Keep when' });
  await expect(cel).toHaveText("item.total >= 10 && item.total <= 30 && item.tags.exists(t, t == 'vip')");
  await cel.fill('size(item.tags) % 2 == 1');
  await panel.getByRole('tab', { name: /Settings/ }).focus();
  await expect(panel.getByText('It stays as text.')).toBeVisible();
  await expect(cel).toHaveText('size(item.tags) % 2 == 1');
  await cel.fill("item.currency == 'EUR'");
  await panel.getByRole('tab', { name: /Settings/ }).focus();
  await expect(rows.getByRole('combobox', { name: 'Row 1 without a value' })).toHaveText('No value: error');
  await choose(page, rows.getByRole('combobox', { name: 'Row 1 without a value' }), 'No value: not met');
  const doc = await saved<Doc>(page, made);
  expect(doc.nodes.large?.config?.when).toBe("has(item.currency) && item.currency == 'EUR'");
});

test('rows have names and fit a narrow panel', async ({ open, host, page }) => {
  const when = "has(item.total) && item.total != null && item.total >= 1 && item.total <= 9 && (item.currency in ['EUR', 'USD'] || item.at == 'x' || (has(item.paid) && item.paid == true))";
  await openDocument<Doc>(open, host, 'Names', { ...FILTER, nodes: { ...FILTER.nodes, large: { type: 'flow.if', title: 'Large', config: { condition: when } } } });
  const panel = await pick(page, 'large');
  await expect(panel.getByRole('group', { name: 'Condition: conditions' })).toBeVisible();
  await panel.evaluate((box) => { (box.closest('.split-side') as HTMLElement | null ?? box).style.width = '320px'; });
  const wide = await panel.locator('.cond *').evaluateAll((all) => all.filter((one) => one.closest('.vh, .input') === null && one.getBoundingClientRect().right > (one.closest('.node-panel')?.getBoundingClientRect().right ?? 0) + 1).length);
  expect(wide).toBe(0);
  expect((await inBothThemes(page, 'rows')).join('\n')).toBe('');
  if (process.env.SIGNALBOX_PICTURES) await panel.screenshot({ path: `${process.env.SIGNALBOX_PICTURES}/conditions.png` });
});

/** Whole numbers above 2^53: shown as the host has them, and sent back as they are written. */
import { openDocument, shot } from './document.ts';
import { expect, test } from './host.ts';

const parts = {
  settings: { errorPolicy: 'fail' },
  nodes: {
    start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
    make: { type: 'data.set', typeVersion: 1, title: 'Make an id', config: { assign: { id: '=9007199254740993' } }, out: { $big: '=9007199254740995' } },
    take: { type: 'data.set', typeVersion: 1, title: 'Take it', config: { assign: { next: '=item.id + 2' } } },
  },
  edges: [{ from: 'start.success', to: 'make' }, { from: 'make.success', to: 'take' }],
  layout: { start: [0, 0], make: [248, 0], take: [496, 0] },
};

test('a number of 64 bits is shown exactly in panel, card, variables and dialog, and an edited one arrives as it was typed', async ({ open, host }) => {
  const { page } = await openDocument<{ id: string } & typeof parts>(open, host, 'Large numbers', parts);
  await page.keyboard.press('F5');
  await expect(page.locator('.bar').getByText('Completed', { exact: true })).toBeVisible();
  await page.locator('.cv-node[data-node=take]').click();
  await page.getByRole('tab', { name: /^Output/ }).click();
  const panel = page.locator('[data-scope=panel]');
  await expect(panel).toContainText('9007199254740993');
  await expect(panel).toContainText('9007199254740995');
  await page.locator('.react-flow__pane').click({ position: { x: 30, y: 300 } });
  await page.getByRole('tab', { name: /^Variables/ }).click();
  await expect(panel).toContainText('$big9007199254740995');
  await shot(page, 'exact-panel');

  await page.locator('.cv-node[data-node=take]').click();
  await page.keyboard.press('Alt+r');
  const dialog = page.getByRole('dialog', { name: 'Run Take it alone' });
  await dialog.getByRole('radio', { name: 'JSON' }).click();
  const box = dialog.getByRole('textbox', { name: 'Step input' });
  await expect(box).toContainText('"id": 9007199254740993');
  await box.click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText('[{ "id": 9007199254740997 }]');
  await expect(dialog.getByRole('group', { name: 'Changes' })).toContainText('9007199254740993');
  await expect(dialog.getByRole('group', { name: 'Changes' })).toContainText('9007199254740997');
  await shot(page, 'exact-dialog');
  await dialog.getByRole('button', { name: 'Run this step' }).click();
  await expect(dialog).toBeHidden();
  const cards = page.getByRole('article', { name: /^Take it/ });
  // The log may show the run before for a moment; in the new one the outputs are folded again.
  await expect(async () => {
    await cards.getByRole('button', { name: /^Outputs/, expanded: false }).click({ timeout: 500 }).catch(() => undefined);
    await expect(cards).toContainText('9007199254740999', { timeout: 500 });
  }).toPass({ timeout: 20_000 });
  await shot(page, 'exact-card');
});

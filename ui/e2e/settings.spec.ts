import { expect, test } from './host.ts';

test('theme and keys are kept over a new start of the page', async ({ open }) => {
  const page = await open('#/settings');
  await page.getByRole('radio', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('button', { name: 'Change the keys of Go to runs' }).click();
  await page.keyboard.press('Alt+r');
  await expect(page.getByText('Alt R')).toBeVisible();
  await page.waitForTimeout(600);
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.keyboard.press('Alt+r');
  await expect(page.getByRole('heading', { name: 'Runs' })).toBeVisible();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Switch off the keys of Go to runs' }).click();
  await page.getByRole('button', { name: 'Default keys of Go to runs' }).click();
  await page.getByRole('radio', { name: 'System' }).click();
  await expect(page.locator('html')).not.toHaveAttribute('data-theme', /./);
  await page.waitForTimeout(600);
});

test('panes keep their size and state', async ({ open, host }) => {
  const made = await host.rpc<{ ref: string }>('workflow_create', { name: 'Pane test' });
  const page = await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  const handle = page.getByRole('separator', { name: 'Width of the panel' });
  const before = Number(await handle.getAttribute('aria-valuenow'));
  await handle.focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect(handle).toHaveAttribute('aria-valuenow', String(before + 32));
  await page.waitForTimeout(600);
  await page.reload();
  await expect(page.getByRole('separator', { name: 'Width of the panel' })).toHaveAttribute('aria-valuenow', String(before + 32));
});

test('the catalog shows every kind with its ports and errors', async ({ open, host }) => {
  const kinds = await host.rpc<{ type: string; title: string }[]>('catalog_list');
  const page = await open('#/catalog');
  await expect(page.locator('.c-item')).toHaveCount(kinds.length);
  await page.getByRole('searchbox').fill('http');
  await page.locator('.c-item', { hasText: 'http.request' }).click();
  await expect(page.locator('.c-main').getByText('CONNECTION', { exact: true })).toBeVisible();
});

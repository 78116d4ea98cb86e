import { expect, test, type Host } from './host.ts';

/** The page saves settings a moment after the last change: what is kept is asked of the program. */
interface Kept { theme: string; keymap: Record<string, string[]>; layout: Record<string, unknown> }
const kept = async (host: Host, what: (settings: Kept) => boolean) => {
  await expect.poll(async () => what(await host.rpc<Kept>('settings_get'))).toBe(true);
};

test('theme and keys are kept over a new start of the page', async ({ open, host }) => {
  const page = await open('#/settings');
  await page.getByRole('radio', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('button', { name: 'Change the keys of Go to runs' }).click();
  await page.keyboard.press('Alt+u');
  await expect(page.getByText('Alt U')).toBeVisible();
  await kept(host, (settings) => settings.theme === 'dark' && Object.keys(settings.keymap).length === 1);
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.keyboard.press('Alt+u');
  await expect(page.getByRole('heading', { name: 'Runs' })).toBeVisible();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Turn off the shortcut of Go to runs' }).click();
  await page.getByRole('button', { name: 'Default keys of Go to runs' }).click();
  await page.getByRole('radio', { name: 'System' }).click();
  await expect(page.locator('html')).not.toHaveAttribute('data-theme', /./);
  await kept(host, (settings) => settings.theme === 'system' && Object.keys(settings.keymap).length === 0);
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
  await kept(host, (settings) => JSON.stringify(settings.layout).includes(String(before + 32)));
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

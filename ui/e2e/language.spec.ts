/** U-24: the window speaks the language of the person, at once, and leaves room for longer words. */
import { en } from '../src/i18n/t.ts';
import { expect, test } from './host.ts';
import type { Page } from '@playwright/test';

const SCREENS = ['#/', '#/runs', '#/automations', '#/inbox', '#/audit', '#/catalog', '#/settings'];

test('u_24 Chinese is chosen in Settings, shown at once and kept', async ({ open, host }) => {
  const page = await open('#/settings');
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  // What is read for the parts above moves this one down.
  await expect(page.getByRole('button', { name: 'Check my data' })).toBeVisible();
  await page.getByRole('radio', { name: '简体中文' }).click();
  await expect(page.getByRole('heading', { name: '设置', exact: true })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  await expect(page).toHaveTitle(/设置/);
  await expect.poll(async () => (await host.rpc<{ language?: string }>('settings_get')).language).toBe('zh');
  await page.reload();
  await page.getByRole('link', { name: '运行', exact: true }).click();
  await expect(page.getByRole('heading', { name: '运行', exact: true })).toBeVisible();
  await page.getByRole('link', { name: '设置' }).click();
  await page.getByRole('radio', { name: '自动' }).click();
  await expect(page.getByRole('heading', { name: 'Settings', exact: true })).toBeVisible();
  await expect.poll(async () => 'language' in await host.rpc<object>('settings_get')).toBe(false);
});

/** Half as long again, with accents and brackets: what stands outside of the tables and what is cut off are easy to see. */
function pseudo(text: string): string {
  const accented = text.split(/(\{\w+\})/).map((part) => (part.startsWith('{') ? part : part.replace(/[aeiou]/g, (letter) => ({ a: 'á', e: 'é', i: 'í', o: 'ó', u: 'ú' })[letter] ?? letter))).join('');
  return `[${accented}${'~'.repeat(Math.ceil(text.length * 0.4))}]`;
}

/** The pseudo-language takes the place of the Chinese words on their way to the page: no build contains it. */
async function speakPseudo(page: Page): Promise<void> {
  const words = Object.fromEntries(Object.entries(en).map(([key, text]) => [key, pseudo(text)]));
  await page.route(/\/assets\/zh-[^/]*\.js$/, (route) => route.fulfill({ contentType: 'text/javascript', body: `export const zh = ${JSON.stringify(words)}; export const kinds = {};` }));
}

/** Texts that reach beyond a box that hides what does not fit, where nothing says that there is more. */
const clipped = (page: Page): Promise<string[]> => page.evaluate(() => {
  const found: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.textContent?.includes('[')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const text = range.getBoundingClientRect();
    if (text.width === 0 || text.height === 0) continue;
    const press = node.parentElement?.closest('a, button')?.getBoundingClientRect();
    const cut = node.parentElement && getComputedStyle(node.parentElement).textOverflow === 'ellipsis';
    if (press && !cut && press.width > 1 && (text.right > press.right + 1 || text.left < press.left - 1)) found.push(`${node.textContent.slice(0, 60)} leaves its ${node.parentElement?.tagName ?? ''}.${node.parentElement?.className ?? ''}`);
    for (let box = node.parentElement; box; box = box.parentElement) {
      const style = getComputedStyle(box);
      // Said to be cut with dots, hidden from sight on purpose, or moved into sight by scrolling.
      if (style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none' || style.clipPath !== 'none' || style.visibility === 'hidden') break;
      if (/auto|scroll/.test(style.overflowX)) break;
      const { left, right, top, bottom } = box.getBoundingClientRect();
      // In a line that is not seen at all: hints for which there is no room wrap out of sight.
      if (/hidden|clip/.test(style.overflowY) && (text.top >= bottom || text.bottom <= top)) break;
      if (/hidden|clip/.test(style.overflowX) && (text.right > right + 1 || text.left < left - 1)) {
        found.push(`${node.textContent.slice(0, 60)} in ${box.tagName}.${box.className}`);
        break;
      }
    }
  }
  return found;
});

test('u_24 a pseudo-language finds no clipped text on the main screens', async ({ open, host }) => {
  const page = await open();
  await host.rpc('settings_set', { settings: { theme: 'system', layout: {}, keymap: {}, language: 'zh' } });
  const made = await host.rpc<{ ref: string }>('workflow_create', { name: 'Long words' });
  try {
    await speakPseudo(page);
    // What looks for clipped text finds some.
    await page.evaluate(() => {
      const box = document.createElement('div');
      box.style.cssText = 'position: fixed; width: 20px; overflow: hidden; white-space: nowrap';
      box.textContent = '[longer than its box]';
      document.body.append(box);
    });
    expect(await clipped(page)).toHaveLength(1);
    for (const screen of [...SCREENS, `#/workflow/${encodeURIComponent(made.ref)}`]) {
      await page.goto(`${host.origin}/${screen}`);
      await page.reload();
      await expect(page.locator('.rail').getByText(pseudo(en['nav.runs']), { exact: true })).toBeVisible();
      await expect(page.locator('main [aria-busy="true"]')).toHaveCount(0);
      expect.soft(await clipped(page), screen).toEqual([]);
      expect.soft(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), `${screen} is as wide as the window`).toBeLessThanOrEqual(0);
    }
  } finally {
    await host.rpc('settings_set', { settings: { theme: 'system', layout: {}, keymap: {} } });
  }
});

/** Accessibility of a moment of the past, in both themes, and what keyboards need. All other screens: axe-screens.spec.ts. */
import { resolve } from 'node:path';
import { inBothThemes } from './axe.ts';
import { expect, test } from './host.ts';

test('no violations at a moment of the past, in each view of the log', async ({ open, host, page }) => {
  test.setTimeout(90_000);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const made = await host.rpc<{ ref: string }>('workflow_create', { sampleId: 'retry-that-tells-you-why', name: 'Past' });
  const { runId } = await host.rpc<{ runId: string }>('run_start', { ref: made.ref, params: {} });
  await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status, { timeout: 20_000 }).toBe('completed');
  await open(`#/run/${runId}?at=8`);
  await expect(page.getByRole('group', { name: 'Time travel' })).toBeVisible();
  const views = page.getByRole('radiogroup', { name: 'Show the run as' });
  if (!(await views.isVisible())) await page.getByRole('button', { name: 'Detail log' }).click();
  const all: string[] = [];
  for (const name of ['Timeline', 'Events', 'Cards']) {
    await views.getByRole('radio', { name }).click();
    all.push(...await inBothThemes(page, name));
  }
  expect(all.join('\n')).toBe('');
});

test('reduced motion stops what moves by itself', async ({ open, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await open();
  const seconds = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--t-base').trim());
  expect(Number.parseFloat(seconds)).toBe(0);
});

test('the first Tab leads to the content, focus is visible', async ({ open }) => {
  const page = await open('#/catalog');
  await page.locator('body').press('Tab');
  await expect(page.getByText('Skip to content')).toBeFocused();
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle);
  expect(outline).toBe('solid');
});

test('works with a frozen Object.prototype, as in the desktop window', async ({ open, host, page }) => {
  // The window's own script, then what the shell does after it.
  await page.addInitScript({ path: resolve(import.meta.dirname, '../../src-tauri/src/prototype.js') });
  await page.addInitScript(() => { Object.freeze(Object.prototype); });
  const made = await host.rpc<{ ref: string }>('workflow_create', { sampleId: 'retry-that-tells-you-why', name: 'Frozen' });
  await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  await page.locator('.react-flow__node', { hasText: 'Ask the service' }).click();
  await expect(page.getByRole('tab', { name: /Error handling/ })).toBeVisible();
  await page.keyboard.press('F5');
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible({ timeout: 30_000 });
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: /Action, step/ })).toBeVisible();
});

test('the page allows no script and no style but those of its files and its own nonce', async ({ host }) => {
  const served = await Promise.all([1, 2].map(async () => {
    const answer = await fetch(host.origin);
    return { policy: answer.headers.get('content-security-policy') ?? '', page: await answer.text() };
  }));
  const nonces = served.map(({ policy }) => /style-src 'self' 'nonce-([0-9a-f]{64})'/.exec(policy)?.[1] ?? 'none');
  expect(new Set(nonces).size).toBe(2);
  for (const [at, { policy, page }] of served.entries()) {
    expect(policy).not.toContain('unsafe');
    expect(page).toContain(`nonce="${nonces[at] ?? ''}"`);
  }
});

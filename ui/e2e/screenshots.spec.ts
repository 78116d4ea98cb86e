/** `npm run screenshots`: the main screens in both themes, into docs/screenshots. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Locator } from '@playwright/test';
import { expect, openPage, startHost, test } from './host.ts';

const OUT = resolve(import.meta.dirname, '../../docs/screenshots');

/** Lossless WebP has a third of the bytes of PNG, and the pictures of the manual are part of the programs. */
function webp(png: Buffer): Buffer {
  const made = spawnSync('convert', ['png:-', '-strip', '-define', 'webp:lossless=true', '-define', 'webp:method=6', 'webp:-'], { input: png, maxBuffer: 1 << 26 });
  if (made.status !== 0) throw new Error(`No picture: ${made.stderr?.toString() || 'ImageMagick is missing. Install it: apt-get install imagemagick'}`);
  return made.stdout;
}

for (const theme of ['light', 'dark'] as const) {
  test(`screenshots, ${theme}`, async ({ page }) => {
    // A program of its own: the pictures show nothing that other tests made.
    const host = await startHost();
    test.setTimeout(120_000);
    mkdirSync(OUT, { recursive: true });
    await page.emulateMedia({ colorScheme: theme });
    const make = async (sampleId: string) => await host.rpc<{ ref: string; document: Record<string, unknown> }>('workflow_create', { sampleId });
    /** The picture is the first that the next one equals: nothing loads, moves or fades any more. */
    const shot = async (name: string) => {
      await page.mouse.move(720, 20);
      await expect(page.locator('[aria-busy=true], .sk, .tip')).toHaveCount(0);
      await expect(async () => {
        const first = await page.screenshot({ animations: 'disabled' });
        const second = await page.screenshot({ animations: 'disabled' });
        expect(first.equals(second)).toBe(true);
        writeFileSync(join(OUT, `${name}-${theme}.webp`), webp(second));
      }).toPass({ timeout: 20_000 });
    };
    const go = async (hash: string, shows: Locator) => {
      await page.evaluate((next) => { window.location.hash = next; }, hash);
      await expect(shows).toBeVisible();
    };
    const ended = async (runId: string) => await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status, { timeout: 30_000 }).not.toBe('running');

    await openPage(page, host);
    const refs = new Map<string, string>();
    const samples = await host.rpc<{ id: string; document: unknown; needs: unknown[] }[]>('sample_list');
    // What needs a model or a tool server stays unrun.
    for (const { id } of samples.filter((sample) => sample.needs.length === 0)) {
      const made = await make(id);
      refs.set(id, made.ref);
      await ended((await host.rpc<{ runId: string }>('run_start', { ref: made.ref, params: {} })).runId);
    }
    await page.reload();
    await expect(page.locator('.g-run').nth(4)).toBeVisible();
    await expect(page.locator('.g-row').first()).toBeVisible();
    await shot('gallery');

    await go(`#/workflow/${encodeURIComponent(refs.get('retry-that-tells-you-why') ?? '')}`, page.locator('.react-flow__node').first());
    await page.locator('.react-flow__node', { hasText: 'Ask the service' }).click();
    await shot('builder');
    await page.getByRole('tab', { name: /Error handling/ }).click();
    await shot('error-handling');
    await page.keyboard.press('F5');
    // The second pause is the longer one; asked at every frame, for it lasts less than two seconds.
    await page.waitForFunction(() => {
      const says = (part: string, words: string) => window.document.querySelector(part)?.textContent.includes(words) === true;
      return says('.wb-main', 'call 2 of') && says('.wb-status', 'Retrying');
    });
    const running = await page.screenshot({ animations: 'disabled' });
    writeFileSync(join(OUT, `running-${theme}.webp`), webp(running));
    await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible({ timeout: 30_000 });
    await shot('run');

    // A run that fails: the address gives no answer that anyone can use, and nothing is wired for it.
    const { document } = await make('retry-that-tells-you-why');
    const failing = structuredClone(document) as { name: string; settings?: unknown; nodes: Record<string, { type: string; errorHandling?: unknown; config?: Record<string, unknown> }>; edges: { from: string }[] };
    failing.name = 'No response';
    failing.settings = { errorPolicy: 'fail' };
    failing.edges = failing.edges.filter((edge) => !edge.from.endsWith('.error'));
    for (const node of Object.values(failing.nodes)) {
      if (node.type !== 'http.request') continue;
      node.errorHandling = { retryPolicy: { maxAttempts: 2, backoff: 'fixed', initialDelayMs: 200, jitter: false } };
      node.config = { ...node.config, url: '{{params.practice}}/fail/99?key={{run.id}}' };
    }
    const { runId } = await host.rpc<{ runId: string }>('run_start', { document: failing, params: {} });
    await ended(runId);
    await go(`#/run/${runId}`, page.locator('.wb-banners').getByRole('alert'));
    await shot('run-failed');

    await go('#/inbox', page.getByRole('heading', { name: 'Customer 42 is unknown: who is it?' }));
    await shot('inbox');
    await go('#/audit', page.getByRole('grid'));
    await shot('audit');
    await host.rpc('workflow_activate', { ref: refs.get('daily-report') });
    await go('#/automations', page.locator('main').getByText('Daily report').first());
    await shot('automations');
    await go('#/runs', page.getByRole('grid'));
    await shot('runs');
    await go('#/catalog/http.request', page.getByRole('heading', { name: 'HTTP request' }));
    await shot('catalog');
    await go('#/settings', page.getByRole('heading', { name: 'Settings' }));
    await shot('settings');
    await host.stop();
    rmSync(host.data, { recursive: true, force: true });
  });
}

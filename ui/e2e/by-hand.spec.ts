/** What a person does with the mouse and notices at once: nothing covers, jumps, or is lost without a word. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { boxOf, openDocument } from './document.ts';
import { expect, readJson, test } from './host.ts';

interface Part { nodes: { [id: string]: Record<string, unknown> }; edges: { from: string; to: string }[]; layout: { [id: string]: [number, number] }; settings?: { errorPolicy: string } }
const view = async (page: Page): Promise<string | null> => await page.locator('.cv .react-flow__viewport').getAttribute('style');
const PAIR: Part = {
  nodes: { a: { type: 'data.set', title: 'A', config: { assign: { a: 1 } } }, b: { type: 'flow.noop', title: 'B' } },
  edges: [{ from: 'a.success', to: 'b' }], layout: { a: [0, 0], b: [248, 0] },
};

test('what is pasted covers no step, and the view stays where it is', async ({ open, host, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { page } = await openDocument<Part>(open, host, 'Paste', PAIR);
  const a = await boxOf(page, '[data-node=a]');
  await page.mouse.click(a.x + a.width / 2, a.y + a.height + 150);
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+c');
  await page.mouse.move(a.x + 20, a.y + 10);
  const before = await view(page);
  for (let n = 0; n < 2; n += 1) await page.keyboard.press('Control+v');
  await page.keyboard.press('Control+d');
  await expect(page.locator('.cv-node')).toHaveCount(8);
  expect(await view(page)).toBe(before);
  const boxes = await page.locator('.cv-node').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect));
  for (const [i, one] of boxes.entries()) {
    for (const other of boxes.slice(i + 1)) {
      expect(one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height).toBe(false);
    }
  }
});

test('the overview moves the view by a drag and by a press', async ({ open, host }) => {
  const { page } = await openDocument<Part>(open, host, 'Overview', PAIR);
  const map = await boxOf(page, '.react-flow__minimap');
  const start = await view(page);
  await page.mouse.move(map.x + 76, map.y + 48);
  await page.mouse.down();
  await page.mouse.move(map.x + 60, map.y + 40, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => await view(page)).not.toBe(start);
  const dragged = await view(page);
  await page.mouse.click(map.x + 120, map.y + 20);
  await expect.poll(async () => await view(page)).not.toBe(dragged);
});

test('a graph that is a little too wide opens readable from its start; Fit shows all of it', async ({ open, host }) => {
  const ids = Array.from({ length: 9 }, (_, i) => `n${i}`);
  const { page } = await openDocument<Part>(open, host, 'Wide', {
    nodes: Object.fromEntries(ids.map((id) => [id, { type: 'flow.noop' }])), edges: ids.slice(1).map((to, i) => ({ from: `n${i}.success`, to })),
    layout: Object.fromEntries(ids.map((id, i) => [id, [i * 248, 0] as [number, number]])),
  });
  await expect(page.getByRole('button', { name: 'Zoom to 100 %' })).toHaveText('60%');
  await expect(page.locator('[data-node=n0]')).toBeInViewport({ ratio: 0.99 });
  await page.getByRole('button', { name: /^Fit/ }).click();
  await expect(page.locator('[data-node=n8]')).toBeInViewport({ ratio: 0.99 });
});

test('a fallback that took over is shown as the way that was taken', async ({ open, host }) => {
  const { page } = await openDocument<Part>(open, host, 'Falls back', {
    settings: { errorPolicy: 'safe' },
    nodes: {
      ask: { type: 'http.request', title: 'Ask', config: { url: 'http://127.0.0.1:1/x' }, errorHandling: { retryPolicy: { maxAttempts: 1, backoff: 'fixed', initialDelayMs: 50, jitter: false } } },
      after: { type: 'flow.noop', title: 'After' }, plan: { type: 'data.set', title: 'Plan B', config: { assign: { b: 1 } } },
    },
    edges: [{ from: 'ask.success', to: 'after' }], layout: { ask: [0, 0], after: [248, 0], plan: [248, 144] },
  });
  await page.locator('[data-node=ask]').click();
  await page.getByRole('tab', { name: /Error handling/ }).click();
  await page.getByRole('combobox', { name: 'Fallback step' }).click();
  await page.getByRole('option', { name: /Plan B/ }).click();
  await page.keyboard.press('F5');
  await expect(page.locator('[data-node=plan]')).toHaveAttribute('data-state', 'done');
  await expect(page.locator('[data-wire="ask.error>plan"]')).toHaveAttribute('data-state', 'taken');
  await expect(page.locator('[data-wire="ask.success>after"]')).toHaveAttribute('data-state', 'not-taken');
});

test('a save over a change from outside says why it did not happen; reload is one step that undo takes back', async ({ open, host }) => {
  const { page, made } = await openDocument<Part>(open, host, 'Outside by hand', PAIR);
  await page.locator('[data-node=b]').click();
  await page.keyboard.press('d');
  await expect(page.locator('.bar').getByText('Not saved')).toBeVisible();
  writeFileSync(made.path, readFileSync(made.path, 'utf8').replace('"title": "A"', '"title": "Theirs"'));
  await page.keyboard.press('Control+s');
  await expect(page.locator('.toast')).toContainText('Not saved: another program changed the file');
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect(page.locator('[data-node=a]')).toContainText('Theirs');
  await expect(page.locator('[data-node=b]')).not.toHaveClass(/is-off/);
  await page.getByRole('button', { name: 'Undo: Reload file' }).click();
  await expect(page.locator('[data-node=a]')).toContainText('A');
  await expect(page.locator('[data-node=b]')).toHaveClass(/is-off/);
  await page.keyboard.press('Control+s');
  await expect(page.locator('.bar').getByText(/^Saved, revision/)).toBeVisible();
  expect(readJson<Part>(made.path).nodes['b']).toMatchObject({ disabled: true });
});

test('a value above 10 KB is cut, loaded when asked, copied and saved whole', async ({ open, host, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const long = 'abcdefghij'.repeat(3_000);
  const { page } = await openDocument<Part>(open, host, 'Large values', { nodes: { a: { type: 'data.set', config: { assign: { text: long } } } }, edges: [], layout: { a: [0, 0] } });
  await page.keyboard.press('F5');
  await expect(page.locator('[data-node=a]')).toHaveAttribute('data-state', 'done');
  const card = page.locator('.step-card').first();
  await card.getByRole('button', { name: /Outputs/ }).click();
  await expect(card.getByText(/KB, truncated/).first()).toBeVisible();
  await card.getByRole('button', { name: 'Copy', exact: true }).first().click();
  await expect.poll(async () => (await page.evaluate(async () => await navigator.clipboard.readText())).includes(long)).toBe(true);
  const download = page.waitForEvent('download');
  await card.getByRole('button', { name: 'Save as file' }).first().click();
  expect(readFileSync(await (await download).path(), 'utf8')).toContain(long);
  await card.getByRole('button', { name: 'Load full value' }).first().click();
  await expect(card.getByRole('button', { name: 'Load full value' })).toHaveCount(0);
});

test('a run that waits for a person is said once: no program needs to be called for', async ({ open, host }) => {
  const made = await host.rpc<{ document: object }>('workflow_create', { sampleId: 'an-order-that-mends-itself' });
  const { runId } = await host.rpc<{ runId: string }>('run_start', { document: made.document, params: {} });
  await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status, { timeout: 30_000 }).toBe('paused');
  const page = await open(`#/run/${runId}`);
  await expect(page.getByText('This run waits for a person')).toBeVisible();
  await expect(page.getByText(/who is it\? The run continues/)).toBeVisible();
  await expect(page.locator('.wb-banners .banner')).toHaveCount(1);
});

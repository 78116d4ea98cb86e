/** Pinned output: a service is called once, its answer is edited, and later runs in the builder use it. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { make, openDocument, shot } from './document.ts';
import { expect, test, type Host } from './host.ts';

interface Doc { id: string; nodes: Record<string, unknown>; edges: unknown[]; layout: Record<string, [number, number]> }

let server: Server;
let base = '';
let calls = 0;

test.beforeAll(async () => {
  server = createServer((_request, response) => {
    calls += 1;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ total: 20 }));
  });
  await new Promise<void>((ready) => { server.listen(0, '127.0.0.1', ready); });
  base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
test.afterAll(() => { server.close(); });

const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Step settings' });

/** Starts the run number `nth` and waits for its end: the card still shows the one before. */
async function runIt(page: Page, host: Host, workflow: string, nth: number): Promise<void> {
  await page.keyboard.press('F5');
  await expect.poll(async () => {
    const { runs } = await host.rpc<{ runs: { status: string }[] }>('run_list', { workflow, limit: 20 });
    return runs.filter((run) => run.status === 'completed').length;
  }).toBe(nth);
}

async function outputOf(page: Page, step: string): Promise<void> {
  await page.locator(`.cv-node[data-node=${step}]`).click();
  await panelOf(page).getByRole('tab', { name: /^Output/ }).click();
}

test('an output is pinned, edited as a table and as JSON, used by the next run, and follows its step', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Pinned orders', {
    nodes: {
      every: { type: 'trigger.schedule', typeVersion: 1, title: 'Every day', config: { cron: '0 8 * * *' } },
      fetch: { type: 'http.request', typeVersion: 1, title: 'Fetch', config: { method: 'GET', url: `${base}/order` } },
      double: { type: 'data.set', typeVersion: 1, title: 'Double', config: { assign: { twice: '=item.response.total * 2' } } },
    },
    edges: [{ from: 'every.success', to: 'fetch' }, { from: 'fetch.success', to: 'double' }],
    layout: { every: [0, 0], fetch: [320, 0], double: [640, 0] },
  });
  await runIt(page, host, made.document.id, 1);
  expect(calls).toBe(1);

  await outputOf(page, 'fetch');
  await panelOf(page).getByRole('button', { name: 'Pin this output' }).click();
  const band = panelOf(page).getByRole('region', { name: 'Pinned output' });
  await expect(band).toBeVisible();
  await expect(page.locator('.cv-node[data-node=fetch].is-pinned [data-mark=pinned]')).toBeVisible();
  await shot(page, 'pins-pinned');

  await band.getByRole('button', { name: 'Edit…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pinned output of Fetch' });
  await dialog.getByRole('radio', { name: 'Table' }).click();
  await dialog.getByRole('textbox', { name: 'response of item 1' }).fill('{"total": 21}');
  await shot(page, 'pins-edit');
  await dialog.getByRole('button', { name: 'Pin', exact: true }).click();
  await expect(dialog).toBeHidden();
  await runIt(page, host, made.document.id, 2);
  await outputOf(page, 'double');
  await expect(panelOf(page)).toContainText('42');
  expect(calls, 'the service was called once').toBe(1);

  // Another id: the pinned output is still there.
  await page.locator('.cv-node[data-node=fetch]').click();
  await panelOf(page).getByRole('button', { name: 'fetch', exact: true }).click();
  await panelOf(page).getByRole('textbox', { name: 'Change the id' }).fill('order');
  await page.keyboard.press('Enter');
  await expect(page.locator('.cv-node[data-node=order].is-pinned')).toBeVisible();
  await runIt(page, host, made.document.id, 3);
  expect(calls).toBe(1);

  // Active runs call it, and that is said before.
  await page.getByRole('button', { name: 'Activate', exact: true }).click();
  const activate = page.getByRole('dialog', { name: /^Activate/ });
  await expect(activate).toContainText('Active runs do not use pinned output. This step is called: Fetch.');
  await shot(page, 'pins-activate');
  await page.keyboard.press('Escape');
  await expect(activate).toBeHidden();

  await page.locator('.cv-node[data-node=order]').click();
  await panelOf(page).getByRole('tab', { name: /^Output/ }).click();
  await band.getByRole('button', { name: 'Unpin' }).click();
  await expect(page.locator('.cv-node.is-pinned')).toHaveCount(0);
  const pins = await host.rpc<{ steps: Record<string, unknown> }>('workflow_pins', { ref: made.ref });
  expect(Object.keys(pins.steps)).not.toContain('order');
  await runIt(page, host, made.document.id, 4);
  expect(calls).toBe(2);
});

test('a new step shows what would arrive, and for each item the earlier item it comes from', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Lines of orders', {
    nodes: {
      start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
      list: { type: 'data.set', typeVersion: 1, title: 'Orders', config: { assign: { orders: '=[{"id": "A1", "sku": "x"}, {"id": "B2", "sku": "y"}]' } } },
      split: { type: 'data.split', typeVersion: 1, title: 'Each order', config: { field: 'orders' } },
      ask: { type: 'data.transform', typeVersion: 1, title: 'Ask', config: { expression: "={'price': item.sku == 'x' ? 10 : 20}" } },
    },
    edges: [{ from: 'start.success', to: 'list' }, { from: 'list.success', to: 'split' }, { from: 'split.success', to: 'ask' }],
    layout: { start: [0, 0], list: [320, 0], split: [640, 0], ask: [960, 0] },
  });
  await runIt(page, host, made.document.id, 1);
  await expect(page.locator('.cv-node[data-node=ask]')).toHaveAttribute('data-state', 'done');
  await page.locator('.cv-node[data-node=ask]').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Add step…' }).click();
  const search = page.getByRole('dialog', { name: 'Add a step' });
  await expect(search).toBeVisible();
  await page.keyboard.type('set fields');
  await search.getByRole('option', { name: /Set fields/ }).first().click();
  await expect(search).toBeHidden();

  await panelOf(page).getByRole('tab', { name: /^Input/ }).click();
  await expect(panelOf(page)).toContainText('What would arrive now');
  await expect(panelOf(page)).toContainText('price');
  const earlier = panelOf(page).getByRole('region', { name: 'From earlier steps' });
  await earlier.getByText('Each order', { exact: true }).click();
  await expect(earlier).toContainText('The item of Each order that this item comes from');
  await expect(earlier).toContainText('A1');
  await shot(page, 'pins-earlier');
  await panelOf(page).getByRole('button', { name: 'Next item' }).click();
  await expect(earlier).toContainText('B2');
});

test('before the first run fields and the data of earlier steps show pinned output', async ({ open, host }) => {
  const made = await make<Doc>(host, 'Pinned before a run', {
    nodes: {
      fetch: { type: 'http.request', typeVersion: 1, title: 'Fetch', config: { method: 'GET', url: `${base}/order` } },
      keep: { type: 'data.filter', typeVersion: 1, title: 'Keep', config: { when: 'item.response.total > 20' } },
    },
    edges: [{ from: 'fetch.success', to: 'keep' }],
    layout: { fetch: [0, 0], keep: [320, 0] },
  });
  const before = calls;
  await host.rpc('workflow_pin', { ref: made.ref, stepId: 'fetch', ports: { success: [{ response: { total: 21 } }, { response: { total: 19 } }] } });
  const page = await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  await page.locator('.cv-node[data-node=keep]').click();
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'Edit as an expression' }).or(panel.getByText('As an expression')).first().click();
  const line = panel.locator('.prev').first();
  await expect(line).toContainText('true');
  await expect(line).toContainText('with pinned output');
  await line.getByRole('button', { name: 'Next item' }).click();
  await expect(line).toContainText('false');
  await shot(page, 'pins-preview');
  await panel.getByRole('tab', { name: /^Input/ }).click();
  const earlier = panel.getByRole('region', { name: 'From earlier steps' });
  await earlier.getByText('Fetch', { exact: true }).click();
  await expect(earlier).toContainText('The item of Fetch that this item comes from');
  await expect(earlier).toContainText('19');
  expect(calls, 'nothing was called').toBe(before);
});

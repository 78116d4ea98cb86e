/** Triggers that look for something: a source with new items, and a folder. Set up, tested, activated, and the runs that they start. */
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { make, openDocument, shot } from './document.ts';
import { expect, openPage, startHost, test } from './host.ts';

/** Lists what the test puts into it. */
async function source(): Promise<{ url: string; items: { id: number; name: string }[]; close(): void }> {
  const items: { id: number; name: string }[] = [];
  const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify({ orders: items })));
  await new Promise<void>((ready) => { server.listen(0, '127.0.0.1', ready); });
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/orders`, items, close: () => { server.close(); } };
}

test('a source is tested, activated, and its new items start a run', async ({ open, host, page }) => {
  test.setTimeout(90_000);
  const orders = await source();
  orders.items.push({ id: 1, name: 'Ada' });
  const name = 'New orders of a source';
  await openDocument(open, host, name, {
    settings: { errorPolicy: 'fail' },
    nodes: {
      fresh: { type: 'trigger.poll', typeVersion: 1, title: 'New orders', config: { every: 10_000, url: orders.url, items: 'item.response.orders', key: 'item.id' } },
      note: { type: 'data.set', typeVersion: 1, title: 'Note it', config: { assign: { customer: '=item.name' } } },
    },
    edges: [{ from: 'fresh.success', to: 'note' }],
    layout: { fresh: [0, 0], note: [280, 0] },
  });
  const bar = page.locator('.bar');
  await page.locator('.cv-node[data-node=fresh]').click();
  const tested = page.getByRole('group', { name: 'Test', exact: true });
  await tested.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(tested.getByText('One item')).toBeVisible();
  await expect(tested.locator('pre')).toContainText('"name": "Ada"');
  await shot(page, 'poll');
  await tested.getByRole('button', { name: 'Run with these items' }).click();
  const output = page.getByRole('tab', { name: 'Output' });
  // The log opens below the canvas, and the steps move up.
  await expect(async () => {
    await page.locator('.cv-node[data-node=note]').click();
    await expect(output).toBeVisible({ timeout: 3_000 });
  }).toPass();
  await output.click();
  await expect(page.locator('[data-scope=panel]')).toContainText('Ada');

  await bar.getByRole('button', { name: 'Activate' }).click();
  await expect(page.getByText(`${name} is active`)).toBeVisible();
  // The first look is over when it has a time to look again; what it found is left out.
  const asked = async () => (await host.rpc<{ items: { seen: boolean }[] }>('poll_test', {
    workflowId: (await host.rpc<{ workflowName: string; workflowId: string }[]>('trigger_list', {})).find((one) => one.workflowName === name)?.workflowId,
    nodeId: 'fresh', config: { every: 10_000, url: orders.url, items: 'item.response.orders', key: 'item.id' },
  })).items.every((one) => one.seen);
  await expect.poll(asked, { timeout: 30_000 }).toBe(true);
  orders.items.push({ id: 2, name: 'Grace' });
  await page.getByRole('link', { name: 'Automation' }).click();
  const row = page.getByRole('row').filter({ hasText: name });
  await expect(row).toContainText(`New items of ${orders.url}`);
  await expect(row).toContainText('Completed', { timeout: 30_000 });
  await shot(page, 'poll-automations');
  await row.getByRole('button').first().click();
  await page.getByRole('menuitem', { name: 'Open last run' }).click();
  await expect(async () => {
    await page.locator('.cv-node[data-node=note]').click();
    await expect(output).toBeVisible({ timeout: 3_000 });
  }).toPass();
  await output.click();
  await expect(page.locator('[data-scope=panel]')).toContainText('Grace');
  await expect(page.locator('[data-scope=panel]')).not.toContainText('Ada');
  orders.close();
});

test('another workflow is the source: chosen, tested with its run, activated', async ({ open, host, page }) => {
  test.setTimeout(90_000);
  const orders = await source();
  orders.items.push({ id: 1, name: 'Ada' });
  const shop = await make<{ id: string; nodes: object; edges: object[] }>(host, 'Shop orders', {
    nodes: {
      ask: { type: 'http.request', typeVersion: 1, title: 'Ask the shop', config: { url: orders.url } },
      each: { type: 'data.split', typeVersion: 1, title: 'Each order', config: { field: 'response.orders' } },
    },
    edges: [{ from: 'ask.success', to: 'each' }],
  });
  await openDocument(open, host, 'New shop orders', {
    settings: { errorPolicy: 'fail' },
    nodes: {
      fresh: { type: 'trigger.poll', typeVersion: 1, title: 'New orders', config: { every: 10_000, key: 'item.id', source: { kind: 'workflow' } } },
      note: { type: 'data.set', typeVersion: 1, title: 'Note it', config: { assign: { customer: '=item.name' } } },
    },
    edges: [{ from: 'fresh.success', to: 'note' }],
    layout: { fresh: [0, 0], note: [280, 0] },
  });
  const panel = page.locator('[data-scope=panel]');
  await page.locator('.cv-node[data-node=fresh]').click();
  await expect(panel.getByRole('textbox', { name: 'Address' })).toBeHidden();
  await panel.getByRole('combobox', { name: 'Workflow' }).click();
  await page.getByRole('option', { name: /Shop orders/ }).click();
  const tested = page.getByRole('group', { name: 'Test', exact: true });
  await expect(tested.getByText(/^Runs the workflow once/)).toBeVisible();
  await tested.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(tested.getByText('One item')).toBeVisible();
  await expect(tested.locator('pre')).toContainText('"name": "Ada"');
  await shot(page, 'poll-workflow');
  await page.keyboard.press('Control+s');
  await page.locator('.bar').getByRole('button', { name: 'Activate' }).click();
  await expect(page.getByText('New shop orders is active')).toBeVisible();
  // The test and the first look each have a run.
  const looks = async () => (await host.rpc<{ runs: { status: string }[] }>('run_list', { workflow: shop.document.id })).runs.filter((run) => run.status === 'completed').length;
  await expect.poll(looks, { timeout: 30_000 }).toBeGreaterThan(1);
  orders.items.push({ id: 2, name: 'Grace' });
  await page.getByRole('link', { name: 'Automation' }).click();
  const row = page.getByRole('row').filter({ hasText: 'New shop orders' });
  await expect(row).toContainText(`New items of the workflow ${shop.document.id}`);
  await expect(row).toContainText('Completed', { timeout: 30_000 });
  await shot(page, 'poll-workflow-automations');
  orders.close();
});

test('a file that arrives in a granted folder starts a run', async ({ page }) => {
  test.setTimeout(90_000);
  const place = mkdtempSync(join(tmpdir(), 'signalbox-inbox-'));
  const inbox = join(place, 'inbox');
  mkdirSync(inbox);
  const host = await startHost(undefined, undefined, ['--allow-dir', inbox]);
  try {
    const open = (hash = '') => openPage(page, host, hash);
    await openDocument(open, host, 'Customers', {
      settings: { errorPolicy: 'fail' },
      nodes: {
        arrived: { type: 'trigger.file_watch', typeVersion: 1, title: 'A file arrives', config: { path: inbox, glob: '*.csv', settleMs: 100 } },
        read: { type: 'file.read', typeVersion: 1, title: 'Read it', config: { path: '= item.path', as: 'csv' } },
      },
      edges: [{ from: 'arrived.success', to: 'read' }],
      layout: { arrived: [0, 0], read: [280, 0] },
    });
    // Before it is active, a sample shows what the next step gets.
    await page.locator('.cv-node[data-node=arrived]').click();
    await page.getByRole('group', { name: 'Test', exact: true }).getByRole('button', { name: 'Run with a sample' }).click();
    await page.getByRole('tab', { name: 'Output' }).click();
    await expect(page.locator('[data-scope=panel]')).toContainText('sample.csv');
    await shot(page, 'file-watch-sample');
    await page.locator('.bar').getByRole('button', { name: 'Activate' }).click();
    await expect(page.getByText('Customers is active')).toBeVisible();
    // Written beside it and renamed into it, as programs do.
    const draft = join(place, 'customers.tmp');
    writeFileSync(draft, 'name,email\nAda,ada@example.org\n');
    copyFileSync(draft, join(inbox, 'notes.txt'));
    renameSync(draft, join(inbox, 'customers.csv'));
    await page.getByRole('link', { name: 'Automation' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Customers' });
    await expect(row).toContainText(`Files *.csv in ${inbox}`);
    await expect(row).toContainText('Completed', { timeout: 30_000 });
    // The sample had no file to read.
    await expect(row).toContainText('2 runs, 1 failed');
    await shot(page, 'file-watch-automations');
    await row.getByRole('button', { name: 'Actions of Customers' }).click();
    await page.getByRole('menuitem', { name: 'Open last run' }).click();
    await page.locator('.cv-node[data-node=read]').click();
    await page.getByRole('tab', { name: 'Output' }).click();
    await expect(page.locator('[data-scope=panel]')).toContainText('ada@example.org');
  } finally {
    await host.stop();
    rmSync(host.data, { recursive: true, force: true });
    rmSync(place, { recursive: true, force: true });
  }
});

/** Data work without expressions: orders of a service, one by one, without duplicates, into a table. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { openDocument, saved, shot, wires } from './document.ts';
import { expect, openPage, startHost, test, type Host } from './host.ts';

interface Node { type: string; title?: string; config?: Record<string, unknown> }
interface Doc { id: string; nodes: Record<string, Node>; edges: { from: string; to: string }[]; layout: Record<string, [number, number]> }

const ORDERS = [
  { id: 9007199254740993n, customer: 'Ada', total: 250 }, { id: 2n, customer: 'Grace', total: 80 },
  { id: 9007199254740993n, customer: 'Ada', total: 250 }, { id: 9007199254740992n, customer: 'Edsger', total: 120 },
];
const BODY = JSON.stringify(ORDERS, (_, value: unknown) => (typeof value === 'bigint' ? `#${String(value)}#` : value)).replaceAll(/"#(\d+)#"/g, '$1');

let server: Server;
let base = '';
let host: Host;
const folder = mkdtempSync(join(tmpdir(), 'signalbox-out-'));

test.beforeAll(async () => {
  // A program of its own: the steps write into a folder.
  host = await startHost(undefined, undefined, ['--allow-dir', `${folder}:rw`]);
  server = createServer((_request, response) => { response.setHeader('content-type', 'application/json').end(BODY); });
  await new Promise<void>((ready) => { server.listen(0, '127.0.0.1', ready); });
  base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
test.afterAll(async () => {
  server.close();
  await host.stop();
  rmSync(host.data, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Step settings' });

/** A step behind another, found by a word of its job. */
async function add(page: Page, behind: string, words: string, title: string): Promise<void> {
  await page.locator(`.cv-node[data-node=${behind}]`).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Add step…' }).click();
  const box = page.getByRole('dialog', { name: 'Add a step' });
  await expect(box).toBeVisible();
  await page.keyboard.type(words);
  await box.getByRole('option', { name: new RegExp(title) }).first().click();
  await expect(box).toBeHidden();
  await expect(panelOf(page)).toContainText(title);
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await panelOf(page).getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: option, exact: false }).first().click();
}

async function runIt(page: Page, last: string): Promise<void> {
  await page.keyboard.press('F5');
  await expect(page.locator(`[data-node=${last}]`)).toHaveAttribute('data-state', 'done');
}

test('orders of a service become a table without a duplicate, by clicks', async ({ page }) => {
  const { made } = await openDocument<Doc>((hash) => openPage(page, host, hash), host, 'Large orders', {
    nodes: { start: { type: 'trigger.manual', title: 'Start' } }, edges: [], layout: { start: [0, 0] },
  });
  await add(page, 'start', 'api', 'HTTP request');
  await panelOf(page).getByRole('textbox', { name: 'Address' }).fill(`${base}/orders`);
  await expect(panelOf(page).getByRole('switch', { name: 'Keep the input' })).toBeChecked();
  await runIt(page, 'http_request');

  // The answer is a list: the next step is offered, wired and set, and taken back in one step.
  await page.locator('[data-node=http_request]').click();
  await page.getByRole('tab', { name: /^Output/ }).click();
  await page.getByRole('button', { name: 'Continue with each entry' }).click();
  await expect(page.locator('[data-node=split_a_list]')).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(page.locator('[data-node=split_a_list]')).toHaveCount(0);
  await page.locator('[data-node=http_request]').click();
  await page.getByRole('tab', { name: /^Output/ }).click();
  await page.getByRole('button', { name: 'Continue with each entry' }).click();
  await page.locator('[data-node=split_a_list]').click();
  await expect(panelOf(page).getByRole('combobox', { name: 'List', exact: true })).toContainText('result.response');
  await shot(page, 'data-split');
  await runIt(page, 'split_a_list');

  await add(page, 'split_a_list', 'keep', 'Filter');
  await panelOf(page).getByRole('textbox', { name: 'Keep when' }).fill('item.total > 100');
  await runIt(page, 'filter');

  await add(page, 'filter', 'dedupe', 'Remove duplicates');
  const same = panelOf(page).getByRole('group', { name: 'Same in' });
  await same.getByRole('button', { name: 'id', exact: true }).click();
  await expect(same.getByRole('button', { name: 'id', exact: true })).toHaveAttribute('aria-pressed', 'true');
  await shot(page, 'data-dedupe');

  await add(page, 'remove_duplicates', 'collect', 'Combine into a list');
  await add(page, 'combine_into_a_list', 'csv', 'Write file');
  await panelOf(page).getByRole('textbox', { name: 'File' }).fill(join(folder, 'orders.csv'));
  await choose(page, 'Content from the field', 'items');
  await choose(page, 'Write as', 'CSV');
  await shot(page, 'data-write');
  const document = await saved(page, made);
  expect(wires(document)).toEqual(['start.success>http_request', 'http_request.success>split_a_list', 'split_a_list.success>filter', 'filter.success>remove_duplicates', 'remove_duplicates.success>combine_into_a_list', 'combine_into_a_list.success>write_file']);
  expect(document.nodes['split_a_list']?.config).toEqual({ field: 'result.response' });
  await runIt(page, 'write_file');
  expect(readFileSync(join(folder, 'orders.csv'), 'utf8').trim().split(/\r?\n/)).toEqual(['id,customer,total', '9007199254740993,Ada,250', '9007199254740992,Edsger,120']);
});

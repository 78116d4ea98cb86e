/** The morning job by keyboard alone: nothing is clicked, and what has the focus is asserted by its role and name, as a screen reader says them. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Keyboard, Locator, Page } from '@playwright/test';
import { expect, openPage, startHost, test, type Host } from './host.ts';

const ORDERS = [
  { id: 1, customer: 'ada', total: 250 }, { id: 2, customer: 'grace', total: 80 },
  { id: 3, customer: 'edsger', total: 120 }, { id: 4, customer: 'alan', total: 300 },
];
/** The second service does not know anybody today. */
let broken = false;
let server: Server;
let base = '';
let host: Host;
const folder = mkdtempSync(join(tmpdir(), 'signalbox-keyboard-'));

test.beforeAll(async () => {
  host = await startHost(undefined, undefined, ['--allow-dir', `${folder}:rw`]);
  server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    const name = /^\/customers\/(\w+)$/.exec(request.url ?? '')?.[1];
    if (broken && name !== undefined) response.writeHead(404).end('{}');
    else response.end(JSON.stringify(name === undefined ? ORDERS : { name: name.toUpperCase(), rating: name.length }));
  });
  await new Promise<void>((ready) => { server.listen(0, '127.0.0.1', ready); });
  base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
test.afterAll(async () => {
  server.close();
  await host.stop();
  rmSync(host.data, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

/** More stops than that between two places is no way that anybody goes. */
const MOST_STOPS = 40;

class Keys {
  readonly keys: Keyboard;
  count = 0;

  constructor(readonly page: Page) {
    this.keys = page.keyboard;
  }

  async press(key: string): Promise<void> {
    await this.keys.press(key);
    this.count += 1;
  }

  async type(text: string): Promise<void> {
    await this.keys.type(text);
    this.count += 1;
  }

  /** On with Tab, or back, until this has the focus; it is there and can be reached, or the way ends nowhere. */
  async to(what: Locator, key: 'Tab' | 'Shift+Tab' | 'ArrowRight' | 'ArrowDown' = 'Tab'): Promise<void> {
    await expect(what).toBeVisible();
    const way: string[] = [];
    for (let stop = 0; stop < MOST_STOPS; stop += 1) {
      if (await what.evaluate((element) => element === document.activeElement)) return;
      await this.press(key);
      way.push(await this.page.evaluate(() => `${document.activeElement?.tagName ?? ''} ${document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent.slice(0, 40) ?? ''}`));
    }
    throw new Error(`${String(what)} is not reached by ${key}:\n${way.join('\n')}`);
  }

  /** One of a list that opens: found by its first letters. */
  async choose(box: Locator, option: string): Promise<void> {
    await this.to(box);
    await this.press('Enter');
    const line = this.page.getByRole('option', { name: option }).first();
    await expect(line).toBeVisible();
    await this.to(line, 'ArrowDown');
    await this.press('Enter');
    await expect(line).toBeHidden();
    await expect(box).toBeFocused();
  }
}

test('the morning job is built, run, activated and mended by keyboard alone', async ({ page }) => {
  test.setTimeout(150_000);
  const at = new Keys(page);
  await openPage(page, host);
  await expect(page.getByRole('heading', { name: 'Workflows', level: 1 })).toBeVisible();
  await at.press('Control+Alt+n');
  await page.locator('.cv').waitFor();
  await expect(page.locator('.cv:focus')).toBeVisible();

  const panel = page.getByRole('complementary', { name: 'Step settings' });
  const box = page.getByRole('dialog', { name: 'Add a step' });
  const card = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
  const field = (name: string) => panel.getByRole('textbox', { name, exact: true });
  const status = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).first();
  const add = async (words: string, title: string, id: string) => {
    await at.press('Tab');
    await expect(box.getByRole('combobox')).toBeFocused();
    await at.type(words);
    await expect(box.getByRole('option').first()).toContainText(title);
    await at.press('Enter');
    await expect(box).toBeHidden();
    await expect(card(id)).toBeFocused();
  };
  const open = async () => {
    await at.press('Enter');
    await expect(panel.getByRole('tab', { selected: true })).toBeFocused();
  };
  const leave = async (id: string) => {
    await at.press('Escape');
    await expect(card(id)).toBeFocused();
  };
  const run = async (id: string) => {
    const runs = async () => (await host.rpc<{ runs: { status: string }[] }>('run_list', {})).runs;
    const before = (await runs()).length;
    await at.press('F5');
    await expect.poll(async () => { const all = await runs(); return all.length > before && all[0]?.status; }).toBe('completed');
    await expect(card(id).locator('.cv-node')).toHaveAttribute('data-state', 'done');
    await expect(status('Completed')).toBeVisible();
  };

  await add('every morning', 'Schedule', 'schedule');
  await add('web service', 'HTTP request', 'http_request');
  await open();
  await at.to(field('Address'));
  await at.type(`${base}/orders`);
  await run('http_request');
  await leave('http_request');
  await open();
  await at.to(panel.getByRole('tab', { name: /^Output/ }), 'ArrowRight');
  await at.to(panel.getByRole('button', { name: 'Continue with each entry' }));
  await at.press('Enter');
  await expect(card('split_a_list')).toBeFocused();

  await add('only keep', 'Filter', 'filter');
  await open();
  const rows = panel.getByRole('group', { name: 'Keep when: conditions' });
  await at.to(rows.getByRole('combobox', { name: 'Field of row 1' }));
  await at.type('total');
  await at.choose(rows.getByRole('combobox', { name: 'Comparison of row 1' }), 'is greater than');
  await at.to(rows.getByLabel('Value of row 1', { exact: true }));
  await at.type('100');
  await run('filter');
  await leave('filter');

  await add('web service', 'HTTP request', 'http_request_2');
  await open();
  await at.to(field('Address'));
  await at.type(`${base}/customers/`);
  await run('http_request_2');
  // The field of the order, from the list under the address…
  await at.to(panel.locator('.panel-fields > summary'));
  await at.press('Enter');
  await at.to(panel.getByRole('button', { name: /^Use item\.customer in a setting/ }));
  await at.press('Enter');
  await expect(field('Address')).toBeFocused();
  await expect(field('Address')).toHaveText(`${base}/customers/{{item.customer}}`);
  await expect(status('Inserted item.customer in Address')).toBeAttached();
  // …or, while one types, from the names that are offered.
  for (let n = 0; n < '{{item.customer}}'.length; n += 1) await at.press('Backspace');
  await at.press('Control+Space');
  await at.type('cust');
  const names = page.locator('.cm-tooltip-autocomplete').getByRole('option');
  await expect(names.first()).toContainText('item.customer');
  await expect(names.first()).toHaveAttribute('aria-selected', 'true');
  // The list takes no key in its first moment; Enter does nothing else in a field of one line.
  await expect(async () => {
    await at.press('Enter');
    await expect(field('Address')).toHaveText(`${base}/customers/{{item.customer}}`, { timeout: 500 });
  }).toPass();
  await run('http_request_2');
  await leave('http_request_2');

  await add('choose columns', 'Pick fields', 'pick_fields');
  await open();
  for (const name of [/^id$/, /^total$/, /response\.name$/, /response\.rating$/]) {
    const column = panel.getByRole('group', { name: 'Fields', exact: true }).getByRole('button', { name });
    await at.to(column);
    await at.press('Enter');
    await expect(column).toHaveAttribute('aria-pressed', 'true');
    await leave('pick_fields');
    await open();
  }
  await leave('pick_fields');
  await add('collect', 'Combine into a list', 'combine_into_a_list');
  await add('write file', 'Write file', 'write_file');
  await open();
  await at.to(field('File'));
  await at.type(join(folder, 'orders.csv'));
  await at.choose(panel.getByRole('combobox', { name: 'Content from the field', exact: true }), 'items');
  await at.choose(panel.getByRole('combobox', { name: 'Write as', exact: true }), 'CSV');
  await run('write_file');
  const lines = () => readFileSync(join(folder, 'orders.csv'), 'utf8').trim().split(/\r?\n/);
  expect(lines()).toEqual(['id,total,name,rating', '1,250,ADA,3', '3,120,EDSGER,6', '4,300,ALAN,4']);

  // Active from now on: every morning.
  await leave('write_file');
  await at.to(page.locator('.bar').getByRole('button', { name: 'Activate' }), 'Shift+Tab');
  await at.press('Enter');
  await expect(page.getByText(/is active/).first()).toBeVisible();

  // A bad day: a person is asked about each order, answers in the inbox, and the table is written.
  broken = true;
  await at.press('F5');
  await expect(page.getByText(/This run waits for people: 3 tasks/)).toBeVisible();
  broken = false;
  await at.press('Control+Alt+3');
  await expect(page.getByRole('heading', { name: 'Inbox', level: 1 })).toBeVisible();
  const tasks = page.locator('.ib-list');
  const open3 = tasks.locator('.ib-row:not(.done)');
  await expect(open3).toHaveCount(3);
  await at.to(tasks);
  for (let left = 3; left > 0; left -= 1) {
    await expect(tasks.getByRole('row', { selected: true })).toHaveCount(1);
    await at.press('a');
    await expect(open3).toHaveCount(left - 1);
  }
  await expect.poll(async () => (await host.rpc<{ runs: { status: string }[] }>('run_list', { limit: 1 })).runs[0]?.status, { timeout: 30_000 }).toBe('completed');
  expect(lines()).toHaveLength(4);
  process.stdout.write(`Morning orders by keyboard alone: ${String(at.count)} keys and texts, no click\n`);
});

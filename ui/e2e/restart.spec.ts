/** The program is killed and begins anew while pages of it are open. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shot } from './document.ts';
import { expect, openPage, startHost, test, type Host } from './host.ts';
import { makeWorkflow } from './people.ts';

const nodes = { start: { type: 'trigger.manual', title: 'Start' }, put: { type: 'data.set', title: 'Put', config: { assign: { a: 1 } } } };
const DOCUMENT = { signalbox: 1, id: 'again', name: 'Again', nodes, edges: [{ from: 'start.success', to: 'put' }], layout: { start: [0, 0], put: [248, 0] } };

let data: string;
let host: Host;
test.beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'signalbox-e2e-'));
  host = await startHost(data);
});
test.afterEach(async () => {
  await host.stop();
  rmSync(data, { recursive: true, force: true });
});
/** Where it was, as who keeps the address of a page expects it. */
const restart = async () => { host = await startHost(data, new URL(host.origin).host); };

test('a run that stands at a breakpoint is connected again without an event', async ({ page }) => {
  const { ref } = await makeWorkflow(host, DOCUMENT);
  const { runId } = await host.rpc<{ runId: string }>('run_start', { ref, params: {}, breakpoints: [{ node: 'put' }] });
  await openPage(page, host, `#/run/${runId}`);
  const banners = page.locator('.wb-banners');
  await expect(banners).toContainText('Stopped before Put');
  await host.stop('SIGKILL');
  await expect(banners).toContainText('The live connection was lost');
  await restart();
  await expect(banners).not.toContainText('The live connection was lost');
  await expect(banners).toContainText('Stopped before Put');
});

test('a page with unsaved edits takes the new address, stays where it is, and saves', async ({ page }) => {
  const { ref } = await makeWorkflow(host, DOCUMENT);
  const at = `#/workflow/${encodeURIComponent(ref)}`;
  await openPage(page, host, at);
  await page.locator('.cv-node[data-node=put]').click();
  await host.stop('SIGKILL');
  rmSync(join(data, 'serve.token'));
  await restart();
  await page.keyboard.press('F2');
  const name = page.getByRole('textbox', { name: 'Name of the step' });
  await name.fill('Put it there');
  await name.press('Enter');
  await page.keyboard.press('Control+s');
  await expect(page.getByText(/The key in the address is missing, incomplete or expired/).first()).toBeVisible();
  // Nothing is loaded: only what follows # differs.
  await page.evaluate(() => { (window as { kept?: boolean }).kept = true; });
  await page.goto(host.url);
  await expect.poll(() => new URL(page.url()).hash).toBe(at);
  expect(await page.evaluate(() => (window as { kept?: boolean }).kept)).toBe(true);
  await expect(page.getByText('Put it there').first()).toBeVisible();
  await page.keyboard.press('Control+s');
  await expect(page.locator('.bar').getByText('Saved')).toBeVisible();
  await shot(page, 'new-address');
  await page.goBack();
  expect(page.url()).not.toContain('token');
});

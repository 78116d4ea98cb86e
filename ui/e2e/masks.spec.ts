/** What an operator sees of a run, how they look behind the masks, and checkpoints that are kept outside. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, openPage, startHost, test, type Host } from './host.ts';
import { makeWorkflow, MEAN, startRun } from './people.ts';

const OPERATOR = 'operator-token-0123456789';
const VIEWER = 'viewer-token-0123456789';

test('an operator sees a run with masks, says why and sees it as it is; a viewer never does', async ({ page }) => {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-e2e-'));
  writeFileSync(join(data, 'serve.token'), `builder-token-0123456789\noperator ${OPERATOR} anna\nviewer ${VIEWER} bob\n`, { mode: 0o600 });
  const host = await startHost(data);
  try {
    const { ref } = await makeWorkflow(host, MEAN);
    const runId = await startRun(host, ref, { name: 'ada@example.org', total: 12, count: 0 });
    await openPage(page, host, `#/run/${runId}`, OPERATOR);
    await expect(page.getByText('Some values are hidden')).toBeVisible({ timeout: 15_000 });
    await expect(page.getByRole('heading', { name: 'Mean of the orders' })).toBeVisible();
    await expect(page.locator('body')).not.toContainText('ada@example.org');
    await page.getByRole('button', { name: 'Reveal (recorded)' }).click();
    await page.getByLabel(/Why do you need/).fill('The customer called');
    await page.getByRole('dialog').getByRole('button', { name: 'Reveal', exact: false }).last().click();
    await expect(page.getByText('Some values are hidden')).toBeHidden({ timeout: 15_000 });
    const found = await host.rpc<{ entries: { summary: string }[] }>('audit_list', { query: `event:REVEALED run:${runId}` });
    expect(found.entries[0]?.summary).toContain('The customer called');

    await page.goto('about:blank');
    await openPage(page, host, `#/run/${runId}`, VIEWER);
    await expect(page.getByText('Your role sees masked runs only')).toBeVisible({ timeout: 15_000 });
    await expect(page.getByRole('button', { name: 'Reveal (recorded)' })).toHaveCount(0);
  } finally {
    await host.stop();
    rmSync(data, { recursive: true, force: true });
  }
});

function peer(): Promise<{ server: Server; url: string; bodies: string[]; status: { now: number } }> {
  const bodies: string[] = [];
  const status = { now: 200 };
  const server = createServer((request, answer) => {
    let text = '';
    request.on('data', (chunk: Buffer) => { text += chunk.toString(); });
    request.on('end', () => {
      bodies.push(text);
      answer.writeHead(status.now).end();
    });
  });
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done({ server, bodies, status, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/log` }));
  });
}

async function aRun(host: Host): Promise<void> {
  const { ref } = await makeWorkflow(host, MEAN);
  await startRun(host, ref, { name: 'Ada', total: 12, count: 3 });
}

test('checkpoints go to an address; one that fails is told on the audit screen until it works', async ({ open, host }) => {
  const outside = await peer();
  try {
    await aRun(host);
    const page = await open('#/settings');
    await expect(page.getByText('No anchors')).toBeVisible();
    await page.getByLabel('Address for checkpoints').fill(outside.url);
    await page.getByRole('checkbox', { name: /on this machine; allow it/ }).click();
    await page.getByRole('button', { name: 'Send to this address' }).click();
    await expect(page.getByText(/entr(y|ies) sealed there at/)).toBeVisible();
    expect(JSON.parse(outside.bodies[0] ?? '{}')).toHaveProperty('checkpoint.rootHash');

    outside.status.now = 503;
    await aRun(host);
    await page.getByRole('button', { name: 'Anchor now' }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'answered 503' }).first()).toBeVisible();
    await page.evaluate(() => { window.location.hash = '#/audit'; });
    const banner = page.getByRole('alert').filter({ hasText: 'A checkpoint could not be anchored' });
    await expect(banner).toBeVisible({ timeout: 15_000 });
    outside.status.now = 204;
    await banner.getByRole('button', { name: 'Anchor now' }).click();
    await expect(banner).toBeHidden({ timeout: 15_000 });
    await expect(page.getByRole('row', { name: /Checkpoint anchored/ }).first()).toBeVisible({ timeout: 15_000 });

    await page.evaluate(() => { window.location.hash = '#/settings'; });
    await page.getByRole('button', { name: `Remove ${outside.url}` }).click();
    await expect(page.getByText('No anchors')).toBeVisible();
  } finally {
    outside.server.close();
  }
});

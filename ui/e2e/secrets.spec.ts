/** Secrets as a person uses them: set up, add, choose in a step, run, replace, delete, unlock. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, readJson, openPage, startHost, test } from './host.ts';

const VALUE = 'canary-5b1e9f27a4c8';

interface Made { ref: string; path: string; revision: string; document: Record<string, unknown> }

test('a secret is set up, chosen in a step, sent, and never shown again', async ({ open, host }) => {
  const made = await host.rpc<Made>('workflow_create', { name: 'With a credential' });
  const document = {
    ...made.document,
    params: { type: 'object', properties: { practice: { type: 'string', 'x-practice': true } } },
    nodes: {
      start: { type: 'trigger.manual' },
      ask: { type: 'http.request', title: 'Ask', config: { method: 'POST', url: '{{params.practice}}/echo', body: '=item' } },
    },
    edges: [{ from: 'start.success', to: 'ask' }], layout: { start: [0, 0], ask: [248, 0] },
  };
  await host.rpc('workflow_save', { ref: made.ref, document, baseRevision: made.revision });

  const page = await open('#/settings');
  const section = page.getByRole('region', { name: 'Secrets' });
  const dialog = page.getByRole('dialog');
  await expect(section.getByText('Choose where to keep the encryption key')).toBeVisible();
  await section.getByRole('button', { name: 'Set up…' }).click();
  await page.getByRole('radio', { name: /^Key file/ }).check();
  await page.getByRole('button', { name: 'Use' }).click();
  await expect(section.getByText('No secrets yet')).toBeVisible();
  await expect(section.getByText(/key-.*\.txt/)).toBeVisible();

  await section.getByRole('button', { name: 'Add a secret…' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('erp');
  await dialog.getByLabel('Sent as', { exact: true }).click();
  await page.getByRole('option', { name: 'Header' }).click();
  await dialog.getByRole('textbox', { name: 'Header' }).fill('X-Api-Key');
  await dialog.locator('input[type=password]').fill('short');
  await dialog.getByLabel('Allowed hosts').fill('api.example.com\n*.example.com');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('The secret has 5 characters');
  await dialog.locator('input[type=password]').fill(VALUE);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(section.locator('[data-secret=erp]')).toContainText('to api.example.com, *.example.com, never used');

  await page.goto(`${host.url.split('#')[0]}#/workflow/${encodeURIComponent(made.ref)}`);
  await page.locator('[data-node="ask"]').click();
  const panel = page.getByRole('complementary', { name: 'Step settings' });
  await panel.getByLabel('Credential', { exact: true }).click();
  await expect(page.getByRole('option', { name: /^erp/ })).toBeVisible();
  await page.getByRole('option', { name: 'New credential…' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('practice');
  await dialog.locator('input[type=password]').fill(VALUE);
  await dialog.getByLabel('Allowed hosts').fill('127.0.0.1');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(panel.getByLabel('Credential', { exact: true })).toHaveText('practice');
  await page.keyboard.press('Control+s');
  await expect(page.getByText(/^Saved/).first()).toBeVisible();
  const kept = readJson<{ nodes: { ask: { config: { credential: string } } } }>(made.path);
  expect(kept.nodes.ask.config.credential).toBe('secret://practice');

  await page.keyboard.press('F5');
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible({ timeout: 20_000 });
  expect(await page.content()).not.toContain(VALUE);
  const list = await host.rpc<{ name: string; lastUsedAt?: string }[]>('secret_list');
  expect(list.find((one) => one.name === 'practice')?.lastUsedAt).toBeTruthy();

  // Gone: the editor says so before anything runs.
  await page.goto(`${host.url.split('#')[0]}#/settings`);
  await section.getByRole('button', { name: 'Delete practice' }).click();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(section.locator('[data-secret=practice]')).toHaveCount(0);
  await section.getByRole('button', { name: 'Replace erp' }).click();
  await dialog.locator('input[type=password]').fill(`${VALUE}-2`);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The secret erp was saved').last()).toBeVisible();
  await page.goto(`${host.url.split('#')[0]}#/workflow/${encodeURIComponent(made.ref)}`);
  await page.locator('[data-node="ask"]').click();
  await expect(panel.getByText("There is no secret 'practice' on this machine")).toBeVisible();
  await expect(panel.getByLabel('Credential', { exact: true })).toHaveText('practice (not on this machine)');

  for (const file of host.files()) expect(readFileSync(file, 'utf8')).not.toContain(VALUE);
});

test('secrets under a passphrase are locked after a start, and opened in the settings', async ({ page }) => {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-e2e-secrets-'));
  const first = await startHost(data);
  await first.rpc('secret_choose', { key: 'passphrase', passphrase: 'three words here' });
  await first.rpc('secret_set', { name: 'erp', kind: 'bearer', hosts: ['api.example.com'], value: VALUE });
  await first.stop();
  const host = await startHost(data);
  try {
    await openPage(page, host);
    await page.getByRole('link', { name: 'Settings' }).click();
    const section = page.getByRole('region', { name: 'Secrets' });
    await expect(section.getByText('The secrets are locked')).toBeVisible();
    await section.getByLabel('Passphrase').fill('four words here');
    await section.getByRole('button', { name: 'Unlock' }).click();
    await expect(section.getByText('This is not the passphrase of the secrets.')).toBeVisible();
    await section.getByLabel('Passphrase').fill('three words here');
    await section.getByRole('button', { name: 'Unlock' }).click();
    await expect(section.locator('[data-secret=erp]')).toBeVisible();
  } finally {
    await host.stop();
    rmSync(data, { recursive: true, force: true });
  }
});

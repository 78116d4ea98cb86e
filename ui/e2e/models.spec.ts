/** Providers of language models: added with a key, tested, refused, found, chosen, removed; against a peer that speaks the wire formats. */
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { shot } from './document.ts';
import { expect, openPage, startHost, test } from './host.ts';

const KEY = 'canary-7d2e9f27a4c8-model';

interface Peer { base: string; keys: (string | undefined)[]; stop(): void }

/** Speaks Anthropic Messages at `/anthropic` and chat completions at `/v1`, to who has the key. */
async function peer(): Promise<Peer> {
  const keys: (string | undefined)[] = [];
  const server: Server = createServer((request, response) => {
    const key = request.headers['x-api-key'] ?? request.headers.authorization?.replace('Bearer ', '');
    keys.push(String(key));
    const answer = (status: number, body: unknown) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (key !== KEY) answer(401, { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } });
    else if (request.url?.endsWith('/models') || request.url?.includes('/models?')) answer(200, { data: [{ id: 'small-1' }, { id: 'big-1' }] });
    else if (request.url?.endsWith('/messages')) answer(200, { id: 'm1', type: 'message', role: 'assistant', model: 'small-1', content: [{ type: 'text', text: 'OK' }], stop_reason: 'end_turn', usage: { input_tokens: 3, output_tokens: 1 } });
    else answer(404, {});
  });
  await new Promise<void>((done) => { server.listen(0, '127.0.0.1', done); });
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys, stop: () => server.close() };
}

test('a provider is added with its key, tested, chosen and removed', async ({ page }) => {
  // A program of its own: where the key of secrets is may be chosen once.
  const host = await startHost();
  const far = await peer();
  try {
    await openPage(page, host, '#/settings');
    const section = page.getByRole('region', { name: 'Models' });
    const dialog = page.getByRole('dialog');
    await expect(section.getByText('No model yet')).toBeVisible();
    expect(far.keys).toEqual([]);

    // The key needs a place first; what was typed stays.
    await section.getByRole('button', { name: 'Add a provider…' }).click();
    await expect(dialog.getByLabel('Address')).toHaveValue('https://api.anthropic.com');
    await dialog.getByLabel('Name').fill('house');
    await dialog.getByLabel('Address').fill(`${far.base}/anthropic`);
    await dialog.getByLabel('Key', { exact: true }).fill('wrong-key-0123456789');
    await expect(dialog.getByRole('button', { name: 'Save and test' })).toBeDisabled();
    await dialog.getByRole('button', { name: 'Set up…' }).click();
    await page.getByRole('radio', { name: /^Key file/ }).check();
    await page.getByRole('button', { name: 'Use' }).click();
    await expect(dialog.getByText(/Stored as the secret model-house and sent to http:\/\/127\.0\.0\.1/)).toBeVisible();
    await dialog.getByRole('button', { name: 'Save and test' }).click();
    const line = section.locator('[data-provider=house]');
    await expect(line.getByText(/refused the key \(401\): invalid x-api-key/)).toBeVisible();
    await expect(line.getByText(/Anthropic takes it in the header x-api-key/)).toBeVisible();

    // Set again, the right one: it is tested at once and never shown.
    await section.getByRole('button', { name: 'Edit house' }).click();
    await expect(dialog.getByText('A key is stored as the secret model-house.')).toBeVisible();
    await expect(dialog.getByLabel('Key', { exact: true })).toHaveValue('');
    await dialog.getByLabel('Key', { exact: true }).fill(KEY);
    await dialog.getByLabel('Models and prices').fill('small-1 = 0.25');
    await expect(dialog.getByText('This line needs two prices: small-1 = 0.25')).toBeVisible();
    await dialog.getByLabel('Models and prices').fill('small-1 = 0.25 / 1.25');
    await dialog.getByRole('button', { name: 'Save and test' }).click();
    await expect(line.getByText(/The model 'small-1' answers; it has 2 models/)).toBeVisible();
    expect(far.keys.at(-1)).toBe(KEY);

    // The default is chosen among what the provider has.
    await expect(section.getByText('None: steps without a model do not run')).toBeVisible();
    await section.getByRole('button', { name: 'Choose…' }).click();
    await dialog.getByLabel('Listed by the provider').click();
    await page.getByRole('option', { name: 'big-1' }).click();
    await expect(dialog.getByRole('textbox', { name: /^Model/ })).toHaveValue('big-1');
    await shot(page, 'model-default');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(line.getByText('Default: big-1')).toBeVisible();
    await page.reload();
    await expect(line.getByText('Default: big-1')).toBeVisible();

    // An address that nobody serves says so, with what to do.
    await section.getByRole('button', { name: 'Add a provider…' }).click();
    await dialog.getByLabel('API').click();
    await page.getByRole('option', { name: 'Ollama' }).click();
    await expect(dialog.getByLabel('Address')).toHaveValue('http://127.0.0.1:11434');
    await expect(dialog.getByLabel('Name')).toHaveValue('ollama');
    await dialog.getByLabel('Address').fill('http://127.0.0.1:9');
    await dialog.getByRole('button', { name: 'Save and test' }).click();
    const other = section.locator('[data-provider=ollama]');
    await expect(other.getByText(/Nothing answers at 127\.0\.0\.1:9/)).toBeVisible();
    await expect(other.getByText(/Start the server/)).toBeVisible();

    // With the provider its default goes; the change is on record, the key nowhere.
    await section.getByRole('button', { name: 'Remove house' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await expect(line).toHaveCount(0);
    await expect(section.getByText('None: steps without a model do not run')).toBeVisible();
    await page.evaluate(() => { window.location.hash = '#/audit'; });
    await expect(page.getByText('Model provider changed').first()).toBeVisible();
    expect(await page.content()).not.toContain(KEY);
  } finally {
    far.stop();
    await host.stop();
    rmSync(host.data, { recursive: true, force: true });
  }
});

/** Bytes of an item: told in plain words on the card and in the panel, saved as a file, never drawn. */
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { shot } from './document.ts';
import { expect, test } from './host.ts';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

let server: Server;
let base = '';

test.beforeAll(async () => {
  server = createServer((_request, response) => { response.setHeader('content-type', 'image/png').end(PNG); });
  await new Promise<void>((ready) => { server.listen(0, '127.0.0.1', ready); });
  base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
test.afterAll(() => { server.close(); });

test('d_10 the bytes of an answer are told, and saved byte for byte', async ({ open, host }) => {
  const made = await host.rpc<{ ref: string; revision: string; document: object }>('workflow_create', { name: 'Logo' });
  const document = {
    ...made.document,
    nodes: {
      start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
      fetch: { type: 'http.request', typeVersion: 1, title: 'Get the logo', config: { url: `${base}/logo.png`, responseType: 'binary' } },
    },
    edges: [{ from: 'start.success', to: 'fetch' }], layout: { start: [0, 0], fetch: [248, 0] },
  };
  await host.rpc('workflow_save', { ref: made.ref, document, baseRevision: made.revision });
  const { runId } = await host.rpc<{ runId: string }>('run_start', { ref: made.ref, params: {} });
  await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status).toBe('completed');

  const page = await open(`#/run/${runId}`);
  await page.getByRole('button', { name: 'Detail log' }).click();
  await page.getByRole('radiogroup', { name: 'Show the run as' }).getByRole('radio', { name: 'Cards' }).click();
  const card = page.getByRole('article', { name: /Get the logo/ });
  await expect(card.getByRole('button', { name: /^Outputs/ })).toContainText('1 file');
  await card.getByRole('button', { name: /^Outputs/ }).click();
  const files = card.getByRole('list', { name: 'Attached files' });
  await expect(files.getByRole('listitem')).toHaveText(/response\s*PNG picture, 70B\s*Save/);
  await expect(files.locator('img')).toHaveCount(0);
  await files.scrollIntoViewIfNeeded();
  await shot(page, 'binary-card');
  const coming = page.waitForEvent('download');
  await files.getByRole('button', { name: 'Save response as a file' }).click();
  const download = await coming;
  expect(download.suggestedFilename()).toBe('fetch-response.png');
  expect(readFileSync(await download.path()).equals(PNG)).toBe(true);

  // The same in the panel of the builder, of the last run.
  const builder = await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  await builder.locator('.cv .react-flow__viewport').waitFor();
  await builder.locator('[data-id="fetch"]').click();
  await builder.getByRole('tab', { name: /^Output/ }).click();
  const panel = builder.getByRole('complementary').getByRole('list', { name: 'Attached files' });
  await expect(panel.getByRole('listitem')).toHaveText(/response\s*PNG picture, 70B\s*Save/);
  await shot(builder, 'binary-panel');

  // By its hash over REST, as an attachment that no browser shows.
  const hash = createHash('sha256').update(PNG).digest('hex');
  const answer = await fetch(`${host.origin}/workflow/${runId}/binary/${hash}`, { headers: { authorization: `Bearer ${host.token}` } });
  expect(answer.headers.get('content-disposition')).toBe('attachment');
  expect(Buffer.from(await answer.arrayBuffer()).equals(PNG)).toBe(true);
});

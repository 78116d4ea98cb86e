/** Task webhooks to addresses outside (UX D2.10): added, told, refused, sent again, removed. */
import { createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, openPage, startHost, test } from './host.ts';

const KEY = 'canary-3c1e9f27a4c8-desk';
const SOON = { timeout: 20_000 };

interface Seen { headers: IncomingHttpHeaders; body: string }

/** Takes nothing until it `works`. */
async function peer(): Promise<{ base: string; seen: Seen[]; works(): void; stop(): void }> {
  const seen: Seen[] = [];
  let takes = false;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => { body += chunk.toString(); });
    request.on('end', () => {
      seen.push({ headers: request.headers, body });
      response.writeHead(takes ? 204 : 500).end();
    });
  });
  await new Promise<void>((done) => { server.listen(0, '127.0.0.1', done); });
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, works: () => { takes = true; }, stop: () => server.close() };
}

interface Made { ref: string; revision: string; document: Record<string, unknown> }

test('an address hears of tasks, what failed is sent again, and who may not be asked is said', async ({ page }) => {
  // A program of its own: where the key of secrets is may be chosen once.
  const host = await startHost();
  const desk = await peer();
  try {
    await openPage(page, host, '#/settings');
    const section = page.getByRole('region', { name: 'Webhooks' });
    await expect(section.getByText('No webhooks')).toBeVisible();
    await expect(section.getByText('The secrets are locked')).toBeVisible();
    await host.rpc('secret_choose', { key: 'file' });
    await page.reload();
    await expect(section.getByText('No signing secret')).toBeVisible();
    await host.rpc('secret_set', { name: 'desk', kind: 'bearer', hosts: [desk.base, 'http://10.0.0.1'], value: KEY });
    await page.reload();

    // The secret must be for the host; an address inside the own network is not asked.
    const address = section.getByRole('textbox', { name: 'Webhook address' });
    const sign = async () => {
      await section.getByLabel('Signing secret', { exact: true }).click();
      await page.getByRole('option', { name: 'desk' }).click();
    };
    await address.fill('https://elsewhere.example/hook');
    await expect(section.getByRole('button', { name: 'Add' })).toBeDisabled();
    await sign();
    await section.getByRole('button', { name: 'Add' }).click();
    await expect(page.getByText("The secret 'desk' may not sign for this address").first()).toBeVisible();
    await address.fill('http://10.0.0.1/inside?team=5');
    for (const event of ['overdue', 'escalated', 'closed']) await section.getByRole('checkbox', { name: event }).click();
    await section.getByRole('button', { name: 'Add' }).click();
    await expect(section.getByText('signed with desk · created, answered')).toBeVisible();
    await expect(section.getByText('No messages yet.')).toBeVisible();
    await address.fill(`${desk.base}/desk`);
    await section.getByRole('checkbox', { name: /on this machine; allow it/ }).click();
    await sign();
    await section.getByRole('button', { name: 'Add' }).click();
    await expect(section.getByText(`${desk.base}/desk`)).toBeVisible();

    const made = await host.rpc<Made>('workflow_create', { name: 'Pay' });
    const nodes = { start: { type: 'trigger.manual' }, ask: { type: 'builtin.human_approval', title: 'Ask', config: { title: 'Pay ada@example.org?' } } };
    const document = { ...made.document, nodes, edges: [{ from: 'start.success', to: 'ask' }], layout: { start: [0, 0], ask: [248, 0] } };
    await host.rpc('workflow_save', { ref: made.ref, document, baseRevision: made.revision });
    await host.rpc('run_start', { ref: made.ref, params: {} });

    const log = section.getByRole('list', { name: 'Recent messages' });
    const line = (path: string) => log.getByRole('listitem').filter({ hasText: path });
    await expect(line('/inside')).toContainText('Failed', SOON);
    await expect(section.getByText('1 message failed')).toBeVisible(SOON);
    await expect(line('/desk')).toContainText('it answered 500', SOON);
    await expect(section.getByText('1 message waits')).toBeVisible(SOON);
    await expect(section).not.toContainText('team=5');

    desk.works();
    await line('/desk').getByRole('button', { name: /^Send again/ }).click();
    await expect(page.getByText('Delivered').first()).toBeVisible();
    await expect(line('/desk')).toContainText('Delivered');
    // It may have been tried once more by itself.
    const [first, second] = [desk.seen[0], desk.seen.at(-1)];
    expect(second).not.toBe(first);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    const { headers, body } = second ?? { headers: {}, body: '' };
    const signed = createHmac('sha256', KEY).update(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signed}`);
    expect(body).not.toContain('ada@example.org');
    await line('/inside').getByRole('button', { name: /^Send again/ }).click();
    await expect(page.getByText('Not delivered').first()).toBeVisible();

    // From the message to its task.
    await line('/desk').getByRole('button', { name: 'Task', exact: true }).click();
    await expect(page).toHaveURL(/inbox/);
    await page.goBack();
    await section.getByRole('button', { name: 'Remove http://10.0.0.1/inside' }).click();
    const question = page.getByRole('dialog', { name: 'Remove this address?' });
    await expect(question).toContainText('http://10.0.0.1/inside');
    await question.getByRole('button', { name: 'Remove', exact: true }).click();
    await expect(section.getByRole('heading', { name: 'Webhooks' })).toBeFocused();
    await expect(section.getByText('created, answered')).toHaveCount(0);
    await expect(line('/inside')).toHaveCount(0);
    expect(await page.content()).not.toContain(KEY);
  } finally {
    desk.stop();
    await host.stop();
    rmSync(host.data, { recursive: true, force: true });
  }
});

/** A webhook as a person sets it up: the address, a test with a real request, a run with it, activation, and a request that starts a run. */
import { openDocument, shot } from './document.ts';
import { expect, test } from './host.ts';

test('a webhook is tested with a request, activated, and starts a run', async ({ open, host, page }) => {
  const name = 'Orders by webhook';
  const path = 'orders/new';
  await openDocument(open, host, name, {
    settings: { errorPolicy: 'fail' },
    nodes: {
      order: { type: 'trigger.webhook', typeVersion: 1, title: 'New order', config: { path } },
      note: { type: 'data.set', typeVersion: 1, title: 'Note it', config: { assign: { customer: '=item.body.customer' } } },
    },
    edges: [{ from: 'order.success', to: 'note' }],
    layout: { order: [0, 0], note: [280, 0] },
  });
  const bar = page.locator('.bar');
  await page.locator('.cv-node[data-node=order]').click();
  const test = page.getByRole('group', { name: 'Address and test' });
  await expect(test.getByText(`${host.origin}/hooks/${path}`)).toBeVisible();

  await test.getByRole('button', { name: 'Listen for one request' }).click();
  const address = `${host.origin}/hooks-test/${path}`;
  await expect(test.getByText(address)).toBeVisible();
  const sent = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ customer: 'Ada' }) });
  expect(sent.status).toBe(200);
  await expect(test.locator('pre')).toContainText('"customer": "Ada"');
  await shot(page, 'webhook');
  await test.getByRole('button', { name: 'Run with this request' }).click();
  await page.locator('.cv-node[data-node=note]').click();
  await page.getByRole('tab', { name: 'Output' }).click();
  await expect(page.locator('[data-scope=panel]')).toContainText('Ada');

  await bar.getByRole('button', { name: 'Activate' }).click();
  await expect(page.getByText(`${name} is active`)).toBeVisible();
  const started = await fetch(`${host.origin}/hooks/${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ customer: 'Grace' }) });
  expect(started.status).toBe(202);
  await page.getByRole('link', { name: 'Automation' }).click();
  const row = page.getByRole('row').filter({ hasText: name });
  await expect(row).toContainText(`${host.origin}/hooks/${path}`);
  await expect(row).toContainText('Completed');
  await shot(page, 'webhook-automations');
});

test('two workflows cannot have one address', async ({ open, host, page }) => {
  const parts = (path: string) => ({ nodes: { order: { type: 'trigger.webhook', typeVersion: 1, title: 'New order', config: { path } } }, edges: [], layout: { order: [0, 0] } });
  await openDocument(open, host, 'First hook', parts('same'));
  await page.locator('.bar').getByRole('button', { name: 'Activate' }).click();
  await expect(page.getByText('First hook is active')).toBeVisible();
  await openDocument(open, host, 'Second hook', parts('same'));
  await page.locator('.bar').getByRole('button', { name: 'Activate' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText("The webhook path 'same' is already used by the active workflow 'First hook'");
  await dialog.getByRole('button', { name: 'Show step' }).first().click();
  await expect(page.locator('.cv-node[data-node=order]')).toHaveClass(/is-sel/);
});

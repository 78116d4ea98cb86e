/** A first request that only reads is tried with one click, before there is any data. */
import { openDocument } from './document.ts';
import { expect, test } from './host.ts';

test('a first GET is tried with one click', async ({ open, host }) => {
  const { page } = await openDocument(open, host, 'Try it', {
    settings: { errorPolicy: 'fail' },
    nodes: {
      start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
      get: { type: 'http.request', typeVersion: 1, title: 'Get it', config: { url: `${host.origin}/healthz` } },
      note: { type: 'data.set', typeVersion: 1, title: 'Note it', config: { assign: { seen: '=item' } } },
    },
    edges: [{ from: 'start.success', to: 'get' }, { from: 'get.success', to: 'note' }],
    layout: { start: [0, 0], get: [280, 0], note: [560, 0] },
  });
  await page.locator('.cv-node[data-node=get]').click();
  const panel = page.locator('[data-scope=panel]');
  await page.getByRole('tab', { name: 'Output' }).click();
  await panel.getByRole('button', { name: 'Try this request' }).click();
  await expect(page.locator('.cv-node[data-node=get]')).toHaveAttribute('data-state', 'done');
  await expect(page.locator('.cv-node[data-node=note]')).not.toHaveAttribute('data-state', 'done');
  await expect(panel).toContainText('200');
  await expect(panel.getByRole('button', { name: 'Try this request' })).toHaveCount(0);
});

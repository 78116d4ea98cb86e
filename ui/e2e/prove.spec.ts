/** A proof in the builder: it finds what is not handled, one press mends it, and the canvas says that it is proved. */
import { openDocument, shot } from './document.ts';
import { expect, test } from './host.ts';

interface Doc { id: string; nodes: Record<string, unknown>; edges: unknown[]; layout: Record<string, [number, number]>; settings: { errorPolicy?: string } }

test('a proof names what is not handled, a fix mends it, and the step is proved until the next edit', async ({ open, host }) => {
  const { page } = await openDocument<Doc>(open, host, 'Proved orders', {
    nodes: {
      fetch: { type: 'http.request', typeVersion: 1, title: 'Fetch', config: { method: 'GET', url: 'https://example.org/order' } },
      double: { type: 'data.set', typeVersion: 1, title: 'Double', config: { assign: { twice: 2 } } },
    },
    edges: [{ from: 'fetch.success', to: 'double' }],
    layout: { fetch: [0, 0], double: [320, 0] },
    settings: { errorPolicy: 'fail' },
  });
  await page.getByRole('button', { name: 'Tests' }).click();
  await page.getByRole('button', { name: 'Prove error handling' }).click();
  const report = page.getByRole('dialog', { name: 'Proof of the error handling' });
  const fetch = report.getByRole('region', { name: 'Fetch' });
  await expect(fetch.getByText('Run fails').first()).toBeVisible();
  await shot(page, 'proof-report');
  await fetch.getByRole('button', { name: 'Use the default error handling' }).click();
  await expect(report).toBeHidden();
  await expect(page.locator('.coverage [data-proof=outdated]')).toHaveCount(1);
  await page.getByRole('button', { name: 'Ways to run' }).click();
  await page.getByRole('menuitem', { name: 'Prove error handling' }).click();
  await expect(report.getByText(/^100 % of \d+ faults are handled$/)).toBeVisible();
  await report.getByRole('button', { name: 'Close' }).first().click();
  await expect(page.locator('.cv-node[data-node=fetch] [data-mark=proved]')).toBeVisible();
  await shot(page, 'proof-proved');
});

/** A folder that a step lacks is a problem before the run, and is allowed where the problem is told. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDocument } from './document.ts';
import { expect, openPage, startHost, test } from './host.ts';

test('a folder is allowed from the problem, in the browser', async ({ page }) => {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-allow-')));
  const orders = join(place, 'orders');
  mkdirSync(orders);
  writeFileSync(join(orders, 'today.csv'), 'id,total\n7,120\n');
  const host = await startHost(undefined, undefined, ['--grant-root', place]);
  try {
    const open = (hash = '') => openPage(page, host, hash);
    await openDocument(open, host, 'Orders of today', {
      settings: { errorPolicy: 'fail' },
      nodes: {
        start: { type: 'trigger.manual', typeVersion: 1 },
        read: { type: 'file.read', typeVersion: 1, title: 'Read orders', config: { path: join(orders, 'today.csv'), as: 'csv' } },
      },
      edges: [{ from: 'start.success', to: 'read' }],
      layout: { start: [0, 0], read: [280, 0] },
    });
    await page.locator('.cv-node[data-node=read]').click();
    const panel = page.locator('[data-scope=panel]');
    await expect(panel.getByText('MISSING_GRANT')).toBeVisible();
    await panel.getByRole('button', { name: 'Allow a folder…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Allow a folder' });
    // It begins in the folder of the file, and can go up no further than the root.
    const server = dialog.getByRole('group', { name: 'Folders of the server' });
    await expect(server.getByText(orders, { exact: true })).toBeVisible();
    await server.getByRole('button', { name: 'Up one folder' }).click();
    await server.getByRole('button', { name: 'orders', exact: true }).click();
    await expect(server.getByText(orders, { exact: true })).toBeVisible();
    await dialog.getByRole('button', { name: 'Allow this folder' }).click();
    await expect(page.getByText('The folder is allowed')).toBeVisible();
    await expect(panel.getByText('MISSING_GRANT')).toHaveCount(0);
    expect((await host.rpc<{ workflowId?: string; access: string }[]>('folder_list'))[0]).toMatchObject({ folder: orders, access: 'ro' });
    // The step that could not be run a moment ago reads the file.
    await page.keyboard.press('F5');
    await expect(page.locator('.cv-node[data-node=read]')).toHaveAttribute('data-state', 'done');
    await panel.getByRole('tab', { name: /^Output/ }).click();
    await expect(panel.getByText('"120"')).toBeVisible();
  } finally {
    await host.stop();
    rmSync(host.data, { recursive: true, force: true });
    rmSync(place, { recursive: true, force: true });
  }
});

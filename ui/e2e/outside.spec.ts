/** The file changes while somebody looks on who may run it, and not build. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, startHost, test, useDist } from './host.ts';
import { makeWorkflow } from './people.ts';

const token = (name: string) => `${name}-token-0123456789abcdef0123456789abcdef`;

test('what an operator runs after a change outside is drawn as the file is', async ({ page }) => {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-e2e-'));
  writeFileSync(join(data, 'serve.token'), `builder ${token('ada')} ada\noperator ${token('olga')} olga\n`, { mode: 0o600 });
  const host = await startHost(data);
  try {
    const nodes = { start: { type: 'trigger.manual', title: 'Start' }, end: { type: 'flow.stop', title: 'Done' } };
    const before = { signalbox: 1, id: 'moved', name: 'Moved', nodes, edges: [{ from: 'start.success', to: 'end' }], layout: { start: [0, 0], end: [496, 0] } };
    const { ref, id } = await makeWorkflow(host, before);
    await useDist(page, host.origin);
    await page.goto(`${host.origin}/#token=${token('olga')}`);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.evaluate((hash) => { window.location.hash = hash; }, `#/workflow/${encodeURIComponent(ref)}`);
    await expect(page.locator('[data-node="end"]')).toBeVisible();
    await host.rpc('workflow_save', {
      ref, overwrite: true, baseRevision: '',
      document: { ...before, id, nodes: { ...nodes, late: { type: 'flow.noop', title: 'Late' } }, edges: [{ from: 'start.success', to: 'late' }, { from: 'late.success', to: 'end' }], layout: { start: [0, 0], late: [248, 0], end: [496, 0] } },
    });
    await expect(page.getByText('The file was changed by another program')).toBeVisible({ timeout: 20_000 });
    await expect(page.getByRole('button', { name: 'Keep mine' })).toHaveCount(0);
    await page.getByRole('button', { name: /^Run/ }).click();
    await expect(page.locator('[data-node="late"]')).toBeVisible();
    await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible({ timeout: 20_000 });
  } finally {
    await host.stop();
    rmSync(data, { recursive: true, force: true });
  }
});

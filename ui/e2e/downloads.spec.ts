/** Files that a run wrote: downloaded from the summary of the run, from its log and from the output of the step; what became of them is told. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { openDocument, shot } from './document.ts';
import { expect, openPage, startHost, test } from './host.ts';

/** Presses a button, and reads what the browser got. */
async function downloaded(page: Page, button: Locator): Promise<{ name: string; text: string }> {
  const coming = page.waitForEvent('download');
  await button.click();
  const download = await coming;
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}

test('a file that a run wrote is downloaded, and a change since then is told', async ({ page }) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-written-')));
  const file = join(folder, 'Bericht März.csv');
  const host = await startHost(undefined, undefined, ['--allow-dir', `${folder}:rw`]);
  const open = (hash = '') => openPage(page, host, hash);
  try {
    const { made } = await openDocument(open, host, 'Report', {
      nodes: {
        start: { type: 'trigger.manual', typeVersion: 1 },
        write: { type: 'file.write', typeVersion: 1, title: 'Write the report', config: { path: file, content: 'id\n7\n' } },
      },
      edges: [{ from: 'start.success', to: 'write' }],
      layout: { start: [0, 0], write: [280, 0] },
    });
    const { runId } = await host.rpc<{ runId: string }>('run_start', { ref: made.ref, params: {} });
    await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status).toBe('completed');

    // In the summary of the run.
    await open(`#/run/${runId}`);
    const summary = page.locator('.wb-panel').getByRole('list', { name: 'Files written by the run' });
    const button = summary.getByRole('button', { name: 'Download: Bericht März.csv' });
    await expect(button).toBeVisible();
    await shot(page, 'downloads-summary');
    expect(await downloaded(page, button)).toEqual({ name: 'Bericht März.csv', text: 'id\n7\n' });

    // On its card in the log.
    await page.getByRole('button', { name: 'Detail log' }).click();
    await page.getByRole('radiogroup', { name: 'Show the run as' }).getByRole('radio', { name: 'Cards' }).click();
    const card = page.getByRole('article', { name: /Write the report/ });
    expect((await downloaded(page, card.getByRole('button', { name: /^Download/ }))).text).toBe('id\n7\n');

    // Changed after the page was drawn: that is told, and taken only on purpose.
    writeFileSync(file, 'id\n8\n9\n');
    await button.click();
    await expect(summary).toContainText('Changed since the run wrote it');
    const now = summary.getByRole('button', { name: 'Download as it is now: Bericht März.csv' });
    await shot(page, 'downloads-changed');
    expect((await downloaded(page, now)).text).toBe('id\n8\n9\n');

    // At the output of the step in the builder, where it is gone.
    rmSync(file);
    await open(`#/workflow/${encodeURIComponent(made.ref)}`);
    await page.locator('.cv-node[data-node=write]').click();
    const panel = page.getByRole('complementary', { name: 'Step settings' });
    await panel.getByRole('tab', { name: /^Output/ }).click();
    const files = panel.getByRole('list', { name: 'Files written by the run' });
    await expect(files).toContainText('Deleted or moved since the run wrote it.');
    await expect(files.getByRole('button')).toHaveCount(0);
  } finally {
    await host.stop();
    rmSync(host.data, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
});

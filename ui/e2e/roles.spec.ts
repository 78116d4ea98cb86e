/** Who may not build looks at a workflow, and an operator runs it: nothing is offered that is refused afterwards. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, openPage, startHost, test } from './host.ts';
import { makeWorkflow, MEAN } from './people.ts';

const token = (name: string) => `${name}-token-0123456789abcdef0123456789abcdef`;

test('a viewer looks, an operator runs what the file holds, a builder changes it', async ({ browser }) => {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-e2e-'));
  writeFileSync(join(data, 'serve.token'), `builder ${token('ada')} ada\noperator ${token('olga')} olga\nviewer ${token('vera')} vera\n`, { mode: 0o600 });
  const host = await startHost(data);
  try {
    const { ref } = await makeWorkflow(host, { ...MEAN, name: 'For all roles' });
    const as = async (name: string): Promise<Page> => {
      const page = await openPage(await (await browser.newContext()).newPage(), host, `#/workflow/${encodeURIComponent(ref)}`, token(name));
      await page.locator('.cv .react-flow__viewport').waitFor();
      return page;
    };
    const viewer = await as('vera');
    await expect(viewer.getByText('Read only')).toBeVisible();
    await expect(viewer.getByRole('button', { name: /^Run/ })).toBeDisabled();
    await viewer.keyboard.press('F5');
    await viewer.keyboard.press('Control+s');
    await expect(viewer.getByRole('button', { name: /^Save/ })).toBeDisabled();
    await expect(viewer.locator('.toast')).toHaveCount(0);

    // Settings of the machine are a builder's: they are shown, nothing is offered that is refused.
    await viewer.evaluate(() => { window.location.hash = '#/settings'; });
    await expect(viewer.getByText('No place outside')).toBeVisible();
    await expect(viewer.getByRole('textbox', { name: 'Address that checkpoints are sent to' })).toHaveCount(0);
    await expect(viewer.getByRole('combobox', { name: 'Keep records' })).toBeDisabled();

    const operator = await as('olga');
    await expect(operator.getByText('Read only')).toBeVisible();
    await operator.getByRole('button', { name: /^Run/ }).click();
    await expect.poll(async () => (await host.rpc<{ runs: { workflowName: string }[] }>('run_list', {})).runs.length).toBe(1);
    await expect(operator.locator('.toast')).toHaveCount(0);

    const builder = await as('ada');
    await expect(builder.getByText(/^Saved, revision/)).toBeVisible();
    await expect(builder.getByText('Read only')).toHaveCount(0);
  } finally {
    await host.stop();
    rmSync(data, { recursive: true, force: true });
  }
});

/** Who may not build looks at a workflow, and an operator runs it: nothing is offered that is refused afterwards. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { expect, openPage, startHost, test } from './host.ts';
import { shot } from './document.ts';
import { makeWorkflow, MEAN } from './people.ts';

const token = (name: string) => `${name}-token-0123456789abcdef0123456789abcdef`;

test('a viewer looks, an operator runs what the file holds, a builder changes it', async ({ browser }) => {
  // Three people, each with a page of their own.
  test.setTimeout(90_000);
  const data = mkdtempSync(join(tmpdir(), 'signalbox-e2e-'));
  writeFileSync(join(data, 'serve.token'), `builder ${token('ada')} ada\noperator ${token('olga')} olga\nviewer ${token('vera')} vera\n`, { mode: 0o600 });
  const host = await startHost(data);
  const contexts: BrowserContext[] = [];
  try {
    const { ref } = await makeWorkflow(host, { ...MEAN, name: 'For all roles' });
    const as = async (name: string): Promise<Page> => {
      const context = await browser.newContext();
      contexts.push(context);
      const page = await openPage(await context.newPage(), host, `#/workflow/${encodeURIComponent(ref)}`, token(name));
      await page.locator('.cv .react-flow__viewport').waitFor();
      return page;
    };
    const rpcAs = async (name: string, command: string): Promise<unknown> => (await fetch(`${host.origin}/rpc/${command}`, { method: 'POST', headers: { authorization: `Bearer ${token(name)}`, 'content-type': 'application/json' }, body: '{}' })).json();
    const viewer = await as('vera');
    // A refusal may come later than one looks: nothing is asked at all.
    const asked: string[] = [];
    viewer.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await expect(viewer.getByText('Read only')).toBeVisible();
    await expect(viewer.getByRole('button', { name: /^Run/ })).toBeDisabled();
    await viewer.keyboard.press('F5');
    await viewer.keyboard.press('Control+s');
    // What the keys would ask for is under way before this question, which has to arrive.
    await viewer.keyboard.press('Control+k');
    await expect(viewer.getByRole('dialog')).toBeVisible();
    await viewer.keyboard.press('Escape');
    await expect(viewer.getByRole('dialog')).toHaveCount(0);
    await viewer.evaluate(() => fetch('/after-the-keys').then(() => undefined));
    await expect.poll(() => asked).toContain('/after-the-keys');
    await expect(viewer.getByRole('button', { name: /^Save/ })).toBeDisabled();
    await expect(viewer.locator('.toast')).toHaveCount(0);
    expect(asked.filter((path) => /\/rpc\/(run_start|workflow_save)$/.test(path))).toEqual([]);

    // Settings of the machine are a builder's: they are shown, nothing is offered that is refused.
    await viewer.evaluate(() => { window.location.hash = '#/settings'; });
    await expect(viewer.getByText('No anchors')).toBeVisible();
    await expect(viewer.getByRole('textbox', { name: 'Address for checkpoints' })).toHaveCount(0);
    await expect(viewer.getByRole('combobox', { name: 'Keep entries' })).toBeDisabled();
    // Their own look is everybody's (ADR 57).
    await viewer.getByRole('radio', { name: 'Dark' }).click();
    await expect.poll(async () => (await rpcAs('vera', 'settings_get') as { theme: string }).theme).toBe('dark');
    await expect(viewer.locator('.toast')).toHaveCount(0);
    await viewer.evaluate(() => { window.location.hash = '#/workflows'; });
    await expect(viewer.getByRole('button', { name: 'For all roles', exact: true })).toBeVisible();
    await shot(viewer, 'roles-viewer-gallery');
    await expect(viewer.getByRole('button', { name: /New workflow|Open file|^Open the sample/ })).toHaveCount(0);

    const operator = await as('olga');
    await expect(operator.getByText('Read only')).toBeVisible();
    await operator.getByRole('button', { name: /^Run/ }).click();
    const runs = async () => (await host.rpc<{ runs: { runId: string }[] }>('run_list', {})).runs;
    await expect.poll(async () => (await runs()).length).toBe(1);
    // What a run was may run once more, with its whole input; a viewer is not offered it.
    const runId = (await runs())[0]?.runId ?? '';
    await host.rpc('run_cancel', { runId });
    await operator.evaluate((id) => { window.location.hash = `#/run/${id}`; }, runId);
    await operator.getByRole('button', { name: 'Run again' }).first().click();
    await expect.poll(async () => (await runs()).length).toBe(2);
    await expect(operator.locator('.toast')).toHaveCount(0);
    await viewer.evaluate((id) => { window.location.hash = `#/run/${id}`; }, runId);
    await expect(viewer.getByRole('heading', { name: 'For all roles' })).toBeVisible();
    // What the run came to is there, and with it all that could be offered.
    await expect(viewer.getByText(/^Cancelled/).first()).toBeVisible();
    await expect(viewer.getByRole('button', { name: /^(Run again|Cancel|Re-run from)/ })).toHaveCount(0);
    await shot(viewer, 'roles-viewer-run');
    await viewer.evaluate(() => { window.location.hash = '#/audit'; });
    await expect(viewer.getByRole('button', { name: 'Verify chain' })).toBeVisible();
    await expect(viewer.getByRole('button', { name: 'Export evidence' })).toHaveCount(0);

    const builder = await as('ada');
    await expect(builder.getByText(/^Saved, revision/)).toBeVisible();
    await expect(builder.getByText('Read only')).toHaveCount(0);
  } finally {
    for (const context of contexts) await context.close();
    await host.stop();
    rmSync(data, { recursive: true, force: true });
  }
});

/** From the first screen to a finished run, and finding it again. */
import { rmSync } from 'node:fs';
import { expect, openPage, startHost, test } from './host.ts';

test('C30 gallery → run the sample → it fails, retries, repairs, asks once → answer → find the run again', async ({ page }) => {
  test.setTimeout(90_000);
  // A first start: a program that knows nothing yet.
  const host = await startHost();
  await openPage(page, host);
  await expect(page.getByRole('heading', { name: 'Workflows', level: 1 })).toBeVisible();
  // The token is not left in the address bar.
  expect(page.url()).not.toContain('token');
  await expect(page.getByText('No runs yet')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Open the sample/ }).nth(2)).toBeVisible();

  await page.getByRole('button', { name: /^Run the sample/ }).first().click();
  await expect(page).toHaveURL(/#\/workflow\//);
  const status = page.locator('.wb-status');
  await expect(page.getByText('This run waits for a person')).toBeVisible({ timeout: 30_000 });
  await expect(status).toContainText(/\d+ calls/);

  // The log has cards, with the failed calls in plain words.
  const log = page.locator('.wb-main .split.h > .split-pane');
  await expect(log.getByText(/call 1 of \d/).first()).toBeVisible();

  // The screen leads to the question, and the answer lets the run end.
  await page.getByRole('link', { name: /Open task/ }).or(page.getByRole('button', { name: /Open task/ })).first().click();
  await expect(page.getByRole('heading', { name: 'Customer 42 is unknown: who is it?' })).toBeVisible();
  await page.getByLabel('Customer', { exact: true }).fill('2');
  await expect(page.getByText('Valid for this step')).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('dialog', { name: 'Send this correction?' })).toBeVisible();
  await page.keyboard.press('Control+Enter');
  const ended = async () => (await host.rpc<{ runs: { status: string }[] }>('run_list', {})).runs[0]?.status;
  await expect.poll(ended, { timeout: 30_000 }).toBe('completed');

  await page.getByRole('link', { name: 'Runs' }).click();
  const runs = page.getByRole('grid', { name: /Runs/ });
  await expect(runs.getByRole('row')).toHaveCount(1);
  await runs.getByRole('row').first().click();
  await expect(page).toHaveURL(/#\/run\//);
  await expect(page.getByText('Read only')).toBeVisible();
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
  await expect(page.locator('.react-flow__node').first()).toBeVisible();

  // Tomorrow: a fresh page finds it in the gallery.
  await page.reload();
  await page.getByRole('link', { name: 'Workflows' }).click();
  await expect(page.locator('.g-run')).toHaveCount(1);
  await expect(page.locator('.g-row').first()).toContainText('Completed');
  await host.stop();
  rmSync(host.data, { recursive: true, force: true });
});

test('Enter runs the sample from the first screen', async ({ open, host }) => {
  const before = (await host.rpc<{ runs: unknown[] }>('run_list', {})).runs.length;
  const page = await open();
  await expect(page.getByRole('button', { name: /^Run the sample/ }).first()).toBeEnabled();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/workflow\//);
  await expect.poll(async () => (await host.rpc<{ runs: unknown[] }>('run_list', {})).runs.length).toBe(before + 1);
});

test('every sample opens without problems and runs to its end', async ({ open, host }) => {
  test.setTimeout(120_000);
  const samples = await host.rpc<{ id: string; title: string; needs: { kind: string }[] }[]>('sample_list');
  const page = await open();
  for (const sample of samples) {
    const made = await host.rpc<{ ref: string; document: unknown }>('workflow_create', { sampleId: sample.id });
    await page.evaluate((ref) => { window.location.hash = `#/workflow/${encodeURIComponent(ref)}`; }, made.ref);
    const [need] = sample.needs;
    if (need) {
      // It says what is missing, in so many words; a tool server is known at the run, and the gallery tells of it.
      if (need.kind !== 'toolServer') await expect(page.locator('.wb-status').getByText(/problem/), sample.title).toBeVisible();
      continue;
    }
    // Where files are, only the person of this machine can say: that problem is shown, and no other.
    const found = await host.rpc<{ code: string }[]>('workflow_validate', { document: made.document });
    expect(found.filter(({ code }) => code !== 'MISSING_GRANT'), sample.title).toEqual([]);
    await expect(page.locator('.wb-status').getByText(found.length === 0 ? 'No problems' : /^\d+ problem/), sample.title).toBeVisible();
    await page.keyboard.press('F5');
    if (sample.id === 'an-order-that-mends-itself') {
      await expect(page.getByText('This run waits for a person')).toBeVisible({ timeout: 30_000 });
      const { runs } = await host.rpc<{ runs: { runId: string }[] }>('run_list', {});
      const { tasks } = await host.rpc<{ tasks: { id: string }[] }>('task_list', { runId: runs[0]?.runId });
      await host.rpc('task_complete', { taskId: tasks[0]?.id, action: 'correct', correctedInput: { customer: 2 } });
    } else if (sample.id === 'vacation-request' || sample.id === 'order-webhook') {
      await expect(page.getByText('This run waits for a person')).toBeVisible({ timeout: 30_000 });
      const { runs } = await host.rpc<{ runs: { runId: string }[] }>('run_list', {});
      const { tasks } = await host.rpc<{ tasks: { id: string }[] }>('task_list', { runId: runs[0]?.runId });
      await host.rpc('task_complete', { taskId: tasks[0]?.id, action: 'approve' });
    }
    await expect(page.locator('.wb-status').getByText('Completed', { exact: true }), sample.title).toBeVisible({ timeout: 30_000 });
  }
});

test('the command palette finds a step, a workflow and a run', async ({ open, host }) => {
  const made = await host.rpc<{ ref: string; document: { nodes: Record<string, { title?: string }> } }>('workflow_create', { sampleId: 'retry-that-tells-you-why', name: 'Palette test' });
  const page = await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  await expect(page.locator('.react-flow__node').first()).toBeVisible();
  const palette = page.getByRole('combobox', { name: /Action, step/ });
  await page.keyboard.press('Control+k');
  await palette.fill('ask the service');
  await page.keyboard.press('Enter');
  await expect(page.locator('.react-flow__node.selected, .react-flow__node:has(.is-sel)').first()).toBeVisible();
  await page.keyboard.press('Control+k');
  await palette.fill('catalog');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Catalog' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await palette.fill('palette test');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/workflow\//);
});

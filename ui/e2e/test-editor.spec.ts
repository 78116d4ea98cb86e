/** A run becomes a test; the form of the test changes what a step gives and what must come out, and the file has both. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openDocument, shot } from './document.ts';
import { expect, test } from './host.ts';

interface Doc { id: string; nodes: Record<string, unknown>; edges: unknown[]; layout: Record<string, [number, number]> }

test('a mock and an expectation are edited, the test fails, is corrected and passes', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Tested totals', {
    nodes: {
      total: { type: 'code.javascript', typeVersion: 1, title: 'Total', config: { source: 'return { total: 6 * 7 }' } },
      mark: { type: 'data.set', typeVersion: 1, title: 'Mark', config: { assign: { ok: true } } },
    },
    edges: [{ from: 'total.success', to: 'mark' }],
    layout: { total: [0, 0], mark: [320, 0] },
  });
  const { runId } = await host.rpc<{ runId: string }>('run_start', { ref: made.ref, params: {} });
  await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status).toBe('completed');
  const { file } = await host.rpc<{ file: string }>('run_save_test', { runId, name: 'Six times seven' });
  const text = () => readFileSync(join(dirname(made.path), file), 'utf8');
  expect(text(), 'the script runs its code').not.toContain('calls:');

  await page.reload();
  await page.getByRole('button', { name: 'Tests' }).click();
  const panel = page.getByRole('dialog', { name: 'Tests of this workflow' });
  const edit = async () => {
    await panel.getByRole('button', { name: 'Edit Six times seven' }).click();
    return page.getByRole('dialog', { name: 'Edit test' });
  };
  let form = await edit();
  await form.getByRole('button', { name: 'Add mock' }).click();
  await form.getByRole('textbox', { name: 'Items as JSON' }).fill('[{"total": 7}]');
  await form.getByRole('button', { name: 'Save and run' }).click();
  await expect(panel.getByText('output/0/total: expected 42, got 7.')).toBeVisible();
  await expect(panel.getByRole('img', { name: 'Failed' })).toBeVisible();
  await shot(page, 'test-editor-red');

  form = await edit();
  await shot(page, 'test-editor-form');
  await form.getByRole('textbox', { name: 'Output of the run as JSON' }).fill('[{"total": 7, "ok": true}]');
  await form.getByRole('button', { name: 'Save and run' }).click();
  await expect(panel.getByText('1 of 1 passed')).toBeVisible();
  await expect(panel.getByRole('img', { name: 'Passed' })).toBeVisible();
  expect(text()).toMatch(/mocks:\n\s*- step: total\n[\s\S]*total: 7/);
  expect(text()).toMatch(/expect:[\s\S]*output:\n\s*- total: 7\n\s*ok: true/);
});

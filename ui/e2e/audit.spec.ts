/** The audit viewer over the chain that the program really writes. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { shot } from './document.ts';
import { expect, type Host, test } from './host.ts';
import { makeWorkflow, MEAN, openTasks, startRun } from './people.ts';

/** Somebody with the file in their hands: what no program of ours does. */
function tamper(host: Host, sql: string): void {
  execFileSync('python3', ['-c', 'import sqlite3,sys; c=sqlite3.connect(sys.argv[1],timeout=10); c.executescript(sys.argv[2]); c.commit()', join(host.data, 'signalbox.db'), sql]);
}
test('records appear, are asked for, hashed again on the page, and verified', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, MEAN);
  const runId = await startRun(host, ref, { name: 'Ada', total: 12, count: 0 });
  const page = await open(`#/audit?query=run:${runId}`);
  await expect(page.getByRole('row', { name: /Task created/ })).toBeVisible({ timeout: 15_000 });
  const task = (await openTasks(host)).find((one) => one.runId === runId);
  await host.rpc('task_complete', { taskId: task?.id, action: 'correct', correctedInput: { name: 'Ada', total: 12, count: 4 }, notes: 'Counted again' });
  // Written elsewhere: it comes by itself.
  await expect(page.getByRole('row', { name: /Run ended/ })).toBeVisible({ timeout: 15_000 });

  await page.getByRole('combobox').fill(`run:${runId} event:HITL_COMPLETED `);
  await expect(page.locator('.vlist .au-row')).toHaveCount(1);
  await page.locator('.vlist .au-row').click();
  await expect(page.getByRole('heading', { name: 'Task completed' })).toBeVisible();
  await expect(page.locator('.au-ds').getByText('Counted again')).toBeVisible();
  await expect(page.getByRole('group', { name: 'Change' })).toContainText('"count": 4');
  // The browser's own SHA-256 over the canonical text gives the stored hash, and the one before is linked.
  await expect(page.locator('.au-ds').getByText('equal', { exact: true })).toBeVisible();
  await page.getByRole('radio', { name: 'Bytes' }).click();
  await expect(page.getByLabel('Canonical bytes')).toContainText('"event":"HITL_COMPLETED"');
  await page.getByRole('button', { name: 'Clear the query' }).first().click();

  await page.getByRole('button', { name: 'Verify chain' }).click();
  await expect(page.getByText(/Every entry matches, up to entry/)).toBeVisible();
  await expect(page.getByText(/Chain intact up to entry/)).toBeVisible();
  await page.getByRole('button', { name: 'What this proves' }).click();
  await expect(page.getByText('Tamper-evident up to the last anchored checkpoint.')).toBeVisible();

  // Exported, and that is a record of its own.
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export evidence' }).click();
  await page.getByRole('radio', { name: 'JSON lines' }).click();
  // UX E7: how much it shows is chosen, and said.
  await page.getByRole('radio', { name: 'Without people' }).click();
  await expect(page.getByText(/People become numbers/)).toBeVisible();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await saved;
  await expect(page.getByRole('row', { name: /Entries exported/ })).toBeVisible({ timeout: 15_000 });
});

test('a value that is half typed is still completed when the answer to it has come', async ({ open, host }) => {
  await startRun(host, (await makeWorkflow(host, { ...MEAN, id: 'half', name: 'Half a word' })).ref, { name: 'Ada', total: 12, count: 0 });
  const page = await open('#/audit');
  await expect(page.getByRole('row', { name: /Task created/ }).first()).toBeVisible({ timeout: 15_000 });
  await page.getByRole('combobox').click();
  await page.keyboard.type('event:NODE_E');
  await expect(page.getByText('No matching entries')).toBeVisible();
  await expect(page.getByRole('listbox', { name: 'Completions' })).toContainText('NODE_ERROR');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('combobox')).toHaveValue(/^event:NODE_ERROR/);
});

test('a query is kept in the settings and found again', async ({ open, host }) => {
  const page = await open('#/audit?query=level%3AERROR');
  await page.getByRole('button', { name: 'Save query' }).click();
  await page.getByLabel(/Name/).fill('Only errors');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('button', { name: 'Only errors', exact: true })).toBeVisible();
  await expect.poll(async () => (await host.rpc<{ queries?: { [name: string]: string } }>('settings_get')).queries).toEqual({ 'Only errors': 'level:ERROR' });
});

test('facets name the types of errors and the workflows, and a half-typed qualifier chooses nothing', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, { ...MEAN, id: 'facets', name: 'Facets of errors' });
  await startRun(host, ref, { name: 'Eve', total: 1, count: 0 });
  const page = await open('#/audit');
  await page.getByRole('checkbox', { name: 'Error type: ValidationError' }).click();
  await expect(page.getByRole('row', { name: /Mean value failed with ValidationError/ }).first()).toBeVisible();
  await expect(page.getByRole('row', { name: /Run started/ })).toHaveCount(0);
  await page.getByRole('checkbox', { name: 'Workflow: Facets of errors' }).click();
  await expect(page.getByRole('combobox')).toHaveValue('error.type:ValidationError workflow:"Facets of errors"');
  await expect(page.locator('.vlist .au-row')).toHaveCount(1);
  await page.getByRole('combobox').fill('level:');
  await expect(page.getByRole('checkbox', { name: /^Level/ }).first()).not.toBeChecked();
});

test('what an entry keeps apart: kept, erased, lost and changed are told, in the list, the record and above', async ({ open, host }) => {
  const record = async (event: string, snapshot: object) => await host.rpc<{ seq: number }>('audit_record', {
    timestamp: '2026-11-22T08:00:00Z', event, level: 'INFO', actor: { type: 'human', id: 'user:eve' }, nodeId: 'n', runId: 'outside', contextSnapshot: snapshot,
  });
  const [kept, erased, lost, changed] = [await record('APART_KEPT', { n: 1 }), await record('APART_ERASED', { n: 2 }), await record('APART_LOST', { n: 3 }), await record('APART_CHANGED', { n: 4 })];
  await host.rpc('audit_erase', { seq: erased.seq, reason: 'asked for' });
  const hashOf = async (seq: number) => (await host.rpc<{ entry: { contextSnapshotHash: string } }>('audit_get', { seq })).entry.contextSnapshotHash;
  tamper(host, `delete from blob where hash = '${await hashOf(lost.seq)}'; update blob set data = cast('{"n":5}' as blob) where hash = '${await hashOf(changed.seq)}';`);
  const page = await open('#/audit?query=run:outside');
  const see = async (name: string, state: string) => {
    await page.locator('.vlist .au-row', { hasText: name }).click();
    await expect(page.locator(`[data-apart="${state}"]`)).toBeVisible();
    await shot(page, `apart-${state}`);
  };
  await see('Apart kept', 'kept');
  await expect(page.locator('[data-apart]')).toContainText('as sealed');
  await see('Apart lost', 'lost');
  await see('Apart changed', 'changed');
  await expect(page.locator('[data-apart]')).toContainText('Present hash');
  await expect(page.locator('.au-row', { hasText: 'Apart changed' }).getByLabel('The payload was changed')).toBeVisible();
  await see('Apart erased', 'erased');
  await page.locator('[data-apart]').getByRole('button', { name: /^Entry \d+$/ }).click();
  await expect(page.getByRole('heading', { name: 'Payload erased' })).toBeVisible();
  // The chain fits, and what it does not hold is said beside it.
  await page.getByRole('button', { name: 'Verify chain' }).click();
  await expect(page.getByText(/Chain intact up to entry/)).toBeVisible();
  await expect(page.locator('[data-payloads="lost"]')).toContainText(`The payload of entry ${String(lost.seq)} is lost`);
  await page.locator('[data-payloads="changed"]').getByRole('button', { name: 'Go to entry' }).click();
  await expect(page).toHaveURL(new RegExp(`#/audit/${String(changed.seq)}\\b`));
  expect(kept.seq).toBeLessThan(erased.seq);
  await shot(page, 'apart-verdict');
});

test('a decision that was changed in the store shows at its entry', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, { ...MEAN, id: 'tampered', name: 'Tampered decision' });
  const runId = await startRun(host, ref, { name: 'Ada', total: 12, count: 0 });
  await expect.poll(async () => (await openTasks(host)).some((one) => one.runId === runId)).toBe(true);
  const task = (await openTasks(host)).find((one) => one.runId === runId);
  await host.rpc('task_complete', { taskId: task?.id, action: 'correct', correctedInput: { name: 'Ada', total: 12, count: 4 }, notes: 'Counted again' });
  const page = await open(`#/audit?query=run:${runId}`);
  await page.locator('.vlist .au-row', { hasText: 'Task completed' }).click();
  await expect(page.locator('[data-apart="kept"]')).toBeVisible();
  tamper(host, `update task_body set body = replace(body, '"count":4', '"count":9') where task = '${task?.id ?? ''}' and part = 'decision';`);
  await page.reload();
  await expect(page.locator('[data-apart="changed"]')).toBeVisible();
});

test('an entry changed in the file: red banner, the record, its hash, and the list shows what is there now', async ({ open, host }) => {
  const { seq } = await host.rpc<{ seq: number }>('audit_record', { timestamp: '2026-11-22T08:00:00Z', event: 'PAID', level: 'INFO', actor: { type: 'human', id: 'user:eve' }, nodeId: 'n', runId: 'paid', metadata: { message: 'Paid 100' } });
  await host.rpc('audit_record', { timestamp: '2026-11-22T08:00:00Z', event: 'AFTER', level: 'INFO', actor: { type: 'human', id: 'user:eve' }, nodeId: 'n', runId: 'paid' });
  const page = await open('#/audit?query=run:paid');
  await expect(page.getByRole('row', { name: /Paid 100/ })).toBeVisible();
  tamper(host, `update audit_entry set entry = replace(entry, 'Paid 100', 'Paid 900') where seq = ${String(seq)};`);
  await page.getByRole('button', { name: 'Verify chain' }).click();
  await expect(page.getByRole('alert').filter({ hasText: `Chain broken at entry ${seq.toLocaleString('en')}` })).toBeVisible();
  await expect(page.getByRole('row', { name: /Paid 900/ })).toBeVisible();
  await page.getByRole('alert').getByRole('button', { name: 'Go to entry' }).first().click();
  await expect(page.getByText('not equal', { exact: true })).toBeVisible();
  // Wherever one goes, the rail says it.
  await expect(page.getByRole('link', { name: /Audit.*broken/ })).toBeVisible();
  await shot(page, 'broken');
  // Other tests share this program.
  tamper(host, `update audit_entry set entry = replace(entry, 'Paid 900', 'Paid 100') where seq = ${String(seq)};`);
  expect((await host.rpc<{ state: string }>('audit_verify', { full: true })).state).toBe('intact');
});

test('retention: old records go after a question, a signed record stands for them, and the chain says so', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, { ...MEAN, id: 'old', name: 'Old runs' });
  await startRun(host, ref, { name: 'Old', total: 12, count: 3 });
  await expect.poll(async () => (await host.rpc<{ runs: { status: string; workflowName: string }[] }>('run_list', {})).runs.find((one) => one.workflowName === 'Old runs')?.status).toBe('completed');
  // Runs of other tests that wait for somebody would keep their records.
  for (const task of (await openTasks(host)).filter((one) => one.state === 'open')) await host.rpc('task_complete', { taskId: task.id, action: 'abort' });
  await expect.poll(async () => (await host.rpc<{ held?: unknown }>('audit_retention')).held).toBeUndefined();
  // An export seals a checkpoint: up to there records may go.
  await host.rpc('audit_export', { format: 'jsonl' });
  const { head } = await host.rpc<{ head: { size: number } }>('audit_list', { limit: 1 });
  tamper(host, `update audit_entry set ts = 1000, ts_high = 1000 where seq < ${String(head.size)};`);

  const page = await open('#/settings');
  const part = page.getByRole('region', { name: 'Audit retention' });
  await expect(part).toContainText('Nothing was removed yet.');
  await part.getByRole('combobox', { name: 'Keep entries' }).click();
  await page.getByRole('option', { name: '90 days' }).click();
  await expect(page.getByRole('alertdialog').or(page.getByRole('dialog'))).toContainText('Remove entries older than 90 days?');
  await page.getByRole('button', { name: 'Save' }).click();
  await part.getByRole('button', { name: 'Remove old entries now' }).click();
  await page.getByRole('alertdialog').or(page.getByRole('dialog')).getByRole('button', { name: 'Remove old entries now' }).click();
  await expect(page.locator('.toast').filter({ hasText: 'removed' })).toBeVisible();
  await expect(part).toContainText(`The first ${head.size.toLocaleString('en')} entries were removed`);
  await shot(page, 'retention-settings');
  await part.getByRole('button', { name: /^Entry / }).click();
  await expect(page.getByRole('heading', { name: 'Old entries removed' })).toBeVisible();
  await expect(page.getByText(`starts at ${head.size.toLocaleString('en')}: older entries were removed by retention`)).toBeVisible();
  await page.getByRole('button', { name: 'Verify chain' }).click();
  await expect(page.getByText(/Chain intact up to entry/)).toBeVisible();
  await shot(page, 'retention-audit');
  await host.rpc('audit_retention_set', {});
});


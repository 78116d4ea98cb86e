/** People answer in the inbox: against the real program, with runs that wait for them. */
import { expect, test } from './host.ts';
import { APPROVAL, makeWorkflow, MEAN, openTasks, startRun } from './people.ts';

const status = (host: { rpc<T>(command: string, payload?: unknown): Promise<T> }, runId: string) => async () => (await host.rpc<{ status: string }>('run_get', { runId })).status;

test.describe.configure({ mode: 'serial' });

test('a correction: form, check, difference, undo, then the run goes on', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, MEAN);
  const page = await open('#/inbox');
  const runId = await startRun(host, ref, { name: 'Ada', total: 12, count: 0, email: 'ada@example.org' });
  // It appears by itself, in the list and in the rail.
  await expect(page.getByRole('row', { name: /No mean for Ada/ })).toBeVisible({ timeout: 15_000 });
  await expect(page.getByRole('navigation', { name: 'Main' }).getByLabel(/^\d+ open$/)).toBeVisible();
  await page.getByRole('row', { name: /No mean for Ada/ }).click();
  await expect(page.getByRole('heading', { name: 'No mean for Ada' })).toBeVisible();
  await expect(page.getByText('A count of 0 is a typing error most of the time.')).toBeVisible();
  // An e-mail address is masked, and does not reach the page.
  await expect(page.getByText('ada@example.org')).toHaveCount(0);

  await page.getByLabel('Count').fill('3');
  await expect(page.getByText('Valid for this step')).toBeVisible();
  await page.keyboard.press('Control+Enter');
  const dialog = page.getByRole('dialog', { name: 'Send this correction?' });
  await expect(dialog.getByRole('group', { name: 'Changes' })).toContainText('"count": 3');
  await dialog.getByLabel('Note').fill('Typed 0 for 3');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/^sent in \d s$/)).toBeVisible();
  // Taken back: nothing was sent, what was written is there.
  await page.getByRole('region', { name: 'Decisions being sent' }).getByRole('button', { name: /Undo/ }).click();
  await expect(page.getByLabel('Count')).toHaveValue('3');
  const ofRun = async () => (await openTasks(host)).find((one) => one.runId === runId);
  expect((await ofRun())?.state).toBe('open');

  await page.getByRole('button', { name: /Correct and retry/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: /Correct and retry/ }).click();
  // A reload in between loses nothing.
  await page.reload();
  await expect.poll(status(host, runId), { timeout: 20_000 }).toBe('completed');
  const { output } = await host.rpc<{ output: unknown }>('run_get', { runId });
  expect(JSON.stringify(output)).toContain('"mean":4');
  expect(JSON.stringify(output)).toContain('ada@example.org');
  const task = await ofRun();
  const record = await host.rpc<{ decision: { notes: string; patch: unknown[] } }>('task_get', { taskId: task?.id });
  expect(record.decision.notes).toBe('Typed 0 for 3');
  expect(record.decision.patch).toHaveLength(1);
});

test('another type of a value: without a schema the form takes what the engine takes', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, { ...MEAN, name: 'Types' });
  const runId = await startRun(host, ref, { name: 'Typed', total: 12, count: '3' });
  const page = await open('#/inbox');
  await page.getByRole('row', { name: /No mean for Typed/ }).click();
  const form = page.getByRole('group', { name: 'Correct the input' });
  const main = page.locator('.ib-act .btn.pri');
  // The step says that it is no use to try again: the correction leads.
  await expect(main).toContainText('Correct and retry');
  // A number becomes a text: no field says no, one line says how it goes.
  await page.getByLabel('Total').fill('a dozen');
  await expect(page.getByText('Valid for this step')).toBeVisible();
  await expect(page.getByText('Not a number: it is sent as text.')).toBeVisible();
  await expect(form.locator('.c-err, .bad')).toHaveCount(0);
  await expect(main).toContainText('Correct and retry');
  await page.getByLabel('Total').fill('12');
  // A text becomes a number: the kind of the value stands before the field.
  await form.locator('.form-cell', { has: page.getByLabel('Count') }).getByLabel('Type of value').selectOption('number');
  await expect(page.getByText('Not a number: it is sent as text.')).toHaveCount(0);
  await page.getByLabel('Count').press('Control+Enter');
  await expect(page.getByRole('dialog').getByRole('group', { name: 'Changes' })).toContainText('"count": 3');
  await page.keyboard.press('Control+Enter');
  await expect.poll(status(host, runId), { timeout: 20_000 }).toBe('completed');
  const { output } = await host.rpc<{ output: unknown }>('run_get', { runId });
  expect(JSON.stringify(output)).toContain('"mean":4');
});

test('another was faster: who and when, and what was written is kept', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, { ...MEAN, name: 'Two people' });
  await startRun(host, ref, { name: 'Grace', total: 1, count: 0 });
  const page = await open('#/inbox');
  await page.getByRole('row', { name: /No mean for Grace/ }).click();
  await page.getByLabel('Count').fill('1');
  await expect(page.getByText('Valid for this step')).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('Control+Enter');
  const task = (await openTasks(host)).find((one) => one.title.includes('Grace'));
  await host.rpc('task_complete', { taskId: task?.id, action: 'skip' });
  const alert = page.getByRole('region', { name: 'Decisions being sent' }).getByRole('alert');
  await expect(alert).toContainText('decided this task at', { timeout: 15_000 });
  await alert.getByRole('button', { name: 'Open' }).click();
  await expect(page.getByText('Skipped').first()).toBeVisible();
});

test('answered at a terminal: seen at once, by whom, and what was written is kept', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, { ...MEAN, name: 'From elsewhere' });
  await startRun(host, ref, { name: 'Linus', total: 1, count: 0 });
  const page = await open('#/inbox');
  const row = page.getByRole('row', { name: /No mean for Linus/ });
  await row.click();
  await page.getByLabel('Count').fill('7');
  await page.getByLabel(/^Note/).fill('Typed 0 for 7');
  await expect(page.getByText('Valid for this step')).toBeVisible();
  const task = (await openTasks(host)).find((one) => one.title.includes('Linus') && one.state === 'open');
  const counted = page.waitForResponse((answer) => answer.url().endsWith('/rpc/task_get'));
  await host.terminal('tasks', 'complete', task?.id ?? '', '--action', 'skip', '--as', 'user:grace');
  await counted;
  await expect(page.getByText(/^grace answered this task at .*: skipped$/)).toBeVisible();
  await expect(row).toBeHidden();
  await expect(page.getByRole('button', { name: /Retry as is|Correct and retry|Abort/ })).toHaveCount(0);
  const box = page.getByRole('region', { name: 'Task' });
  await expect(box.getByText('Typed 0 for 7')).toBeVisible();
  await expect(box.getByRole('group', { name: 'Your changes' })).toContainText('"count": 7');
});

test('many at once: one correction where it fits, a result for each', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, { ...MEAN, name: 'Many' });
  const runs = await Promise.all([1, 2, 3].map((n) => startRun(host, ref, { name: `Many ${String(n)}`, total: n * 10, count: 0 })));
  await expect.poll(async () => (await openTasks(host)).filter((one) => one.title.includes('Many') && one.state === 'open').length, { timeout: 15_000 }).toBe(3);
  const page = await open('#/inbox');
  await page.getByRole('row', { name: /No mean for Many 1/ }).click();
  await page.getByLabel('Count').fill('5');
  await expect(page.getByText('Valid for this step')).toBeVisible();
  await page.getByRole('button', { name: 'Review all' }).click();
  await expect(page.getByRole('heading', { name: '3 tasks with the same failure' })).toBeVisible();
  await expect(page.getByText('3 fit')).toBeVisible();
  await page.getByRole('button', { name: /Correct and retry: 3/ }).click();
  for (const runId of runs) await expect.poll(status(host, runId), { timeout: 20_000 }).toBe('completed');
  await expect(page.getByText('All 3 tasks decided')).toBeVisible();
});

test('an approval by keys, a claim, a comment', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, APPROVAL);
  const runId = await startRun(host, ref, { amount: 18_400 });
  const page = await open('#/inbox');
  await page.getByRole('row', { name: /Approve payment of 18400 EUR/ }).click();
  // The heading is there before the task is; keys act on the task.
  await expect(page.getByRole('button', { name: /^Approve/ }).first()).toBeEnabled();
  await page.keyboard.press('c');
  await expect(page.getByText(/Claimed by you, released in 1\d min/)).toBeVisible();
  await page.getByRole('tab', { name: /History/ }).click();
  await page.getByLabel('Comment').fill('Looked at the <b>contract</b> \u202efdp');
  await page.getByRole('button', { name: 'Add comment' }).click();
  // Letters, not markup; the mark of direction is seen.
  await expect(page.getByText('Looked at the <b>contract</b>')).toBeVisible();
  await expect(page.getByTitle(/U\+202E/).first()).toBeVisible();
  await page.getByRole('tab', { name: /History/ }).focus();
  await page.keyboard.press('a');
  await expect.poll(status(host, runId), { timeout: 20_000 }).toBe('completed');
});

test('UX-D2.3 another works on it: no button that is refused, and taking it over is one step away', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, { ...MEAN, name: 'Delivered' });
  await startRun(host, ref, { name: 'Delivered', total: 4, count: 0 });
  await expect.poll(async () => (await openTasks(host)).some((one) => one.title.includes('Delivered'))).toBe(true);
  const found = (await openTasks(host)).find((one) => one.title.includes('Delivered'));
  await host.terminal('tasks', 'claim', found?.id ?? '', '--as', 'user:grace');
  const page = await open('#/inbox');
  await page.getByRole('row', { name: /No mean for Delivered/ }).click();
  const task = page.getByRole('region', { name: 'Task' });
  await expect(task.getByText(/^Claimed by grace/)).toBeVisible();
  await expect(task.getByRole('button', { name: /^Skip/ })).toBeDisabled();
  await expect(task.getByRole('button', { name: /^Skip/ })).toHaveAttribute('title', 'grace is working on this task: take it over first');
  await task.getByRole('button', { name: 'Take over' }).click();
  await expect(task.getByText(/^Claimed by you/)).toBeVisible();
  await expect(task.getByRole('button', { name: /^Skip/ })).toBeEnabled();
});

test('UX-D2.2 Escape leaves a field for the list, and letters are keys again', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, { ...MEAN, name: 'Escape' });
  for (const n of [1, 2]) await startRun(host, ref, { name: `Escape ${String(n)}`, total: 4, count: 0 });
  const page = await open('#/inbox');
  await page.getByRole('row', { name: /No mean for Escape 1/ }).click();
  const task = page.getByRole('region', { name: 'Task' });
  await expect(task.getByRole('heading', { name: 'No mean for Escape 1' })).toBeVisible();
  // The head of a task is there before its form.
  await expect(task.getByLabel(/^Note/)).toBeVisible();
  await page.keyboard.press('n');
  await expect(task.getByLabel(/^Note/)).toBeFocused();
  await page.keyboard.type('jot');
  await expect(task.getByLabel(/^Note/)).toHaveValue('jot');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('grid', { name: 'Tasks' })).toBeFocused();
  await page.keyboard.press('c');
  await expect(task.getByText(/^Claimed by you/)).toBeVisible();
  await expect(task.getByLabel(/^Note/)).toHaveValue('jot');
});

test('UX-D2.7 a correction for all reaches those that it fits; what stands for several items stays', async ({ open, host }) => {
  const nodes = MEAN.nodes as { [id: string]: object };
  const rows = { ...MEAN, name: 'Rows', nodes: { ...nodes, start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' }, split: { type: 'data.transform', typeVersion: 1, title: 'Split', config: { expression: 'item.rows', split: true } } },
    edges: [{ from: 'start.success', to: 'split' }, { from: 'split.success', to: 'mean' }, ...(MEAN.edges as { from: string; to: string }[]).slice(1)] };
  const { ref } = await makeWorkflow(host, rows);
  const runId = await startRun(host, ref, { rows: Array.from({ length: 103 }, (_, n) => ({ name: `Row ${String(n)}`, total: 4, count: 0 })) });
  await expect.poll(async () => (await openTasks(host)).filter((one) => one.runId === runId).length, { timeout: 30_000 }).toBe(101);
  const page = await open(`#/inbox/${(await openTasks(host)).find((one) => one.runId === runId)?.id ?? ''}`);
  const task = page.getByRole('region', { name: 'Task' });
  await task.getByLabel('Count', { exact: true }).fill('2');
  await expect(task.getByText('Valid for this step')).toBeVisible();
  await task.getByRole('button', { name: 'Review all' }).click();
  await expect(page.getByText('100 fit')).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText('1 does not, left in the inbox')).toBeVisible();
  await page.getByRole('button', { name: /Correct and retry: 100/ }).click();
  await expect.poll(async () => (await openTasks(host)).filter((one) => one.runId === runId && one.state === 'open').length, { timeout: 30_000 }).toBe(1);
});

test('UX-D2.4 a form sends the defaults that it shows', async ({ open, host }) => {
  const form = {
    signalbox: 1, id: 'form', name: 'New supplier',
    nodes: {
      start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
      ask: { type: 'builtin.human_form', typeVersion: 1, title: 'Ask', config: { title: 'Which account for {{item.name}}?', schema: { type: 'object', required: ['limit', 'kind'], properties: {
        limit: { type: 'number', title: 'Limit' }, kind: { type: 'string', title: 'Kind', enum: ['bank', 'card'], default: 'bank' }, active: { type: 'boolean', title: 'Active', default: true } } } } },
      end: { type: 'flow.stop', typeVersion: 1, title: 'Done' },
    },
    edges: [{ from: 'start.success', to: 'ask' }, { from: 'ask.success', to: 'end' }], layout: { start: [0, 0], ask: [248, 0], end: [496, 0] },
  };
  const { ref } = await makeWorkflow(host, form);
  const runId = await startRun(host, ref, { name: 'Acme' });
  const page = await open('#/inbox');
  await page.getByRole('row', { name: /Which account for Acme/ }).click();
  const task = page.getByRole('region', { name: 'Task' });
  await task.getByRole('textbox', { name: /^Limit/ }).fill('7');
  await task.getByRole('button', { name: 'Reset' }).click();
  await expect(task.getByRole('textbox', { name: /^Limit/ })).toHaveValue('');
  await task.getByRole('textbox', { name: /^Limit/ }).fill('2500.5');
  await expect(task.getByText('Valid for this step')).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog', { name: 'Send these values?' }).getByRole('button', { name: /^Submit/ }).click();
  await expect.poll(status(host, runId), { timeout: 20_000 }).toBe('completed');
  const { output } = await host.rpc<{ output: unknown[] }>('run_get', { runId });
  expect(JSON.stringify(output)).toMatch(/"limit":2500.5/);
  expect(JSON.stringify(output)).toMatch(/"kind":"bank"/);
  expect(JSON.stringify(output)).toMatch(/"active":true/);
});

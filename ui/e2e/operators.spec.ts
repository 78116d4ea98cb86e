/** What operators arrange: views of their own, several eyes, answering for others. Against the real program. */
import { expect, test } from './host.ts';
import { APPROVAL, makeWorkflow, MEAN, openTasks, startRun } from './people.ts';

test.describe.configure({ mode: 'serial' });

test('a view of their own: saved, counted, chosen after a reload, forgotten; the order of the list', async ({ open, host }) => {
  // Neither is due today: then the more important one stands first (ADR 59).
  const soon = { ...MEAN, name: 'Due soon', nodes: { ...(MEAN.nodes as object), ask: { type: 'builtin.human_decision', typeVersion: 1, title: 'Ask', config: { title: 'Soon {{item.name}}', ttlMs: 172_800_000, priority: 1 } } } };
  const later = { ...MEAN, name: 'Due later', nodes: { ...(MEAN.nodes as object), ask: { type: 'builtin.human_decision', typeVersion: 1, title: 'Ask', config: { title: 'Later {{item.name}}', ttlMs: 345_600_000, priority: 99 } } } };
  for (const one of [later, soon]) await startRun(host, (await makeWorkflow(host, one)).ref, { name: 'Ada', total: 1, count: 0 });
  const page = await open('#/inbox');
  const rows = page.getByRole('grid', { name: 'Tasks' }).getByRole('row', { name: /(Soon|Later) Ada/ });
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText('Later Ada');
  await page.getByRole('button', { name: 'Sort order' }).click();
  await page.getByRole('menuitem', { name: 'By deadline' }).click();
  await expect(rows.first()).toContainText('Soon Ada');

  await page.getByRole('searchbox', { name: 'Search tasks' }).fill('Later');
  await expect(rows).toHaveCount(1);
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('menuitem', { name: 'Save this view…' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('What can wait');
  await page.getByRole('dialog').getByRole('button', { name: /Save/ }).click();
  const chip = page.getByRole('button', { name: /^What can wait/ });
  await expect(chip).toHaveText(/What can wait\s*1/);
  await page.reload();
  await expect(rows).toHaveCount(2);
  await chip.click();
  await expect(rows).toHaveCount(1);
  await expect(chip).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('menuitem', { name: 'Delete "What can wait"' }).click();
  await expect(chip).toHaveCount(0);
});

test('four eyes: one approval is not enough, and the same person counts once', async ({ open, host }) => {
  const nodes = APPROVAL.nodes as { [id: string]: { config?: object } };
  const four = { ...APPROVAL, name: 'Four eyes', nodes: { ...nodes, ask: { ...nodes.ask, config: { title: 'Release {{item.amount}} EUR', minApprovals: 2 } } } };
  const { ref } = await makeWorkflow(host, four);
  const runId = await startRun(host, ref, { amount: 99 });
  const page = await open('#/inbox');
  await page.getByRole('row', { name: /Release 99 EUR/ }).click();
  const task = page.getByRole('region', { name: 'Task' });
  await expect(task.getByText('0 of 2 approvals').first()).toBeVisible();
  await task.getByRole('button', { name: /^Approve/ }).click();
  await expect(page.getByText('Your approval counts: 1 of 2. The run waits for another person.')).toBeVisible({ timeout: 15_000 });
  await page.getByRole('row', { name: /Release 99 EUR/ }).click();
  await expect(task.getByText('1 of 2 approvals').first()).toBeVisible();
  await expect(task.getByText('You have approved: another person must approve, too')).toBeVisible();
  await expect(task.getByRole('button', { name: /^Approve/ })).toBeDisabled();
  await expect(task.getByRole('button', { name: /^Reject/ })).toBeEnabled();
  expect((await host.rpc<{ status: string }>('run_get', { runId })).status).toBe('paused');
  // Changing one's mind is possible, and enough.
  await task.getByRole('button', { name: /^Reject/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: /Reject/ }).click();
  await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status, { timeout: 20_000 }).toBe('completed');
});

test('who started the run may not approve it', async ({ open, host }) => {
  const nodes = APPROVAL.nodes as { [id: string]: { config?: object } };
  const other = { ...APPROVAL, name: 'Not by me', nodes: { ...nodes, ask: { ...nodes.ask, config: { title: 'Pay me {{item.amount}}', noSelfApproval: true } } } };
  await startRun(host, (await makeWorkflow(host, other)).ref, { amount: 7 });
  const page = await open('#/inbox');
  await page.getByRole('row', { name: /Pay me 7/ }).click();
  const task = page.getByRole('region', { name: 'Task' });
  await expect(task.getByText('You started this run: another person must approve it')).toBeVisible();
  await expect(task.getByRole('button', { name: /^Approve/ })).toBeDisabled();
});

test('UX-D2.1 a snoozed task leaves the list and its count, is found by a search, and comes back', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, { ...APPROVAL, name: 'Snoozed ones' });
  await startRun(host, ref, { amount: 4242 });
  await expect.poll(async () => (await openTasks(host)).filter((one) => one.title.includes('4242')).length, { timeout: 15_000 }).toBe(1);
  const page = await open('#/inbox');
  const row = page.getByRole('row', { name: /4242 EUR/ });
  await row.click();
  // The keys of a task are those of the one that is shown.
  await expect(page.getByRole('region', { name: 'Task' }).getByRole('button', { name: /^Snooze/ })).toBeVisible();
  await page.keyboard.press('z');
  await page.getByRole('dialog', { name: 'Snooze until' }).getByRole('button', { name: 'In 4 hours' }).click();
  await expect(row).toHaveCount(0);
  await page.getByRole('searchbox', { name: 'Search tasks' }).fill('4242');
  await expect(row).toBeVisible();
  await page.getByRole('searchbox', { name: 'Search tasks' }).fill('');
  await page.getByRole('button', { name: /^Snoozed/ }).click();
  await row.click();
  await page.getByRole('button', { name: 'Wake up' }).click();
  await expect(row).toHaveCount(0);
  await page.getByRole('button', { name: /^All open/ }).click();
  await expect(row).toBeVisible();
});

test('UX-D2.8 waiting for somebody else: the time stands still, is taken up again, and all of it is on record', async ({ open, host }) => {
  const nodes = APPROVAL.nodes as { [id: string]: { config?: object } };
  const timed = { ...APPROVAL, name: 'Timed', nodes: { ...nodes, ask: { ...nodes.ask, config: { title: 'Ask the bank {{item.amount}}', ttlMs: 7_200_000 } } } };
  await startRun(host, (await makeWorkflow(host, timed)).ref, { amount: 12 });
  const page = await open('#/inbox');
  await page.getByRole('row', { name: /Ask the bank 12/ }).click();
  const task = page.getByRole('region', { name: 'Task' });
  await expect(task.locator('.ib-due').getByText(/^\d.* left$/)).toBeVisible();
  await task.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Put on hold…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Put on hold' });
  await expect(dialog.getByRole('button', { name: /Put on hold/ })).toBeDisabled();
  await dialog.getByLabel('Waiting for').fill('The bank calls back');
  await dialog.getByRole('button', { name: /Put on hold/ }).click();
  await expect(task.getByText(/^On hold, .* left$/)).toBeVisible({ timeout: 15_000 });
  await expect(page.getByRole('row', { name: /Ask the bank 12/ })).toContainText('On hold');
  // It may be decided all the same.
  await expect(task.getByRole('button', { name: /^Approve/ })).toBeEnabled();
  await task.getByRole('button', { name: 'Continue' }).click();
  await expect(task.getByText(/^On hold/)).toHaveCount(0, { timeout: 15_000 });
  await expect(task.locator('.ib-due').getByText(/^\d.* left$/)).toBeVisible();
  await task.getByRole('tab', { name: /History/ }).click();
  await expect(task.getByText('The bank calls back')).toBeVisible();
  await expect(task.getByText(/continued it/)).toBeVisible();
});

test('somebody answers in their name: made, shown, ended', async ({ open, host }) => {
  const page = await open('#/inbox');
  await page.getByRole('button', { name: 'Delegate' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delegate your tasks' });
  await dialog.getByLabel('Until').fill('2001-01-01T00:00');
  await expect(dialog.getByText('The end must be after the start and in the future')).toBeVisible();
  await dialog.getByLabel('Until').fill(new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 16));
  await dialog.getByLabel('Who').fill('bob');
  await dialog.getByRole('button', { name: 'Delegate' }).click();
  await expect(dialog.getByText(/^bob answers for /)).toBeVisible();
  // What it says and what ends it stand on one line.
  const [said, end] = await Promise.all([dialog.getByText(/^bob answers for /).boundingBox(), dialog.getByRole('button', { name: 'End the delegation to bob' }).boundingBox()]);
  expect(Math.max(said?.y ?? 0, end?.y ?? 0)).toBeLessThan(Math.min((said?.y ?? 0) + (said?.height ?? 0), (end?.y ?? 0) + (end?.height ?? 0)));
  const [made] = await host.rpc<{ to: string; active: boolean }[]>('delegation_list');
  expect(made).toMatchObject({ to: 'user:bob', active: true });
  await dialog.getByRole('button', { name: 'End the delegation to bob' }).click();
  await expect(dialog.getByText(/^bob answers for /)).toHaveCount(0);
});

test('a file of a task is listed with name and size, and saved', async ({ open, host }) => {
  const nodes = APPROVAL.nodes as { [id: string]: { config?: object } };
  const paper = { ...APPROVAL, name: 'Papers', nodes: { ...nodes, ask: { ...nodes.ask, config: { title: 'Review the paper' } } } };
  const { ref } = await makeWorkflow(host, paper);
  await startRun(host, ref, { paper: { path: 'in/0412.pdf', size: 4, content: 'JVBERg==' } });
  const page = await open('#/inbox');
  await page.getByRole('row', { name: /Review the paper/ }).click();
  const files = page.getByRole('list', { name: 'Files' });
  await expect(files).toContainText('0412.pdf');
  const saved = page.waitForEvent('download');
  await files.getByRole('button', { name: 'Save 0412.pdf' }).click();
  expect((await saved).suggestedFilename()).toBe('0412.pdf');
  await page.getByRole('tab', { name: /History/ }).click();
  await expect(page.getByText(/downloaded a file/)).toBeVisible();
});

test('a task that comes while nobody looks: the title counts it, the system says it, a press opens it', async ({ open, host, page: page0 }) => {
  await page0.addInitScript(() => {
    // The browser's own messages cannot be seen by a test.
    const said: { title: string; shown: { onclick?: () => void } }[] = [];
    class Said {
      static permission = 'default';
      static requestPermission = () => { Said.permission = 'granted'; return Promise.resolve('granted'); };
      onclick?: () => void;
      constructor(title: string) { said.push({ title, shown: this }); }
      close() { /* Nothing to close. */ }
    }
    Object.assign(window, { Notification: Said, said });
    document.hasFocus = () => false;
  });
  const page = await open('#/settings');
  await expect(page).toHaveTitle(/^\(\d+\) .+ · Signalbox$/);
  // The first look: what is there already is not said.
  const looked = page.waitForResponse((response) => response.url().endsWith('/rpc/task_list') && (response.request().postData() ?? '').includes('"all"'));
  await page.getByRole('switch', { name: 'Notify me about new tasks' }).click();
  await expect(page.getByRole('switch', { name: 'Notify me about new tasks' })).toBeChecked();
  await looked;
  await startRun(host, (await makeWorkflow(host, { ...MEAN, name: 'Comes now' })).ref, { name: 'Nobody', total: 1, count: 0 });
  const titles = () => page.evaluate(() => (window as unknown as { said: { title: string }[] }).said.map((one) => one.title));
  await expect.poll(titles, { timeout: 20_000 }).toEqual(['No mean for Nobody']);
  await page.evaluate(() => (window as unknown as { said: { shown: { onclick?: () => void } }[] }).said[0]?.shown.onclick?.());
  await expect(page.getByRole('heading', { name: 'No mean for Nobody' })).toBeVisible();
  // UX-D2.10: coming here claims nothing; the offer does when it is taken.
  const task = page.getByRole('region', { name: 'Task' });
  const offer = task.getByRole('status').filter({ hasText: 'You came from a notification.' });
  await expect(offer).toBeVisible();
  const [open1] = (await host.rpc<{ tasks: { title: string; claimedBy?: string }[] }>('task_list', { text: 'Nobody' })).tasks;
  expect(open1?.claimedBy).toBeUndefined();
  await offer.getByRole('button', { name: 'Claim' }).click();
  await expect(task.getByText(/Claimed by you/)).toBeVisible();
  await expect(offer).toHaveCount(0);
});

/** A failed run goes to the inbox; what is left out of the audit; rules of the chain; a long decision. Against the real program. */
import { shot } from './document.ts';
import { expect, test } from './host.ts';
import { makeWorkflow, MEAN, openTasks, startRun } from './people.ts';

const FAILS = {
  ...MEAN, name: 'Fails',
  nodes: Object.fromEntries(Object.entries(MEAN['nodes'] as { [id: string]: object }).filter(([id]) => id !== 'ask')),
  edges: [{ from: 'start.success', to: 'mean' }, { from: 'mean.success', to: 'end' }], layout: { start: [0, 0], mean: [248, 0], end: [496, 0] },
};

test('UX-C23 a failed run is sent to the inbox, once, and goes on with the answer', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, FAILS);
  const runId = await startRun(host, ref, { name: 'Ada', total: 10, count: 0 });
  const page = await open(`#/run/${runId}`);
  const send = page.getByRole('button', { name: 'Send to inbox' });
  await expect(send).toBeVisible({ timeout: 20_000 });
  await shot(page, 'failed-run');
  // Two presses before the first is answered.
  await send.dblclick();
  const way = page.getByRole('alert').getByRole('button', { name: 'Open the task' });
  await expect(way).toBeVisible({ timeout: 20_000 });
  await shot(page, 'failed-run-sent');
  const sentTasks = async () => (await openTasks(host)).filter((one) => one.workflowName === FAILS.name);
  const [sent, ...more] = await sentTasks();
  expect([sent?.title, more]).toEqual([expect.stringContaining('Mean value'), []]);
  await way.click();
  const task = page.getByRole('region', { name: 'Task', exact: true });
  await expect(task.getByText(/A failed run, sent by/)).toBeVisible();
  await shot(page, 'sent-task');
  await task.getByRole('button', { name: /^Skip/ }).click();
  await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId: sent?.runId ?? '' })).status, { timeout: 20_000 }).toBe('completed');
  const found = await host.rpc<{ entries: { event: string; runId: string }[] }>('audit_list', { query: 'event:RUN_SENT_TO_INBOX' });
  expect(found.entries.map((one) => one.runId)).toEqual([runId]);
});

test('UX-E4 what is left out of a query is nowhere, and comes back', async ({ open, host }) => {
  await startRun(host, (await makeWorkflow(host, { ...FAILS, name: 'Left out' })).ref, { name: 'Ada', total: 10, count: 2 });
  const page = await open('#/audit');
  const facet = page.getByRole('checkbox', { name: 'Event: Step started' });
  await expect(facet).toBeVisible({ timeout: 20_000 });
  await facet.hover();
  await page.getByRole('button', { name: 'Exclude Step started' }).click();
  await expect(page.getByRole('combobox').first()).toHaveValue('-event:NODE_START');
  await expect(page.getByRole('grid').getByText('Step started')).toHaveCount(0);
  await page.getByRole('combobox').first().press('End');
  await page.getByRole('combobox').first().pressSequentially(' -"run ended" -act');
  await expect(page.getByRole('option', { name: '-actor:' })).toBeVisible();
  await shot(page, 'audit-without');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('option', { name: /system/ })).toBeVisible();
  await page.getByRole('combobox').first().fill('-event:NODE_START');
  await page.getByRole('button', { name: 'Stop excluding Step started' }).click();
  await expect(page.getByRole('grid').getByText('Step started').first()).toBeVisible();
  const rows = await host.terminal('audit', 'list', '--query', '-event:NODE_START -event:NODE_SUCCESS', '--json');
  const events = (JSON.parse(rows) as { event: string }[]).map((one) => one.event);
  expect(events).not.toContain('NODE_START');
  expect(events).toContain('WORKFLOW_STARTED');
});

test('A-33 rules of the audit chain are written in a form, checked while they are written, and hold', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, { ...FAILS, name: 'Audit rules' });
  const page = await open(`#/workflow/${encodeURIComponent(ref)}`);
  const panel = page.getByRole('complementary', { name: 'Workflow' });
  await panel.getByRole('button', { name: 'A person decided: at least a warning' }).click();
  const rule = panel.getByRole('list', { name: 'Audit rules' }).getByRole('listitem').first();
  await rule.locator('.cm-content').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type("event == 'NODE_EROR'");
  await expect(rule.getByText("Did you mean 'NODE_ERROR'?")).toBeVisible({ timeout: 20_000 });
  await rule.scrollIntoViewIfNeeded();
  await shot(page, 'audit-rules');
  await rule.locator('.cm-content').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type("event == 'NODE_ERROR'");
  await expect(rule.getByText("Did you mean 'NODE_ERROR'?")).toHaveCount(0, { timeout: 20_000 });
  await rule.getByRole('combobox', { name: 'Minimum level 1' }).click();
  await page.getByRole('option', { name: 'Critical', exact: true }).click();
  await page.keyboard.press('Control+s');
  await expect(page.locator('.bar').getByText(/^Saved, revision/)).toBeVisible();
  const runId = await startRun(host, ref, { name: 'Ada', total: 10, count: 0 });
  await expect.poll(async () => (await host.rpc<{ total: number }>('audit_list', { query: `run:${runId} event:NODE_ERROR level:CRITICAL` })).total, { timeout: 20_000 }).toBe(1);
});

test('UX-L5 a decision about a hundred tasks shows how far it is, and stops', async ({ open, host }) => {
  const nodes = MEAN['nodes'] as { [id: string]: object };
  const rows = { ...MEAN, name: 'Hundred', nodes: { ...nodes, start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' }, split: { type: 'data.transform', typeVersion: 1, title: 'Split', config: { expression: 'item.rows', split: true } } },
    edges: [{ from: 'start.success', to: 'split' }, { from: 'split.success', to: 'mean' }, ...(MEAN['edges'] as { from: string; to: string }[]).slice(1)] };
  const { ref } = await makeWorkflow(host, rows);
  const runId = await startRun(host, ref, { rows: Array.from({ length: 60 }, (_, n) => ({ name: `Row ${String(n)}`, total: 4, count: 0 })) });
  const left = async () => (await openTasks(host)).filter((one) => one.runId === runId && one.state === 'open').length;
  await expect.poll(left, { timeout: 30_000 }).toBe(60);
  const page = await open(`#/inbox/${(await openTasks(host)).find((one) => one.runId === runId)?.id ?? ''}`);
  // Each part is let through by the test: what is seen between two does not depend on how fast they are.
  const held: (() => void)[] = [];
  await page.route('**/rpc/task_complete_many', async (route) => { await new Promise<void>((next) => { held.push(next); }); await route.continue(); });
  const task = page.getByRole('region', { name: 'Task' });
  await task.getByRole('button', { name: 'Review all' }).click();
  await page.getByRole('button', { name: /^Skip: 60/ }).click();
  const strip = page.getByRole('region', { name: 'Decisions being sent' });
  await expect.poll(() => held.length, { timeout: 20_000 }).toBe(1);
  await expect(strip.getByRole('progressbar', { name: '0 of 60' })).toBeVisible();
  held.shift()?.();
  await expect(strip.getByRole('progressbar', { name: '10 of 60' })).toBeVisible({ timeout: 20_000 });
  await shot(page, 'bulk-part');
  await expect.poll(() => held.length).toBe(1);
  await strip.getByRole('button', { name: 'Stop' }).click();
  held.shift()?.();
  await expect(strip.getByText(/20 of 60 tasks decided.*40 tasks were not decided/)).toBeVisible({ timeout: 20_000 });
  await shot(page, 'bulk-stopped');
  expect(await left()).toBe(40);
});

test('a decision that was saved but got no answer is not called unsaved, and is found by itself', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, { ...MEAN, name: 'Cut off' });
  const runId = await startRun(host, ref, { name: 'Ada', total: 10, count: 0 });
  const mine = async () => (await openTasks(host)).filter((one) => one.runId === runId);
  await expect.poll(async () => (await mine()).length).toBe(1);
  const [one] = await mine();
  const page = await open(`#/inbox/${one?.id ?? ''}`);
  // The host has it, but its answer does not arrive; nor does any other until the way is open again.
  let cut = false;
  await page.route(/\/rpc\/task_(complete|get)$/, async (route) => {
    if (!cut) return route.fallback();
    await route.fetch();
    return route.abort('connectionreset');
  });
  const skip = page.getByRole('region', { name: 'Task', exact: true }).getByRole('button', { name: /^Skip/ });
  await expect(skip).toBeVisible();
  cut = true;
  await skip.click();
  const strip = page.getByRole('region', { name: 'Decisions being sent' });
  await expect(strip.getByText('No response: it is unknown whether the decision was saved. Try again; it counts once.')).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText('not saved')).toHaveCount(0);
  expect((await mine()).map((each) => each.state)).toEqual(['done']);
  await shot(page, 'no-answer');
  cut = false;
  await expect(strip).toBeHidden({ timeout: 20_000 });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('Show messages');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Messages' }).getByRole('listitem').filter({ hasText: /^Skipped: / })).toHaveCount(1);
  expect(await host.rpc<{ total: number }>('audit_list', { query: `run:${runId} event:HITL_COMPLETED` })).toMatchObject({ total: 1 });
});

test('of many decisions only those without an answer are asked about', async ({ open, host }) => {
  const nodes = MEAN['nodes'] as { [id: string]: object };
  const rows = { ...MEAN, name: 'Twenty', nodes: { ...nodes, start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' }, split: { type: 'data.transform', typeVersion: 1, title: 'Split', config: { expression: 'item.rows', split: true } } },
    edges: [{ from: 'start.success', to: 'split' }, { from: 'split.success', to: 'mean' }, ...(MEAN['edges'] as { from: string; to: string }[]).slice(1)] };
  const { ref } = await makeWorkflow(host, rows);
  const runId = await startRun(host, ref, { rows: Array.from({ length: 24 }, (_, n) => ({ name: `Row ${String(n)}`, total: 4, count: 0 })) });
  const mine = async () => (await openTasks(host)).filter((one) => one.runId === runId);
  const left = async () => (await mine()).filter((one) => one.state === 'open').length;
  await expect.poll(left, { timeout: 30_000 }).toBe(24);
  const page = await open(`#/inbox/${(await mine())[0]?.id ?? ''}`);
  let parts = 0;
  let cut = false;
  await page.route('**/rpc/task_complete_many', async (route) => {
    parts += 1;
    if (parts !== 2) return route.fallback();
    cut = true;
    // Of the second part four arrive.
    const asked = route.request().postDataJSON() as { taskIds: string[] };
    await route.fetch({ postData: JSON.stringify({ ...asked, taskIds: asked.taskIds.slice(0, 4) }) });
    return route.abort('connectionreset');
  });
  await page.route('**/rpc/task_get', (route) => (cut ? route.abort('connectionreset') : route.fallback()));
  await page.getByRole('region', { name: 'Task', exact: true }).getByRole('button', { name: 'Review all' }).click();
  await page.getByRole('button', { name: /^Skip: 24/ }).click();
  const strip = page.getByRole('region', { name: 'Decisions being sent' });
  await expect(strip.getByText('No response for 10 tasks: it is unknown which were saved. Try again; each counts once.')).toBeVisible({ timeout: 20_000 });
  await expect(strip.getByText('10 of 24 tasks decided. 4 tasks were not decided.')).toBeVisible();
  await shot(page, 'no-answer-many');
  cut = false;
  await expect(strip.getByText('14 of 24 tasks decided. 4 tasks were not decided.')).toBeVisible({ timeout: 20_000 });
  expect(await left()).toBe(10);
  await strip.getByRole('button', { name: 'Try again' }).click();
  await expect(strip.getByText('All 24 tasks decided')).toBeVisible({ timeout: 20_000 });
  expect(await host.rpc<{ total: number }>('audit_list', { query: `run:${runId} event:HITL_COMPLETED` })).toMatchObject({ total: 24 });
});

/** Failing, cancelling, filtering, deleting runs. */
import { boxOf, drag, make, shot } from './document.ts';
import { expect, test } from './host.ts';
import { APPROVAL, makeWorkflow, openTasks, startRun } from './people.ts';

const FAILS = {
  signalbox: 1, id: 'always-fails', name: 'Always fails', settings: { errorPolicy: 'fail' },
  nodes: {
    start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
    refuse: { type: 'flow.fail', typeVersion: 1, title: 'Refuse the order', config: { error: { type: 'ValidationError', message: 'The order has no customer', details: { code: 'NO_CUSTOMER' } } } },
  },
  edges: [{ from: 'start.success', to: 'refuse' }], layout: { start: [0, 0], refuse: [248, 0] },
};
const SLOW = {
  signalbox: 1, id: 'takes-long', name: 'Takes long',
  nodes: { start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' }, wait: { type: 'flow.wait', typeVersion: 1, title: 'Sleep', config: { ms: 60_000 } } },
  edges: [{ from: 'start.success', to: 'wait' }], layout: { start: [0, 0], wait: [248, 0] },
};

async function file(host: { rpc<T>(command: string, payload?: unknown): Promise<T> }, document: { name: string; [field: string]: unknown }) {
  const made = await host.rpc<{ ref: string; revision: string; document: { id: string } }>('workflow_create', { name: document.name });
  await host.rpc('workflow_save', { ref: made.ref, document: { ...document, id: made.document.id }, baseRevision: made.revision });
  return made;
}

test('a run that waits for a person says so wherever runs are shown', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, { ...APPROVAL, name: 'Stands still' });
  const runId = await startRun(host, ref, { amount: 9 });
  await expect.poll(async () => (await openTasks(host)).filter((one) => one.runId === runId).length).toBe(1);
  await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status).toBe('paused');
  const page = await open('#/runs');
  const row = page.getByRole('row', { name: /^Stands still/ });
  await expect(row).toContainText('Waiting for a person');
  await expect(row.locator('.c-person')).toBeVisible();
  await shot(page, 'runs-waits');
  await page.evaluate(() => { window.location.hash = '#/workflows'; });
  await expect(page.getByText('Waiting for a person').first()).toBeVisible();
  await shot(page, 'gallery-waits');
  await page.evaluate((id) => { window.location.hash = `#/run/${id}`; }, runId);
  await expect(page.locator('.bar').getByText('Waiting for a person')).toBeVisible();
  await shot(page, 'run-waits');
  await host.rpc('task_complete', { taskId: (await openTasks(host)).find((one) => one.runId === runId)?.id, action: 'approve' });
  await expect(page.locator('.bar').getByText('Completed')).toBeVisible({ timeout: 20_000 });
});

test('a failed run has a banner with the message, the step and what can be done', async ({ open, host }) => {
  const made = await file(host, FAILS);
  const page = await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  await page.getByRole('button', { name: /^Run/ }).click();
  const banner = page.locator('.wb-banners').getByRole('alert');
  await expect(banner).toContainText('The order has no customer');
  await expect(banner).toContainText('Refuse the order');
  await expect(banner).toContainText('NO_CUSTOMER');
  await expect(page.locator('.wb-status')).toContainText('Failed at Refuse the order');
  await banner.getByRole('button', { name: 'Open step' }).click();
  await expect(page.getByRole('tab', { name: 'Settings' })).toBeVisible();
  await banner.getByRole('button', { name: 'Run again' }).click();
  await expect.poll(async () => (await host.rpc<{ runs: unknown[] }>('run_list', { workflow: made.document.id })).runs.length).toBe(2);
});

test('a running run can be cancelled', async ({ open, host }) => {
  const made = await file(host, SLOW);
  const page = await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  await page.getByRole('button', { name: /^Run/ }).click();
  await expect(page.locator('.wb-status')).toContainText('Waiting: Sleep');
  await page.locator('.bar').getByRole('button', { name: 'Cancel' }).click();
  await expect(page.locator('.wb-status').getByText('Cancelled', { exact: true })).toBeVisible();
});

test('the history filters, opens and deletes, and follows what happens elsewhere', async ({ open, host }) => {
  const made = await file(host, { ...FAILS, name: 'History test' });
  const page = await open('#/runs');
  const list = page.getByRole('grid', { name: /Runs/ });
  const { runId } = await host.rpc<{ runId: string }>('run_start', { ref: made.ref, params: {} });
  // Started elsewhere: the row appears by itself.
  await expect(list.getByRole('row').filter({ hasText: 'History test' })).toHaveCount(1);
  await page.getByRole('searchbox').fill('history test');
  await expect(list.getByRole('row')).toHaveCount(1);
  await page.getByRole('radio', { name: 'Completed' }).click();
  await expect(page.getByText('No matching runs')).toBeVisible();
  await page.getByRole('radio', { name: 'Failed' }).click();
  await expect(list.getByRole('row')).toHaveCount(1);
  await list.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(runId));
  await expect(page.locator('.wb-banners').getByRole('alert')).toContainText('The order has no customer');

  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Delete run…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete run' }).click();
  await expect(page).toHaveURL(/#\/runs$/);
  await expect(list.getByRole('row').filter({ hasText: 'History test' })).toHaveCount(0);
});

test('an address that leads to no run says so and leads on', async ({ open }) => {
  const page = await open('#/run/00000000-0000-7000-8000-000000000000');
  await expect(page.getByText('This run cannot be opened')).toBeVisible();
  await page.getByRole('button', { name: 'To all runs' }).click();
  await expect(page.getByRole('heading', { name: 'Runs' })).toBeVisible();
});

test('a workflow that asks for values gets a form before it runs', async ({ open, host }) => {
  const made = await file(host, {
    ...SLOW, name: 'Asks for a name', params: { type: 'object', required: ['who'], properties: { who: { type: 'string', title: 'Person' } } },
    nodes: { start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' }, greet: { type: 'data.set', typeVersion: 1, config: { assign: { hello: '=params.who' } } } },
    edges: [{ from: 'start.success', to: 'greet' }], layout: { start: [0, 0], greet: [248, 0] },
  });
  const page = await open(`#/workflow/${encodeURIComponent(made.ref)}`);
  await page.getByRole('button', { name: /^Run/ }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: 'Run', exact: true })).toBeDisabled();
  await dialog.getByLabel('Person').fill('Ada');
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
});

test('c19 a narrow window shows the step that failed, also when a banner and the log come, until a person moves the graph', async ({ open, host }) => {
  const names = Array.from({ length: 9 }, (_, i) => `s${String(i)}`);
  const made = await make<Record<string, unknown>>(host, 'A long way', {
    settings: { errorPolicy: 'fail' },
    nodes: Object.fromEntries(names.map((id, i) => [id, i === 8 ? { type: 'flow.fail', typeVersion: 1, title: 'Refuse', config: { error: { type: 'ValidationError', message: 'No' } } } : { type: 'data.set', typeVersion: 1, title: `Step ${id}`, config: { assign: { n: i } } }])),
    edges: names.slice(1).map((id, i) => ({ from: `${names[i] ?? ''}.success`, to: id })),
    layout: Object.fromEntries(names.map((id, i) => [id, [i * 248, 0]])),
  });
  const { runId } = await host.rpc<{ runId: string }>('run_start', { ref: made.ref, params: {} });
  await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status).toBe('failed');
  const page = await open();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.evaluate((next) => { window.location.hash = next; }, `#/run/${runId}`);
  await expect(page.locator('.wb-banners').getByRole('alert')).toContainText('Refuse');
  const seen = async () => {
    const [card, canvas] = [await boxOf(page, '.cv-node[data-node=s8]'), await boxOf(page, '.cv')];
    return card.x >= canvas.x && card.x + card.width <= canvas.x + canvas.width && card.y >= canvas.y && card.y + card.height <= canvas.y + canvas.height;
  };
  await expect.poll(seen).toBe(true);
  await page.keyboard.press('ControlOrMeta+J');
  await expect(page.getByRole('article').first()).toBeVisible();
  await expect.poll(seen).toBe(true);
  await shot(page, 'failed-seen');

  const place = () => page.locator('.cv .react-flow__viewport').evaluate((element) => (element as HTMLElement).style.transform);
  const { x, y, width } = await boxOf(page, '.cv');
  await drag(page, { x: x + width / 2, y: y + 60 }, { x: x + width / 2 + 150, y: y + 90 });
  const moved = await place();
  const before = await boxOf(page, '.cv');
  await page.keyboard.press('ControlOrMeta+J');
  await expect.poll(async () => (await boxOf(page, '.cv')).height).toBeGreaterThan(before.height);
  expect(await place()).toBe(moved);
});

/** Looking at a run as it was: slider, keys, address, from the audit chain; a running run goes on meanwhile. */
import type { Page } from '@playwright/test';
import { openDocument, shot } from './document.ts';
import { expect, test, type Host } from './host.ts';

type Summary = { runId: string };
const slider = { name: 'Selected event of the run' };

const COUNTS = {
  signalbox: 1, id: 'counts', name: 'Counts orders', context: { initial: { seen: 0 } },
  nodes: {
    start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
    first: { type: 'data.set', typeVersion: 1, title: 'First order', config: { assign: { order: 'A-1' } }, out: { $seen: '=1' } },
    second: { type: 'data.set', typeVersion: 1, title: 'Second order', config: { assign: { order: 'B-2' } }, out: { $seen: '=2' } },
  },
  edges: [{ from: 'start.success', to: 'first' }, { from: 'first.success', to: 'second' }], layout: { start: [0, 0], first: [248, 0], second: [496, 0] },
};
const WAITS = {
  signalbox: 1, id: 'waits', name: 'Waits', nodes: {
    start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
    sleep: { type: 'flow.wait', typeVersion: 1, title: 'Sleep', config: { ms: 600_000 } },
  },
  edges: [{ from: 'start.success', to: 'sleep' }], layout: { start: [0, 0], sleep: [248, 0] },
};

async function run(host: Host, document: unknown, ends: boolean): Promise<{ runId: string; events: { seq: number; type: string; stepId?: string; ts: string }[] }> {
  const { runId } = await host.rpc<Summary>('run_start', { document, params: {} });
  const all = () => host.rpc<{ seq: number; type: string; stepId?: string; ts: string }[]>('run_events', { runId, after: 0, limit: 1000 });
  if (ends) await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status).toBe('completed');
  else await expect.poll(async () => (await all()).some((event) => event.type === 'step_start' && event.stepId === 'sleep')).toBe(true);
  return { runId, events: await all() };
}

test('C26: an old run is looked at event by event; the address opens the same moment', async ({ open, host }) => {
  const { runId, events } = await run(host, COUNTS, true);
  const last = events.length;
  const page = await open(`#/run/${runId}`);
  await expect(page.locator('.time')).toContainText(`Event ${String(last)} of ${String(last)}`);
  await page.getByRole('tab', { name: /Variables/ }).click();
  await expect(page.locator('.wb-vars')).toContainText('$seen2');

  // To where the first order has set the variable and the second has not begun.
  const set = events.find((event) => event.type === 'var_changed')?.seq ?? 0;
  await page.getByRole('slider', slider).fill(String(set));
  const banner = page.locator('.wb-banners').getByRole('status');
  await expect(banner).toContainText(`Viewing the past: after event ${String(set)} of ${String(last)}`);
  await expect(page.locator('.wb-vars')).toContainText('set by this event1');
  await expect(page.locator('[data-node="second"]')).toHaveAttribute('data-state', 'idle');
  await expect(page.locator('[data-node="start"]')).toHaveAttribute('data-state', 'done');
  await expect(page.getByRole('button', { name: 'Re-run from' })).toHaveCount(0);
  await expect(page).toHaveURL(new RegExp(`at=${String(set)}$`));

  // One event on and back, one call on and back, with the keys.
  await page.keyboard.press(']');
  await expect(page.locator('.time')).toContainText(`Event ${String(set + 1)} of`);
  await page.keyboard.press('[');
  await page.keyboard.press('[');
  await expect(page.locator('.time')).toContainText(`Event ${String(set - 1)} of`);
  const next = events.find((event) => event.seq >= set && event.type === 'step_start')?.seq ?? 0;
  await page.keyboard.press('}');
  await expect(page.locator('.time')).toContainText(`Event ${String(next)} of`);
  await page.keyboard.press('{');
  await expect(page.locator('.time')).not.toContainText(`Event ${String(next)} of`);

  await page.evaluate((hash) => { window.location.hash = hash; }, `#/run/${runId}?at=2`);
  await expect(page.locator('.time')).toContainText(`Event 2 of ${String(last)}`);
  await page.reload();
  await expect(page.locator('.time')).toContainText(`Event 2 of ${String(last)}`);
  await banner.getByRole('button', { name: 'Back to the end' }).click();
  await expect(banner).toHaveCount(0);
  await expect(page.locator('[data-node="second"]')).toHaveAttribute('data-state', 'done');
  await expect(page).toHaveURL(new RegExp(`#/run/${runId}$`));
});

test('cards are those of the moment; the table says where one is and leads to another moment', async ({ open, host }) => {
  const { runId, events } = await run(host, COUNTS, true);
  const start = events.find((event) => event.type === 'step_start' && event.stepId === 'first')?.seq ?? 0;
  const page = await open(`#/run/${runId}?at=${String(start)}`);
  await page.getByRole('button', { name: 'Detail log' }).click();
  await page.getByRole('radio', { name: 'Cards' }).click();
  const cards = page.getByRole('feed', { name: 'Calls of the run' });
  await expect(cards.getByRole('button', { name: 'First order' })).toBeVisible();
  await expect(cards).toContainText('after the step ends');
  await expect(cards.getByRole('button', { name: 'Second order' })).toHaveCount(0);

  await page.getByRole('radio', { name: 'Events' }).click();
  await expect(page.locator('.ev-row.here')).toContainText('First order is running');
  const done = page.locator('.ev-row').filter({ hasText: 'Second order is done' });
  await done.click();
  await page.getByRole('button', { name: 'Show the run at this event' }).click();
  await page.getByRole('radio', { name: 'Cards' }).click();
  await expect(cards.getByRole('button', { name: 'Second order' })).toBeVisible();
  await page.getByRole('textbox', { name: 'Search the cards' }).fill('B-2');
  await expect(cards.getByRole('button', { name: 'First order' })).toHaveCount(0);
  await expect(cards.getByRole('button', { name: 'Second order' })).toBeVisible();
});

test('a running run goes on while one looks back; what acts on the present waits', async ({ open, host }) => {
  const { runId } = await run(host, WAITS, false);
  const page = await open(`#/run/${runId}`);
  await expect(page.locator('.time')).toContainText('Live');
  await page.locator('.time').getByRole('button', { name: 'Previous event' }).click();
  const banner = page.locator('.wb-banners').getByRole('status');
  await expect(banner).toContainText('The run continues meanwhile');
  await expect(page.locator('.bar').getByRole('button', { name: 'Cancel' })).toBeDisabled();
  await banner.getByRole('button', { name: 'Back to live' }).click();
  await expect(page.locator('.wb-status')).toContainText('Waiting: Sleep');
  await page.locator('.bar').getByRole('button', { name: 'Cancel' }).click();
  await expect(page.locator('.time')).toContainText('Ended');
});

test('E5: from a record of the audit chain to the run at that moment', async ({ open, host }) => {
  const { runId, events } = await run(host, COUNTS, true);
  const done = events.find((event) => event.type === 'step_done' && event.stepId === 'first');
  const page = await open(`#/audit?query=${encodeURIComponent(`run:${runId} node:first`)}`);
  const rows = page.getByRole('grid', { name: /Audit|Entries/i }).getByRole('row');
  await rows.nth(1).click();
  await page.getByRole('button', { name: 'The run at that moment' }).click();
  await expect(page).toHaveURL(new RegExp(`#/run/${runId}`));
  await expect(page.locator('.wb-banners').getByRole('status')).toContainText('Viewing the past');
  await expect(page).toHaveURL(/at=\d+$/);
  const at = Number(/at=(\d+)$/.exec(page.url())?.[1]);
  expect(events[at - 1]).toMatchObject({ stepId: 'first' });
  expect(Date.parse(events[at - 1]?.ts ?? '')).toBeLessThanOrEqual(Date.parse(done?.ts ?? ''));
});

const ROUNDS = {
  signalbox: 1, id: 'rounds', name: 'Many rounds', nodes: {
    start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
    each: { type: 'flow.loop', typeVersion: 1, title: 'Each order', config: { source: '=item.orders' } },
    look: { type: 'data.set', typeVersion: 1, title: 'Look up', parent: 'each', config: { assign: { n: '=1' }, keep: false } },
  },
  edges: [{ from: 'start.success', to: 'each' }], layout: { start: [0, 0], each: [248, 0], look: [264, 44] },
};

/** The run screen of 400 rounds, at its table of events. */
async function rounds(open: (hash?: string) => Promise<Page>, host: Host) {
  const { runId } = await host.rpc<Summary>('run_start', { document: ROUNDS, params: { orders: Array.from({ length: 400 }, (_, n) => n) } });
  await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status, { timeout: 40_000 }).toBe('completed');
  const page = await open(`#/run/${runId}`);
  await page.getByRole('button', { name: 'Detail log' }).click();
  const log = page.getByRole('region', { name: 'Detail log' });
  await log.getByRole('radio', { name: 'Events' }).click();
  const list = log.getByRole('listbox', { name: 'Events of the run' });
  await expect(list.getByRole('option').first()).toBeVisible();
  return { page, log, list };
}

test('C21: the table sorts and filters; only what is seen is drawn', async ({ open, host }) => {
  const { log, list } = await rounds(open, host);
  expect(await list.getByRole('option').count()).toBeLessThan(60);
  await log.getByRole('button', { name: 'No.' }).click();
  await expect(list.getByRole('option').first()).toContainText('Workflow completed');
  await log.getByRole('button', { name: 'Where' }).click();
  await expect(list.getByRole('option').first()).toContainText('Each order 1');
  await log.getByRole('textbox', { name: 'Filter events' }).fill('each[399]');
  await expect(list.getByRole('option')).toHaveCount(2);
  await expect(list.getByRole('option').first()).toContainText('Each order 400');
});

test('C20: the iterations of a run are listed by the host; one is chosen for all views', async ({ open, host }) => {
  const { page, log, list } = await rounds(open, host);
  await log.getByRole('button', { name: 'Iterations…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('400 in total');
  await expect(dialog.getByRole('radio', { name: 'Failed 0' })).toBeVisible();
  await dialog.getByRole('option').filter({ hasText: /Each order 3events/ }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('toolbar', { name: /iteration/i })).toContainText('3');
  await expect(list.getByRole('option').filter({ hasText: 'Look up' })).toHaveCount(2);
});

test('C21: graph, timeline and table have one choice, now and at a moment of the past', async ({ open, host }) => {
  const { page, log, list } = await rounds(open, host);
  await list.press('End');
  await list.press('Home');
  await list.getByRole('option').filter({ hasText: 'Look up is done' }).first().click();
  // The step of the event is chosen on the canvas and in the timeline.
  await expect(page.locator('.react-flow__node[data-id="look"]')).toHaveClass(/selected/);
  await log.getByRole('radio', { name: 'Timeline' }).click();
  await expect(log.locator('.tl-list [aria-selected="true"]')).toContainText('Look up');
  await log.locator('.tl-list').getByRole('option').filter({ hasText: 'Start' }).click();
  await expect(page.locator('.react-flow__node[data-id="start"]')).toHaveClass(/selected/);
  await log.getByRole('radio', { name: 'Events' }).click();
  await expect(list.locator('[aria-selected="true"]')).toContainText('Start');
  // Back in time, each count is that of then.
  await page.getByRole('slider', slider).fill('200');
  await expect(page.locator('.wb-banners').getByRole('status')).toContainText('after event 200 of');
  await expect(list.locator('.ev-row.here')).toBeVisible();
});

test('C26: in the builder the slider leads through the run that is shown; drawing goes on, and the next run is looked at as it is now', async ({ open, host }) => {
  const { nodes, edges, layout, context } = COUNTS;
  const { page } = await openDocument(open, host, 'Slides in the builder', { nodes, edges, layout, context });
  const bar = page.locator('.time');
  await expect(bar).toHaveCount(0);
  await page.keyboard.press('F5');
  await expect(page.locator('.bar').getByText('Completed')).toBeVisible();
  const last = Number(await page.getByRole('slider', slider).getAttribute('max'));
  expect(last).toBeGreaterThan(5);
  await expect(bar).toContainText(`Event ${String(last)} of ${String(last)}`);
  // What the log and the slider took from the canvas did not take the graph.
  for (const id of ['start', 'first', 'second']) await expect(page.locator(`[data-node="${id}"]`)).toBeInViewport({ ratio: 1 });
  await page.getByRole('slider', slider).fill('2');
  await expect(page.locator('.wb.past')).toBeVisible();
  const banner = page.locator('.wb-banners').getByRole('status');
  await expect(banner).toContainText(`Viewing the past: after event 2 of ${String(last)}`);
  await expect(page.locator('[data-node="second"]')).toHaveAttribute('data-state', 'idle');
  await expect(page.getByRole('button', { name: 'Re-run from' })).toHaveCount(0);
  await shot(page, 'builder-past');
  await page.keyboard.press(']');
  await expect(bar).toContainText('Event 3 of');
  // The document is not of the past: it can be changed, and undone, meanwhile.
  await page.locator('[data-node="second"]').click({ position: { x: 90, y: 8 } });
  await page.keyboard.press('d');
  await expect(page.locator('.bar').getByText('Not saved')).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(bar).toContainText('Event 3 of');
  await page.keyboard.press('Alt+]');
  await expect(page.locator('[data-node="second"]')).toHaveAttribute('data-state', 'done');
  await expect(banner).toHaveCount(0);
  await page.keyboard.press('[');
  await expect(banner).toBeVisible();
  await page.keyboard.press('F5');
  await expect(banner).toHaveCount(0);
  await expect(bar).toContainText('Ended');
  await page.getByRole('button', { name: 'Ways to run' }).click();
  await page.getByRole('menuitem', { name: 'Hide the last run' }).click();
  await expect(bar).toHaveCount(0);
});

/** Run this step, run to here, run from here, and the mark of a result that is stale (UX C16), as a person does it. */
import type { Page } from '@playwright/test';
import { openDocument, shot } from './document.ts';
import { expect, test } from './host.ts';

const nodes = (base: string) => ({
  start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
  plan: { type: 'data.set', typeVersion: 1, title: 'Make a plan', config: { assign: { n: 1 } } },
  double: { type: 'data.set', typeVersion: 1, title: 'Double it', config: { assign: { n: '=item.n * 2' } } },
  send: { type: 'http.request', typeVersion: 1, title: 'Send it', config: { method: 'POST', url: `${base}/api/health`, body: '=item' } },
  each: { type: 'flow.loop', typeVersion: 1, title: 'Each one', config: { source: '=[1, 2]' } },
  put: { type: 'data.set', typeVersion: 1, title: 'Put one', parent: 'each', config: { assign: { at: '=_index' }, keep: false } },
});
const edges = [
  { from: 'start.success', to: 'plan' }, { from: 'plan.success', to: 'double' }, { from: 'double.success', to: 'each' }, { from: 'each.success', to: 'send' },
];
const layout = { start: [0, 0], plan: [248, 0], double: [496, 0], each: [744, -40], put: [24, 56], send: [1100, 0] };
const parts = (base: string) => ({ settings: { errorPolicy: 'fail' }, nodes: nodes(base), edges, layout });

const card = (page: Page, id: string) => page.locator(`.cv-node[data-node=${id}]`);
const mark = (page: Page, id: string) => page.locator(`[data-node=${id}] [data-mark=stale]`).first();
async function fromMenu(page: Page, id: string, entry: string): Promise<void> {
  await card(page, id).click({ button: 'right' });
  await page.getByRole('menuitem', { name: new RegExp(`^${entry}( [A-Z]|$)`) }).click();
}
const ended = (page: Page) => expect(page.locator('.bar').getByText('Completed', { exact: true })).toBeVisible();

test('c16 run to here, run this step, run from here; a changed step and what follows are marked stale', async ({ open, host }) => {
  const { page, made } = await openDocument<{ id: string } & ReturnType<typeof parts>>(open, host, 'Step by step', parts(host.origin));
  const runs = async () => (await host.rpc<{ runs: { runId: string; parentRunId?: string; status: string }[] }>('run_list', { workflow: made.document.id })).runs;

  // Nothing has reached it: it says so, and what to do.
  await card(page, 'double').click();
  await page.keyboard.press('r');
  await expect(page.getByText('No data yet. Run the earlier steps first.')).toBeVisible();
  expect(await runs()).toHaveLength(0);

  // Run to here: what leads there and nothing else, however much follows.
  await fromMenu(page, 'double', 'Run to here');
  await ended(page);
  await expect(card(page, 'double')).toHaveAttribute('data-state', 'done');
  await expect(card(page, 'send')).not.toHaveAttribute('data-state', 'done');
  await expect(page.locator('.bar').getByText('Ends after Double it')).toBeVisible();
  await expect(page.locator('[data-mark=stale]')).toHaveCount(0);
  await shot(page, 'to-here');

  // Its settings change: it is marked, by what it holds and not by its name.
  await card(page, 'plan').click();
  await page.keyboard.press('d');
  await expect(mark(page, 'plan')).toHaveAttribute('title', /This result is out of date: the step changed/);
  await expect(mark(page, 'double')).toHaveAttribute('title', /This result is out of date: an earlier step changed/);
  await expect(page.getByRole('group', { name: 'Run', exact: true })).toBeVisible();
  await shot(page, 'stale');
  await page.keyboard.press('d');
  await expect(page.locator('[data-mark=stale]')).toHaveCount(0);

  // Run this step: alone, with the input that it got last.
  await card(page, 'double').click();
  await page.getByRole('group', { name: 'Run', exact: true }).getByRole('button', { name: /^Run this step/ }).click();
  await expect(card(page, 'plan')).toHaveAttribute('data-state', 'kept');
  await expect(card(page, 'plan')).toContainText(/reused from run [0-9a-f]{6}/);
  await expect(card(page, 'double')).toHaveAttribute('data-state', 'done');
  await ended(page);
  const two = await runs();
  expect(two).toHaveLength(2);
  expect(two[0]?.parentRunId).toBe(two[1]?.runId);
  const events = await host.rpc<{ type: string; stepId: string | null }[]>('run_events', { runId: two[0]?.runId, after: 0, limit: 100 });
  expect(events.filter((event) => event.type === 'step_start').map((event) => event.stepId)).toEqual(['double']);
  await shot(page, 'alone');

  // The same with other values: they are typed, and only they are sent.
  await fromMenu(page, 'double', 'Run this step with…');
  const dialog = page.getByRole('dialog', { name: 'Run Double it alone' });
  await dialog.getByRole('radio', { name: 'JSON' }).click();
  await dialog.getByRole('textbox', { name: 'Step input' }).click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText('[{ "n": 21 }]');
  await shot(page, 'with');
  await dialog.getByRole('button', { name: 'Run this step' }).click();
  await expect(dialog).toBeHidden();
  await ended(page);
  await expect.poll(async () => {
    const run = (await runs())[0]?.runId;
    return (await host.rpc<{ output?: unknown }>('run_get', { runId: run })).output;
  }).toEqual([{ n: 42 }]);

  // Run from here: with what writes it asks first, and says what.
  await fromMenu(page, 'double', 'Run from here');
  const asks = page.getByRole('dialog', { name: 'Re-run from Double it' });
  await expect(asks).toContainText('1 step with side effects may run');
  await expect(asks.getByRole('radio', { name: 'Current workflow' })).toBeChecked();
  await shot(page, 'from-asks');
  await page.keyboard.press('Escape');
  expect(await runs()).toHaveLength(3);
  // Without it begins at once.
  await card(page, 'send').click();
  await page.keyboard.press('Delete');
  await fromMenu(page, 'double', 'Run from here');
  await expect(page.locator('[data-node=each]').first()).toBeVisible();
  await expect.poll(async () => (await runs()).map((run) => run.status)).toEqual(['completed', 'completed', 'completed', 'completed']);
  await ended(page);
  await expect(page.locator('.bar').getByText(/^Ends after/)).toHaveCount(0);

  // In a frame: up to it once, and alone in the iteration where it ran last.
  const begun = async () => {
    const run = (await runs())[0]?.runId;
    const all = await host.rpc<{ type: string; stepId: string | null; path?: string }[]>('run_events', { runId: run, after: 0, limit: 100 });
    return all.filter((event) => event.type === 'step_start').map((event) => (event.path ? `${event.path}/` : '') + (event.stepId ?? ''));
  };
  await card(page, 'put').click();
  await page.keyboard.press('r');
  await expect.poll(begun).toEqual(['each[1]/put']);
  await ended(page);
  await expect(page.locator('.bar').getByText('Ends after Put one')).toBeVisible();
  await shot(page, 'alone-in-frame');
  await fromMenu(page, 'put', 'Run to here');
  await expect.poll(begun).toEqual(['start', 'plan', 'double', 'each', 'each[0]/put']);
  await ended(page);
  await shot(page, 'to-in-frame');
  await fromMenu(page, 'put', 'Run this step with…');
  const inFrame = page.getByRole('dialog', { name: 'Run Each one 1 › Put one alone' });
  await expect(inFrame).toBeVisible();
  await shot(page, 'with-in-frame');
  await page.keyboard.press('Escape');
  expect(await runs()).toHaveLength(6);

  // A step before is changed, then this one runs alone: what is kept is as old as it was, and this one was made of it.
  await card(page, 'plan').click();
  await page.keyboard.press('d');
  await card(page, 'double').click();
  await page.keyboard.press('r');
  await expect.poll(async () => (await runs()).map((run) => run.status)).toEqual(Array.from({ length: 7 }, () => 'completed'));
  await ended(page);
  await expect(mark(page, 'plan')).toHaveAttribute('title', /This result is out of date: the step changed/);
  await expect(mark(page, 'double')).toHaveAttribute('title', /This result is out of date: an earlier step changed/);
  await shot(page, 'stale-kept');
  await card(page, 'plan').click();
  await page.keyboard.press('d');
  await expect(page.locator('[data-mark=stale]')).toHaveCount(0);
});

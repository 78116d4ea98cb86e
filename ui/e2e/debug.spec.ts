/** Looking into a run: breakpoints, pause, steps, another input, as a person does it. */
import type { Page } from '@playwright/test';
import { type Open, openDocument, shot } from './document.ts';
import { expect, type Host, test } from './host.ts';

interface Doc { id: string; settings: unknown; nodes: { [id: string]: unknown }; edges: { from: string; to: string }[]; layout: { [id: string]: [number, number] } }
const PART: Partial<Doc> = {
  settings: { errorPolicy: 'fail' },
  nodes: {
    start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
    plan: { type: 'data.set', typeVersion: 1, title: 'Make a plan', config: { assign: { total: 12 } } },
    add: { type: 'data.set', typeVersion: 1, title: 'Add tax', config: { assign: { total: '=item.total * 2' } } },
    done: { type: 'data.set', typeVersion: 1, title: 'Done', config: { assign: { result: '=item.total' }, keep: false } },
  },
  edges: [{ from: 'start.success', to: 'plan' }, { from: 'plan.success', to: 'add' }, { from: 'add.success', to: 'done' }],
  layout: { start: [0, 0], plan: [248, 0], add: [496, 0], done: [744, 0] },
};

async function opened(host: Host, open: Open, name: string): Promise<{ page: Page; id: string }> {
  const { page, made } = await openDocument<Doc>(open, host, name, PART);
  await expect(page.locator('[data-node=add]')).toBeVisible();
  return { page, id: made.document.id };
}

const card = (page: Page, id: string) => page.locator(`.cv-node[data-node=${id}]`);
const events = async (host: Host, runId: string) => (await host.rpc<{ type: string }[]>('run_events', { runId, after: 0 })).map((event) => event.type);

test('a breakpoint set by a key stops the run before its step; the input is edited and shown as a difference; it goes on', async ({ open, host }) => {
  const { page, id } = await opened(host, open, 'Look into it');
  await card(page, 'add').click();
  await page.keyboard.press('F9');
  await expect(card(page, 'add').locator('[data-mark=breakpoint]')).toBeVisible();
  // It is the person's, not the file's.
  await expect(page.locator('.bar').getByText('Saved')).toBeVisible();
  await page.keyboard.press('F5');
  const banner = page.locator('.wb-banners').getByRole('status');
  await expect(banner).toContainText('Stopped before Add tax');
  await expect(banner).toContainText('At a breakpoint.');
  await expect(card(page, 'add')).toHaveClass(/is-stopped/);
  await expect(card(page, 'plan')).toHaveAttribute('data-state', 'done');
  await expect(page.locator('.wb-status').getByText('Paused', { exact: true })).toBeVisible();

  await banner.getByRole('button', { name: 'Edit input' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit the input of Add tax' });
  const text = dialog.getByRole('textbox', { name: 'Input as JSON' });
  await expect(text).toHaveValue(/"total": 12/);
  const use = dialog.getByRole('button', { name: 'Use this input' });
  await expect(use).toBeDisabled();
  await text.fill('{ "total": ');
  await expect(dialog.getByRole('status')).toContainText('This is not JSON');
  await text.fill('[1]');
  await expect(dialog.getByRole('status')).toContainText('must be an object');
  await expect(use).toBeDisabled();
  await text.fill('{ "total": 50 }');
  await expect(dialog.getByRole('group', { name: 'Changes' })).toContainText('50');
  await use.click();
  await expect(dialog).toBeHidden();

  await page.keyboard.press('F10');
  await expect(banner).toContainText('Stopped before Done');
  await expect(banner).toContainText('After one step.');
  await page.keyboard.press('F8');
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
  await expect(page.locator('.wb-banners').getByText('Stopped before')).toHaveCount(0);
  const [run] = (await host.rpc<{ runs: { runId: string }[] }>('run_list', { workflow: id })).runs;
  const told = await host.rpc<{ output: unknown[] }>('run_get', { runId: run?.runId });
  expect(told.output).toEqual([{ result: 100 }]);
  const types = await events(host, run?.runId ?? '');
  expect(types.filter((type) => ['breakpoints_set', 'workflow_paused', 'input_edited', 'workflow_continued'].includes(type))).toEqual(['breakpoints_set', 'workflow_paused', 'input_edited', 'workflow_continued', 'workflow_paused', 'workflow_continued']);
});

test('a condition is written beside the breakpoint; one that cannot be evaluated stops the run and says why', async ({ open, host }) => {
  const { page } = await opened(host, open, 'Condition');
  await card(page, 'add').click();
  await page.getByRole('switch', { name: 'Stop before this step' }).click();
  const when = page.getByRole('textbox', { name: 'Condition' });
  await when.fill('item.total > 100');
  await page.keyboard.press('F5');
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
  await when.fill('item.nothing > 100');
  await page.keyboard.press('F5');
  const banner = page.locator('.wb-banners').getByRole('status');
  await expect(banner).toContainText('At a breakpoint: item.nothing > 100.');
  await expect(banner).toContainText('counts as true');
  // A breakpoint that goes while the run is stopped does not stop it again.
  await page.getByRole('switch', { name: 'Stop before this step' }).click();
  await expect(card(page, 'add').locator('[data-mark=breakpoint]')).toHaveCount(0);
  await banner.getByRole('button', { name: 'Continue' }).click();
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
  // One that unreadable is refused before anything runs.
  await page.getByRole('switch', { name: 'Stop before this step' }).click();
  await when.fill('item.total >');
  await page.keyboard.press('F5');
  await expect(page.getByText(/The breakpoint at “Add tax” cannot be set/)).toBeVisible();
});

test('step by step from the first one, and the run screen lets a stopped run go on too', async ({ open, host }) => {
  const { page, id } = await opened(host, open, 'Step by step');
  // Who may build is asked first.
  await card(page, 'plan').click();
  await expect(page.getByRole('switch', { name: 'Stop before this step' })).toBeVisible();
  await page.keyboard.press('F10');
  const banner = page.locator('.wb-banners').getByRole('status');
  await expect(banner).toContainText('paused the run');
  await page.keyboard.press('F10');
  await expect(banner).toContainText('Stopped before Make a plan');
  const [run] = (await host.rpc<{ runs: { runId: string; status: string }[] }>('run_list', { workflow: id })).runs;
  expect(run?.status).toBe('paused');
  await page.evaluate((hash) => { window.location.hash = hash; }, `#/run/${run?.runId ?? ''}`);
  await expect(page.locator('.wb-banners').getByRole('status')).toContainText('Stopped before Make a plan');
  // It stands still on purpose: nothing says that a process is missing.
  await expect(page.locator('.wb-banners').getByRole('status')).toHaveCount(1);
  const bar = page.getByRole('group', { name: 'Pause, continue, step' });
  await bar.getByRole('button', { name: /Run one step/ }).click();
  await expect(page.locator('.wb-banners').getByRole('status')).toContainText('Stopped before Add tax');
  await bar.getByRole('button', { name: /Continue/ }).click();
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
});

test('nothing is drawn before it is known who is there, and a run that begins at once stops at its breakpoints', async ({ open, host }) => {
  const { page } = await opened(host, open, 'At once');
  await card(page, 'add').click();
  await page.keyboard.press('F9');
  await expect(card(page, 'add').locator('[data-mark=breakpoint]')).toBeVisible();
  let answer: () => void = () => undefined;
  const asked = new Promise<void>((done) => { answer = done; });
  await page.route('**/rpc/who', async (route) => { await asked; await route.continue(); });
  const who = page.waitForRequest('**/rpc/who');
  await page.reload();
  await who;
  await expect(card(page, 'add')).toHaveCount(0);
  answer();
  await expect(card(page, 'add')).toBeVisible();
  await page.keyboard.press('F5');
  await expect(page.locator('.wb-banners').getByRole('status')).toContainText('Stopped before Add tax');
});

const FORK: Partial<Doc> = {
  settings: { errorPolicy: 'fail' },
  nodes: {
    start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
    check: { type: 'flow.if', typeVersion: 1, title: 'Large order?', config: { condition: 'item.total > 100' } },
    risky: { type: 'data.set', typeVersion: 1, title: 'Split it', config: { assign: { part: '=item.total / item.parts' } } },
    note: { type: 'data.set', typeVersion: 1, title: 'Write it down', config: { assign: { noted: true } } },
  },
  edges: [
    { from: 'start.success', to: 'check' }, { from: 'check.true', to: 'risky' }, { from: 'check.false', to: 'note' },
    { from: 'risky.success', to: 'note' }, { from: 'risky.error', to: 'note' },
  ],
  layout: { start: [0, 0], check: [248, 0], risky: [540, 0], note: [880, 120] },
};

/** A place on a wire that nothing stands on. */
async function onWire(page: Page, wire: string): Promise<{ x: number; y: number }> {
  return await page.locator(`[data-wire="${wire}"] .cv-grab`).evaluate((path: SVGPathElement) => {
    const matrix = path.getScreenCTM();
    const at = path.getPointAtLength(path.getTotalLength() * 0.3);
    if (!matrix) throw new Error('the wire is not on the screen');
    return { x: at.x * matrix.a + matrix.e, y: at.y * matrix.d + matrix.f };
  });
}

test('C27: a breakpoint on a wire stops what comes along that one, with its condition, and is listed with the others', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Review wires', FORK);
  const mark = (wire: string) => page.locator('.cv-tag').filter({ has: page.getByRole('img', { name: /stops at this wire/ }) }).and(page.locator(`[data-of="${wire}"]`));
  const red = await onWire(page, 'risky.error>note');
  await page.mouse.click(red.x, red.y, { button: 'right' });
  await page.getByRole('menu', { name: 'Menu of the wire' }).getByRole('menuitem', { name: 'Set a breakpoint' }).click();
  await expect(mark('risky.error>note')).toBeVisible();
  await expect(page.getByRole('switch', { name: 'Stop at this wire' })).toBeChecked();
  // The dot stands for its wire: there the breakpoint goes again.
  await mark('risky.error>note').getByRole('img').click({ button: 'right' });
  await expect(page.getByRole('menu', { name: 'Menu of the wire' }).getByRole('menuitem', { name: 'Remove the breakpoint' })).toBeVisible();
  await page.keyboard.press('Escape');
  // The key does the same on the chosen wire.
  const other = await onWire(page, 'check.false>note');
  await page.mouse.click(other.x, other.y);
  await page.keyboard.press('F9');
  await expect(mark('check.false>note')).toBeVisible();
  await page.getByRole('textbox', { name: 'Condition' }).fill('item.total == 50');
  await page.keyboard.press('Escape');
  await page.locator('.cv .react-flow__pane').click({ position: { x: 12, y: 300 } });
  await expect(page.getByText('2 breakpoints, on Split it · error → Write it down, Large order? · false → Write it down')).toBeVisible();
  await shot(page, 'breakpoints-on-wires');

  const begin = async (params: object) => (await host.rpc<{ runId: string }>('run_start', { ref: made.ref, params, breakpoints: [{ node: 'note', from: 'check.false', when: 'item.total == 50' }, { node: 'note', from: 'risky.error' }] })).runId;
  const stopped = async (runId: string) => {
    await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status).toMatch(/paused|completed/);
    return (await host.rpc<{ stopped?: { from?: string; stepId?: string } }>('run_get', { runId })).stopped?.from;
  };
  expect(await stopped(await begin({ total: 200, parts: 2 })), 'the green way').toBeUndefined();
  expect(await stopped(await begin({ total: 60 })), 'the condition').toBeUndefined();
  expect(await stopped(await begin({ total: 50 }))).toBe('check.false');
  const failing = await begin({ total: 200 });
  expect(await stopped(failing)).toBe('risky.error');

  await page.evaluate((hash) => { window.location.hash = hash; }, `#/run/${failing}`);
  const banner = page.locator('.wb-banners').getByRole('status');
  await expect(banner).toContainText('Stopped before Write it down');
  await expect(banner).toContainText('At a breakpoint on the wire from Split it · error.');
  await expect(mark('risky.error>note')).toContainText('1');
  await shot(page, 'stopped-on-a-wire');
  await banner.getByRole('button', { name: 'Continue' }).click();
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
});

test('a breakpoint set on a wire goes with the run that is started there, and a wire that is gone takes it along', async ({ open, host }) => {
  const { page } = await openDocument<Doc>(open, host, 'Wires that go', PART);
  const wire = await onWire(page, 'plan.success>add');
  await page.mouse.click(wire.x, wire.y);
  await page.keyboard.press('F9');
  await expect(page.getByRole('switch', { name: 'Stop at this wire' })).toBeChecked();
  await page.keyboard.press('F5');
  const banner = page.locator('.wb-banners').getByRole('status');
  await expect(banner).toContainText('At a breakpoint on the wire from Make a plan · success.');
  await banner.getByRole('button', { name: 'Continue' }).click();
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
  // The banner has gone: the canvas stands elsewhere.
  const there = await onWire(page, 'plan.success>add');
  await page.mouse.click(there.x, there.y);
  await expect(page.getByRole('switch', { name: 'Stop at this wire' })).toBeChecked();
  await page.keyboard.press('Delete');
  await expect(page.locator('[data-mark=breakpoint]')).toHaveCount(0);
  await page.keyboard.press('F5');
  // It begins without what the wire brought; nothing stops it, and nothing is refused.
  await expect(page.locator('.wb-status').getByText('Failed', { exact: true })).toBeVisible();
});

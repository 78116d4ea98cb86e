/** Loops and parallel branches as frames: drawn by hand, run, and looked at one iteration at a time. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { type At, boxOf, drag, middle, type Opened, openDocument, saved, wires } from './document.ts';
import { expect, readJson, test } from './host.ts';

interface Doc {
  nodes: { [id: string]: { type: string; title?: string; parent?: string; config?: Record<string, unknown> } };
  edges: { from: string; to: string }[];
  layout: { [id: string]: number[] };
}
const ORDERS: Doc = {
  nodes: {
    start: { type: 'trigger.manual', title: 'Start' },
    orders: { type: 'data.set', title: 'Orders', config: { assign: { orders: [{ id: 'a', total: 10 }, { id: 'b', total: 0 }, { id: 'c', total: 30 }] } } },
    each: { type: 'flow.loop', title: 'Each order', config: { source: '=item.orders' } },
    check: { type: 'flow.if', title: 'To pay?', parent: 'each', config: { condition: '_item.total > 0' } },
    price: { type: 'data.set', title: 'Price', parent: 'each', config: { assign: { gross: '=_item.total * 2', place: '=_index' } } },
    done: { type: 'flow.stop', title: 'Done', config: { stopId: 'done' } },
  },
  edges: [{ from: 'start.success', to: 'orders' }, { from: 'orders.success', to: 'each' }, { from: 'check.true', to: 'price' }, { from: 'each.success', to: 'done' }],
  layout: { start: [0, 48], orders: [248, 48], each: [496, 0], check: [32, 48], price: [280, 48], done: [1120, 48] },
};
const BARE: Doc = {
  nodes: { start: { type: 'trigger.manual', title: 'Start' }, loose: { type: 'data.set', title: 'Loose', config: { assign: { n: '=_index' } } } },
  edges: [],
  layout: { start: [0, 48], loose: [0, 320] },
};

const node = (page: Page, id: string) => page.locator(`[data-node="${id}"]`);
const head = async (page: Page, id: string): Promise<At> => {
  const { x, y } = await boxOf(page, `[data-node="${id}"] .cvf-head`);
  return { x: x + 14, y: y + 12 };
};
async function select(page: Page, id: string): Promise<void> {
  const at = (await node(page, id).getAttribute('data-frame')) === null ? await middle(page, `[data-node="${id}"]`) : await head(page, id);
  await page.mouse.click(at.x, at.y);
  await expect(node(page, id)).toHaveClass(/is-sel/);
}
const search = (page: Page) => page.getByRole('dialog', { name: 'Add a step' });

test('a loop is drawn by mouse, filled, run, and an iteration of it is looked at', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Draw a loop', BARE);
  // From the port of the start, a loop.
  const port = await middle(page, '[data-port="start.success"]');
  await drag(page, port, { x: port.x + 130, y: port.y });
  await page.keyboard.type('for each');
  await page.keyboard.press('Enter');
  await expect(node(page, 'loop')).toHaveAttribute('data-frame', '0');
  await expect(node(page, 'loop')).toContainText('Add the steps to repeat for each element');
  // A list for it.
  await page.getByLabel('List', { exact: true }).first().click();
  await page.keyboard.type("=[{'v': 5}, {'v': 6}, {'v': 7}]");
  // A step is dragged in: the frame lights up, and the file says where it stands.
  const inside = await boxOf(page, '[data-node="loop"]');
  const from = await middle(page, '[data-node="loose"]');
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 6, from.y - 6);
  await page.mouse.move(inside.x + inside.width / 2, inside.y + inside.height / 2 + 10, { steps: 8 });
  await expect(node(page, 'loop')).toHaveClass(/cvf-in/);
  await page.mouse.up();
  await expect(node(page, 'loop')).toHaveAttribute('data-frame', '1');
  const doc = await saved(page, made);
  expect(doc.nodes['loose']?.parent).toBe('loop');
  expect(wires(doc)).toEqual(['start.success>loop']);
  const [x = -1, y = -1] = doc.layout['loose'] ?? [];
  expect(x >= 32 && y >= 48 && x < 100 && y < 120).toBe(true);
  // Run it.
  await page.keyboard.press('F5');
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible({ timeout: 20_000 });
  await expect(page.getByRole('toolbar', { name: 'Iteration of the run' })).toContainText('All 3 iterations');
  await page.locator('.cv').getByRole('toolbar', { name: 'Iteration of the run' }).getByRole('button', { name: 'Next iteration' }).click();
  await page.locator('.cv').getByRole('toolbar', { name: 'Iteration of the run' }).getByRole('button', { name: 'Next iteration' }).click();
  await expect(page.getByRole('toolbar', { name: 'Iteration of the run' })).toContainText('Iteration 2 of 3');
  await select(page, 'loose');
  await page.getByRole('tab', { name: /Output/ }).click();
  await expect(page.locator('.node-panel')).toContainText('n: 1');
});

test('a step moves out of a frame and its wires are cut, in one step that can be undone to the byte', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Out of the frame', ORDERS);
  const before = readFileSync(made.path, 'utf8');
  const frame = await boxOf(page, '[data-node="each"]');
  await drag(page, await middle(page, '[data-node="price"]'), { x: frame.x + 100, y: frame.y + frame.height + 120 });
  await expect(page.getByText('1 wire across the border was removed').first()).toBeVisible();
  const doc = await saved(page, made);
  expect(doc.nodes['price']).not.toHaveProperty('parent');
  expect(wires(doc)).toEqual(['start.success>orders', 'orders.success>each', 'each.success>done']);
  await page.keyboard.press('Control+z');
  await saved(page, made);
  expect(readFileSync(made.path, 'utf8')).toBe(before);
  await page.keyboard.press('Control+Shift+z');
  expect((await saved(page, made)).nodes['price']).not.toHaveProperty('parent');
});

test('a frame moves with what is in it, is resized, and neighbours make room', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Move and size', ORDERS);
  const at = await head(page, 'each');
  await drag(page, at, { x: at.x, y: at.y + 120 });
  let doc = await saved(page, made);
  expect(doc.layout['price']).toEqual(ORDERS.layout['price']);
  expect((doc.layout['each']?.[1] ?? 0) > 60).toBe(true);
  await page.keyboard.press('Control+z');
  await select(page, 'each');
  const corner = await boxOf(page, '[data-node="each"] .cvf-size.corner');
  await drag(page, { x: corner.x + 10, y: corner.y + 10 }, { x: corner.x + 130, y: corner.y + 90 });
  doc = await saved(page, made);
  const [, , width = 0, height = 0] = doc.layout['each'] ?? [];
  expect(width > 540 && height > 180).toBe(true);
  expect((doc.layout['done']?.[0] ?? 0) > (doc.layout['each']?.[0] ?? 0) + width).toBe(true);
});

test('wires over the border are refused with a reason', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Border', ORDERS);
  const port = await middle(page, '[data-port="price.success"]');
  await page.mouse.move(port.x, port.y);
  await page.mouse.down();
  const done = await middle(page, '[data-node="done"]');
  await page.mouse.move(done.x, done.y, { steps: 8 });
  await expect(page.locator('.cv-why')).toContainText('Wires cannot cross the border of “Each order”');
  await page.mouse.up();
  await expect(page.locator('.bar').getByText('Not saved')).toBeHidden();
  // Released beside the frame: nothing is added outside of it.
  const frame = await boxOf(page, '[data-node="each"]');
  await drag(page, port, { x: frame.x + 60, y: frame.y + frame.height + 90 });
  await expect(page.getByText('Wires cannot leave “Each order”').first()).toBeVisible();
  await expect(search(page)).toBeHidden();
  expect(wires(readJson<unknown>(made.path) as Doc)).toEqual(wires(ORDERS));
});

test('steps are added inside: double-click, a port, the keyboard, the palette, a wire', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Add inside', ORDERS);
  const frame = await boxOf(page, '[data-node="each"]');
  // Double-click in the free part of the frame; nothing starts there.
  await page.mouse.dblclick(frame.x + 120, frame.y + frame.height - 18);
  await page.keyboard.type('manual');
  await expect(search(page).getByRole('option', { name: /Manual/ })).toHaveCount(0);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('break');
  await page.keyboard.press('Enter');
  await expect(node(page, 'break')).toBeVisible();
  // From a port, into the frame that grows.
  const port = await middle(page, '[data-port="check.false"]');
  const now = await boxOf(page, '[data-node="each"]');
  await drag(page, port, { x: now.x + now.width - 120, y: now.y + now.height - 20 });
  await page.keyboard.type('sort');
  await page.keyboard.press('Enter');
  await expect(node(page, 'sort')).toBeVisible();
  // The palette goes on from the chosen step.
  await select(page, 'price');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Add Wait');
  await page.keyboard.press('Enter');
  await expect(node(page, 'wait')).toBeVisible();
  const doc = await saved(page, made);
  for (const id of ['break', 'sort', 'wait']) expect(doc.nodes[id]?.parent).toBe('each');
  expect(wires(doc)).toContain('check.false>sort');
  expect(wires(doc)).toContain('price.success>wait');
});

test('a step from outside falls into a wire of a frame', async ({ open, host }) => {
  const part = { ...ORDERS, nodes: { ...ORDERS.nodes, loose: { type: 'data.filter', title: 'Loose', config: { when: 'true' } } }, layout: { ...ORDERS.layout, loose: [520, 320] } };
  const { page, made } = await openDocument<Doc>(open, host, 'Into a wire', part);
  const [a, b] = [await middle(page, '[data-port="check.true"]'), await middle(page, '[data-input="price"]')];
  const from = await middle(page, '[data-node="loose"]');
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x - 5, from.y);
  await page.mouse.move((a.x + b.x) / 2, b.y + 30, { steps: 6 });
  await page.mouse.move((a.x + b.x) / 2, b.y, { steps: 4 });
  await expect(page.locator('[data-wire="check.true>price"] .cv-w.drop')).toHaveCount(1);
  await page.mouse.up();
  const doc = await saved(page, made);
  expect(doc.nodes['loose']?.parent).toBe('each');
  expect(wires(doc)).toEqual(expect.arrayContaining(['check.true>loose', 'loose.success>price']));
});

test('a frame is copied, duplicated and deleted with its steps; or taken away alone', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Whole frames', ORDERS);
  const before = readFileSync(made.path, 'utf8');
  await select(page, 'each');
  await page.keyboard.press('Control+d');
  await expect(node(page, 'each_2')).toHaveAttribute('data-frame', '2');
  let doc = await saved(page, made);
  expect(doc.nodes['price_2']).toMatchObject({ parent: 'each_2' });
  expect(wires(doc)).toContain('check_2.true>price_2');
  expect(doc.layout['price_2']).toEqual(ORDERS.layout['price']);
  // Delete takes all of it, in one step.
  await page.keyboard.press('Delete');
  await expect(node(page, 'price_2')).toHaveCount(0);
  await expect(page.getByText('was deleted with the 2 steps in it').first()).toBeVisible();
  await saved(page, made);
  expect(readFileSync(made.path, 'utf8')).toBe(before);
  // Only the frame.
  await select(page, 'each');
  await page.keyboard.press('Control+Shift+Delete');
  await expect(node(page, 'each')).toHaveCount(0);
  doc = await saved(page, made);
  expect(doc.nodes['price']).not.toHaveProperty('parent');
  expect(wires(doc)).toEqual(['start.success>orders', 'orders.success>check', 'check.true>price', 'price.success>done']);
  await page.keyboard.press('Control+z');
  await expect(node(page, 'each')).toHaveAttribute('data-frame', '2');
  await saved(page, made);
  expect(readFileSync(made.path, 'utf8')).toBe(before);
  // Copy and paste, into a frame.
  await select(page, 'check');
  await page.keyboard.press('Control+c');
  await expect(page.getByText('1 step copied').first()).toBeVisible();
  const frame = await boxOf(page, '[data-node="each"]');
  await page.mouse.move(frame.x + 140, frame.y + frame.height - 20);
  await page.keyboard.press('Control+v');
  await expect(node(page, 'check_2')).toBeVisible();
  expect((await saved(page, made)).nodes['check_2']).toMatchObject({ parent: 'each' });
});

test('tidy lays out frames in frames, and undo brings the file back to the byte', async ({ open, host }) => {
  const part: Doc = {
    nodes: {
      ...ORDERS.nodes,
      par: { type: 'flow.parallel', title: 'Both', parent: 'each' },
      left: { type: 'data.set', title: 'Left', parent: 'par', config: { assign: { a: 1 } } },
      right: { type: 'data.set', title: 'Right', parent: 'par', config: { assign: { b: 2 } } },
    },
    edges: [...ORDERS.edges, { from: 'price.success', to: 'par' }],
    layout: { ...ORDERS.layout, par: [60, 200], left: [200, 60], right: [32, 300] },
  };
  const { page, made } = await openDocument<Doc>(open, host, 'Nested', part);
  const before = readFileSync(made.path, 'utf8');
  await page.getByRole('button', { name: 'Tidy up' }).click();
  const doc = await saved(page, made);
  expect(doc.layout['left']).toEqual([32, 48]);
  expect(doc.layout['right']?.[0]).toBe(32);
  await expect(page.locator('.react-flow__minimap-node')).toHaveCount(9);
  await page.keyboard.press('Control+z');
  await saved(page, made);
  expect(readFileSync(made.path, 'utf8')).toBe(before);
  // Finding says where.
  await page.keyboard.press('Control+f');
  await page.keyboard.type('Left');
  await expect(page.getByRole('option', { name: /Left/ }).first()).toContainText('in Both');
});

test('one choice for the whole run: canvas, log and panel show that iteration, from the keyboard too', async ({ open, host }) => {
  const made = await host.rpc<Opened<Doc>>('workflow_create', { name: 'Look closer' });
  const { runId } = await host.rpc<{ runId: string }>('run_start', { document: { ...made.document, ...ORDERS }, params: {} });
  await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status).toBe('completed');
  const page = await open(`#/run/${runId}`);
  const whole = page.getByRole('toolbar', { name: 'Iteration of the run' });
  await expect(whole).toContainText('All 3 iterations');
  await expect(node(page, 'price')).toHaveAttribute('data-state', 'done');
  // Open or closed as another test left it.
  const log = page.locator('.wb-status').getByRole('button', { name: /Detail log/ });
  if ((await log.getAttribute('aria-expanded')) !== 'true') await log.click();
  await expect(page.locator('.step-card', { hasText: 'Price' })).toHaveCount(2);
  await select(page, 'price');
  await page.keyboard.press('.');
  await page.keyboard.press('.');
  await expect(whole).toContainText('Iteration 2 of 3');
  // The second order has nothing to pay.
  await expect(node(page, 'price')).toHaveAttribute('data-state', 'skipped');
  await expect(node(page, 'orders')).toHaveAttribute('data-state', 'done');
  await expect(page.locator('.step-card', { hasText: 'Price' })).toHaveCount(0);
  await expect(page.locator('.step-card', { hasText: 'To pay?' })).toContainText('Each order 2');
  await page.keyboard.press('.');
  await expect(node(page, 'price')).toHaveAttribute('data-state', 'done');
  await page.getByRole('tab', { name: /Output/ }).click();
  await expect(page.locator('.node-panel')).toContainText('gross: 60');
  // A number is typed; a path in the log leads to its iteration; the frame has the same choice.
  await whole.getByRole('button', { name: /Iteration 3 of 3/ }).click();
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  await expect(node(page, 'each').locator('[data-rounds="each"]')).toContainText('1/3');
  await expect(page.locator('.node-panel')).toContainText('gross: 20');
  await whole.getByRole('button', { name: 'All iterations' }).click();
  await page.locator('.step-card', { hasText: 'Price' }).last().getByRole('button', { name: 'Each order 3' }).click();
  await expect(whole).toContainText('Iteration 3 of 3');
  await node(page, 'each').getByRole('button', { name: 'Previous iteration' }).click();
  await expect(whole).toContainText('Iteration 2 of 3');
});

test('a task of an iteration says which, in the inbox', async ({ open, host }) => {
  const made = await host.rpc<Opened<Doc>>('workflow_create', { name: 'Ask for each' });
  const part: Doc = {
    nodes: {
      start: { type: 'trigger.manual' },
      each: { type: 'flow.loop', title: 'Each', config: { source: [{ n: 1 }, { n: 2 }], mode: 'parallel' } },
      ask: { type: 'builtin.human_approval', title: 'May it?', parent: 'each', config: { title: 'May {{_item.n}} go?' } },
    },
    edges: [{ from: 'start.success', to: 'each' }],
    layout: { start: [0, 48], each: [248, 0], ask: [32, 48] },
  };
  const { runId } = await host.rpc<{ runId: string }>('run_start', { document: { ...made.document, ...part }, params: {} });
  const page = await open('#/inbox');
  await expect(page.getByRole('row', { name: /May 2 go/ })).toContainText('iteration 2');
  await expect(page.getByRole('row', { name: /May 1 go/ })).toContainText('iteration 1');
  // The run that waits shows whom it waits for, at the step and in its iteration.
  await page.evaluate((id) => { window.location.hash = `#/run/${id}`; }, runId);
  await expect(node(page, 'ask')).toHaveAttribute('data-state', 'asks');
  await expect(page.locator('.bar').getByText('2 tasks wait for a person')).toBeVisible();
  await host.rpc('run_cancel', { runId });
});

test('a sub-workflow is chosen from the library, and a double-click opens its file', async ({ open, host }) => {
  const other = await host.rpc<Opened<Doc>>('workflow_create', { name: 'Check the customer' });
  const { page, made } = await openDocument<Doc>(open, host, 'Calls another', { nodes: { start: { type: 'trigger.manual', title: 'Start' }, sub: { type: 'flow.subworkflow', title: 'Another file' } }, edges: [{ from: 'start.success', to: 'sub' }], layout: { start: [0, 0], sub: [248, 0] } });
  await select(page, 'sub');
  await page.getByRole('combobox', { name: 'Workflow' }).click();
  await page.getByRole('option', { name: /Check the customer/ }).click();
  expect((await saved(page, made)).nodes['sub']?.config).toEqual({ workflow: other.document['id' as keyof Doc] });
  await expect(page.getByRole('button', { name: 'Open workflow' })).toBeEnabled();
  const at = await middle(page, '[data-node="sub"]');
  await page.mouse.dblclick(at.x, at.y);
  await expect(page.getByRole('heading', { name: 'Check the customer' })).toBeVisible();
});

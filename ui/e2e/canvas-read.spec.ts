/** What a person reads from the canvas, and where steps are added on it. */
import { boxOf, middle, openDocument, saved, shot, wires } from './document.ts';
import { expect, test } from './host.ts';

interface Doc {
  nodes: { [id: string]: { type: string; title?: string; parent?: string; config?: unknown } };
  edges: { from: string; to: string }[];
  layout: { [id: string]: [number, number] };
}
const LINE: Doc = {
  nodes: {
    start: { type: 'trigger.manual', title: 'Start' },
    first: { type: 'data.set', title: 'First', config: { assign: { a: 1 } } },
    check: { type: 'flow.if', title: 'Big enough?', config: { condition: 'item.a > 0' } },
    last: { type: 'flow.stop', title: 'Done', config: { stopId: 'done' } },
  },
  edges: [{ from: 'start.success', to: 'first' }, { from: 'first.success', to: 'check' }, { from: 'check.true', to: 'last' }],
  layout: { start: [0, 0], first: [296, 0], check: [592, 0], last: [888, 0] },
};

test('a click on a port or on the plus of a wire opens the list there, and what is chosen is wired', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Plus signs', LINE);
  const box = page.getByRole('dialog', { name: 'Add a step' });
  const port = await middle(page, '[data-port="check.false"]');
  await shot(page, 'canvas-plus');
  await page.mouse.click(port.x, port.y);
  await expect(box).toBeVisible();
  const at = await box.boundingBox();
  expect(Math.abs((at?.x ?? 0) - port.x)).toBeLessThan(360);
  await page.keyboard.type('filter');
  await page.keyboard.press('Enter');
  await expect(page.locator('.cv-node')).toHaveCount(5);

  const plus = await middle(page, '[data-plus="first.success>check"]');
  await page.mouse.click(plus.x, plus.y);
  await expect(box).toBeVisible();
  await page.keyboard.type('set fields');
  await page.keyboard.press('Enter');
  await expect(page.locator('.cv-node')).toHaveCount(6);

  const input = await middle(page, '[data-input="last"]');
  await page.mouse.click(input.x, input.y);
  await expect(box).toBeVisible();
  await page.keyboard.type('wait');
  await page.keyboard.press('Enter');
  await expect(page.locator('.cv-node')).toHaveCount(7);
  const doc = await saved(page, made);
  expect(wires(doc)).toEqual(expect.arrayContaining(['check.false>filter', 'first.success>set_fields', 'set_fields.success>check', 'wait.success>last']));
  expect(wires(doc)).not.toContain('first.success>check');
});

test('an error path is red in a run that did not take it', async ({ open, host }) => {
  const { page } = await openDocument<Doc>(open, host, 'Red paths', {
    ...LINE,
    nodes: { ...LINE.nodes, tell: { type: 'data.set', title: 'Tell somebody', config: { assign: { failed: true } } } },
    edges: [...LINE.edges, { from: 'first.error', to: 'tell' }],
    layout: { ...LINE.layout, tell: [496, 144] },
  });
  const wire = page.locator('[data-wire="first.error>tell"]');
  const colour = () => wire.locator('.cv-w').first().evaluate((path) => getComputedStyle(path).stroke);
  const red = await colour();
  await page.keyboard.press('F5');
  await expect(page.locator('.bar').getByText('Completed')).toBeVisible();
  await expect(wire).toHaveAttribute('data-state', 'not-taken');
  expect(await colour()).toBe(red);
  expect((await boxOf(page, '[data-node="tell"]')).width).toBeGreaterThan(0);
  await shot(page, 'canvas-red');
});

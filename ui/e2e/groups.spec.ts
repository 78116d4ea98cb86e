/** Groups, and several steps arranged together. */
import { violations } from './axe.ts';
import { boxOf, drag, openDocument, saved, shot } from './document.ts';
import { expect, test } from './host.ts';

interface Doc {
  nodes: { [id: string]: { type: string; title?: string; config?: unknown } };
  edges: { from: string; to: string }[];
  layout: { [id: string]: [number, number] } & { $groups?: { [id: string]: unknown } };
}
const LINE: Partial<Doc> = {
  nodes: {
    start: { type: 'trigger.manual', title: 'Start' },
    first: { type: 'data.set', title: 'Read the orders of this morning', config: { assign: { a: 1 } } },
    second: { type: 'data.set', title: 'Ask the second service', config: { assign: { b: 2 } } },
    last: { type: 'data.set', title: 'Write the report', config: { assign: { c: 3 } } },
    tell: { type: 'data.set', title: 'Tell somebody', config: { assign: { failed: true } } },
  },
  edges: [{ from: 'start.success', to: 'first' }, { from: 'first.success', to: 'second' }, { from: 'second.success', to: 'last' }, { from: 'first.error', to: 'tell' }],
  layout: { start: [0, 40], first: [248, 0], second: [560, 60], last: [900, 20], tell: [420, 200] },
};

test('steps become a group that is named, moved, folded, shown in a run and kept in the file', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Groups', LINE);
  await page.locator('[data-node=first]').click({ position: { x: 80, y: 8 } });
  await page.locator('[data-node=second]').click({ position: { x: 80, y: 8 }, modifiers: ['Shift'] });
  await page.keyboard.press('Control+g');
  const dialog = page.getByRole('dialog', { name: 'Edit the group' });
  await dialog.getByLabel('Title').fill('Get the orders');
  await dialog.getByRole('radio', { name: 'Green' }).check({ force: true });
  await dialog.getByLabel('Note').fill('Two services, one list');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  const group = page.locator('[data-group=group]');
  await expect(group).toContainText('Get the orders');
  await expect(group).toContainText('Two services, one list');
  await shot(page, 'groups');
  expect((await violations(page, 'group')).join('\n')).toBe('');

  // Moved by its head: its steps go along, the others stay.
  const [before, still] = [await boxOf(page, '[data-node=first]'), await boxOf(page, '[data-node=start]')];
  const head = await boxOf(page, '.cvg-head');
  await drag(page, { x: head.x + 120, y: head.y + 14 }, { x: head.x + 120, y: head.y + 94 });
  await expect.poll(async () => (await boxOf(page, '[data-node=first]')).y).toBeGreaterThan(before.y + 60);
  expect(await boxOf(page, '[data-node=start]')).toEqual(still);

  await group.getByRole('button', { name: 'Collapse the group Get the orders' }).click();
  await expect(page.locator('[data-folded=group]')).toBeVisible();
  await expect(page.locator('[data-node=first]')).toHaveCount(0);
  await page.keyboard.press('F5');
  await expect(page.locator('.bar').getByText('Completed')).toBeVisible();
  await expect(page.locator('[data-folded=group]')).toContainText('2 of 2 done');
  await shot(page, 'groups-folded');
  await page.locator('[data-folded=group]').getByRole('button').click();
  await expect(page.locator('[data-node=first]')).toBeVisible();

  const doc = await saved(page, made);
  expect(doc.layout.$groups).toEqual({ group: { title: 'Get the orders', color: 'green', steps: ['first', 'second'], note: 'Two services, one list' } });
});

test('several steps are aligned and distributed; tidy keeps the success path straight', async ({ open, host }) => {
  const { page } = await openDocument<Doc>(open, host, 'Arranged', LINE);
  const tops = async (...ids: string[]) => {
    const all = [];
    for (const id of ids) all.push(Math.round((await boxOf(page, `[data-node=${id}]`)).y));
    return all;
  };
  await page.locator('[data-node=first]').click({ position: { x: 80, y: 8 } });
  await page.locator('[data-node=second]').click({ position: { x: 80, y: 8 }, modifiers: ['Shift'] });
  await page.locator('[data-node=last]').click({ position: { x: 80, y: 8 }, modifiers: ['Shift'] });
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Align in a row' }).click();
  await expect.poll(async () => new Set(await tops('first', 'second', 'last')).size).toBe(1);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Tidy up' }).click();
  await expect.poll(async () => new Set(await tops('start', 'first', 'second', 'last')).size).toBe(1);
  const [row = 0, below = 0] = await tops('start', 'tell');
  expect(below).toBeGreaterThan(row);
  await shot(page, 'tidy');
});

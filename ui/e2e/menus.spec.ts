/** Menus of a step, of a wire and of the empty canvas: with the right button and with the keyboard (C6, C7, C33). */
import type { Page } from '@playwright/test';
import { middle, openDocument, saved, shot, wires } from './document.ts';
import { expect, type Host, test } from './host.ts';

interface Doc {
  nodes: { [id: string]: { type: string; title?: string; disabled?: boolean; config?: unknown } };
  edges: { from: string; to: string }[];
  layout: { [id: string]: [number, number] };
  [extra: string]: unknown;
}
const LINE: Partial<Doc> = {
  nodes: {
    start: { type: 'trigger.manual', title: 'Start' },
    first: { type: 'data.set', title: 'First', config: { assign: { a: '=1 + 1' } } },
    check: { type: 'flow.if', title: 'Big enough?', config: { condition: 'item.a > 0' } },
    last: { type: 'flow.stop', title: 'Done', config: { stopId: 'done' } },
  },
  edges: [{ from: 'start.success', to: 'first' }, { from: 'first.success', to: 'check' }, { from: 'check.true', to: 'last' }],
  layout: { start: [0, 0], first: [248, 0], check: [496, 0], last: [744, 0] },
};

const card = (page: Page, id: string) => page.locator(`[data-node="${id}"]`);
const menu = (page: Page, name: string | RegExp = /^Menu of/) => page.getByRole('menu', { name });
const labels = async (page: Page) => await menu(page).getByRole('menuitem').locator('.grow').allTextContents();
const press = async (page: Page, id: string) => await card(page, id).click({ button: 'right', position: { x: 90, y: 12 } });

test('C7: the menu of a step offers its actions with their keys, and does them', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Menu of a step', LINE);
  await press(page, 'first');
  await expect(menu(page, 'Menu of the step')).toBeVisible();
  await expect(card(page, 'first')).toHaveClass(/is-sel/);
  // No run is known: nothing to run again.
  expect(await labels(page)).toEqual(['Open step', 'Show the output', 'Error handling', 'Rename step', 'Run this step', 'Run this step with…', 'Run to here', 'Run from here', 'Fail in the next run…', 'Set a breakpoint', 'Add step…', 'Connect to…', 'When it fails…', 'Copy', 'Cut', 'Duplicate', 'Disable', 'Group the selected steps', 'Delete and reconnect', 'Delete']);
  await expect(menu(page).getByRole('menuitem', { name: 'Duplicate' }).locator('kbd')).toHaveText('Ctrl D');
  await shot(page, 'menu-step');
  // The keys of the page behind do nothing meanwhile.
  await page.keyboard.press('F2');
  await expect(page.locator('.cv-rename')).toHaveCount(0);
  await menu(page).getByRole('menuitem', { name: 'Rename step' }).click();
  await expect(page.locator('.cv-rename')).toBeFocused();
  await page.keyboard.type('Token count');
  await page.keyboard.press('Enter');
  await expect(card(page, 'first')).toContainText('Token count');
  await press(page, 'first');
  await menu(page).getByRole('menuitem', { name: 'Disable' }).click();
  await press(page, 'first');
  await menu(page).getByRole('menuitem', { name: 'Enable' }).click();
  await press(page, 'check');
  await menu(page).getByRole('menuitem', { name: 'Error handling' }).click();
  await expect(page.getByRole('tab', { name: 'Error handling' })).toHaveAttribute('aria-selected', 'true');
  await page.getByRole('tab', { name: 'Settings' }).click();
  await expect(page.getByRole('tab', { name: 'Settings' })).toHaveAttribute('aria-selected', 'true');
  await press(page, 'first');
  await menu(page).getByRole('menuitem', { name: 'Delete and reconnect' }).click();
  const doc = await saved(page, made);
  expect(Object.keys(doc.nodes)).toEqual(['start', 'check', 'last']);
  expect(wires(doc)).toContain('start.success>check');
});

test('C3 C33: Shift+F10 opens the menu beside what is chosen; arrows and Enter work it, Esc gives the keys back', async ({ open, host }) => {
  const { page } = await openDocument<Doc>(open, host, 'Menu by keys', LINE);
  await card(page, 'first').click({ position: { x: 90, y: 8 } });
  await page.keyboard.press('Shift+F10');
  await expect(menu(page, 'Menu of the step')).toBeVisible();
  const [box, place] = [await card(page, 'first').boundingBox(), await menu(page).boundingBox()];
  // Below or above, where there is room; the step itself is not covered.
  const [gapBelow, gapAbove] = [(place?.y ?? 0) - ((box?.y ?? 0) + (box?.height ?? 0)), (box?.y ?? 0) - ((place?.y ?? 0) + (place?.height ?? 0))];
  expect(Math.max(gapBelow, gapAbove)).toBeGreaterThanOrEqual(0);
  expect(Math.max(gapBelow, gapAbove)).toBeLessThan(16);
  await page.keyboard.press('Escape');
  await expect(menu(page)).toBeHidden();
  // The keys are with the step again.
  await page.keyboard.press('ArrowRight');
  await expect(card(page, 'check')).toHaveClass(/is-sel/);
  await page.keyboard.press('Shift+F10');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await expect(menu(page).getByRole('menuitem', { name: 'Delete Del' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(menu(page).getByRole('menuitem', { name: 'Open step' })).toBeFocused();
  // A letter goes to the entry that begins with it.
  await page.keyboard.press('w');
  await expect(menu(page).getByRole('menuitem', { name: 'When it fails…' })).toBeFocused();
  await page.keyboard.press('Enter');
  const templates = page.getByRole('dialog').filter({ hasText: 'When Big enough? fails' });
  await expect(templates).toBeVisible();
  await expect(templates.getByRole('combobox')).toBeFocused();
  await page.keyboard.press('2');
  await expect(page.locator('.cv-node')).toHaveCount(5);
  await page.keyboard.press('Control+z');
  await expect(page.locator('.cv-node')).toHaveCount(4);
  // With nothing chosen it is the menu of the canvas.
  await page.keyboard.press('Escape');
  await page.keyboard.press('ContextMenu');
  await expect(menu(page, 'Menu of the canvas')).toBeVisible();
  await expect(menu(page)).toHaveCount(1);
});

test('the menu of a wire puts a step into it and takes it away; the menu of the canvas adds where it was opened', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Menu of a wire', LINE);
  const onWire = async (target = 'first') => {
    const [from, to] = [await middle(page, '[data-port="start.success"]'), await middle(page, `[data-input="${target}"]`)];
    await page.mouse.click((from.x + to.x) / 2, from.y, { button: 'right' });
  };
  await onWire();
  await expect(menu(page, 'Menu of the wire')).toBeVisible();
  await shot(page, 'menu-wire');
  await menu(page).getByRole('menuitem', { name: 'Go to where the wire ends' }).click();
  await expect(card(page, 'first')).toHaveClass(/is-sel/);
  await onWire();
  await menu(page).getByRole('menuitem', { name: 'Add step…' }).click();
  const box = page.getByRole('dialog', { name: 'Add a step' });
  await expect(box).toBeVisible();
  await page.keyboard.type('fields');
  await page.keyboard.press('Enter');
  await expect(page.locator('.cv-node')).toHaveCount(5);
  const first = await middle(page, '[data-node="first"]');
  const free = { x: first.x, y: first.y + 260 };
  await page.mouse.click(free.x, free.y, { button: 'right' });
  await expect(menu(page, 'Menu of the canvas')).toBeVisible();
  expect(await labels(page)).toEqual(['Add step…', 'Paste', 'Paste with incoming wires', 'Run', 'Undo', 'Select all', 'Find a step', 'Show or hide the outline', 'Tidy up the layout', 'Fit', 'Zoom to 100 %', 'Hide the default error handling']);
  await shot(page, 'menu-canvas');
  await menu(page).getByRole('menuitem', { name: 'Add step…' }).click();
  await page.keyboard.type('fields');
  await page.keyboard.press('Enter');
  await expect(page.locator('.cv-node')).toHaveCount(6);
  const added = await page.locator('[data-node="set_fields_2"]').boundingBox();
  expect(Math.abs((added?.x ?? 0) + (added?.width ?? 0) / 2 - free.x)).toBeLessThan(120);
  await page.keyboard.press('Escape');
  await onWire('set_fields');
  await menu(page).getByRole('menuitem', { name: 'Delete' }).click();
  const doc = await saved(page, made);
  expect(wires(doc)).not.toContain('start.success>set_fields');
  expect(wires(doc)).toContain('set_fields.success>first');
});

test('C16: after a run the menu leads to the output and offers to run again from the step; a run of its own only looks', async ({ open, host }) => {
  const { page } = await openDocument<Doc>(open, host, 'Menu after a run', LINE);
  await page.keyboard.press('F5');
  await expect(page.locator('.bar').getByText('Completed')).toBeVisible();
  await press(page, 'first');
  await shot(page, 'menu-run');
  await menu(page).getByRole('menuitem', { name: 'Show the output' }).click();
  await expect(page.getByRole('tab', { name: /Output/ })).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('.node-panel')).toContainText('2');
  await press(page, 'first');
  await menu(page).getByRole('menuitem', { name: 'Re-run from here' }).click();
  await expect(page.getByRole('dialog', { name: /Re-run from First/ })).toBeVisible();
  await page.keyboard.press('Escape');
  const { runs } = await runsOf(host);
  await page.evaluate((id) => { window.location.hash = `#/run/${id}`; }, runs[0]);
  await expect(page.locator('.bar').getByText('Read only')).toBeVisible();
  await press(page, 'first');
  const offered = await labels(page);
  expect(offered).toContain('Re-run from here');
  expect(offered).toContain('Copy');
  for (const edit of ['Rename step', 'Cut', 'Duplicate', 'Disable', 'Delete']) expect(offered).not.toContain(edit);
});

test('several chosen steps have one menu; the right button on a field is the browser\'s', async ({ open, host }) => {
  const { page } = await openDocument<Doc>(open, host, 'Menu of several', LINE);
  await card(page, 'start').click({ position: { x: 90, y: 8 } });
  await card(page, 'first').click({ position: { x: 90, y: 8 }, modifiers: ['Control'] });
  await expect(page.locator('.is-sel')).toHaveCount(2);
  await press(page, 'first');
  await expect(menu(page, 'Menu of the selected steps')).toBeVisible();
  expect(await labels(page)).not.toContain('Rename step');
  await menu(page).getByRole('menuitem', { name: 'Delete Del' }).click();
  await expect(page.locator('.cv-node')).toHaveCount(2);
  await page.keyboard.press('Control+z');
  // A click on one of several means that one.
  await card(page, 'first').click({ position: { x: 90, y: 8 } });
  await expect(page.locator('.is-sel')).toHaveCount(1);
  await page.keyboard.press('F2');
  await page.locator('.cv-rename').click({ button: 'right' });
  await expect(menu(page)).toHaveCount(0);
});

async function runsOf(host: Host): Promise<{ runs: string[] }> {
  const answer = await host.rpc<{ runs?: { runId: string }[] } | { runId: string }[]>('run_list', { limit: 1 });
  const list = Array.isArray(answer) ? answer : answer.runs ?? [];
  return { runs: list.map((run) => run.runId) };
}

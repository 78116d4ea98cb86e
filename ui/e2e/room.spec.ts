/** At 1280 x 800 everything has room: no button is cut off, and a text that is too long says so and says it whole when pointed at. */
import type { Page } from '@playwright/test';
import { expect, test } from './host.ts';
import { openDocument } from './document.ts';
import { APPROVAL, makeWorkflow, MEAN, openTasks, startRun } from './people.ts';

/** What is cut off sideways in the box that hides it, and what ends in "…" without a tooltip. */
const cut = (page: Page) => page.evaluate(() => {
  const found: string[] = [];
  const name = (element: Element) => `${element.tagName.toLowerCase()}.${[...element.classList].join('.')} "${(element.textContent ?? '').trim().slice(0, 60)}"`;
  const seen = (element: Element) => {
    const box = element.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && box.bottom > 0 && box.top < window.innerHeight && getComputedStyle(element).visibility === 'visible' && element.closest('.vh, .react-flow__viewport, .cm-editor') === null;
  };
  for (const element of document.querySelectorAll('button, a, input, .badge, h1, h2, th, [role=columnheader], [role=tab]')) {
    if (!seen(element)) continue;
    const box = element.getBoundingClientRect();
    if (box.right > window.innerWidth + 1) found.push(`outside of the window: ${name(element)}`);
    for (let around = element.parentElement; around; around = around.parentElement) {
      if (getComputedStyle(around).overflowX === 'visible') continue;
      const frame = around.getBoundingClientRect();
      if (box.right > frame.right + 1 || box.left < frame.left - 1) found.push(`cut by ${around.className}: ${name(element)}`);
    }
  }
  for (const element of document.querySelectorAll<HTMLElement>('body *')) {
    const style = getComputedStyle(element);
    if (![...element.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.textContent?.trim()) || !seen(element)) continue;
    if (element.scrollWidth <= element.clientWidth + 1 || style.overflowX === 'visible' || style.overflowX === 'auto') continue;
    if (style.textOverflow !== 'ellipsis') found.push(`cut without an ellipsis: ${name(element)}`);
    else if (!element.closest('[title]')) found.push(`no tooltip: ${name(element)}`);
  }
  return [...new Set(found)];
});

test('nothing is cut off at 1280 x 800 on any screen', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, { ...MEAN, name: 'Mean of the orders of all branches, month by month and country by country' });
  const { ref: pay } = await makeWorkflow(host, APPROVAL);
  const runId = await startRun(host, ref, { name: 'Ada', total: 12, count: 0 });
  const runs = [runId, await startRun(host, pay, { amount: 18_400 })];
  await expect.poll(async () => (await openTasks(host)).filter((one) => runs.includes(one.runId)).length).toBe(2);
  const page = await open();
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const [hash, there] of [
    ['#/workflows', page.locator('.g-run').first()],
    ['#/runs', page.getByRole('grid', { name: /Runs/ }).getByText('Pay suppliers').first()],
    ['#/audit', page.getByText('Task created').first()],
    ['#/catalog', page.getByRole('searchbox', { name: 'Find a step kind' })],
    ['#/settings', page.getByRole('heading', { name: 'Audit anchors' })],
    [`#/workflow/${encodeURIComponent(ref)}`, page.locator('.react-flow__node').first()],
    [`#/run/${encodeURIComponent(runId)}`, page.locator('.react-flow__node').first()],
    ['#/inbox', page.getByRole('tab', { name: 'What happened' })],
  ] as const) {
    await page.evaluate((next) => { window.location.hash = next; }, hash);
    await there.waitFor();
    expect.soft(await cut(page), hash).toEqual([]);
  }
});

test('at 1024 x 700 a run has its name, and can be stopped', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, { ...APPROVAL, name: 'Pay suppliers of all branches, month by month and country by country' });
  const runId = await startRun(host, ref, { amount: 18_400 });
  const page = await open();
  await page.setViewportSize({ width: 1024, height: 700 });
  await page.evaluate((id) => { window.location.hash = `#/run/${encodeURIComponent(id)}`; }, runId);
  const cancel = page.getByRole('button', { name: 'Cancel', exact: true });
  await expect(cancel).toBeInViewport({ ratio: 1 });
  expect((await page.locator('.wb-run').boundingBox())?.width).toBeGreaterThan(90);
  await expect(page.getByRole('button', { name: 'Open workflow' })).toBeInViewport({ ratio: 1 });
});

test('what a screen says of its own parts wins over the kit, in the built page, too', async ({ open }) => {
  const page = await open('#/inbox');
  await page.getByRole('group', { name: 'Filters' }).waitFor();
  const sheets = await page.evaluate(() => [...document.styleSheets].map((sheet) => [...sheet.cssRules].flatMap((rule) => (rule instanceof CSSStyleRule ? [rule.selectorText] : []))));
  const first = (selector: string) => sheets.findIndex((rules) => rules.includes(selector));
  expect(first('.row')).toBeGreaterThanOrEqual(0);
  expect(first('.ib-row')).toBeGreaterThan(first('.row'));
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(page.locator('.ib-keys')).toBeHidden();
});

test('hints of keys give way first, then the order, before the filters wrap', async ({ open }) => {
  const page = await open('#/inbox');
  const filters = page.getByRole('group', { name: 'Filters' });
  await filters.waitFor();
  const seen = () => filters.evaluate((bar) => {
    const width = (selector: string) => bar.querySelector(selector)?.getBoundingClientRect().width ?? 0;
    return { keys: width('.ib-keys'), sort: width('.ib-sort'), lines: new Set([...bar.querySelectorAll('.ib-chips > *')].map((chip) => Math.round(chip.getBoundingClientRect().top))).size };
  });
  await page.setViewportSize({ width: 2400, height: 800 });
  const wide = await seen();
  expect(wide).toMatchObject({ lines: 1 });
  let before = wide;
  for (let width = 2350; width >= 1290; width -= 50) {
    await page.setViewportSize({ width, height: 800 });
    const now = await seen();
    // Hints are narrower before the order is, and both before a filter has to go to a second line.
    if (now.sort < wide.sort - 1 || now.lines > 1) expect(now.keys, String(width)).toBeLessThan(wide.keys - 1);
    if (now.lines > 1) expect(now.sort, String(width)).toBeLessThan(wide.sort - 1);
    expect(now.keys, String(width)).toBeLessThanOrEqual(before.keys + 1);
    before = now;
  }
  expect(before.keys).toBeLessThan(wide.keys);
});

test('a label that is longer than its row wraps: what stands beside it stays in the form', async ({ open, host }) => {
  const title = 'Identifier of the customer in the accounting system of the branch in which the order was placed';
  const { page } = await openDocument<{ params: unknown }>(open, host, 'Long labels', { params: { type: 'object', required: ['ids'], properties: { ids: { type: 'array', title, items: { type: 'string' }, minItems: 1 } } } });
  await page.getByRole('button', { name: /^Run/ }).first().click();
  const dialog = page.getByRole('dialog');
  const name = dialog.locator('.lab-name').filter({ hasText: title });
  const add = dialog.getByRole('button', { name: `Add: ${title}` });
  const [frame, label, button] = await Promise.all([dialog.boundingBox(), name.boundingBox(), add.boundingBox()]);
  if (!frame || !label || !button) throw new Error('not on the screen');
  expect(label.height).toBeGreaterThan(button.height * 1.5);
  expect(label.x + label.width).toBeLessThanOrEqual(button.x);
  expect(button.x + button.width).toBeLessThan(frame.x + frame.width);
});

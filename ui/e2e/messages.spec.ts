/** Short messages: where they stand, how long, and that nothing said is lost. */
import type { Page } from '@playwright/test';
import { shot } from './document.ts';
import { expect, test } from './host.ts';
import { APPROVAL, makeWorkflow, openTasks, startRun } from './people.ts';

/** Buttons and banners that a message lies on. */
const covered = (page: Page) => page.evaluate(() => {
  const own = document.querySelector('.toaster');
  return [...document.querySelectorAll('.toast')].flatMap((toast) => {
    const a = toast.getBoundingClientRect();
    return [...document.querySelectorAll('button, input, textarea, .banner')].filter((one) => !own?.contains(one)).filter((one) => {
      const b = one.getBoundingClientRect();
      return b.width > 0 && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    }).map((one) => `${(toast.textContent ?? '').slice(0, 40)} on ${(one.textContent ?? '').slice(0, 40)}`);
  });
});

/** How far the messages stand from the right edge of the window, and from its lower one. */
const fromCorner = (page: Page) => page.evaluate(() => {
  const { right, bottom } = (document.querySelector('.toaster') as HTMLElement).getBoundingClientRect();
  return { right: Math.round(window.innerWidth - right), low: bottom > (window.innerHeight * 2) / 3 };
});

test('a message lies on nothing that is pressed, is said once, and leaves with what it was about', async ({ open, host }) => {
  const { ref } = await makeWorkflow(host, APPROVAL);
  const runs = [await startRun(host, ref, { amount: 701 }), await startRun(host, ref, { amount: 702 })];
  await expect.poll(async () => (await openTasks(host)).filter((one) => runs.includes(one.runId)).length).toBe(2);
  const page = await open('#/inbox');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('row', { name: /payment of 701 EUR/ }).click();
  await page.getByRole('heading', { name: /payment of 701 EUR/ }).waitFor();
  // A failure, said three times.
  await page.route('**/rpc/task_claim', (route) => route.fulfill({ status: 503, contentType: 'application/json', body: '{"error":{"code":"DISK_FULL","message":"The disk is full.","hint":"Make room."}}' }));
  for (let n = 1; n <= 3; n += 1) await page.getByRole('button', { name: /^Claim/ }).click();
  const failure = page.getByRole('region', { name: 'Messages' }).getByRole('alert');
  await expect(failure).toHaveCount(1);
  await expect(failure).toContainText('The disk is full. ×3');
  expect(await covered(page)).toEqual([]);
  expect(await fromCorner(page)).toEqual({ right: 16, low: true });
  await shot(page, 'message-inbox');
  // On hold: the message is beside the button that takes it up again.
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Put on hold…' }).click();
  await page.getByRole('dialog').getByRole('textbox').first().fill('The bank is asked');
  await page.getByRole('dialog').getByRole('button', { name: 'Put on hold' }).click();
  const up = page.getByRole('button', { name: 'Continue' });
  await expect(up).toBeVisible();
  expect(await covered(page)).toEqual([]);
  expect(await fromCorner(page)).toEqual({ right: 16, low: true });
  await shot(page, 'messages-inbox');
  await up.click();
  await expect(up).toBeHidden();
  // The next task is another matter.
  await page.getByRole('row', { name: /payment of 702 EUR/ }).click();
  await expect(failure).toHaveCount(0);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('Show messages');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Messages' }).getByRole('listitem').filter({ hasText: 'The disk is full. ×3' })).toBeVisible();
});

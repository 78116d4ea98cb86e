/** A workflow that runs by itself, as a person sets it up: schedule, activation, the screen of automations, a new version, deactivation. */
import { openDocument, shot } from './document.ts';
import { expect, test } from './host.ts';

const parts = {
  settings: { errorPolicy: 'fail' },
  nodes: {
    every: { type: 'trigger.schedule', typeVersion: 1, title: 'Every morning', config: { cron: '0 8 * * 1-5', timezone: 'Europe/Berlin' } },
    note: { type: 'data.set', typeVersion: 1, title: 'Note the time', config: { assign: { due: '=item.scheduledAt' } } },
  },
  edges: [{ from: 'every.success', to: 'note' }],
  layout: { every: [0, 0], note: [280, 0] },
};

test('a schedule is set, activated, watched, changed and stopped', async ({ open, host, page }) => {
  const name = 'Morning report';
  const { made } = await openDocument(open, host, name, parts);
  const bar = page.locator('.bar');

  // In words, with the times that the host computes.
  await page.locator('.cv-node[data-node=every]').click();
  const schedule = page.getByRole('group', { name: 'When it runs' });
  await expect(schedule.getByText('Every weekday at 08:00, Europe/Berlin')).toBeVisible();
  await expect(schedule.getByRole('listitem')).toHaveCount(5);
  await schedule.getByLabel('Time', { exact: true }).fill('09:30');
  await expect(schedule.getByText('Every weekday at 09:30, Europe/Berlin')).toBeVisible();
  await expect(schedule.getByRole('listitem').first()).toContainText('09:30');
  await shot(page, 'schedule');

  await bar.getByRole('button', { name: 'Activate' }).click();
  await expect(page.getByText(`${name} is active`)).toBeVisible();
  await expect(bar.getByText('Active', { exact: true })).toBeVisible();

  // Fired by hand it is the run of the active version.
  await page.getByRole('link', { name: 'Automation' }).click();
  const row = page.getByRole('row').filter({ hasText: name });
  await expect(row).toContainText('Every weekday at 09:30, Europe/Berlin');
  await row.getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Run now' }).click();
  await expect(row).toContainText('Completed');
  await shot(page, 'automations');
  await row.click();
  await expect(page.getByRole('dialog').getByRole('cell', { name: 'Completed' })).toBeVisible();
  await shot(page, 'automations-history');
  await page.keyboard.press('Escape');

  // A change stays a draft until it is published.
  await page.evaluate((ref) => { window.location.hash = `#/workflow/${encodeURIComponent(ref)}`; }, made.ref);
  await expect(bar.getByText('Active', { exact: true })).toBeVisible();
  await page.locator('.cv-node[data-node=every]').click();
  await schedule.getByLabel('Time', { exact: true }).fill('10:00');
  await expect(bar.getByRole('button', { name: 'Publish changes' })).toBeVisible();
  expect(await bar.locator('h1').evaluate((title) => title.scrollWidth <= title.clientWidth), 'the whole name can be read').toBe(true);
  await bar.getByRole('button', { name: 'Publish changes' }).click();
  await expect(page.getByRole('dialog')).toContainText('0 10 * * 1-5');
  await shot(page, 'publish');
  await page.getByRole('dialog').getByRole('button', { name: 'Publish changes' }).click();
  await expect(page.getByText('Changes published')).toBeVisible();

  await bar.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Deactivate' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
  await expect(bar.getByRole('button', { name: 'Activate' })).toBeVisible();
  await page.getByRole('link', { name: 'Automation' }).click();
  await expect(page.getByRole('row').filter({ hasText: name })).toHaveCount(0);
});

test('a schedule that never fires cannot be activated, and the step that is wrong is shown', async ({ open, host, page }) => {
  const never = { ...parts, nodes: { ...parts.nodes, every: { ...parts.nodes.every, config: { cron: '0 0 30 2 *', timezone: 'Europe/Berlin' } } } };
  await openDocument(open, host, 'Never', never);
  await page.locator('.bar').getByRole('button', { name: 'Activate' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Never cannot be activated yet');
  await dialog.getByRole('button', { name: 'Show step' }).first().click();
  await expect(page.locator('.cv-node[data-node=every]')).toHaveClass(/is-sel/);
});

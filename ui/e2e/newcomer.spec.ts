/** What somebody meets who opens Signalbox for the first time: nothing red before anything was done, keys that stay where one
 * types, names instead of ids. */
import type { Page } from '@playwright/test';
import { type Opened, openDocument } from './document.ts';
import { expect, test, useDist } from './host.ts';

interface Doc { nodes: Record<string, unknown>; [extra: string]: unknown }

const EMPTY = { nodes: {}, edges: [], layout: {} };
const steps = (page: Page) => page.locator('.react-flow__node');

test('a new workflow is quiet until Run is pressed, and Run says what is missing', async ({ open, host }) => {
  const { page } = await openDocument<Doc>(open, host, 'Quiet', EMPTY);
  const bar = page.locator('.wb-status');
  await expect(bar).toContainText('Nothing to run yet');
  // The empty canvas says "press Tab": it is true at once.
  await page.keyboard.press('Tab');
  await page.getByRole('combobox', { name: 'Add a step' }).or(page.getByPlaceholder('Search steps')).first().fill('wait');
  await page.keyboard.press('Enter');
  await expect(steps(page)).toHaveCount(1);
  await expect(bar).toContainText('1 to fill in');
  await expect(page.locator('[data-mark=todo]')).toHaveCount(1);
  const panel = page.getByRole('complementary', { name: 'Step settings' });
  await expect(panel.getByText('Fill in “Duration” or “Until”')).toBeVisible();
  await expect(page.locator('.wb .c-err:visible, .wb .input.bad')).toHaveCount(0);
  await expect(page.getByText(/signalbox catalog|less than 1 property/)).toHaveCount(0);

  await page.keyboard.press('F5');
  await expect(page.locator('.toast')).toContainText('Fill in 1 setting before you run');
  await expect(page.getByRole('region', { name: 'Problems' })).toContainText('“Wait” needs “Duration” or “Until”');
  await expect(page.locator('[data-mark=problem]')).toHaveCount(1);
  await panel.getByLabel('Duration', { exact: true }).fill('8');
  await expect(bar).toContainText('No problems');
  await expect(steps(page).first()).toContainText('8 s');
});

test('Enter after the name of a field goes to its value, and keys of a form stay in it', async ({ open, host }) => {
  const { page } = await openDocument<Doc>(open, host, 'Keys', { nodes: { a: { type: 'data.set' } }, edges: [], layout: { a: [0, 0] } });
  await page.locator('[data-node=a]').click();
  const panel = page.getByRole('complementary', { name: 'Step settings' });
  await panel.getByRole('button', { name: 'Add: Fields' }).click();
  await page.keyboard.type('total');
  await page.keyboard.press('Enter');
  // Letters, digits and Delete are keys of the canvas as well.
  await page.keyboard.type('d10');
  await expect(panel.getByLabel('total', { exact: true })).toContainText('d10');
  await panel.getByRole('button', { name: 'Remove total' }).click();
  // The button is gone and nothing has the focus: the step is not deleted, nor disabled.
  await page.keyboard.press('Delete');
  await page.keyboard.press('d');
  await expect(steps(page)).toHaveCount(1);
  await expect(panel.getByRole('switch', { name: 'Step enabled' })).toBeChecked();
});

test('Ctrl+A takes the steps or nothing, never the words of the page', async ({ open, host }) => {
  const { page } = await openDocument<Doc>(open, host, 'All', { nodes: { a: { type: 'flow.noop' }, b: { type: 'flow.noop' } }, edges: [], layout: { a: [0, 0], b: [248, 0] } });
  const chosen = page.locator('.react-flow__node.selected');
  const taken = () => page.evaluate(() => window.getSelection()?.toString() ?? '');
  await page.keyboard.press('Control+a');
  await expect(chosen).toHaveCount(2);
  await page.keyboard.press('Escape');
  await expect(chosen).toHaveCount(0);
  await page.locator('[data-node=a]').click();
  const panel = page.locator('.node-panel');
  const box = await panel.boundingBox();
  if (!box) throw new Error('no panel');
  await page.mouse.click(box.x + box.width / 2, box.y + box.height - 80);
  await page.keyboard.press('Control+a');
  expect(await taken()).toBe('');
  await expect(chosen).toHaveCount(1);
});

test('people read titles where something failed, in the banner, the bar and the lists', async ({ open, host }) => {
  const { page } = await openDocument<Doc>(open, host, 'Fails by name', {
    settings: { errorPolicy: 'fail' }, nodes: { only_step: { type: 'flow.fail', config: { error: { message: 'No more paper.' } } } }, edges: [], layout: { only_step: [0, 0] },
  });
  await page.keyboard.press('F5');
  const kind = (await host.rpc<{ type: string; title: string }[]>('catalog_list')).find((one) => one.type === 'flow.fail')?.title ?? '';
  await expect(page.locator('.wb-banners')).toContainText(`Step ${kind}`);
  await expect(page.locator('.wb-status')).toContainText(`Failed at ${kind}`);
  await page.getByRole('link', { name: 'Workflows' }).click();
  await expect(page.locator('.g-row').filter({ hasText: 'Fails by name' })).toContainText('No more paper.');
  await expect(page.getByText('only_step')).toHaveCount(0);
  // One click opens a run, as everywhere else.
  await page.locator('.rail').getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('grid', { name: /Runs/ }).getByRole('row').first().click();
  await expect(page).toHaveURL(/#\/run\//);
  await page.reload();
  await expect(page.locator('.wb-status').getByText('Failed', { exact: true })).toBeVisible();
});

test('Find anything knows the samples, and does not guess', async ({ open }) => {
  const page = await open();
  await page.keyboard.press('Control+k');
  const found = page.getByRole('option');
  const field = page.getByRole('combobox', { name: /Action, step/ });
  const samples = found.filter({ hasText: 'sample' });
  await field.fill('orders');
  await expect(samples.first()).toBeVisible();
  await field.fill('dark');
  // Other tests may have left workflows and runs whose names hold the word, but no sample does.
  await expect(found.filter({ hasText: 'dark theme' })).toBeVisible();
  await expect(samples).toHaveCount(0);
});

test('an old address says what to open instead', async ({ page, host }) => {
  await useDist(page, host.origin);
  await page.goto(`${host.origin}/#token=old`);
  await expect(page.getByText('This address does not sign you in')).toBeVisible();
  await expect(page.getByText(/Open the complete address that the terminal printed/)).toBeVisible();
});

test('the log that a run opened stays with that run; the one that a person opened stays everywhere', async ({ open, host }) => {
  const { page } = await openDocument<Doc>(open, host, 'Ran', { nodes: { start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' } }, edges: [], layout: { start: [0, 0] } });
  const log = page.getByRole('region', { name: 'Detail log' });
  await page.keyboard.press('F5');
  await expect(log).toBeVisible();
  const fresh = await host.rpc<Opened<Doc>>('workflow_create', { name: 'Not run' });
  const show = async (ref: string) => {
    await page.evaluate((hash) => { window.location.hash = hash; }, `#/workflow/${encodeURIComponent(ref)}`);
    await page.getByRole('button', { name: /^(Ran|Not run), / }).waitFor();
    await page.locator('.cv .react-flow__viewport').waitFor();
  };
  await show(fresh.ref);
  await expect(page.getByRole('heading', { name: 'Not run' })).toBeVisible();
  await expect(log).toBeHidden();
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Ran' })).toBeVisible();
  await expect(log).toBeVisible();
  // The person's own choice.
  await page.keyboard.press('Control+j');
  await expect(log).toBeHidden();
  await page.keyboard.press('Control+j');
  await expect(log).toBeVisible();
  await show(fresh.ref);
  await expect(page.getByRole('heading', { name: 'Not run' })).toBeVisible();
  await expect(log).toBeVisible();
});

/** The panel beside the canvas: what an empty workflow asks, one step over the whole screen, what is folded, and the ways to run. */
import { openDocument, saved, shot, wires } from './document.ts';
import { expect, test } from './host.ts';

const PART = {
  nodes: {
    start: { type: 'trigger.manual', title: 'Start' },
    done: { type: 'data.set', title: 'Keep it', config: { assign: { a: 1 } } },
  },
  edges: [{ from: 'start.success', to: 'done' }],
  layout: { start: [0, 0], done: [248, 0] },
};
interface Doc { nodes: { [id: string]: { type: string } }; edges: { from: string; to: string }[]; layout: { [id: string]: [number, number] } }

test('an empty workflow asks what starts it; a template is one step of undo', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Nothing yet', {});
  const panel = page.getByRole('complementary', { name: 'Workflow' });
  await expect(panel.getByRole('region', { name: 'What starts it?' })).toBeVisible();
  await expect(panel.getByText('Budget', { exact: true })).toBeHidden();
  for (const name of ['Schedule', 'Webhook', 'Form']) await expect(panel.getByRole('button', { name: new RegExp(`^${name}`) })).toBeVisible();
  await shot(page, 'panel-empty');
  await panel.getByRole('button', { name: /^Request form with approval/ }).click();
  await expect(page.locator('.cv-node')).toHaveCount(4);
  await shot(page, 'panel-template');
  const doc = await saved<Doc>(page, made);
  expect(wires(doc)).toEqual(['request.success>approve', 'approve.approved>approved', 'approve.rejected>rejected']);
  await page.keyboard.press('Control+z');
  await expect(page.locator('.cv-node')).toHaveCount(0);
  await panel.getByRole('button', { name: /^Schedule/ }).click();
  await expect(page.locator('.cv-node')).toHaveCount(1);
});

test('C12 a step over the whole screen has input, settings and output side by side; Esc gives the canvas back', async ({ open, host }) => {
  const { page } = await openDocument(open, host, 'Large step', PART);
  await page.keyboard.press('F5');
  await expect(page.locator('.bar').getByText('Completed')).toBeVisible();
  await page.locator('.cv-node[data-node=done]').click({ position: { x: 90, y: 8 } });
  const panel = page.locator('.node-panel');
  await panel.getByRole('button', { name: /^Open full screen/ }).click();
  for (const name of ['Input', 'Settings', 'Output']) await expect(panel.getByRole('region', { name, exact: true })).toBeInViewport({ ratio: 0.9 });
  // What lies below is not reached by keys.
  await expect(page.locator('.split-main[inert] .cv')).toBeAttached();
  await shot(page, 'panel-full');
  await page.keyboard.press('Escape');
  await expect(panel.getByRole('region', { name: 'Input', exact: true })).toBeHidden();
  await expect(page.locator('.cv-node[data-node=done]')).toHaveClass(/is-sel/);
  await page.keyboard.press('Control+Alt+Enter');
  await expect(panel.getByRole('region', { name: 'Output', exact: true })).toBeVisible();
  await panel.getByRole('button', { name: 'Back to the canvas' }).click();
  await expect(panel.getByRole('region', { name: 'Output', exact: true })).toBeHidden();
});

test('the settings keep 320 px when the log opens, in a low window too', async ({ open, host }) => {
  const { page } = await openDocument(open, host, 'Room for settings', PART);
  await page.setViewportSize({ width: 1024, height: 720 });
  await page.reload();
  await page.locator('.cv .react-flow__viewport').waitFor();
  await page.locator('.cv-node[data-node=done]').click({ position: { x: 90, y: 8 } });
  await page.keyboard.press('Control+j');
  await expect(page.getByRole('separator', { name: 'Height of the detail log' })).toBeVisible();
  await expect.poll(async () => (await page.locator('.node-panel .tabpanel').boundingBox())?.height ?? 0).toBeGreaterThanOrEqual(320);
  await shot(page, 'panel-low');
});

test('what few people need is folded under More until it is used', async ({ open, host }) => {
  const { page } = await openDocument(open, host, 'Folded', { nodes: { ask: { type: 'llm.chat', title: 'Ask a model', config: { prompt: 'Say hello' } } }, edges: [], layout: { ask: [0, 0] } });
  await page.locator('.cv-node[data-node=ask]').click({ position: { x: 90, y: 8 } });
  const panel = page.locator('.node-panel');
  await expect(panel.getByText('Conversation', { exact: true })).toBeHidden();
  await panel.locator('summary').filter({ hasText: /^More$/ }).click();
  await expect(panel.getByText('Conversation', { exact: true })).toBeVisible();
  await shot(page, 'panel-more');
});

test('one strong Run; the other ways to run are in its menu', async ({ open, host }) => {
  const { page } = await openDocument(open, host, 'Ways to run', PART);
  await expect(page.locator('.bar .btn.pri:not(.icon)')).toHaveText(/^Run/);
  await page.locator('.cv-node[data-node=done]').click({ position: { x: 90, y: 8 } });
  await page.getByRole('button', { name: 'Ways to run', exact: true }).click();
  await shot(page, 'panel-run');
  await page.getByRole('menuitem', { name: /^Run to here/ }).click();
  await expect(page.locator('.bar').getByText('Completed')).toBeVisible();
});

/** A run becomes a test in the builder; the test passes, and fails readably when the workflow has changed. */
import { openDocument, shot } from './document.ts';
import { expect, test } from './host.ts';

interface Doc { id: string; nodes: Record<string, unknown>; edges: unknown[]; layout: Record<string, [number, number]> }

const NODES = {
  one: { type: 'data.set', typeVersion: 1, title: 'One', config: { assign: { n: 7 } } },
  large: { type: 'flow.if', typeVersion: 1, title: 'Large?', config: { condition: 'item.n > 3' } },
  yes: { type: 'data.set', typeVersion: 1, title: 'Yes', config: { assign: { large: true } } },
  no: { type: 'data.set', typeVersion: 1, title: 'No', config: { assign: { large: false } } },
};
const EDGES = [{ from: 'one.success', to: 'large' }, { from: 'large.true', to: 'yes' }, { from: 'large.false', to: 'no' }];

test('a run is saved as a test, which is run and shows what differs', async ({ open, host }) => {
  const layout: Doc['layout'] = { one: [0, 0], large: [320, 0], yes: [640, 0], no: [640, 160] };
  const { page, made } = await openDocument<Doc>(open, host, 'Large numbers', { nodes: NODES, edges: EDGES, layout });
  await page.keyboard.press('F5');
  await page.getByRole('button', { name: 'Save as test' }).click();
  await page.getByRole('textbox', { name: 'What the test shows' }).fill('Seven is large');
  await page.getByRole('button', { name: 'Save', exact: true }).last().click();
  await expect(page.getByText('Test saved: large-numbers.seven-is-large.signalbox-test.yaml')).toBeVisible();
  await shot(page, 'workflow-tests-saved');
  await page.locator('.tests-chip').click();
  const popup = page.getByRole('dialog', { name: 'Tests of this workflow' });
  await popup.getByRole('button', { name: 'Run all' }).click();
  await expect(popup.getByText('1 of 1 passed')).toBeVisible();
  await expect(popup.getByText('Reached: 3 of 4 steps, 2 of 3 connected ports.')).toBeVisible();
  await page.keyboard.press('Escape');

  const large = { ...NODES.large, config: { condition: 'item.n > 30' } };
  const now = await host.rpc<{ revision: string }>('workflow_revision', { ref: made.ref });
  await host.rpc('workflow_save', { ref: made.ref, document: { ...made.document, nodes: { ...NODES, large } }, baseRevision: now.revision });
  await page.locator('.tests-chip').click();
  await popup.getByRole('button', { name: 'Run Seven is large' }).click();
  await expect(popup.getByText("'yes' state: expected \"SUCCEEDED\", got \"not called\".")).toBeVisible();
  await expect(popup.getByText('The workflow has changed since the test was saved.')).toBeVisible();
  await shot(page, 'workflow-tests-failed');
});

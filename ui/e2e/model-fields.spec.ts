/** The model of a step and of a workflow, typed with the keyboard: a name, or an expression. */
import { openDocument, saved, shot } from './document.ts';
import { expect, test } from './host.ts';

interface Doc { nodes: { [id: string]: { config?: { provider?: unknown; model?: unknown } } }; settings?: { model?: unknown; auditRules?: unknown } }

test('what is typed into a model field arrives there, whatever it becomes', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Model fields', {
    nodes: {
      start: { type: 'trigger.manual', typeVersion: 1, title: 'Start' },
      ask: { type: 'llm.chat', typeVersion: 1, title: 'Group by', config: { prompt: 'What does it say?', provider: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } } },
    } as never,
    edges: [{ from: 'start.success', to: 'ask' }], layout: { start: [0, 0], ask: [248, 0] },
    settings: { auditRules: [{ when: "event == 'NODE_ERROR'", escalate: false, note: 'mine' }, { when: "event == 'HITL_COMPLETED'", level: 'WARN' }] },
  } as never);
  await page.locator('[data-node=ask]').click();
  const panel = page.locator('.node-panel');
  await panel.getByLabel('Model', { exact: true }).click();
  await page.keyboard.type('=params.size');
  // The letters go on to where the first one went: nothing of them was a key of the canvas.
  await expect(panel.getByLabel('Model', { exact: true })).toContainText('params.size');
  await shot(page, 'model-expression');
  await page.keyboard.press('Escape');
  await page.locator('.react-flow__pane').click({ position: { x: 500, y: 200 } });
  const workflow = page.getByRole('complementary', { name: 'Workflow' });
  await workflow.getByRole('combobox', { name: 'Name of the model' }).click();
  await page.keyboard.type('my small model');
  await workflow.getByRole('checkbox', { name: 'Escalate 2' }).click();
  await workflow.getByRole('checkbox', { name: 'Escalate 2' }).scrollIntoViewIfNeeded();
  await shot(page, 'workflow-model');
  const doc = await saved(page, made);
  expect(doc.nodes['ask']?.config).toMatchObject({ model: '=params.size', provider: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } });
  expect(doc.settings?.model).toBe('my small model');
  expect(doc.settings?.auditRules).toEqual([{ when: "event == 'NODE_ERROR'", escalate: false, note: 'mine' }, { when: "event == 'HITL_COMPLETED'", level: 'WARN', escalate: true }]);
});

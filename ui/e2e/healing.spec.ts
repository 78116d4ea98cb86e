/** A model repairs an input, and a model suggests a correction: against the real program, with a provider by script. */
import { openDocument, shot } from './document.ts';
import { expect, test } from './host.ts';
import { answerWhole, modelPeer } from './model-peer.ts';
import { makeWorkflow, MEAN, startRun } from './people.ts';

/** The answers in order, the last one again and again. */
const model = (answers: readonly string[]) => modelPeer((response, n) => answerWhole(response, 'mender-1', answers[n] ?? answers.at(-1) ?? '', [100, 20]));

interface Doc {
  nodes: { [id: string]: { type: string; title?: string; config?: Record<string, unknown> } };
  edges: { from: string; to: string }[];
  params?: unknown;
  layout: { [id: string]: [number, number] };
}

test('ts_006 a model heals the input, and the step says who did, at which attempt, and what changed', async ({ open, host }) => {
  const far = await model(['Not JSON at all.', '{"num": 42}']);
  try {
    const { page } = await openDocument<Doc>(open, host, 'Healed by a model', {
      params: { type: 'object', properties: { num: { type: 'string', default: 'forty two' } } },
      nodes: {
        start: { type: 'trigger.manual', title: 'Start' },
        twice: { type: 'data.transform', title: 'Twice', config: { expression: "{'twice': item.num * 2}" } },
        heal: {
          type: 'builtin.self_healing', title: 'Mend the number',
          config: { strategy: 'llm', provider: { kind: 'openai', baseUrl: far.base }, model: 'mender', validationSchema: { type: 'object', required: ['num'], properties: { num: { type: 'integer' } } } },
        },
        end: { type: 'flow.stop', title: 'Done', config: { stopId: 'done' } },
      },
      edges: [{ from: 'start.success', to: 'twice' }, { from: 'twice.error', to: 'heal' }, { from: 'heal.success', to: 'twice' }, { from: 'twice.success', to: 'end' }],
      layout: { start: [0, 0], twice: [248, 0], heal: [248, 144], end: [496, 0] },
    });
    await page.locator('[data-node="heal"]').click();
    const panel = page.getByRole('complementary', { name: 'Step settings' });
    await expect(panel.getByRole('combobox', { name: 'Repair method' })).toBeVisible();
    await shot(page, 'healer-panel');
    await page.keyboard.press('Control+j');
    await page.keyboard.press('F5');
    await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible({ timeout: 20_000 });
    await expect(page.getByText('Model mender-1 could not heal it, attempt 1 of 2').first()).toBeVisible();
    await expect(page.getByText('Healed by model mender-1, attempt 2 of 2: 1 change').first()).toBeVisible();
    await expect(page.locator('[data-fix="accepted"] pre').first()).toHaveText(/− \/num: "forty two"\s+\+ \/num: 42/);
    await shot(page, 'healed');
    expect(JSON.stringify(far.asked[1])).toContain('Your answer cannot be used');
  } finally {
    far.stop();
  }
});

test('a model suggests a correction when a person asks, and the person takes it', async ({ page: page0, open, host }) => {
  const far = await model(['{"name": "Ada", "total": 12, "count": 3}', 'I have nothing to say.']);
  const { ref } = await makeWorkflow(host, { ...MEAN, name: 'Suggested' });
  const runId = await startRun(host, ref, { name: 'Ada', total: 12, count: 0 });
  try {
    const listed = page0.waitForResponse((response) => response.url().endsWith('/rpc/model_list'));
    const page = await open('#/inbox');
    await page.getByRole('row', { name: /No mean for Ada/ }).first().click();
    await expect(page.getByLabel('Count')).toBeVisible();
    // Without a model there is no button, once it is known that there is none.
    await (await listed).finished();
    await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => { requestAnimationFrame(done); }); }));
    await expect(page.getByRole('button', { name: 'Suggest a correction' })).toHaveCount(0);
    await host.rpc('model_set', { name: 'far', kind: 'openai', baseUrl: far.base, models: [{ name: 'mender' }] });
    await host.rpc('model_default_set', { default: { provider: 'far', model: 'mender' } });
    await page.reload();
    await page.getByRole('row', { name: /No mean for Ada/ }).first().click();
    await expect(page.getByText('asks mender by far; costs money and is recorded')).toBeVisible();
    expect(far.asked).toHaveLength(0);
    await page.getByRole('button', { name: 'Suggest a correction' }).click();
    const suggestion = page.locator('.ib-sug', { hasText: 'mender-1' });
    await expect(suggestion).toContainText('The model mender-1 suggests one change');
    await expect(suggestion).toContainText('count: 0 → 3');
    await shot(page, 'model-suggests');
    await suggestion.getByRole('button', { name: 'Use' }).click();
    await expect(page.getByLabel('Count')).toHaveValue('3');
    // Nothing is done before the person does it; what is of no use is told.
    await page.getByRole('button', { name: 'Suggest another' }).click();
    await expect(page.getByText('No suggestion')).toBeVisible();
    await expect(suggestion).toBeVisible();
    expect((await host.rpc<{ status: string }>('run_get', { runId })).status).toBe('paused');
    await page.getByRole('tab', { name: /History/ }).click();
    await expect(page.getByText(/asked a model for a correction/)).toHaveCount(2);
    await page.getByRole('tab', { name: /Correct/ }).click();
    await page.getByRole('button', { name: /Correct and retry/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: /Correct and retry/ }).click();
    await expect.poll(async () => (await host.rpc<{ status: string }>('run_get', { runId })).status, { timeout: 20_000 }).toBe('completed');
  } finally {
    await host.rpc('model_delete', { name: 'far' }).catch(() => undefined);
    far.stop();
  }
});

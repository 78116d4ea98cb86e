/** What models cost: on the step, in the run's header, in the list of runs, and in the settings. */
import { openDocument, saved, shot } from './document.ts';
import { expect, test, type Host } from './host.ts';
import { answerWhole, modelPeer } from './model-peer.ts';

/** Answers at once: 1,000 tokens in, 100 out. */
const model = () => modelPeer((response) => answerWhole(response, 'small', 'The money back.', [1000, 100]));

/** A million tokens cost 1000 and 10000: an answer costs 2. */
async function priced(host: Host, base: string): Promise<void> {
  await host.rpc('model_set', { name: 'house', kind: 'openai', baseUrl: base, models: [{ name: 'small', inputPrice: 1000, outputPrice: 10_000 }] });
}

const asking = (settings: object) => ({
  settings: { errorPolicy: 'safe', ...settings },
  nodes: {
    start: { type: 'trigger.manual', title: 'Start' },
    ask: { type: 'llm.chat', title: 'Group by', config: { prompt: 'What does the letter want?', provider: 'house', model: 'small' } },
    more: { type: 'llm.chat', title: 'Write back', config: { prompt: 'Write an answer.', provider: 'house', model: 'small' } },
    end: { type: 'flow.stop', title: 'Done', config: { stopId: 'done' } },
  },
  edges: [{ from: 'start.success', to: 'ask' }, { from: 'ask.success', to: 'more' }, { from: 'more.success', to: 'end' }],
  layout: { start: [0, 0], ask: [248, 0], more: [496, 0], end: [744, 0] },
});

test('b_24 what models cost is on the step, the run, the list and in the settings', async ({ open, host }) => {
  const far = await model();
  try {
    await priced(host, far.base);
    const { page } = await openDocument<object>(open, host, 'Letters', asking({}));
    await page.keyboard.press('Control+j');
    await page.keyboard.press('F5');
    await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible({ timeout: 20_000 });
    await page.locator('[data-node="ask"]').click();
    await page.getByRole('button', { name: /^Token usage small, 1,100 tokens, 2.00/ }).first().click();
    await expect(page.getByRole('definition').filter({ hasText: /^2\.00$/ }).first()).toBeVisible();
    await shot(page, 'cost-step');

    const [run] = (await host.rpc<{ runs: { runId: string; usage?: unknown }[] }>('run_list', { limit: 1 })).runs;
    expect(run?.usage).toEqual({ calls: 2, inputTokens: 2000, outputTokens: 200, thinkingTokens: 0, costMicros: 4_000_000, unpriced: 0 });
    await page.goto(`${page.url().split('#')[0] ?? ''}#/run/${run?.runId ?? ''}`);
    await expect(page.locator('[data-spent]')).toHaveText('Cost: 4.00. 2 model calls: 2,000 input tokens, 200 output tokens.');
    await shot(page, 'cost-run');
    await page.goto(`${page.url().split('#')[0] ?? ''}#/runs`);
    await expect(page.getByRole('gridcell', { name: /^Cost: 4\.00/ })).toBeVisible();
    await shot(page, 'cost-runs');
    await page.goto(`${page.url().split('#')[0] ?? ''}#/settings`);
    const usage = page.locator('[data-usage]');
    await expect(usage.getByText('4.00').first()).toBeVisible();
    await page.getByRole('radio', { name: 'Model', exact: true }).click();
    await expect(usage.getByText('small by house')).toBeVisible();
    await usage.scrollIntoViewIfNeeded();
    await shot(page, 'cost-settings');
  } finally {
    far.stop();
  }
});

test('n_09 a run whose budget is used up asks for more in the inbox, and goes on', async ({ open, host }) => {
  const far = await model();
  try {
    await priced(host, far.base);
    const { page, made } = await openDocument<{ settings?: { errorPolicy?: unknown; budget?: unknown } }>(open, host, 'Letters', asking({}));
    // The budget stands in the settings of the workflow.
    const panel = page.getByRole('complementary', { name: 'Workflow settings' });
    await panel.getByRole('textbox', { name: 'Per run' }).fill('1.5');
    await page.keyboard.press('Tab');
    await shot(page, 'budget-workflow');
    expect((await saved(page, made)).settings?.budget).toEqual({ perRun: 1.5 });
    await page.keyboard.press('F5');
    const status = async () => (await host.rpc<{ runs: { status: string }[] }>('run_list', { limit: 1 })).runs[0]?.status;
    await expect.poll(status, { timeout: 20_000 }).toBe('paused');
    expect(far.asked).toHaveLength(1);

    await page.goto(`${page.url().split('#')[0] ?? ''}#/inbox`);
    await page.getByRole('row', { name: /budget of this run is used up/ }).click();
    const task = page.getByRole('region', { name: 'Task' });
    await expect(task.getByText('The budget of this run is used up: 2.00 of 1.50 are spent. Approve more, or raise the budget').first()).toBeVisible();
    const more = task.getByRole('textbox', { name: 'How much more it may spend' });
    await expect(more).toHaveValue('1.50');
    await more.fill('no');
    await expect(task.getByRole('button', { name: /^Retry as is/ })).toBeDisabled();
    await more.fill('3');
    await shot(page, 'budget-inbox');
    await task.getByRole('button', { name: /Approve 3.00 more and retry/ }).click();
    await expect.poll(status, { timeout: 30_000 }).toBe('completed');
    expect(far.asked).toHaveLength(2);

    // Of this machine: a day.
    await page.goto(`${page.url().split('#')[0] ?? ''}#/settings`);
    await page.getByRole('button', { name: 'Change… the daily budget on this machine' }).click();
    const dialog = page.getByRole('dialog', { name: 'Daily budget on this machine' });
    await dialog.getByRole('textbox', { name: 'Amount' }).fill('10');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText(/^10\.00 from midnight to midnight UTC/)).toBeVisible();
    expect((await host.rpc<{ dayBudgetMicros?: number }>('model_list', {})).dayBudgetMicros).toBe(10_000_000);
    await page.locator('[data-usage]').scrollIntoViewIfNeeded();
    await shot(page, 'budget-settings');
  } finally {
    far.stop();
  }
});

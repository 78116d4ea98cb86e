/** A condition and an expression from words: the result on the last data is seen before it is taken, and a bad answer is refused with its reason. */
import type { Locator, Page } from '@playwright/test';
import { openDocument, saved, shot } from './document.ts';
import { expect, test } from './host.ts';
import { answerInPieces, answerWhole, modelPeer } from './model-peer.ts';

interface Doc {
  nodes: { [id: string]: { type: string; title?: string; config?: Record<string, unknown> } };
  edges: { from: string; to: string }[];
  layout: { [id: string]: [number, number] };
}

const ORDERS = "[{'total': 150, 'city': 'Berlin', 'who': 'Ada'}, {'total': 50, 'city': 'Bonn', 'who': 'Bob'}]";
const SHOP: Partial<Doc> = {
  nodes: {
    start: { type: 'trigger.manual', title: 'Start' },
    orders: { type: 'data.transform', title: 'Orders', config: { expression: ORDERS, split: true } },
    large: { type: 'data.filter', title: 'Large orders', config: { when: 'true' } },
  },
  edges: [{ from: 'start.success', to: 'orders' }, { from: 'orders.success', to: 'large' }],
  layout: { start: [0, 0], orders: [248, 0], large: [496, 0] },
};

async function pick(page: Page, id: string): Promise<Locator> {
  await page.locator(`[data-node="${id}"]`).click();
  const panel = page.getByRole('complementary', { name: 'Step settings' });
  await expect(panel).toBeVisible();
  return panel;
}

test('a condition is described in words, repaired once, seen with its result, and taken', async ({ open, host }) => {
  const says = (expression: string) => JSON.stringify({ expression });
  const good = "item.total > 100 && item.city == 'Berlin'";
  const answers = [says('item.sum > 100'), says(good), 'I would compare the totals.', says('item.total >')];
  const model = await modelPeer((response, n) => {
    // The last one never ends.
    if (n < answers.length) answerWhole(response, 'small', answers[n] ?? '', [100, 10]);
    else answerInPieces(response, 'small');
  });
  try {
    await host.rpc('model_set', { name: 'house', kind: 'openai', baseUrl: model.base, models: [{ name: 'small' }] });
    await host.rpc('model_default_set', { default: { provider: 'house', model: 'small' } });
    const { page, made } = await openDocument<Doc>(open, host, 'Described', SHOP);
    await page.keyboard.press('F5');
    await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible();
    const panel = await pick(page, 'large');
    // In the field Ctrl+I is about the field, not about the workflow.
    await panel.getByRole('textbox', { name: 'Keep when' }).press('Control+i');
    const box = panel.getByRole('group', { name: 'Describe Keep when in words' });
    await expect(box.getByText('With house / small: at most 2 questions of 6,000 tokens.')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Planner' })).toHaveCount(0);
    const words = box.getByRole('textbox', { name: 'What should the expression give?' });
    await expect(words).toBeFocused();
    await words.fill('orders above 100 from Berlin');
    await words.press('Enter');
    await expect(box.getByText(good, { exact: true })).toBeVisible();
    await expect(box.getByText('item.sum > 100', { exact: true })).toBeVisible();
    await expect(box.locator('.prev-value')).toHaveText('true');
    await expect(box.getByText('2 questions, 220 tokens')).toBeVisible();
    // Nothing is written before somebody takes it; names and types went out, no values.
    await expect(panel.getByRole('textbox', { name: 'Keep when' })).toHaveText('true');
    const sent = JSON.stringify(model.asked);
    expect(sent).toContain('item.total');
    expect(sent).not.toContain('Ada');
    await shot(page, 'describe-condition');
    await box.getByRole('button', { name: 'Use it' }).click();
    await expect(box).toHaveCount(0);
    await expect(panel.getByRole('textbox', { name: 'Keep when' })).toHaveText(good);
    await expect(panel.getByRole('textbox', { name: 'Keep when' })).toBeFocused();

    // Two bad answers: refused, with the reason, and what stood there stays.
    await panel.getByRole('button', { name: 'Describe it in words: Keep when' }).click();
    await words.fill('something else');
    await box.getByRole('button', { name: 'Ask', exact: true }).click();
    await expect(box.getByText('The model gave no expression that works')).toBeVisible();
    await expect(box.getByRole('button', { name: 'Use it' })).toHaveCount(0);
    await shot(page, 'describe-refused');
    // An answer that does not end is cancelled.
    await box.getByRole('button', { name: 'Ask again' }).click();
    await expect.poll(() => model.asked.length).toBe(5);
    await box.getByRole('button', { name: 'Cancel' }).click();
    await expect(box.getByText('Cancelled')).toBeVisible();
    await words.press('Escape');
    await expect(box).toHaveCount(0);
    const file = await saved<Doc>(page, made);
    expect(file.nodes['large']?.config).toEqual({ when: good });
  } finally {
    await host.rpc('model_default_set', {});
    await host.rpc('model_delete', { name: 'house' });
    model.stop();
  }
});

test('without a model the field says how to add one', async ({ open, host }) => {
  const { page } = await openDocument<Doc>(open, host, 'No model here', SHOP);
  const panel = await pick(page, 'large');
  await panel.getByRole('button', { name: 'Describe it in words: Keep when' }).click();
  const box = panel.getByRole('group', { name: 'Describe Keep when in words' });
  await expect(box.getByText('No model is configured.')).toBeVisible();
  await shot(page, 'describe-no-model');
  await box.getByRole('link', { name: 'Add a model' }).click();
  await expect(page.getByRole('heading', { name: 'Models' })).toBeVisible();
});

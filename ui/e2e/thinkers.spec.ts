/** Steps whose work is written or said: a script of one's own, and a language model whose answer is seen while it comes. */
import { openDocument, saved, shot } from './document.ts';
import { expect, test } from './host.ts';
import { answerInPieces, modelPeer } from './model-peer.ts';

interface Doc {
  params?: unknown;
  settings?: { errorPolicy?: unknown };
  nodes: { [id: string]: { type: string; title?: string; config?: Record<string, unknown>; out?: Record<string, unknown>; print?: string } };
  edges: { from: string; to: string }[];
  layout: { [id: string]: [number, number] };
}

test('a script is written, fails with its line, and is mended', async ({ open, host }) => {
  const { page } = await openDocument<Doc>(open, host, 'Own words', {
    settings: { errorPolicy: 'fail' },
    params: { type: 'object', properties: { price: { type: 'integer', default: 5 } } },
    nodes: {
      start: { type: 'trigger.manual', title: 'Start' },
      sum: { type: 'code.javascript', title: 'Group by', config: { source: 'return 1' } },
      end: { type: 'flow.stop', title: 'Done', config: { stopId: 'done' } },
    },
    edges: [{ from: 'start.success', to: 'sum' }, { from: 'sum.success', to: 'end' }],
    layout: { start: [0, 0], sum: [248, 0], end: [496, 0] },
  });
  await page.locator('[data-node="sum"]').click();
  const panel = page.getByRole('complementary', { name: 'Step settings' });
  const write = async (lines: string[]) => {
    await panel.getByRole('textbox', { name: 'Script' }).click();
    await page.keyboard.press('Control+a');
    // As somebody pastes it: typed letter by letter the editor closes brackets by itself.
    await panel.getByRole('textbox', { name: 'Script' }).evaluate((field, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', text);
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, lines.join('\n'));
  };
  await write(['const total = item.price * 3;', 'console.log("the total is", total);', 'return totl;']);
  await page.keyboard.press('F5');
  await expect(page.locator('.wb-status').getByText('Failed', { exact: true })).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText(/Line 3: ReferenceError: totl is not defined/).first()).toBeVisible();
  await shot(page, 'script-failed');

  await write(['const total = item.price * 3;', 'console.log("the total is", total);', '', '// a comment', 'return { total, when: new Date(0) };']);
  await page.keyboard.press('F5');
  await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible({ timeout: 20_000 });
  await shot(page, 'script');
  const [run] = (await host.rpc<{ runs: { runId: string; workflowName?: string }[] }>('run_list', { limit: 1 })).runs;
  const { output } = await host.rpc<{ output: unknown }>('run_get', { runId: run?.runId });
  expect(output).toEqual([{ total: 15, when: '1970-01-01T00:00:00.000Z' }]);
});

test('the conversation of a question is JSON or an expression', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Talk', {
    nodes: { start: { type: 'trigger.manual', title: 'Start' }, ask: { type: 'llm.chat', title: 'Ask', config: { messages: '=context.talk' } } },
    edges: [{ from: 'start.success', to: 'ask' }],
    layout: { start: [0, 0], ask: [248, 0] },
  });
  await page.locator('[data-node="ask"]').click();
  const panel = page.getByRole('complementary', { name: 'Step settings' });
  const field = panel.getByRole('textbox', { name: 'Conversation' });
  await expect(field).toHaveText('context.talk');
  await shot(page, 'talk');
  await field.click();
  await page.keyboard.press('End');
  await page.keyboard.type('s');
  expect((await saved<Doc>(page, made)).nodes['ask']?.config).toMatchObject({ messages: '=context.talks' });
  // Emptied and typed anew, `=` first.
  await panel.getByRole('button', { name: 'Use a fixed value: Conversation' }).click();
  await field.click();
  await page.keyboard.type('=params.talk');
  await page.keyboard.press('Escape');
  expect((await saved<Doc>(page, made)).nodes['ask']?.config).toMatchObject({ messages: '=params.talk' });
});

/** Says the next piece when the test wants it. */
async function model() {
  let said: ReturnType<typeof answerInPieces> | undefined;
  const peer = await modelPeer((response) => { said = answerInPieces(response, 'small-1'); });
  return { ...peer, think: (text: string) => said?.piece({ reasoning_content: text }), say: (content: string) => said?.piece({ content }), end: () => said?.end('stop', [1200, 34]) };
}

test('ts_061 what a model says is on its step and in the log while it comes', async ({ open, host }) => {
  const far = await model();
  try {
    const { page } = await openDocument<Doc>(open, host, 'Letters', {
      nodes: {
        start: { type: 'trigger.manual', title: 'Start' },
        ask: {
          type: 'llm.chat', title: 'Sum up the letter',
          config: { prompt: 'What does the letter want?', provider: { kind: 'openai', baseUrl: far.base }, model: 'small-1' },
        },
        end: { type: 'flow.stop', title: 'Done', config: { stopId: 'done' } },
      },
      edges: [{ from: 'start.success', to: 'ask' }, { from: 'ask.success', to: 'end' }],
      layout: { start: [0, 0], ask: [248, 0], end: [496, 0] },
    });
    await page.keyboard.press('Control+j');
    await page.keyboard.press('F5');
    await expect.poll(() => far.asked.length).toBe(1);
    // What it thinks is open while it thinks, and gives way to the answer.
    far.think('The lamp came broken.');
    const thinking = page.getByRole('region', { name: 'Thinking' });
    await expect(thinking).toHaveText('The lamp came broken.');
    await shot(page, 'model-thinks');
    far.say('The customer wants ');
    await expect(thinking).toHaveCount(0);
    await page.locator('[data-node="ask"]').click();
    const panel = page.getByRole('complementary', { name: 'Step settings' });
    await expect(panel.getByRole('textbox', { name: 'Question' })).toHaveText('What does the letter want?');
    await shot(page, 'model-panel');
    const response = page.getByRole('region', { name: 'Response' });
    await expect(response).toHaveText('The customer wants');
    await expect(page.locator('[data-node="ask"] .cv-sum')).toHaveText('The customer wants');
    far.say('the money back, because the lamp came broken.');
    await expect(response).toHaveText('The customer wants the money back, because the lamp came broken.');
    await shot(page, 'model-says');
    far.end();
    await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible({ timeout: 20_000 });
    await page.getByRole('button', { name: /^Token usage small-1, 1,234 tokens/ }).click();
    await expect(page.getByRole('definition').filter({ hasText: /^1,200$/ })).toBeVisible();
    await shot(page, 'model-said');
  } finally {
    far.stop();
  }
});

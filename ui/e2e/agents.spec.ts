/** An agent step in the browser: set up by its form, run against a provider by script and a real tool server, its conversation read. */
import { resolve } from 'node:path';
import { openDocument, saved, shot } from './document.ts';
import { expect, openPage, startHost, test } from './host.ts';
import { answerInPieces, modelPeer } from './model-peer.ts';

const SERVER = resolve(import.meta.dirname, '../../tests/mcp/server.mjs');

interface Doc {
  context?: { schema?: { properties?: Record<string, unknown> } };
  nodes: { [id: string]: { type: string; title?: string; writes?: string[]; config?: Record<string, unknown> } };
  edges: { from: string; to: string }[];
  layout: { [id: string]: [number, number] };
}

/** One answer after the other: words, or tools that it asks for. */
const provider = (answers: readonly (string | { name: string; input: unknown }[])[]) => modelPeer((response, n) => {
  const answer = answers[n] ?? 'nothing more';
  const said = answerInPieces(response, 'small-1');
  said.piece(typeof answer === 'string' ? { content: answer } : {
    content: 'I try the tools.',
    tool_calls: answer.map(({ name, input }, index) => ({ index, id: `call_${String(n)}_${String(index)}`, type: 'function', function: { name, arguments: JSON.stringify(input) } })),
  });
  said.end(typeof answer === 'string' ? 'stop' : 'tool_calls', [100, 10]);
});

test('ts_114 an agent is set up by its form, uses a tool, writes a variable, and its conversation is read', async ({ open, host }) => {
  const far = await provider([
    [{ name: 'fails', input: { text: 'The shelf is empty' } }, { name: 'echo', input: { text: 'aisle 7' } }],
    '{"place": "aisle 7", "_next_node": "tell"}',
  ]);
  await host.rpc('tool_server_set', { name: 'shop', definition: { transport: 'stdio', command: 'node', args: [SERVER] } });
  await host.terminal('tools', 'connect', 'shop');
  const { hash } = await host.rpc<{ hash: string }>('tool_server_connect', { name: 'shop' });
  await host.rpc('tool_server_approve', { name: 'shop', hash });
  try {
    const { page, made } = await openDocument<Doc>(open, host, 'Lamps', {
      nodes: {
        start: { type: 'trigger.manual', title: 'Start' },
        find: { type: 'agent.task', title: 'Find the lamp', config: { prompt: 'Where is the lamp?', tools: ['shop/fails'], transitions: ['tell', 'give_up'], provider: { kind: 'openai', baseUrl: far.base }, model: 'small-1' } },
        tell: { type: 'data.transform', title: 'Tell', config: { expression: 'context.place' } },
        none: { type: 'flow.noop', title: 'Give up' },
      },
      edges: [{ from: 'start.success', to: 'find' }, { from: 'find.tell', to: 'tell' }, { from: 'find.give_up', to: 'none' }],
      layout: { start: [0, 0], find: [248, 0], tell: [496, -80], none: [496, 80] },
    });
    await page.locator('[data-node="find"]').click();
    const panel = page.getByRole('complementary', { name: 'Step settings' });
    const writes = panel.getByRole('group', { name: 'Variables it writes' });
    await writes.getByRole('combobox', { name: 'Name of a variable' }).fill('place');
    // A press on the canvas goes on to something else: what was typed stays.
    await page.locator('.cv .react-flow__pane').click({ position: { x: 12, y: 300 } });
    await page.locator('[data-node="find"]').click();
    await writes.getByRole('textbox', { name: 'Description of place' }).fill('Where it lies.');
    await panel.getByRole('button', { name: /: Tools$/ }).click();
    // Nothing is given to the agent before a person names it; those of this machine stand beside the field.
    const second = panel.getByRole('combobox', { name: 'Tools 2' });
    await expect(second).toHaveValue('');
    await expect(panel.locator('datalist option[value="shop/echo"]').first()).toBeAttached();
    await second.fill('shop/echo');
    await shot(page, 'agent-panel');
    const doc = await saved<Doc>(page, made);
    expect(doc.nodes['find']).toMatchObject({ writes: ['place'], config: { tools: ['shop/fails', 'shop/echo'] } });
    expect(doc.context?.schema?.properties).toEqual({ place: { type: 'string', description: 'Where it lies.' } });

    await page.keyboard.press('Control+j');
    await page.keyboard.press('F5');
    await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible({ timeout: 20_000 });
    expect(far.asked[0]?.tools?.map((tool) => tool.function.name)).toEqual(['fails', 'echo']);
    expect(JSON.stringify(far.asked[1]?.messages)).toContain('The shelf is empty');
    const [run] = (await host.rpc<{ runs: { runId: string }[] }>('run_list', { limit: 1 })).runs;
    const { output } = await host.rpc<{ output: unknown }>('run_get', { runId: run?.runId });
    expect(output).toEqual(['aisle 7']);

    const talk = page.getByRole('list', { name: 'Conversation' });
    await expect(talk.getByText('I try the tools.')).toBeVisible();
    await expect(talk.getByRole('button', { name: /Failed fails/ })).toBeVisible();
    await talk.getByRole('button', { name: /Done echo/ }).click();
    await expect(talk.getByLabel('echo Arguments')).toContainText('aisle 7');
    await shot(page, 'agent-conversation');
  } finally {
    far.stop();
    await host.rpc('tool_server_delete', { name: 'shop' });
  }
});

test('k_14 rules over tools, tools and skills have forms in a workflow and in its steps', async ({ open, host }) => {
  await host.rpc('tool_server_set', { name: 'bank', definition: { transport: 'stdio', command: 'node', args: [SERVER] } });
  await host.terminal('tools', 'connect', 'bank');
  const { hash } = await host.rpc<{ hash: string }>('tool_server_connect', { name: 'bank' });
  await host.rpc('tool_server_approve', { name: 'bank', hash });
  try {
    const { page, made } = await openDocument<Doc & { settings?: Record<string, unknown> }>(open, host, 'Payments', {
      settings: { errorPolicy: 'safe' },
      nodes: {
        start: { type: 'trigger.manual', title: 'Start' },
        pay: { type: 'agent.task', title: 'Pay the bills', config: { prompt: 'Pay them.', tools: ['bank/echo'], provider: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }, model: 'small-1' } },
      },
      edges: [{ from: 'start.success', to: 'pay' }],
      layout: { start: [0, 0], pay: [248, 0] },
    });
    // Rules, tools and skills of the whole workflow.
    const settings = page.getByRole('complementary', { name: 'Workflow settings' });
    await settings.getByRole('button', { name: 'Add: Tool rules' }).click();
    await settings.getByRole('textbox', { name: 'Name 1' }).fill('payments');
    const when = settings.getByRole('textbox', { name: 'When 1' });
    await when.fill("server == 'bank' && too");
    await when.fill("server == 'bank'");
    await settings.getByText('Message and limits').click();
    await settings.getByRole('textbox', { name: 'Reason, for the person or the model 1' }).fill('Somebody looks at each payment');
    await settings.getByRole('textbox', { name: 'Skills folder' }).fill('/srv/skills');
    await settings.getByRole('list', { name: 'Tool rules' }).scrollIntoViewIfNeeded();
    await shot(page, 'tool-rules-workflow');
    await settings.getByRole('textbox', { name: 'Skills folder' }).fill('');
    await page.keyboard.press('Tab');
    const doc = await saved(page, made);
    expect(doc.settings?.['toolRules']).toEqual([{ name: 'payments', when: "server == 'bank'", action: 'ask', message: 'Somebody looks at each payment' }]);

    // A step has its own; what is wrong is told at its place.
    await page.locator('[data-node="pay"]').click();
    const panel = page.getByRole('complementary', { name: 'Step settings' });
    await panel.getByRole('button', { name: 'Add: Tool rules' }).click();
    await panel.getByRole('textbox', { name: 'When 1' }).fill("toll == 'echo'");
    await expect(panel.getByText('UNKNOWN_NAME')).toBeVisible();
    await shot(page, 'tool-rules-step');
    await panel.getByRole('list', { name: 'Tool rules' }).getByRole('button', { name: /^Remove/ }).click();
    await expect(panel.getByText('UNKNOWN_NAME')).toBeHidden();
  } finally {
    await host.rpc('tool_server_delete', { name: 'bank' });
  }
});

test('k_14 a person sees in the inbox which call a model wants to make, and allows it for the run', async ({ open, host }) => {
  const far = await provider([
    [{ name: 'echo', input: { text: 'Pay 250 to Acme' } }],
    [{ name: 'echo', input: { text: 'Pay 30 to Acme' } }],
    `Both are paid. \u202e${'Nothing is left of it. '.repeat(800)}`,
  ]);
  await host.rpc('tool_server_set', { name: 'bank', definition: { transport: 'stdio', command: 'node', args: [SERVER] } });
  await host.terminal('tools', 'connect', 'bank');
  const { hash } = await host.rpc<{ hash: string }>('tool_server_connect', { name: 'bank' });
  await host.rpc('tool_server_approve', { name: 'bank', hash });
  try {
    const { page } = await openDocument<Doc & { settings?: Record<string, unknown> }>(open, host, 'Payments', {
      settings: { errorPolicy: 'safe', toolRules: [{ name: 'payments', when: "server == 'bank'", action: 'ask', message: 'Somebody looks at each payment' }] },
      nodes: {
        start: { type: 'trigger.manual', title: 'Start' },
        pay: { type: 'agent.task', title: 'Pay the bills', config: { prompt: 'Pay them.', tools: ['bank/echo'], provider: { kind: 'openai', baseUrl: far.base }, model: 'small-1' } },
      },
      edges: [{ from: 'start.success', to: 'pay' }],
      layout: { start: [0, 0], pay: [248, 0] },
    });
    await page.keyboard.press('F5');
    const status = async () => (await host.rpc<{ runs: { status: string }[] }>('run_list', { limit: 1 })).runs[0]?.status;
    await expect.poll(status, { timeout: 20_000 }).toBe('paused');
    // A question is no failure: not in the count, not on the card, not on the line of time.
    const run = (await host.rpc<{ runs: { runId: string }[] }>('run_list', { limit: 1 })).runs[0]?.runId ?? '';
    const home = page.url().split('#')[0] ?? '';
    await page.goto(`${home}#/run/${run}`);
    const panel = page.locator('.wb-panel');
    await expect(panel.locator('dt', { hasText: 'Errors' }).locator('+ dd')).toHaveText('0');
    await page.keyboard.press('Control+j');
    await expect(page.getByText('after a person answers, in the next call').first()).toBeVisible();
    await expect(page.getByText('No response')).toBeHidden();
    await expect(page.locator('.time-mark.err')).toHaveCount(0);
    await shot(page, 'tool-call-run');
    await page.goto(`${home}#/inbox`);
    await page.getByRole('row', { name: /may it call echo of bank/ }).click();
    const task = page.getByRole('region', { name: 'Task' });
    await expect(task.getByText('Somebody looks at each payment').first()).toBeVisible();
    await expect(task.getByText('Pay 250 to Acme').first()).toBeVisible();
    await shot(page, 'tool-call-inbox');
    await task.getByRole('tab', { name: 'What happened' }).click();
    await expect(task.locator('.ib-trace li').filter({ hasText: 'The step waits for a person' }).first()).toBeVisible();
    await expect(task.locator('.ib-trace .c-err')).toHaveCount(0);
    await shot(page, 'tool-call-happened');
    await expect(task.getByRole('button', { name: /^Reject/ })).toBeEnabled();
    await task.getByRole('button', { name: /^Allow for this run/ }).click();
    await expect.poll(status, { timeout: 30_000 }).toBe('completed');
    expect(far.asked).toHaveLength(3);
    expect(JSON.stringify(far.asked[2]?.messages)).toContain('Pay 30 to Acme');
    // What the wire has cut is told as what it is, with the way to all of it; letters that are not seen are written out.
    await page.goto(`${home}#/run/${run}`);
    const output = panel.getByRole('region', { name: 'Output' });
    await expect(output.getByText(/^\(1[\d.]+KB, truncated\)$/)).toBeVisible();
    await expect(output.getByText('U+202E').first()).toBeVisible();
    await page.getByRole('radio', { name: 'Events' }).click();
    await expect(page.getByText(/: Both are paid\. \[U\+202E\]Nothing is left .*truncated/).first()).toBeVisible();
    await shot(page, 'cut-output-of-a-run');
    await output.getByRole('button', { name: 'Load full value' }).click();
    await expect(output.getByText(/truncated/)).toBeHidden();
  } finally {
    far.stop();
    await host.rpc('tool_server_delete', { name: 'bank' });
  }
});

test('trust secrets and a way out in one hand are told in the editor, and a rule mends it', async ({ page: tab }) => {
  // A program of its own: where the key of secrets is may be chosen once.
  const host = await startHost();
  const open = (hash = '') => openPage(tab, host, hash);
  const set = async (name: string, env: Record<string, string>) => {
    await host.rpc('tool_server_set', { name, definition: { transport: 'stdio', command: 'node', args: [SERVER], env } });
    await host.terminal('tools', 'connect', name);
    const { hash } = await host.rpc<{ hash: string }>('tool_server_connect', { name });
    await host.rpc('tool_server_approve', { name, hash });
  };
  await host.rpc('secret_choose', { key: 'file' });
  await host.rpc('secret_set', { name: 'erp', kind: 'bearer', value: '4711-4711-4711', hosts: ['erp.example'] });
  await set('vault', { ERP: 'secret://erp' });
  await set('mail', {});
  try {
    const { page, made } = await openDocument<Doc>(open, host, 'Letters', {
      nodes: {
        start: { type: 'trigger.manual', title: 'Start' },
        work: { type: 'agent.task', title: 'Answer letters', config: { prompt: 'Answer them.', tools: ['vault/echo', 'mail/echo'], provider: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }, model: 'small-1' } },
      },
      edges: [{ from: 'start.success', to: 'work' }],
      layout: { start: [0, 0], work: [248, 0] },
    });
    await page.locator('[data-node="work"]').click();
    const panel = page.getByRole('complementary', { name: 'Step settings' });
    await expect(panel.getByText('UNGATED_EGRESS')).toBeVisible();
    await shot(page, 'ungated-egress');
    await panel.getByRole('button', { name: 'Ask before these calls' }).click();
    await expect(panel.getByText('UNGATED_EGRESS')).toBeHidden();
    const rules = panel.getByRole('list', { name: 'Tool rules' });
    await expect(rules.getByRole('listitem')).toHaveCount(2);
    await shot(page, 'ungated-egress-mended');
    const doc = await saved<Doc>(page, made);
    expect(doc.nodes['work']?.config?.['toolRules']).toMatchObject([{ name: 'lets-data-out', action: 'ask' }, { name: 'the-rest', when: 'true', action: 'allow' }]);
  } finally {
    await host.stop();
  }
});

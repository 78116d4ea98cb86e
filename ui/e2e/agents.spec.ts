/** An agent step in the browser: set up by its form, run against a provider by script and a real tool server, its conversation read. */
import { resolve } from 'node:path';
import { openDocument, saved, shot } from './document.ts';
import { expect, test } from './host.ts';
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
    await writes.getByRole('textbox', { name: 'What place is' }).fill('Where it lies.');
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

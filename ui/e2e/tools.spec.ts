/** Servers of tools in the settings: added, pasted, looked at, approved, changed, deleted, with a real one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openDocument, shot } from './document.ts';
import { expect, readJson, openPage, startHost, test } from './host.ts';

const SERVER = resolve(import.meta.dirname, '../../tests/mcp/server.mjs');

// Longer than the dialog is wide, with spaces that a list of facts would make one, and an end that must be seen.
const LONG = `--note=${'word '.repeat(80)}  ; the end`;

test('a tool server is added, approved as it is shown, and blocked when one word changes', async ({ page }) => {
  // A program of its own: its servers are not those of other tests.
  const host = await startHost();
  try {
    // The data folder is closed to what servers are started with.
    const words = join(mkdtempSync(join(tmpdir(), 'signalbox-words-')), 'words');
    writeFileSync(words, 'Says what it is told.');
    await page.setViewportSize({ width: 1440, height: 900 });
    await openPage(page, host, '#/settings');
    const section = page.getByRole('region', { name: 'Tool servers' });
    await expect(section.getByText('No tool servers yet')).toBeVisible();

    // What it cannot be is said, and nothing is kept.
    await section.getByRole('button', { name: 'Add a server' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('one');
    await dialog.getByRole('textbox', { name: 'Program' }).fill('node');
    await dialog.getByRole('textbox', { name: 'Arguments' }).fill([SERVER, '--text', words, LONG].join('\n'));
    await dialog.getByRole('textbox', { name: 'Environment variables' }).fill('API_TOKEN=canary-5d1e9f');
    await dialog.getByRole('button', { name: 'Save and review' }).click();
    await expect(dialog.getByText("The variable 'API_TOKEN' holds a credential")).toBeVisible();
    await dialog.getByRole('textbox', { name: 'Environment variables' }).fill('LEVEL=debug');
    await shot(page, 'tool-add');
    await dialog.getByRole('button', { name: 'Save and review' }).click();

    // What is approved is what is shown.
    const review = page.getByRole('dialog', { name: 'Tool server one' });
    await expect(review.getByText('Reported name signalbox-test 1.0.0')).toBeVisible();
    await expect(review.getByText('LEVEL=debug')).toBeVisible();
    await expect(review.getByText('Says what it is told.')).toBeVisible();
    const long = review.locator('dd').filter({ hasText: '--note' });
    expect(await long.evaluate((one: HTMLElement) => [one.innerText, one.scrollWidth <= one.clientWidth])).toEqual([LONG, true]);
    await shot(page, 'tool-review');
    await review.getByRole('button', { name: 'Approve' }).click();
    const line = section.getByRole('group', { name: 'one' });
    await expect(line.getByText('Approved')).toBeVisible();
    await line.getByRole('button', { name: 'Test one' }).click();
    await expect(page.getByText(/one offers \d+ tools/).first()).toBeVisible();

    // A letter that nobody sees is a change that is seen.
    writeFileSync(words, 'Says what it is\u200b told.');
    await line.getByRole('button', { name: 'Test one' }).click();
    await expect(review.locator('mark').last()).toHaveText('U+200B');
    await expect(review.getByText('1 text contains invisible characters; they are marked.')).toBeVisible();
    await shot(page, 'tool-hidden');
    await page.keyboard.press('Escape');
    // As it was approved again: it was something else in between, so a person says yes again.
    writeFileSync(words, 'Says what it is told.');
    await line.getByRole('button', { name: 'Test one' }).click();
    await expect(review.getByText(/is now as approved/)).toBeVisible();
    await review.getByRole('button', { name: 'Approve' }).click();
    await expect(line.getByText('Approved')).toBeVisible();

    // One character, and a test shows what changed.
    writeFileSync(words, 'Says what it is told!');
    await line.getByRole('button', { name: 'Test one' }).click();
    const changes = review.getByRole('region', { name: 'Changes' });
    await expect(changes.locator('mark').first()).toHaveText('.');
    await expect(changes.locator('mark').last()).toHaveText('!');
    await shot(page, 'tool-changed');
    await page.keyboard.press('Escape');
    await expect(line.getByText('Changed')).toBeVisible();
    await line.getByRole('button', { name: 'Review one' }).click();
    await review.getByRole('button', { name: 'Approve' }).click();
    await expect(line.getByText('Approved')).toBeVisible();

    // A person's own word on a tool; what is looser than the guess is said twice.
    await line.getByRole('button', { name: 'Review one' }).click();
    const word = review.getByRole('group', { name: 'Capabilities of echo' });
    await word.getByRole('switch', { name: 'Reads private data' }).click();
    await expect(word.getByText('stated')).toHaveCount(1);
    await word.getByRole('switch', { name: 'Can send data out' }).click();
    await expect(word.getByText(/sends nothing out, although its server does not say/)).toBeVisible();
    await shot(page, 'tool-word');
    await word.getByRole('button', { name: 'Apply' }).click();
    await expect(word.getByText('stated')).toHaveCount(2);
    await expect(word.getByRole('switch', { name: 'Can send data out' })).not.toBeChecked();
  } finally {
    await host.stop();
    rmSync(host.data, { recursive: true, force: true });
  }
});

test('servers come from another program, keep their names, and lose nothing in a form', async ({ page }) => {
  // A program of its own: its servers are not those of other tests.
  const host = await startHost();
  try {
    await page.setViewportSize({ width: 1440, height: 900 });
    await openPage(page, host, '#/settings');
    const section = page.getByRole('region', { name: 'Tool servers' });
    const dialog = page.getByRole('dialog');
    await host.rpc('tool_server_set', { name: 'one', definition: { transport: 'stdio', command: 'no-such-program' } });
    await page.reload();
    // The list of another program comes in without its credentials, and nothing of it is started.
    await section.getByRole('button', { name: 'Paste mcp.json' }).click();
    await dialog.getByRole('textbox', { name: 'Text' }).fill(JSON.stringify({ mcpServers: { 'git hub': { command: 'no-such-program', env: { GH_TOKEN: 'canary-5d1e9f' } } } }));
    await dialog.getByRole('button', { name: 'Add servers' }).click();
    await expect(dialog.getByText("the text of 'GH_TOKEN' was left out")).toBeVisible();
    await page.keyboard.press('Escape');
    const other = section.getByRole('group', { name: 'git-hub' });
    await expect(other.getByText('Not approved')).toBeVisible();
    // Nobody has approved how it is started: that is shown first.
    await other.getByRole('button', { name: 'Test git-hub' }).click();
    await dialog.getByRole('button', { name: 'Connect and review' }).click();
    await expect(dialog.getByRole('button', { name: 'Connect and review' })).toBeEnabled();
    await page.keyboard.press('Escape');
    await expect(other.getByText('Not reachable')).toBeVisible();
    await shot(page, 'tool-list');
    await other.getByRole('button', { name: 'Delete git-hub' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(other).toHaveCount(0);
    // The button that was pressed is gone: the keys go on from its part.
    await expect(section.getByRole('heading', { name: 'Tool servers' })).toBeFocused();

    // A name that is there is not taken away from the server that has it.
    await section.getByRole('button', { name: 'Add a server' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('one');
    await dialog.getByRole('textbox', { name: 'Program' }).fill('other');
    await dialog.getByRole('textbox', { name: 'Environment variables' }).fill('TOKEN');
    await expect(dialog.getByText('A server with this name already exists.')).toBeVisible();
    await expect(dialog.getByText('This line is not NAME=text: TOKEN')).toBeVisible();
    await expect(dialog.getByRole('button', { name: 'Save and review' })).toBeDisabled();
    await shot(page, 'tool-wrong');
    await page.keyboard.press('Escape');

    // An argument that no line can hold comes through the form as it was.
    await host.rpc('tool_server_set', { name: 'lines', definition: { transport: 'stdio', command: 'no-such-program', args: ['', 'a\nb'], env: { PEM: 'x\ny' } } });
    await page.reload();
    await section.getByRole('button', { name: 'Review lines' }).click();
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByRole('textbox', { name: 'Program' }).fill('no-such-program-2');
    await shot(page, 'tool-lines');
    await dialog.getByRole('button', { name: 'Save and review' }).click();
    await expect(dialog.getByRole('alert')).toBeVisible();
    const kept = (await host.rpc<{ name: string; definition: unknown }[]>('tool_server_list', {})).find((one) => one.name === 'lines');
    expect(kept?.definition).toMatchObject({ command: 'no-such-program-2', args: ['', 'a\nb'], env: { PEM: 'x\ny' } });
  } finally {
    await host.stop();
    rmSync(host.data, { recursive: true, force: true });
  }
});

interface Doc {
  nodes: { [id: string]: { type: string; title?: string; config?: Record<string, unknown> } };
  edges: { from: string; to: string }[];
  layout: { [id: string]: [number, number] };
  [extra: string]: unknown;
}

test('a tool of an approved server is a step of the palette, with the form of its schema, and runs', async ({ open, host }) => {
  await host.rpc('tool_server_set', { name: 'one', definition: { transport: 'stdio', command: 'node', args: [SERVER] } });
  await host.terminal('tools', 'connect', 'one');
  const { hash } = await host.rpc<{ hash: string }>('tool_server_connect', { name: 'one' });
  await host.rpc('tool_server_approve', { name: 'one', hash });
  try {
    const { page, made } = await openDocument<Doc>(open, host, 'Tools', { nodes: { start: { type: 'trigger.manual', title: 'Start' } }, edges: [], layout: { start: [0, 0] } });
    // In the palette of actions, and in the box that adds a step.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Action, step/ }).fill('echo');
    await expect(page.getByRole('option', { name: /Add Echo \(one\)/ })).toBeVisible();
    await page.keyboard.press('Escape');
    await page.locator('[data-node="start"]').click();
    // With the pointer off the canvas it goes on from the chosen step.
    await page.getByRole('complementary', { name: 'Step settings' }).hover();
    await page.keyboard.press('Tab');
    await page.getByRole('combobox', { name: 'Add a step' }).fill('echo');
    await shot(page, 'tool-palette');
    await page.getByRole('option', { name: /^Echo one: Says what it is told/ }).click();
    const panel = page.getByRole('complementary', { name: 'Step settings' });
    await expect(panel.getByText('Says what it is told.')).toBeVisible();
    const field = panel.getByRole('textbox', { name: 'Text', exact: true });
    await field.click();
    await page.keyboard.type('hello');
    await page.keyboard.press('Escape');
    await shot(page, 'tool-step');
    await page.keyboard.press('F5');
    await expect(page.locator('.wb-status').getByText('Completed', { exact: true })).toBeVisible({ timeout: 20_000 });
    await page.keyboard.press('Control+s');
    await expect(page.getByText(/^Saved/).first()).toBeVisible();
    const doc = readJson<Doc>(made.path);
    expect(doc.nodes['echo']).toMatchObject({ type: 'mcp.tool', title: 'Echo', config: { server: 'one', tool: 'echo', arguments: { text: 'hello' } } });
    expect(doc.edges).toEqual([{ from: 'start.success', to: 'echo' }]);
  } finally {
    await host.rpc('tool_server_delete', { name: 'one' });
  }
});

test('what a step of a tool would miss is told before the run, at its place', async ({ open, host }) => {
  await host.rpc('tool_server_set', { name: 'one', definition: { transport: 'stdio', command: 'node', args: [SERVER] } });
  await host.terminal('tools', 'connect', 'one');
  const { hash } = await host.rpc<{ hash: string }>('tool_server_connect', { name: 'one' });
  await host.rpc('tool_server_approve', { name: 'one', hash });
  try {
    const { page } = await openDocument<Doc>(open, host, 'Told', {
      nodes: {
        start: { type: 'trigger.manual', title: 'Start' },
        Tool_010_echo: { type: 'mcp.tool', config: { server: 'one' } },
        plain: { type: 'mcp.tool', title: 'wrapped', config: { server: 'one', tool: 'wrapped' } },
        gone: { type: 'mcp.tool', title: 'Gone', config: { server: 'won', tool: 'echo' } },
        work: { type: 'agent.task', title: 'Work', config: { prompt: 'Go' } },
      },
      edges: [{ from: 'start.success', to: 'Tool_010_echo' }, { from: 'Tool_010_echo.success', to: 'plain' }, { from: 'plain.success', to: 'gone' }, { from: 'gone.success', to: 'work' }],
      layout: { start: [0, 0], Tool_010_echo: [248, 0], plain: [496, 0], gone: [744, 0], work: [992, 0] },
    });
    const panel = page.getByRole('complementary', { name: 'Step settings' });
    // T-10: the tool is that of the step's name, on the card and in the form.
    await expect(page.locator('[data-node="Tool_010_echo"]')).toContainText('one echo');
    await page.locator('[data-node="Tool_010_echo"]').click();
    await expect(panel.getByRole('combobox', { name: 'Tool', exact: true })).toContainText('echo');
    await expect(panel.getByText('Give it in Arguments, as a value or by an expression')).toBeVisible();
    await shot(page, 'tool-by-id');
    await page.locator('[data-node="plain"]').click();
    await expect(panel.getByText('This tool takes no arguments')).toBeVisible();
    await expect(panel.getByRole('button', { name: /: Arguments$/ })).toHaveCount(0);
    await shot(page, 'tool-plain');
    await page.locator('[data-node="gone"]').click();
    await expect(panel.getByText("There is no tool server 'won' on this machine")).toBeVisible();
    await shot(page, 'tool-gone');
    // A new row of a list has the keys: nothing that is typed is a key of the canvas.
    await page.locator('[data-node="work"]').click();
    await panel.getByRole('button', { name: /: Tools$/ }).click();
    await page.keyboard.type('learn_refunds');
    const row = panel.getByRole('combobox', { name: 'Tools 1' });
    await expect(row).toHaveValue('learn_refunds');
    await expect(panel.getByText("The skill 'learn_refunds' cannot be learned: the workflow's settings name no folder of skills")).toBeVisible();
    await row.fill('');
    await expect(panel.getByText('Fill it in, or remove the row')).toBeVisible();
    await expect(panel.locator('.list-row .bad')).toHaveCount(0);
    await shot(page, 'tool-row');
  } finally {
    await host.rpc('tool_server_delete', { name: 'one' });
  }
});

import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import type { FakeTransport } from '../../api/transport/fake.ts';
import type { JsonSchema } from '../../api/types.ts';
import { offered, offeredSchema, retitled, toolSchema } from '../../features/node-panel/tool-schema.ts';
import { toolInId } from '../../code/tool-step.ts';
import { choicesOf, initialValue, propertiesOf } from '../../schema-form/model.ts';
import { demoHost } from '../../test/fixtures.ts';
import { useMessages } from '../../kit/messages.ts';
import { App } from '../app.tsx';
import { differs } from '../parts/tool-diff.ts';
import { argumentLines, argumentsOf, howOf, variableLines, variablesOf, wordWith, type ToolServer } from '../parts/tool-words.ts';
import { webAddress } from '../../shared/web-address.ts';
import { toolEntries } from '../workbench/tool-entries.ts';

const GUESS = { bearsSecrets: false, isEgress: true, isUntrusted: true };
const SERVER: ToolServer = {
  name: 'files', state: 'changed', hash: 'h2', server: 'files 1.0', seenAt: '2026-11-22T10:00:00.000Z', approvedBy: 'user:ada', approvedAt: '2026-11-21T10:00:00.000Z',
  definition: { transport: 'stdio', command: 'npx', args: ['-y', 'a b'], env: { TOKEN: 'secret://erp' } },
  tools: [{ server: 'files', name: 'read', description: '<img src=x onerror=alert(1)>', inputSchema: { type: 'object' }, readOnly: true, idempotent: false, destructive: true, openWorld: true, bearsSecrets: false, isEgress: true, isUntrusted: true, guess: GUESS }],
  changes: [{ tool: 'read', field: 'description', before: 'Reads a file.', after: 'Reads and sends a file.' }],
  passedOn: ['PATH'], madeBy: 'user:ada', madeAt: '2026-11-20T10:00:00.000Z',
};

describe('words of tool servers', () => {
  it('say how a server is started, and read variables', () => {
    expect(howOf(SERVER.definition)).toBe("npx -y 'a b'");
    expect(variablesOf('A=1\n\nB=x=y\r\n')).toEqual({ env: { A: '1', B: 'x=y' } });
    expect(variablesOf('A=1\nnothing')).toEqual({ wrong: 'nothing', why: 'none' });
    expect(variablesOf('A=1\n A =2')).toEqual({ wrong: ' A =2', why: 'twice' });
    expect(variablesOf('A=json:"x')).toEqual({ wrong: 'A=json:"x', why: 'json' });
    expect(argumentsOf('-y\njson:"')).toEqual({ wrong: 'json:"', why: 'json' });
    expect(differs('Reads and sends a file.', 'Reads a file.')).toEqual(['Reads a', 'nd sends a', ' file.']);
    expect(differs('same', 'same')).toEqual(['same', '', '']);
  });

  it('what is said of a tool is what differs from the guess', () => {
    const guess = GUESS;
    expect(wordWith({ guess }, 'bearsSecrets', true)).toEqual({ bearsSecrets: true });
    expect(wordWith({ guess, said: { bearsSecrets: true, isEgress: false } }, 'isEgress', true)).toEqual({ bearsSecrets: true });
  });

  it('lose nothing on their way through the lines of a form', () => {
    const args = ['--sep', '', ' ', 'a\nb', 'a\rb', 'x\r\n', '"quoted"', 'json:{}', 'json:"x"', ' led', 'C:\\new', '\u2028'];
    expect(argumentsOf(argumentLines(args))).toEqual({ args });
    const env = { PEM: '-----BEGIN-----\nabc\n-----END-----\n', EMPTY: '', BLANK: ' ', JSON: 'json:"x"', QUOTED: '"x"' };
    expect(variablesOf(variableLines(env))).toEqual({ env });
    // What lines can hold stands in them as it is.
    expect(argumentLines(['-y', 'a b', '"quoted"'])).toBe('-y\na b\n"quoted"');
  });
});

it('a browser is shown web pages only', () => {
  expect(webAddress('https://login.example/authorize?x=1')).toBe('https://login.example/authorize?x=1');
  expect(webAddress('http://127.0.0.1:8080/a')).toBe('http://127.0.0.1:8080/a');
  for (const other of ['http://login.example/', 'file:///etc/passwd', 'javascript:alert(1)', 'vscode://x', 'x', '']) expect(webAddress(other)).toBeUndefined();
});

describe('the form of a tool', () => {
  const config = { type: 'object', properties: { server: { type: 'string' }, tool: { type: 'string' }, arguments: { type: 'object', title: 'Arguments' } } };
  const tools = [{ server: 'files', name: 'read', description: 'Reads.', inputSchema: { type: 'object', properties: { path: { type: 'string', 'x-ui': { widget: 'credential' } } }, required: ['path'] }, readOnly: true, idempotent: false, destructive: false, openWorld: true, bearsSecrets: false, isEgress: true, isUntrusted: true, guess: GUESS }];
  it('is that of its schema, without hints of the server', () => {
    const made = toolSchema(config, 'step', { type: 'mcp.tool', config: { server: 'files', tool: 'read' } }, tools);
    expect(made.properties?.['server']?.enum).toEqual(['files']);
    expect(made.properties?.['tool']).toMatchObject({ enum: ['read'], description: 'Reads.', 'x-ui': { widget: 'select' } });
    expect(made.properties?.['arguments']).toMatchObject({ title: 'Arguments', required: ['path'], properties: { path: { type: 'string' } } });
    expect(made.properties?.['arguments']?.properties?.['path']).toEqual({ type: 'string' });
  });
  it('is that of the tool that the step is called after, which is not written into it (T-10)', () => {
    const made = toolSchema(config, 'Tool_010_read', { type: 'mcp.tool', config: { server: 'files' } }, tools);
    expect(made.properties?.['tool']).toMatchObject({ default: 'read', enum: ['read'] });
    expect(made.properties?.['arguments']).toMatchObject({ required: ['path'] });
    // What it was set to goes first.
    const set = toolSchema(config, 'Tool_010_gone', { type: 'mcp.tool', config: { server: 'files', tool: 'read' } }, tools);
    expect(set.properties?.['arguments']).toMatchObject({ required: ['path'] });
    expect(['Tool_010_Read_File', 'Tool_x_read', 'Tool_1_', 'tool_1_read'].map(toolInId)).toEqual(['Read_File', undefined, undefined, undefined]);
  });
  it('says of a tool without arguments that it has none', () => {
    const of = (inputSchema: object) => toolSchema(config, 'step', { type: 'mcp.tool', config: { server: 'files', tool: 'read' } }, [{ ...(tools[0] as (typeof tools)[0]), inputSchema }] as never).properties?.['arguments'];
    expect(of({ type: 'object', additionalProperties: false })?.['x-ui']).toEqual({ none: 'This tool takes no arguments' });
    expect(of({ type: 'object', properties: {}, additionalProperties: false })?.['x-ui']).toEqual({ none: 'This tool takes no arguments' });
    for (const open of [{ type: 'object' }, { type: 'object', additionalProperties: false, patternProperties: { '^x': {} } }]) expect(of(open)?.['x-ui']).toBeUndefined();
  });
  it('gives a step the title of its new tool, where the old one was the tool\'s own', () => {
    const two = [{ server: 'files', name: 'read', title: 'Read a file' }, { server: 'files', name: 'size' }, { server: 'other', name: 'size', title: 'Not here' }];
    const step = (title: string | undefined) => ({ type: 'mcp.tool', ...(title === undefined ? {} : { title }), config: { server: 'files', tool: 'read' } });
    const to = (title: string | undefined, value: unknown, path: string[] = ['tool']) => retitled(step(title), { path, value }, two);
    expect(to('Read a file', 'size')).toBe('size');
    expect(retitled({ ...step('size'), config: { server: 'files', tool: 'size' } }, { path: ['tool'], value: 'read' }, two)).toBe('Read a file');
    expect([to('My own title', 'size'), to(undefined, 'size'), to('Read a file', undefined), to('Read a file', 'x', ['server'])]).toEqual(Array(4).fill(undefined));
  });
  it('has a field for each argument, whatever its tool calls it', () => {
    const inputSchema = {
      type: 'object', required: ['x-request-id', 'old'], 'x-ui': { order: 1 },
      properties: { 'x-request-id': { type: 'string', 'x-ui': { widget: 'credential' }, default: { 'x-a': 1 } }, old: { type: 'string', deprecated: true }, gone: { type: 'string', deprecated: true }, properties: { type: 'object', 'x-raw': true } },
      $defs: { 'x-part': { type: 'string' } },
    };
    const own = toolSchema(config, 'step', { type: 'mcp.tool', config: { server: 'files', tool: 'read' } }, [{ server: 'files', name: 'read', description: '', inputSchema, readOnly: true, idempotent: false, destructive: false, openWorld: true, bearsSecrets: false, isEgress: true, isUntrusted: true, guess: GUESS }]).properties?.['arguments'] as JsonSchema;
    expect(propertiesOf(own).map(([name]) => name)).toEqual(['x-request-id', 'old', 'properties']);
    expect(own.properties).toMatchObject({ 'x-request-id': { type: 'string', default: { 'x-a': 1 } }, properties: { type: 'object' } });
    expect(JSON.stringify(own.properties)).not.toMatch(/x-ui|x-raw/);
    expect(own).toMatchObject({ $defs: { 'x-part': { type: 'string' } } });
  });
  it('of an agent offers those of this machine beside a text: others, and signs before a name, are written as ever', () => {
    const list = { type: 'object', properties: { tools: { type: 'array', items: { type: 'string', minLength: 1 } } } };
    const items = offeredSchema(list, tools).properties?.['tools']?.items;
    expect(items).toEqual({ type: 'string', minLength: 1, 'x-ui': { offered: [{ value: 'files/read' }] } });
    const odd = tools.map((one) => ({ ...one, name: 're\u202ead', description: 'Reads\u200b.' }));
    expect(offeredSchema(list, odd).properties?.['tools']?.items?.['x-ui']).toEqual({ offered: [{ value: 'files/re\u202ead', label: 'files/re[U+202E]ad' }] });
    const tool = toolSchema(config, 'step', { type: 'mcp.tool', config: { server: 'files', tool: 're\u202ead' } }, odd).properties?.['tool'];
    expect(choicesOf(tool as JsonSchema)).toEqual([{ value: 're\u202ead', label: 're[U+202E]ad' }]);
    expect(tool?.description).toBe('Reads[U+200B].');
    // What "Add" begins with grants nothing.
    expect(initialValue(items)).toBe('');
    // Skills of the workflow's folder stand there, too, with what they are about.
    expect(offeredSchema(list, [], [{ name: 'learn_refunds', about: 'Re\u202efunds' }, { name: 'learn_x', about: '' }]).properties?.['tools']?.items?.['x-ui']).toEqual({ offered: [{ value: 'learn_refunds', label: 'Re[U+202E]funds' }, { value: 'learn_x' }] });
    expect(offeredSchema(list, [])).toBe(list);
    expect(offeredSchema(config, tools)).toBe(config);
  });
  it('keeps what this machine does not know', () => {
    const made = toolSchema(config, 'step', { type: 'mcp.tool', config: { server: 'other', tool: 'x' } }, tools);
    expect(made.properties?.['server']?.enum).toEqual(['files', 'other']);
    expect(made.properties?.['tool']?.enum).toEqual(['x']);
    expect(made.properties?.['arguments']).toEqual(config.properties.arguments);
  });
});

it('a tool is a step under words that are seen, and not too many', () => {
  const titles = (title: string | undefined) => toolEntries([{ server: 'files', name: 'read', description: 'Reads\n a file.', ...(title === undefined ? {} : { title }) }]).map((one) => one.title);
  expect(titles('Re\u202ead\n it')).toEqual(['Re[U+202E]ad it']);
  expect(titles('x'.repeat(500))).toEqual(['x'.repeat(80)]);
  expect(titles(' ')).toEqual([undefined]);
  expect(titles(undefined)).toEqual([undefined]);
  expect(toolEntries([{ server: 'files', name: 'odd', description: '', unusable: 'Its schema refers elsewhere.' }])).toEqual([]);
});

describe('tool servers in the settings', () => {
  let host: FakeTransport;
  beforeEach(() => {
    host = demoHost();
    setTransport(host);
    queryClient.clear();
    host.handlers.tool_server_list = () => [SERVER];
  });
  afterEach(cleanup);
  const section = async () => {
    window.location.hash = '#/settings';
    render(<App />);
    return within(await screen.findByRole('region', { name: 'Tool servers' }));
  };

  it('a change far below is seen in its box', async () => {
    const own = HTMLElement.prototype.getBoundingClientRect;
    const top = (y: number) => ({ top: y }) as DOMRect;
    HTMLElement.prototype.getBoundingClientRect = function place(this: HTMLElement) { return this.tagName === 'MARK' ? top(1100) : this.tagName === 'PRE' ? top(100) : own.call(this); };
    try {
      const part = await section();
      await userEvent.click(await part.findByRole('button', { name: 'Review files' }));
      const changes = within(await screen.findByRole('dialog')).getByRole('region', { name: 'Changes' });
      expect([...changes.querySelectorAll('pre')].map((one) => one.scrollTop)).toEqual([960, 960]);
    } finally {
      HTMLElement.prototype.getBoundingClientRect = own;
    }
  });

  it('show what changed, and approve exactly what was shown', async () => {
    host.handlers.who = () => ({ operatorId: 'user:ada', role: 'builder', via: 'app' });
    let approved: unknown;
    host.handlers.tool_server_approve = (request) => { approved = request; return { ...SERVER, state: 'approved', changes: [] }; };
    const part = await section();
    expect(await part.findByText('Changed')).toBeTruthy();
    await userEvent.click(part.getByRole('button', { name: 'Review files' }));
    const dialog = within(await screen.findByRole('dialog'));
    const changes = within(dialog.getByRole('region', { name: 'Changes' }));
    expect(changes.getByText('nd sends a')).toBeTruthy();
    // Text from a server is text.
    expect(dialog.getByText('<img src=x onerror=alert(1)>')).toBeTruthy();
    await userEvent.click(dialog.getByRole('button', { name: 'Approve' }));
    expect(approved).toEqual({ name: 'files', hash: 'h2' });
  });

  const review = async (server: ToolServer) => {
    // What another program asked for is not known to this one.
    queryClient.clear();
    host.handlers.who = () => ({ operatorId: 'user:ada', role: 'builder', via: 'app' });
    host.handlers.tool_server_list = () => [server];
    await userEvent.click(await (await section()).findByRole('button', { name: 'Review files' }));
    return within(await screen.findByRole('dialog'));
  };
  const marks = () => [...document.querySelectorAll('[role=dialog] .ctl')].map((mark) => mark.textContent);

  it('mark letters that are not seen, in what differs too, and say so beside Approve', async () => {
    const tags = String.fromCodePoint(0xe0041);
    const tool = { ...SERVER.tools[0] as ToolServer['tools'][number], title: 'Re\u202ead', description: 'Reads a\u200b file.', outputSchema: { type: 'object', description: `Says${tags}` } };
    const dialog = await review({
      ...SERVER, tools: [tool], definition: { transport: 'stdio', command: 'npx', args: ['a\u2066b'], env: {} },
      changes: [{ tool: 'read', field: 'description', before: 'Reads a file.', after: 'Reads a\u200b file.' }],
    });
    expect(marks()).toEqual(['U+200B', 'U+2066', 'U+202E', 'U+200B']);
    expect(within(dialog.getByRole('region', { name: 'Changes' })).getByText('Description', { exact: false })).toBeTruthy();
    // What it says of its answers is a part of what is approved.
    expect(dialog.getByText('Result')).toBeTruthy();
    expect(dialog.getByText(/Says\[U\+E0041\]/)).toBeTruthy();
    expect(dialog.getByText('4 texts contain invisible characters; they are marked.')).toBeTruthy();
  });

  it('name each argument, also one of nothing', async () => {
    const dialog = await review({ ...SERVER, definition: { transport: 'stdio', command: 'npx', args: ['-y', '', 'a  b'], env: {} } });
    const [first, second, third] = [...dialog.getByText('Arguments', { selector: 'dt' }).parentElement?.querySelectorAll('dt:nth-of-type(2) ~ dd') ?? []].map((one) => one.textContent);
    expect([first, second, third]).toEqual(['-y', '(empty)', 'a  b']);
    for (const term of document.querySelectorAll('[role=dialog] dt')) expect(term.textContent).not.toBe('');
  });

  it('approve what was read, not what came meanwhile', async () => {
    const dialog = await review(SERVER);
    expect(dialog.getByRole('button', { name: 'Approve' })).toBeTruthy();
    const now: ToolServer = { ...SERVER, hash: 'h3', changes: [{ tool: 'read', field: 'description', before: 'Reads a file.', after: 'Sends all files.' }] };
    host.handlers.tool_server_list = () => [now];
    await queryClient.invalidateQueries({ queryKey: ['tool_server_list'] });
    expect(await dialog.findByText('The server has changed again')).toBeTruthy();
    expect(dialog.getByText('nd sends a')).toBeTruthy();
    expect(dialog.queryByRole('button', { name: 'Approve' })).toBeNull();
    let approved: unknown;
    host.handlers.tool_server_approve = (request) => { approved = request; return { ...now, state: 'approved', changes: [] }; };
    await userEvent.click(dialog.getByRole('button', { name: 'Show it' }));
    expect(dialog.getByText(/Sends all/)).toBeTruthy();
    await userEvent.click(dialog.getByRole('button', { name: 'Approve' }));
    expect(approved).toEqual({ name: 'files', hash: 'h3' });
  });

  it('say so when a server turned back, and when what differs is too far behind', async () => {
    const dialog = await review({ ...SERVER, changes: [] });
    expect(dialog.getByText(/is now as approved/)).toBeTruthy();
    cleanup();
    const other = await review({ ...SERVER, changes: [{ tool: 'read', field: 'outputSchema', before: 'same', after: 'same' }] });
    expect(other.getByText('The difference is after the part shown here.')).toBeTruthy();
    expect(within(other.getByRole('region', { name: 'Changes' })).queryByText('outputSchema')).toBeNull();
  });

  it('a person says what a tool does with data, and what is looser than the guess is said twice', async () => {
    const said: unknown[] = [];
    host.handlers.tool_server_say = (request) => {
      said.push(request);
      if (request.word.isEgress === false && !request.understood) throw new ApiError({ code: 'LOOSENS', message: "You say that 'files/read' sends nothing out.", hint: '' });
      return { ...SERVER, state: 'approved', changes: [] };
    };
    const dialog = await review({ ...SERVER, state: 'approved', changes: [] });
    const word = within(dialog.getByRole('group', { name: 'Capabilities of read' }));
    expect(word.getByRole('switch', { name: 'Can send data out' }).getAttribute('aria-checked')).toBe('true');
    await userEvent.click(word.getByRole('switch', { name: 'Reads private data' }));
    expect(said).toEqual([{ name: 'files', hash: 'h2', tool: 'read', word: { bearsSecrets: true }, understood: false }]);
    await userEvent.click(word.getByRole('switch', { name: 'Can send data out' }));
    expect(await word.findByText("You say that 'files/read' sends nothing out.")).toBeTruthy();
    await userEvent.click(word.getByRole('button', { name: 'Cancel' }));
    expect(word.queryByText("You say that 'files/read' sends nothing out.")).toBeNull();
    expect(said).toHaveLength(2);
    // The keys go on from what was asked about, which says what it means.
    const egress = word.getByRole('switch', { name: 'Can send data out' });
    expect(document.activeElement).toBe(egress);
    expect(document.getElementById(egress.getAttribute('aria-describedby') ?? '')?.textContent).toMatch(/may leave this machine/);
    await userEvent.click(word.getByRole('switch', { name: 'Can send data out' }));
    await userEvent.click(await word.findByRole('button', { name: 'Apply' }));
    expect(said.at(-1)).toMatchObject({ word: { isEgress: false }, understood: true });
    await waitFor(() => expect(document.activeElement).toBe(word.getByRole('switch', { name: 'Can send data out' })));
    cleanup();
    // Of what nobody approved nothing is said.
    const other = await review(SERVER);
    expect(other.queryByRole('switch')).toBeNull();
  });

  const builder = () => { host.handlers.who = () => ({ operatorId: 'user:ada', role: 'builder', via: 'app' }); };

  it('let an operator look only', async () => {
    builder();
    expect(await (await section()).findByRole('button', { name: 'Add a server' })).toBeTruthy();
    cleanup();
    queryClient.clear();
    host.handlers.who = () => ({ operatorId: 'user:bob', role: 'operator', via: 'rest' });
    const part = await section();
    await userEvent.click(await part.findByRole('button', { name: 'Review files' }));
    const dialog = within(await screen.findByRole('dialog'));
    await waitFor(() => expect(queryClient.getQueryData(['who', {}])).toMatchObject({ role: 'operator' }));
    expect(part.queryByRole('button', { name: 'Add a server' })).toBeNull();
    expect(dialog.queryByRole('button', { name: 'Approve' })).toBeNull();
  });

  it('say why they unreadable, and are read again', async () => {
    builder();
    host.handlers.tool_server_list = () => { throw new ApiError({ code: 'STORE_BUSY', message: 'The store is busy.', hint: 'Try again.' }); };
    const part = await section();
    expect(await part.findByText('The store is busy.')).toBeTruthy();
    host.handlers.tool_server_list = () => [SERVER];
    await userEvent.click(part.getByRole('button', { name: 'Try again' }));
    expect(await part.findByText('files')).toBeTruthy();
  });

  it('take no name that is there, and say which line is wrong', async () => {
    builder();
    const part = await section();
    await userEvent.click(await part.findByRole('button', { name: 'Add a server' }));
    const dialog = within(await screen.findByRole('dialog'));
    const type = async (name: string, text: string) => { await userEvent.clear(dialog.getByRole('textbox', { name })); await userEvent.paste(text); };
    await type('Program', 'npx');
    await type('Name', 'files');
    expect(dialog.getByText(/A server with this name already exists/)).toBeTruthy();
    const save = dialog.getByRole<HTMLButtonElement>('button', { name: 'Save and review' });
    expect(save.disabled).toBe(true);
    await type('Name', 'other');
    expect(save.disabled).toBe(false);
    await type('Environment variables', 'TOKEN');
    expect(dialog.getByText('This line is not NAME=text: TOKEN')).toBeTruthy();
    expect(save.disabled).toBe(true);
    // What a process gets besides is told by the host.
    await type('Environment variables', 'A=1');
    expect(dialog.getByText(/It also receives PATH only/)).toBeTruthy();
    // Each label is of a control that there is.
    for (const label of document.querySelectorAll<HTMLLabelElement>('[role=dialog] label')) expect(label.control).not.toBeNull();
  });

  it('stay open until the answer is there, and nothing that ends late takes what is open then', async () => {
    builder();
    let answer: (server: ToolServer) => void = () => undefined;
    host.handlers.tool_server_set = () => new Promise((done) => { answer = done; });
    host.handlers.tool_server_connect = () => new Promise((done) => { answer = done; });
    const part = await section();
    // A test that ends while something is typed.
    await userEvent.click(await part.findByRole('button', { name: 'Test files' }));
    const changed = answer;
    await userEvent.click(part.getByRole('button', { name: 'Paste mcp.json' }));
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('textbox', { name: 'Text' }));
    await userEvent.paste('{"mcp');
    changed(SERVER);
    await waitFor(() => expect(useMessages.getState().shown.map((one) => one.text)).toContain('files differs from what was approved'));
    expect(screen.getByRole('dialog', { name: 'Paste an mcp.json' })).toBeTruthy();
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    // Saved, and asked in the dialog that may be left at any time.
    await userEvent.click(part.getByRole('button', { name: 'Review files' }));
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Edit' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Change files' }));
    await userEvent.click(dialog.getByRole('button', { name: 'Save and review' }));
    await userEvent.keyboard('{Escape}');
    expect(dialog.getAllByRole<HTMLButtonElement>('button', { name: /Cancel/ }).every((one) => one.disabled)).toBe(true);
    expect(screen.getByRole('dialog', { name: 'Change files' })).toBeTruthy();
    answer(SERVER);
    await screen.findByRole('dialog', { name: 'Tool server files' });
    await waitFor(() => expect(host.calls.filter((one) => one.command === 'tool_server_connect')).toHaveLength(2));
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await userEvent.click(part.getByRole('button', { name: 'Add a server' }));
    answer(SERVER);
    await waitFor(() => expect(host.calls.filter((one) => one.command === 'tool_server_list').length).toBeGreaterThan(2));
    expect(screen.getByRole('dialog', { name: 'Add a tool server' })).toBeTruthy();
  });

  const REMOTE: ToolServer = { ...SERVER, name: 'desk', state: 'new', changes: [], tools: [], definition: { transport: 'http', url: 'https://desk.example/mcp', signIn: { clientId: 'me', unattended: true } } };
  const signIn = (more: Partial<NonNullable<ToolServer['signIn']>>): ToolServer => ({ ...REMOTE, signIn: { state: 'wanted', wants: [], scopes: [], renews: false, ...more } });

  it('say what is signed in where, and offer what a builder may do', async () => {
    host.handlers.who = () => ({ operatorId: 'user:ada', role: 'builder', via: 'app' });
    let errorText = signIn({ state: 'more', by: 'user:ada', at: '2026-11-23T10:00:00.000Z', issuer: 'https://login.example', scopes: ['read'], wants: ['read', 'write'], renews: true, expires: '2026-11-23T11:00:00.000Z' });
    host.handlers.tool_server_list = () => [errorText];
    const part = await section();
    const line = within(await part.findByRole('group', { name: 'Signing in to desk' }));
    expect(line.getByText(/^Signed in by ada/)).toBeTruthy();
    expect(line.getByText('https://login.example')).toBeTruthy();
    expect(line.getByText('Permissions: read')).toBeTruthy();
    expect(line.getByText('The server requests more permissions: read write')).toBeTruthy();
    expect(line.getByText(/is renewed with the next use/)).toBeTruthy();
    expect(line.getByRole('button', { name: 'Sign in again to desk' }).textContent).toBe('Sign in again');
    host.handlers.tool_server_sign_out = () => ({ server: REMOTE, revoked: false, note: 'login.example did not answer.' });
    errorText = signIn({ state: 'ended', message: 'It was refused' });
    await userEvent.click(line.getByRole('button', { name: 'Sign out of desk' }));
    expect(host.calls.find(({ command }) => command === 'tool_server_sign_out')?.payload).toEqual({ name: 'desk' });
    expect(await part.findByText('It was refused.')).toBeTruthy();
    expect(useMessages.getState().shown.some(({ detail }) => detail === 'login.example did not answer.')).toBe(true);
  });

  it('show where to sign in only when it is a web page, and take the address that was pasted', async () => {
    host.handlers.who = () => ({ operatorId: 'user:ada', role: 'builder', via: 'app' });
    host.handlers.tool_server_list = () => [signIn({})];
    host.handlers.tool_server_sign_in = () => ({ name: 'desk', address: 'https://login.example/authorize?x=1', opened: false });
    let finished: unknown;
    host.handlers.tool_server_sign_in_finish = (request) => { finished = request; return REMOTE; };
    const part = await section();
    await userEvent.click(await part.findByRole('button', { name: 'Sign in to desk' }));
    const dialog = within(await screen.findByRole('dialog'));
    const link = dialog.getByRole('link', { name: 'Go to login.example' });
    expect([link.getAttribute('href'), link.getAttribute('rel'), link.getAttribute('target')]).toEqual(['https://login.example/authorize?x=1', 'noopener noreferrer', '_blank']);
    // Enter finishes it, and the dialog is over, whatever the server wants besides.
    await userEvent.type(dialog.getByRole('textbox'), 'http://127.0.0.1:1/callback?code=x{Enter}');
    expect(finished).toEqual({ name: 'desk', address: 'http://127.0.0.1:1/callback?code=x' });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(useMessages.getState().past.filter(({ text }) => text === 'Signed in to desk').map(({ count }) => count)).toEqual([1]);
    cleanup();
    queryClient.clear();
    host.handlers.tool_server_sign_in = () => ({ name: 'desk', address: 'javascript:alert(1)', opened: false });
    await userEvent.click(await (await section()).findByRole('button', { name: 'Sign in to desk' }));
    expect(within(await screen.findByRole('dialog')).queryByRole('link')).toBeNull();
  });

  it('say of a tool that cannot be used why, and ask nobody for a word on it', async () => {
    const why = 'The schema of its arguments has 6263 KiB, and at most 256 KiB are looked at';
    const wide = { ...(SERVER.tools[0] as ToolServer['tools'][number]), name: 'wide', unusable: why, inputSchema: {} };
    host.handlers.who = () => ({ operatorId: 'user:ada', role: 'builder', via: 'app' });
    host.handlers.tool_server_list = () => [{ ...SERVER, state: 'approved', changes: [], tools: [wide] }];
    const part = await section();
    await userEvent.click(await part.findByRole('button', { name: 'Review files' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByText(`Unusable: ${why}.`)).toBeTruthy();
    // Only its start has arguments.
    expect(dialog.getAllByText('Arguments').map((one) => one.tagName)).toEqual(['DT']);
    expect(dialog.queryByRole('switch')).toBeNull();
    const asked = toolSchema({ properties: { tool: { type: 'string' } } }, 'step', { type: 'mcp.tool', config: { server: 'files', tool: 'wide' } }, [wide]).properties?.['tool'];
    expect([asked?.description, asked?.['x-ui']?.labels]).toEqual([`Unusable: ${why}.`, { wide: 'wide (unusable)' }]);
    expect(offered({ items: {} }, [wide, { ...wide, name: 'read', unusable: undefined }] as never).items?.['x-ui']?.['offered']).toEqual([{ value: 'files/read' }]);
    const skills = [{ name: 'learn_refunds', about: 'Refunds.' }, { name: 'learn_torn', about: '', unusable: "'torn.md' is no text" }];
    expect(offered({ items: {} }, [], skills).items?.['x-ui']?.['offered']).toEqual([{ value: 'learn_refunds', label: 'Refunds.' }, { value: 'learn_torn', label: "Unreadable: 'torn.md' is no text" }]);
  });

  it('keep what a form does not show', async () => {
    const dialog = await review({ ...REMOTE, name: 'files' });
    host.handlers.tool_server_set = (request) => ({ ...REMOTE, definition: request.definition });
    host.handlers.tool_server_connect = () => REMOTE;
    await userEvent.click(dialog.getByRole('button', { name: 'Edit' }));
    const form = within(await screen.findByRole('dialog'));
    await userEvent.type(form.getByRole('textbox', { name: 'Only at this authorization server' }), 'https://login.example');
    await userEvent.click(form.getByRole('button', { name: 'Save and review' }));
    await waitFor(() => expect(host.calls.find(({ command }) => command === 'tool_server_set')?.payload).toEqual({
      name: 'files', definition: { transport: 'http', url: 'https://desk.example/mcp', signIn: { clientId: 'me', unattended: true, issuer: 'https://login.example' } },
    }));
  });
});

import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { foldRun, type RunView } from '../../run/run-state.ts';
import type { Handlers } from '../../api/transport/fake.ts';
import type { Diagnostic, NodeDescriptor, StepData, Workflow } from '../../api/types.ts';
import { FIRST, FIRST_EVENTS } from '../../test/walkthrough.ts';
import { renderWith, replaceCode, typeCode } from '../../test/render.tsx';
import { NodePanel } from './node-panel.tsx';
import { freeName, paramsOf, schemaOf, withType } from './params-model.ts';
import { formatPause } from '../../i18n/index.ts';
import { placeCalls } from './retry-timeline.tsx';
import { commonSchemas } from './settings-tab.tsx';
import { valuesOfCards } from './step-data.ts';
import { thenOf } from './then-words.ts';
import type { PanelEdit } from './types.ts';

const kind = (type: string, more: Partial<NodeDescriptor> = {}): NodeDescriptor => ({
  type, version: 1, title: type, description: '', aliases: [], keywords: [], category: 'data', icon: 'globe', role: 'step', modes: ['each', 'all'], effects: 'none', replay: 'safe', input: true,
  ports: [{ id: 'success' }, { id: 'error' }], config: { type: 'object', properties: {} }, errors: [], keepsError: false, examples: [], ...more,
});
const CATALOG = [
  kind('http.request', {
    title: 'HTTP request', effects: { field: 'method', values: { POST: 'write' }, otherwise: 'read' },
    retryPolicy: { maxAttempts: 5, backoff: 'exponential', initialDelayMs: 100, maxDelayMs: 1000, jitter: true },
    errors: [{ type: 'Timeout', code: 'TIMEOUT', when: 'No answer in time.', retryable: true }],
    config: { type: 'object', properties: { url: { type: 'string', title: 'Address' }, method: { type: 'string', title: 'Method', enum: ['GET', 'POST'] } } },
  }),
  kind('flow.if', { title: 'If', ports: [{ id: 'true' }, { id: 'false' }, { id: 'error' }], config: { type: 'object', properties: { condition: { type: 'string', title: 'Condition', 'x-cel': true } } } }),
  kind('flow.stop', { title: 'Stop', role: 'stop', modes: ['all'], ports: [], config: { type: 'object', properties: { stopId: { type: 'string', title: 'Name' } } } }),
];
const STEP: StepData = {
  runId: 'R', startedAt: '2026-11-21T23:00:00.000Z', config: { method: 'GET' },
  input: [{ item: 0, data: { id: 'S-1' } }, { item: 1, data: { id: 'S-2' } }],
  output: { success: [{ id: '1', data: { status: 200 } }] },
  counts: { input: 2, output: { success: 1 } },
};
const HOST: Handlers = {
  run_step_data: () => STEP,
  expression_preview: () => ({ state: 'no_data' }),
  expression_names: () => [],
  retry_timeline: ({ policy }) => Array.from({ length: policy.maxAttempts ?? 3 }, (_, i) => ({ attempt: i + 1, delayMs: 10 })),
};

function panel(options: { selected?: string[]; document?: Workflow; diagnostics?: Diagnostic[]; run?: RunView | null; at?: { nodeId: string; path: string | undefined }; readOnly?: boolean; handlers?: Handlers } = {}) {
  const edits: PanelEdit[] = [];
  const onEdit = vi.fn((given: PanelEdit | readonly PanelEdit[]) => { edits.push(...(Array.isArray(given) ? given : [given as PanelEdit])); });
  const shown = renderWith(
    <NodePanel document={options.document ?? FIRST} selected={options.selected ?? ['fetch']} catalog={CATALOG} diagnostics={options.diagnostics ?? []}
      onEdit={onEdit} run={options.run ?? null} at={options.at} readOnly={options.readOnly ?? false} />,
    { ...HOST, ...options.handlers },
  );
  return { ...shown, edits, onEdit };
}

describe('the head', () => {
  it('o_09 says what the author says of a step where it cannot be written', () => {
    const document = { ...FIRST, nodes: { ...FIRST.nodes, fetch: { ...FIRST.nodes['fetch'], description: 'Asks for\nthe user.' } } } as typeof FIRST;
    panel({ document, readOnly: true });
    expect(screen.getByTitle('Asks for the user.', { exact: false }).textContent).toBe('Asks for the user.');
  });

  it('shows title, id and kind', () => {
    panel();
    expect(screen.getByText('Fetch the user')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'fetch' }).parentElement?.textContent).toBe('fetch, http.request v1');
  });
  it('renames, switches off, deletes', async () => {
    const { edits } = panel();
    await userEvent.click(screen.getByRole('button', { name: 'Rename' }));
    const box = screen.getByLabelText('Title of the step');
    await userEvent.clear(box);
    await userEvent.type(box, 'Fetch Ada{Enter}');
    await userEvent.click(screen.getByRole('switch', { name: 'Step enabled' }));
    await userEvent.click(screen.getByRole('button', { name: 'Delete the step' }));
    expect(edits).toEqual([
      { type: 'setNode', id: 'fetch', path: ['title'], value: 'Fetch Ada' },
      { type: 'setNode', id: 'fetch', path: ['disabled'], value: true },
      { type: 'removeNodes', ids: ['fetch'] },
    ]);
  });
  it('refuses an id that is taken or wrong', async () => {
    const { edits } = panel();
    await userEvent.click(screen.getByRole('button', { name: 'fetch' }));
    const box = screen.getByLabelText('Change the id');
    await userEvent.clear(box);
    await userEvent.type(box, 'adult{Enter}');
    expect(screen.getByRole('alert').textContent).toContain('is the id of another step');
    await userEvent.clear(box);
    await userEvent.type(box, '1x{Enter}');
    expect(screen.getByRole('alert').textContent).toContain('starts with a letter');
    await userEvent.clear(box);
    await userEvent.type(box, 'fetch_2{Enter}');
    expect(edits).toEqual([{ type: 'renameNode', id: 'fetch', to: 'fetch_2' }]);
  });
  it('offers no change of an old run', () => {
    panel({ readOnly: true });
    expect(screen.queryByRole('button', { name: 'Rename' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Delete the step' })).toBeNull();
    expect(screen.queryByRole('button', { name: /^Add: / })).toBeNull();
  });
  it('tells of no dragging where nothing can be changed', async () => {
    const { unmount } = panel({ run: foldRun(FIRST_EVENTS, FIRST) });
    expect(await screen.findAllByText(/^Drag a field/)).not.toEqual([]);
    unmount();
    panel({ run: foldRun(FIRST_EVENTS, FIRST), readOnly: true });
    expect(await screen.findByText('Input', { selector: 'summary' })).toBeTruthy();
    expect(screen.queryByText(/^Drag a field/)).toBeNull();
    await userEvent.click(screen.getByRole('tab', { name: /^Output/ }));
    expect(await screen.findByText(/^\d+B$/)).toBeTruthy();
    expect(screen.queryByText(/^Drag a field/)).toBeNull();
  });
});

describe('settings', () => {
  it('writes the smallest change into the config', () => {
    const { edits, onEdit } = panel();
    act(() => typeCode(screen.getByLabelText('Address'), '/x'));
    expect(edits).toEqual([{ type: 'setNode', id: 'fetch', path: ['config', 'url'], value: '{{params.base}}/flaky/x' }]);
    expect(onEdit.mock.calls[0]?.[1 as never]).toMatchObject({ merge: 'fetch config.url' });
  });
  it('what is written to the context is an expression', async () => {
    const { edits } = panel();
    act(() => replaceCode(screen.getByLabelText('$user'), '_result.status'));
    expect(edits).toEqual([{ type: 'setNode', id: 'fetch', path: ['out', '$user'], value: '=_result.status' }]);
    await userEvent.click(screen.getByRole('button', { name: 'Add: Write variables' }));
    await userEvent.type(screen.getByLabelText('Name'), 'age{Enter}');
    expect(edits.at(-1)).toEqual({ type: 'setNode', id: 'fetch', path: ['out'], value: { $user: '=_result.response', $age: '=' } });
  });
  it('offers what the kind can do', () => {
    const names = (type: string) => {
      const { first, more } = commonSchemas(CATALOG.find((one) => one.type === type));
      return [...Object.keys(first.properties ?? {}), ...Object.keys(more.properties ?? {})];
    };
    expect(names('http.request')).toEqual(['if', 'out', 'timeoutMs', 'mode', 'in', 'print', 'idempotencyKey', 'description']);
    expect(names('flow.if')).toEqual(['out', 'mode', 'in', 'print', 'description']);
    expect(names('flow.stop')).toEqual(['description']);
  });
  it('findings stand where they belong', () => {
    const at = (path: string, code: Diagnostic['code']): Diagnostic => ({ code, severity: 'error', path, message: code.toLowerCase(), hint: '' });
    panel({ diagnostics: [at('/nodes/fetch/config/url', 'BAD_CONFIG'), at('/nodes/fetch', 'BAD_MODE'), at('/nodes/adult/config/condition', 'CEL_SYNTAX')] });
    expect(screen.getByText('BAD_CONFIG')).toBeTruthy();
    expect(screen.getByText('BAD_MODE')).toBeTruthy();
    expect(screen.queryByText('CEL_SYNTAX')).toBeNull();
  });
  it('a kind that is not known is kept', () => {
    panel({ document: { ...FIRST, nodes: { ...FIRST.nodes, fetch: { type: 'x.y', config: { a: 1 } } } } });
    expect(screen.getByText('Unknown step kind "x.y".')).toBeTruthy();
  });
});

describe('data', () => {
  it('shows the input of the last run, item by item', async () => {
    panel();
    await userEvent.click(await screen.findByRole('tab', { name: /^Input ?2$/ }));
    expect(screen.getByText('"S-1"')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Next item' }));
    expect(screen.getByText('"S-2"')).toBeTruthy();
    await userEvent.click(screen.getByRole('radio', { name: 'Table' }));
    expect(within(screen.getByRole('table')).getAllByRole('row')).toHaveLength(3);
    await userEvent.click(screen.getByRole('radio', { name: 'Schema' }));
    expect(screen.getByText('string')).toBeTruthy();
  });
  it('searches', async () => {
    panel();
    await userEvent.click(await screen.findByRole('tab', { name: /^Input ?2$/ }));
    await userEvent.type(screen.getByRole('textbox', { name: 'Search in the data' }), 'nothing');
    expect(screen.getByText('Nothing matches "nothing"')).toBeTruthy();
  });
  it('says that a long list is there in part, and that a list was read where it lies', async () => {
    panel({ handlers: { run_step_data: () => ({ ...STEP, input: [], counts: { input: 12_000, output: { success: 12_345 } } }) } });
    await userEvent.click(await screen.findByRole('tab', { name: /^Output ?12,345$/ }));
    expect(screen.getByText('First 1 of 12,345 items')).toBeTruthy();
    await userEvent.click(screen.getByRole('tab', { name: /^Input ?12,000$/ }));
    expect(screen.getByText('12,000 items')).toBeTruthy();
    expect(screen.getByText('These items are shown as the output of the steps before.')).toBeTruthy();
  });
  it('teaches when there is none', async () => {
    panel({ handlers: { run_step_data: () => null } });
    await userEvent.click(screen.getByRole('tab', { name: /^Output/ }));
    expect(await screen.findByText('No data yet')).toBeTruthy();
  });
  it('takes the run on the screen first', async () => {
    const { fake } = panel({ run: foldRun(FIRST_EVENTS, FIRST) });
    await userEvent.click(screen.getByRole('tab', { name: /^Output ?1$/ }));
    expect(screen.getByText('From this run')).toBeTruthy();
    expect(screen.getByText('"Ada"')).toBeTruthy();
    expect(fake.calls.some((one) => one.command === 'run_step_data')).toBe(false);
  });
  it('shows the iteration of the call that is chosen in the log, and says which one it is', async () => {
    const round = (n: number) => FIRST_EVENTS.slice(1, 9).map((event) => ({ ...event, seq: event.seq as number + n * 8, path: `each[${String(n)}]`, ...(event.type === 'step_start' ? { payload: { ...(event.payload as object), input: [{ item: 0, data: { round: n } }] } } : {}) }));
    const run = foldRun([FIRST_EVENTS[0], ...round(0), ...round(1)] as never, FIRST);
    panel({ run, at: { nodeId: 'fetch', path: 'each[0]' } });
    await userEvent.click(screen.getByRole('tab', { name: /^Input/ }));
    expect(screen.getByText('From this run, each 1')).toBeTruthy();
    expect(screen.getByText('0')).toBeTruthy();
    expect(valuesOfCards(run, 'fetch')?.path).toBe('each[1]');
    expect(valuesOfCards(run, 'fetch', 'each[7]')?.path).toBe('each[1]');
  });
  it('C21: expressions in the settings are tried with that iteration, too', async () => {
    const round = (n: number) => FIRST_EVENTS.slice(1, 9).map((event) => ({ ...event, seq: event.seq as number + n * 8, path: `each[${String(n)}]` }));
    const document = { ...FIRST, nodes: { ...FIRST.nodes, fetch: { ...FIRST.nodes['fetch'], config: { url: '=item.url' } } } } as typeof FIRST;
    const { fake } = panel({ document, run: foldRun([FIRST_EVENTS[0], ...round(0), ...round(1)] as never, document), at: { nodeId: 'fetch', path: 'each[0]' } });
    const asked = () => fake.calls.filter((one) => one.command === 'expression_preview').map((one) => (one.payload as { path?: string }).path);
    await waitFor(() => expect(asked().length).toBeGreaterThan(0));
    expect(new Set(asked())).toEqual(new Set(['each[0]']));
  });
  it('before a step at which the run stands stopped it shows what waits for it', async () => {
    const run = { ...foldRun(FIRST_EVENTS.slice(0, 3), FIRST), stopped: { reason: 'breakpoint' as const, seq: 4, stepId: 'adult' } };
    panel({ run, selected: ['adult'], handlers: { run_debug: () => ({ waiting: [{ stepId: 'adult', attempt: 0, input: { waits: 'here' }, editable: true }] }) as never } });
    await userEvent.click(screen.getByRole('tab', { name: /^Input/ }));
    expect(await screen.findByText('"here"')).toBeTruthy();
    expect(screen.getByText('Input of the step when the run continues')).toBeTruthy();
  });
  it('of a step that a run has still to come to it does not say that the run ended before', async () => {
    panel({ run: foldRun(FIRST_EVENTS.slice(0, 3), FIRST), selected: ['end'] });
    await userEvent.click(screen.getByRole('tab', { name: /^Input/ }));
    expect(screen.getByText('This step has not run yet')).toBeTruthy();
  });
  it('ts_101 what is not seen is marked in table and schema, too', async () => {
    const sly = 'a\u202eb';
    const events = FIRST_EVENTS.slice(0, 2).map((event) => (event.type === 'step_start' ? { ...event, payload: { ...(event.payload as object), input: [{ item: 0, data: { [sly]: sly, '': 'empty' } }] } } : event));
    const { container } = panel({ run: foldRun(events, FIRST) });
    await userEvent.click(screen.getByRole('tab', { name: /^Input/ }));
    expect(container.querySelector('.value')?.textContent).toContain('"": "empty"');
    for (const [name, marks] of [['Table', 2], ['Schema', 2]] as const) {
      await userEvent.click(screen.getByRole('radio', { name }));
      expect(container.querySelectorAll('.panel-body .ctl')).toHaveLength(marks);
      expect(container.textContent).not.toContain('\u202e');
    }
  });
  it('shows what a re-run has kept, and leads to the run that made it (C25)', async () => {
    const events = FIRST_EVENTS.filter((one) => one.stepId === 'fetch').map((one) => ({ ...one, runId: 'r-origin' }));
    const again = (base: unknown) => foldRun([{ runId: 'r-2', seq: 1, ts: '2026-11-23T10:00:00.000Z', type: 'workflow_start', payload: { parentRunId: 'r-origin', base } }], { ...FIRST, kept: ['fetch'] } as never);
    const { unmount } = panel({ run: again({ events }) });
    await userEvent.click(screen.getByRole('tab', { name: /^Output/ }));
    expect(screen.getByText('"Ada"')).toBeTruthy();
    expect(screen.getByRole('link', { name: /^Reused from run/ }).getAttribute('href')).toBe('#/run/r-origin');
    unmount();
    panel({ run: again({ cut: true }) });
    await userEvent.click(screen.getByRole('tab', { name: /^Output/ }));
    expect(screen.getByText('The result of this step was reused')).toBeTruthy();
    expect(screen.getByRole('link', { name: /^Reused from run/ })).toBeTruthy();
  });
  it('takes nothing from a step of another file with the same id', () => {
    const events = [['step_start', null, 1], ['step_done', null, 1], ['step_start', 's', 2]].map(([type, path, n], i) => ({ runId: 'r', seq: i + 1, ts: '2026-11-23T10:00:00.000Z', type, stepId: 'pay', path, payload: { input: [{ item: 0, data: n }] } }));
    expect(valuesOfCards(foldRun(events as never, { nodes: { pay: {}, s: { type: 'flow.subworkflow' } }, edges: [] }), 'pay')?.input).toEqual([{ item: 0, data: 1 }]);
  });
  it('puts the newest call of each item together', () => {
    const values = valuesOfCards(foldRun(FIRST_EVENTS.slice(0, 8), FIRST), 'fetch');
    expect(values).toMatchObject({ running: true, output: {}, input: [{ item: 0 }] });
    expect(valuesOfCards(foldRun(FIRST_EVENTS, FIRST), 'no')).toBeNull();
  });
});

describe('error handling', () => {
  it('draws what will happen', async () => {
    panel();
    await userEvent.click(screen.getByRole('tab', { name: /^Error handling/ }));
    expect(await screen.findByRole('img', { name: /4 calls at most: the first and 3 retries\. 10 ms, 10 ms, 10 ms/ })).toBeTruthy();
    expect(screen.getByText('30 ms of waiting in total')).toBeTruthy();
    expect(screen.getAllByText(/then a person is asked \(default error handling\)/).length).toBeGreaterThan(0);
  });
  it('keeps numbers, and takes an empty part away whole', async () => {
    const { edits } = panel();
    await userEvent.click(screen.getByRole('tab', { name: /^Error handling/ }));
    await userEvent.clear(screen.getByLabelText('Retries'));
    await userEvent.type(screen.getByLabelText('First wait'), '0');
    await userEvent.click(screen.getByRole('switch', { name: 'Retry failed calls of this step' }));
    expect(edits).toContainEqual({ type: 'setNode', id: 'fetch', path: ['errorHandling', 'retryPolicy', 'maxAttempts'], value: undefined });
    expect(edits.at(-1)).toEqual({ type: 'setNode', id: 'fetch', path: ['errorHandling'], value: undefined });
  });
  it('begins with the numbers of the kind', async () => {
    const { errorHandling: _, ...bare } = FIRST.nodes['fetch'] as Workflow['nodes'][string];
    const { edits, fake } = panel({ document: { ...FIRST, nodes: { ...FIRST.nodes, fetch: bare } } });
    await userEvent.click(screen.getByRole('tab', { name: 'Error handling' }));
    await userEvent.click(screen.getByRole('switch', { name: 'Retry failed calls of this step' }));
    expect(edits).toEqual([{ type: 'setNode', id: 'fetch', path: ['errorHandling', 'retryPolicy'], value: CATALOG[0]?.retryPolicy }]);
    expect(fake.calls.some((one) => one.command === 'retry_timeline')).toBe(false);
  });
  it('says what comes after the retries', () => {
    const wired: Workflow = { ...FIRST, edges: [...FIRST.edges, { from: 'fetch.error', to: 'no' }] };
    expect(thenOf(wired, 'fetch')).toMatchObject({ text: 'then the error wire to no', wired: true });
    // A step that recovers takes every error, whatever else is wired.
    const catalog = ['builtin.error_handler', 'builtin.human_decision'].map((type) => ({ ...CATALOG[0], type, role: 'recovery' }) as NodeDescriptor);
    const three: Workflow = {
      ...wired, nodes: { ...wired.nodes, rules: { type: 'builtin.error_handler', title: 'First rules' }, ask: { type: 'builtin.human_decision', title: 'Ask somebody' } },
      edges: [...wired.edges, { from: 'fetch.error', to: 'rules' }, { from: 'fetch.error', to: 'ask' }],
    };
    expect(thenOf(three, 'fetch', catalog)).toMatchObject({ text: 'then the error wire to First rules', box: 'First rules' });
    expect(thenOf({ ...three, edges: [...wired.edges, { from: 'fetch.error', to: 'yes' }] }, 'fetch', catalog).text).toMatch(/^then the error wires to .+, .+$/);
    // The retries of the step are all there are: the policy does not begin anew.
    expect(thenOf(FIRST, 'fetch').text).toBe('then a person is asked (default error handling)');
    const { errorHandling: own, ...none } = FIRST.nodes['fetch'] as Workflow['nodes'][string];
    expect(own).toBeDefined();
    expect(thenOf({ ...FIRST, nodes: { ...FIRST.nodes, fetch: none } }, 'fetch').text).toBe('transient errors are retried, then a person is asked (default error handling)');
    const { settings: _, ...bare } = FIRST;
    expect(thenOf(bare, 'fetch').text).toContain('fail');
    const rules: Workflow = { ...FIRST, settings: { errorPolicy: { rules: [] } } };
    expect(thenOf(rules, 'fetch').text).toBe("then the workflow's 0 rules");
    const fallback: Workflow = { ...FIRST, nodes: { ...FIRST.nodes, fetch: { type: 'http.request', errorHandling: { fallbackNodeId: 'no' } } } };
    expect(thenOf(fallback, 'fetch').text).toContain('no takes over');
  });
  it('fits the picture into the panel', () => {
    const steps = (n: number) => Array.from({ length: n }, (_, i) => ({ attempt: i + 1, delayMs: 500 * 2 ** i }));
    for (const width of [280, 310, 480]) {
      for (const n of [0, 1, 3, 4, 100]) {
        const boxes = placeCalls(steps(n), width, 'policy');
        const last = boxes.at(-1);
        expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(width + 1);
        expect(boxes.at(-2)?.label).toBe(n === 0 ? 'First' : `Retry ${String(n)}`);
        for (const [i, box] of boxes.entries()) if (i > 0) expect(box.x).toBeGreaterThanOrEqual((boxes[i - 1]?.x ?? 0) + (boxes[i - 1]?.width ?? 0));
      }
    }
  });
  it('pauses in words', () => {
    expect([10, 500, 1000, 8000, 60_000, 90_000].map(formatPause)).toEqual(['10 ms', '0.5 s', '1 s', '8 s', '1 min', '1 min 30 s']);
  });
});

describe('the workflow', () => {
  it('is shown when no step is chosen', () => {
    panel({ selected: [] });
    expect(screen.getByRole('complementary', { name: 'Workflow settings' })).toBeTruthy();
    expect((screen.getByLabelText(/^Name \*|^Name$/) as HTMLInputElement).value).toBe('First light');
  });
  it('changes the policy; rules have only actions of this version', async () => {
    const { edits } = panel({ selected: [] });
    await userEvent.click(screen.getByRole('radio', { name: 'Rules' }));
    expect(edits).toEqual([{ type: 'set', path: ['settings', 'errorPolicy'], value: { rules: [{ name: 'New rule', when: 'error.retryable', action: 'retry' }] } }]);
  });
  it('edits rules', async () => {
    const { edits } = panel({ selected: [], document: { ...FIRST, settings: { errorPolicy: { rules: [{ name: 'a', when: 'true', action: 'retry' }, { name: 'b', when: 'false', action: 'human_review' }] } } } });
    act(() => replaceCode(screen.getByLabelText('When 1'), "error.type == 'Timeout'"));
    expect(edits.at(-1)).toMatchObject({ value: [{ name: 'a', when: "error.type == 'Timeout'", action: 'retry' }, { action: 'human_review' }] });
    expect(screen.getByText('Ask a person')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Move up' }));
    expect(edits.at(-1)).toMatchObject({ value: [{ name: 'b' }, { name: 'a' }] });
  });
  it('lists the input of a run', async () => {
    const { edits } = panel({ selected: [] });
    await userEvent.click(screen.getByRole('button', { name: '+ Add input' }));
    expect(edits.at(-1)).toEqual({ type: 'set', path: ['params'], value: { type: 'object', required: ['base'], properties: { base: { type: 'string' }, input: { type: 'string' } } } });
    await userEvent.click(screen.getByRole('checkbox', { name: 'Required: base' }));
    expect(edits.at(-1)).toMatchObject({ value: { properties: { base: { type: 'string' } } } });
    expect((edits.at(-1) as { value: object }).value).not.toHaveProperty('required');
  });
  it('a schema that says more is changed as JSON', async () => {
    panel({ selected: [], document: { ...FIRST, params: { type: 'object', properties: { a: { oneOf: [] , type: ['string', 'null'] } } } } });
    await waitFor(() => expect(screen.getByText(/parts that the list cannot show/)).toBeTruthy());
    expect(screen.getByRole('textbox', { name: 'Run input' })).toBeTruthy();
  });
  it('keeps what the list does not show', () => {
    const schema = { type: 'object', title: 'T', properties: { a: { type: 'string', format: 'date', default: 'x' } } };
    const [param] = paramsOf(schema) ?? [];
    if (!param) throw new Error('one param');
    expect(schemaOf(schema, [param])).toEqual(schema);
    expect(withType(param, 'integer').schema).toEqual({ type: 'integer' });
    expect(schemaOf({ type: 'object', properties: {} }, [])).toBeUndefined();
    expect(freeName([param, { ...param, name: 'input' }])).toBe('input2');
    expect(paramsOf({ type: 'array' })).toBeNull();
  });
});

it('several chosen steps have no settings', () => {
  panel({ selected: ['fetch', 'adult'] });
  expect(screen.getByText('2 steps selected')).toBeTruthy();
});

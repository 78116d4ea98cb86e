// Two runs beside each other: the screen, its list, and which runs are offered.
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/error.ts';
import type { RunDefinition } from '../../run/run-types.ts';
import { candidatesOf, inOrder } from '../../features/compare/choose.ts';
import { ChooseDialog } from '../../features/compare/choose-dialog.tsx';
import { bothOf, cardOf, laidOut, marksOf, wholesOf, type Comparison, type StepDifference } from '../../features/compare/words.ts';
import { KINDS, row } from '../../test/fixtures.ts';
import { pretendLayout, renderWith } from '../../test/render.tsx';
import { hashOf, parseRoute } from '../router.ts';
import { CompareScreen } from '../run/compare-screen.tsx';

pretendLayout();
afterEach(() => { cleanup(); vi.useRealTimers(); window.location.hash = ''; });

const A = '0193a5c0-0000-7000-8000-00000000000a';
const B = '0193a5c0-0000-7000-8000-00000000000b';
const CUT = { _truncated: true, type: 'string', length: 20_000, preview: 'It begins so...', ref: `${B}/4/payload/items/success/0/data/text` };
const stand = (state: string, attempts = 1) => ({ state, visits: 1, attempts, ports: state === 'SUCCEEDED' ? { success: 1 } : {} });
const run = (runId: string, more: object = {}) => ({ runId, workflowId: 'w', workflowName: 'Orders', status: 'completed', startedAt: '2026-11-23T10:00:00.000Z', endedAt: '2026-11-23T10:00:01.000Z', durationMs: 1000, ...more });
const FOUND = {
  a: run(A), b: run(B, { status: 'failed', parentRunId: A, durationMs: 2500 }), same: false, sameWorkflow: true, masked: false,
  definition: { same: true, steps: [], parts: [] }, params: [], context: [{ pointer: '/total', a: 2, b: 50 }], output: [],
  steps: [
    { stepId: 'put', path: 'each[1]', a: stand('SUCCEEDED'), b: stand('SUCCEEDED'), differs: ['output'], changes: [{ part: 'output', pointer: '/success/0/n', a: 1, b: 2 }] },
    { stepId: 'send', a: stand('SUCCEEDED'), b: stand('FAILED', 3), differs: ['state', 'attempts', 'error'], changes: [] },
  ],
} as unknown as Comparison;
const DEFINITION = {
  signalbox: 1, id: 'w', name: 'Orders',
  nodes: {
    each: { type: 'flow.loop', title: 'Each order' }, put: { type: 'data.set', parent: 'each', title: 'Put' }, send: { type: 'http.request', title: 'Send' }, call: { type: 'flow.subworkflow', title: 'Call' },
  },
  edges: [{ from: 'each.success', to: 'send' }],
} as unknown as RunDefinition;
const details = (runId: string) => ({ ...run(runId), definition: DEFINITION, steps: {}, lastSeq: 0, params: {}, context: {}, output: [], openTasks: [], driven: false, masked: false, mayReveal: false });
const step = (name: string) => (name === 'send'
  ? { a: { ...stand('SUCCEEDED'), input: [{ n: 1 }], config: [{}], output: { success: [{ ok: true }] }, error: [] }, b: { ...stand('FAILED', 3), input: [{ n: 1 }], config: [{}], output: {}, error: [{ message: 'No response' }] }, differs: ['state', 'attempts', 'error'], masked: false }
  : { a: { ...stand('SUCCEEDED'), input: [], config: [], output: { success: [{ n: 1, text: 'short' }] }, error: [] }, b: { ...stand('SUCCEEDED'), input: [], config: [], output: { success: [{ n: 2, text: CUT }] }, error: [] }, differs: ['output'], masked: false });
const host = (found: Comparison = FOUND) => ({
  run_diff: () => found, run_get: (({ runId }: { runId: string }) => details(runId)) as never, catalog_list: () => KINDS, run_events: () => [],
  run_diff_step: (({ stepId }: { stepId: string }) => step(stepId)) as never, run_value: (() => 'It begins so, and ends otherwise') as never,
});
const show = (found?: Comparison) => renderWith(<CompareScreen runId={A} with={B} />, host(found));

it('an address names both runs', () => {
  const route = { screen: 'compare', runId: A, with: B } as const;
  expect(parseRoute(hashOf(route))).toEqual(route);
  expect(parseRoute(`#/compare/${A}`)).toEqual({ screen: 'runs' });
});

it('c28: both runs are named, what differs is listed, and a step is shown side by side', async () => {
  const { fake } = show();
  expect(within(await screen.findByRole('group', { name: 'Run B' })).getByText('Re-run of 00000a')).toBeTruthy();
  expect(within(screen.getByRole('group', { name: 'Run B' })).getByText('Failed')).toBeTruthy();
  const list = within(screen.getByRole('region', { name: 'Differences' }));
  expect(list.getAllByRole('option').map((one) => one.textContent)).toEqual(['Variables at the end1 place', expect.stringContaining('Each order 2 › Putoutput'), expect.stringContaining('Sendstate, calls, error')]);
  // An iteration is asked for by its path.
  fireEvent.click(await screen.findByText('Each order 2 › Put'));
  const values = await screen.findByRole('group', { name: 'Output, run A and run B' });
  expect(fake.calls.findLast((call) => call.command === 'run_diff_step')?.payload).toEqual({ runId: A, with: B, stepId: 'each[1]/put' });
  expect(values.querySelector('.dl.d')?.textContent).toContain('"n": 1');
  expect(values.querySelector('.dl.a')?.textContent).toContain('"n": 2');
  expect(screen.getByRole('tab', { name: 'Output, differs' }).getAttribute('aria-selected')).toBe('true');
  expect(screen.getByRole('tab', { name: 'Input' })).toBeTruthy();
});

it('c28: a run that waits for a person says so', async () => {
  renderWith(<CompareScreen runId={A} with={B} />, { run_diff: () => ({ ...FOUND, a: { ...FOUND.a, status: 'paused' } }), run_get: ({ runId }: { runId: string }) => ({ ...details(runId), openTasks: runId === A ? ['t'] : [] }), catalog_list: () => KINDS, run_diff_step: () => step('send'), run_history: () => [] } as never);
  expect((await screen.findByRole('group', { name: 'Run A' })).textContent).toContain('Waiting for a person');
});

it('c28: the list is gone through with the arrow keys', async () => {
  show();
  const list = await screen.findByRole('listbox', { name: 'Differences' });
  list.focus();
  await userEvent.keyboard('{ArrowUp}{ArrowDown}');
  const error = await screen.findByRole('group', { name: 'Error, run A and run B' });
  expect(error.textContent).toContain('No response');
  await userEvent.keyboard('{Home}');
  const table = within(await screen.findByRole('region', { name: 'Variables at the end' })).getByRole('table');
  expect([...table.querySelectorAll('tbody th, tbody td')].map((cell) => cell.textContent)).toEqual(['total', '2', '50']);
});

it('enter leads from the list to the values, and escape back', async () => {
  show();
  const list = await screen.findByRole('listbox', { name: 'Differences' });
  list.focus();
  await userEvent.keyboard('{End}{Enter}');
  const error = await screen.findByRole('group', { name: 'Error, run A and run B' });
  await waitFor(() => expect(document.activeElement).toBe(error));
  await userEvent.keyboard('{Escape}');
  expect(document.activeElement).toBe(list);
  await userEvent.keyboard('{Home}');
  expect(document.activeElement).toBe(list);
  await userEvent.keyboard('{Enter}');
  expect(document.activeElement).toBe(screen.getByRole('group', { name: 'Variables at the end' }));
});

it('long values are cut, and can be loaded whole', async () => {
  show();
  fireEvent.click(await screen.findByText('Each order 2 › Put'));
  const values = await screen.findByRole('group', { name: 'Output, run A and run B' });
  expect(values.textContent).toContain('It begins so...');
  expect(values.textContent).not.toContain('_truncated');
  await userEvent.click(screen.getByRole('button', { name: 'Load full values' }));
  await waitFor(() => expect(screen.getByRole('group', { name: 'Output, run A and run B' }).textContent).toContain('and ends otherwise'));
  expect(screen.queryByRole('button', { name: 'Load full values' })).toBeNull();
});

it('a side that has nothing is no value that was taken away or is new', async () => {
  const values = { ...stand('SUCCEEDED'), input: [], config: [], output: { success: [{ n: 1 }] }, error: [] };
  const gone = { ...FOUND, definition: { same: false, steps: [{ stepId: 'send', change: 'removed' }], parts: [] }, context: [{ pointer: '/total', b: 50 }], steps: [{ stepId: 'send', a: stand('SUCCEEDED'), differs: ['ran'] }] };
  renderWith(<CompareScreen runId={A} with={B} />, { ...host(gone as unknown as Comparison), run_diff_step: (() => ({ a: values, differs: ['ran'], masked: false })) as never });
  const output = await screen.findByRole('group', { name: 'Output, run A and run B' });
  expect(within(output).getByText("not in this run's definition")).toBeTruthy();
  expect(within(output).getByRole('group', { name: 'Output of Run A' }).textContent).toContain('n: 1');
  expect(output.querySelector('.dl')).toBeNull();
  const list = within(screen.getByRole('listbox', { name: 'Differences' }));
  expect(list.getByLabelText('did not run')).toBeTruthy();
  fireEvent.click(list.getByText('Variables at the end'));
  expect(screen.getByText('nothing').closest('td')?.className).toBe('');
});

it('begins with the first step that came to something else', async () => {
  show();
  expect(await screen.findByRole('group', { name: 'Error, run A and run B' })).toBeTruthy();
  expect(within(screen.getByRole('listbox', { name: 'Differences' })).getByRole('option', { selected: true }).textContent).toContain('Send');
});

it('parts of the definition are told with what has changed of them', async () => {
  const found = { ...FOUND, steps: [], definition: { same: false, steps: [], parts: ['context'] } } as Comparison;
  renderWith(<CompareScreen runId={A} with={B} />, {
    ...host(found), run_get: (({ runId }: { runId: string }) => ({ ...details(runId), definition: { ...DEFINITION, context: { initial: { note: runId === A ? 'none' : 'more' } } } })) as never,
  });
  const part = await screen.findByRole('group', { name: 'Declared variables changed, run A and run B' });
  expect([part.querySelector('.dl.d')?.textContent, part.querySelector('.dl.a')?.textContent]).toEqual([expect.stringContaining('none'), expect.stringContaining('more')]);
});

it('list and graph are at one iteration', async () => {
  const rounds = [0, 1, 2, 3].flatMap((n) => [
    { type: 'step_start', stepId: 'put', path: `each[${String(n)}]`, payload: { type: 'data.set', config: {}, input: [] } },
    { type: 'step_done', stepId: 'put', path: `each[${String(n)}]`, payload: { ports: { success: 1 }, items: { success: [{ id: '1', data: n }] } } },
  ]);
  const events = [
    { type: 'workflow_start', stepId: null, payload: { name: 'Orders' } },
    { type: 'step_start', stepId: 'each', payload: { type: 'flow.loop', config: { source: [1, 2, 3, 4] }, input: [] } }, ...rounds,
  ].map((one, index) => ({ ...one, runId: A, seq: index + 1, ts: '2026-11-23T10:00:00.000Z' }));
  const [put] = FOUND.steps as [StepDifference];
  const { fake } = renderWith(<CompareScreen runId={A} with={B} />, {
    ...host({ ...FOUND, steps: [put, { ...put, path: 'each[2]' }] }), run_events: () => events as never,
    run_get: (({ runId }: { runId: string }) => ({ ...details(runId), lastSeq: events.length })) as never,
  });
  const bar = within(await screen.findByRole('toolbar', { name: 'Iteration of the run' }));
  expect(bar.getByText('Iteration 2 of 4')).toBeTruthy();
  const list = within(screen.getByRole('listbox', { name: 'Differences' }));
  fireEvent.click(list.getByText(/Each order 3/));
  expect(await bar.findByText('Iteration 3 of 4')).toBeTruthy();
  fireEvent.click(bar.getByRole('button', { name: 'Previous iteration' }));
  await waitFor(() => expect(list.getByRole('option', { selected: true }).textContent).toContain('Each order 2'));
  // One that is not in the list shows its values all the same.
  fireEvent.click(bar.getByRole('button', { name: 'Previous iteration' }));
  expect(await screen.findByRole('region', { name: 'Each order 1 › Put' })).toBeTruthy();
  expect(fake.calls.findLast((call) => call.command === 'run_diff_step')?.payload).toMatchObject({ stepId: 'each[0]/put' });
});

it('steps of a file that is called have their titles, whichever run came to them', async () => {
  const begun = (runId: string, stepId: string, title: string) => [
    { type: 'workflow_start', stepId: null, payload: { name: 'Orders' } }, { type: 'step_start', stepId: 'call', payload: { type: 'flow.subworkflow', config: {}, input: [] } },
    { type: 'step_start', stepId, path: 'call', payload: { type: 'data.set', meta: { title }, config: {}, input: [] } },
  ].map((one, index) => ({ ...one, runId, seq: index + 1, ts: '2026-11-23T10:00:00.000Z' }));
  const inside = (stepId: string, a: boolean) => ({ stepId, path: 'call', differs: ['ran'], [a ? 'a' : 'b']: stand('SUCCEEDED') });
  renderWith(<CompareScreen runId={A} with={B} />, {
    ...host({ ...FOUND, steps: [inside('x1', true), inside('x2', false)] as never }), run_get: (({ runId }: { runId: string }) => ({ ...details(runId), lastSeq: 3 })) as never,
    run_events: (({ runId }: { runId: string }) => (runId === A ? begun(A, 'x1', 'Ask the price') : begun(B, 'x2', 'Refuse the price'))) as never,
  });
  const list = within(await screen.findByRole('listbox', { name: 'Differences' }));
  expect(await list.findByText('Call › Ask the price')).toBeTruthy();
  expect(await list.findByText('Call › Refuse the price')).toBeTruthy();
});

it('a step that differs in its definition alone shows what has changed of it', async () => {
  const steps = [{ stepId: 'call', change: 'changed', changes: [{ pointer: '/config/params/n', a: 1, b: 7 }] }];
  const { container } = show({ ...FOUND, definition: { same: false, steps, parts: [] } } as unknown as Comparison);
  await screen.findByRole('listbox', { name: 'Differences' });
  fireEvent.click(await waitFor(() => container.querySelector('.cv-node[data-node=call]') as HTMLElement));
  const detail = within(await screen.findByRole('region', { name: 'Definition of Call' }));
  expect([...detail.getByRole('table').querySelectorAll('tbody th, tbody td')].map((cell) => cell.textContent)).toEqual(['config.params.n', '1', '7']);
});

it('a long value of the run as a whole can be loaded, too', async () => {
  const long = { ...CUT, ref: `${B}/summary/context/text` };
  show({ ...FOUND, steps: [], context: [{ pointer: '/text', a: 'short', b: long }] } as unknown as Comparison);
  const table = within(await screen.findByRole('region', { name: 'Variables at the end' }));
  expect(table.queryByText(/_truncated/)).toBeNull();
  await userEvent.click(table.getByRole('button', { name: 'Load full value' }));
  expect(await table.findByText('It begins so, and ends otherwise')).toBeTruthy();
});

it('runs that do not differ are said to be the same, and masks are named', async () => {
  show({ ...FOUND, same: true, context: [], steps: [] });
  expect(await screen.findByText('These runs do not differ')).toBeTruthy();
  expect(screen.queryByRole('listbox')).toBeNull();
  cleanup();
  show({ ...FOUND, same: true, context: [], steps: [], masked: true });
  expect(await screen.findByText(/Masked values are not compared/)).toBeTruthy();
  cleanup();
  show({ ...FOUND, sameWorkflow: false });
  expect(await screen.findByText('These runs belong to different workflows')).toBeTruthy();
});

describe('a run that has not ended', () => {
  let now = { status: 'running', lastSeq: 4, said: 'Not yet' };
  /** B is at `now`, and what is told of it takes the time of `when`. */
  const begin = (first: typeof now, when: () => Promise<void> = () => Promise.resolve()) => {
    vi.useFakeTimers({ shouldAdvanceTime: true, now: Date.parse('2026-11-23T10:00:10.000Z') });
    now = first;
    return renderWith(<CompareScreen runId={A} with={B} />, {
      ...host(), run_get: (({ runId }: { runId: string }) => ({ ...details(runId), ...(runId === B ? { status: now.status, lastSeq: now.lastSeq } : {}) })) as never,
      // Until now, whether anything has come or not.
      run_diff: () => {
        const found = { ...FOUND, b: { ...FOUND.b, status: now.status, durationMs: Date.now() - Date.parse(FOUND.b.startedAt) }, steps: FOUND.steps.slice(1) } as Comparison;
        return when().then(() => found);
      },
      run_diff_step: (() => ({ ...step('send'), b: { ...step('send').b, error: [{ message: now.said }] } })) as never,
    });
  };
  const count = ({ fake }: ReturnType<typeof begin>, command: string) => fake.calls.filter((call) => call.command === command).length;
  const badge = () => within(screen.getByRole('group', { name: 'Run B' }));

  it('is compared again until it has ended, with the values of the step: when it has come further, not when time alone has passed', async () => {
    const shown = begin({ status: 'running', lastSeq: 4, said: 'Not yet' });
    await screen.findByText('Not yet', { exact: false });
    expect(badge().getByText('Running')).toBeTruthy();
    await vi.advanceTimersByTimeAsync(10_000);
    expect([count(shown, 'run_diff'), count(shown, 'run_diff_step')]).toEqual([1, 1]);
    now = { status: 'failed', lastSeq: 6, said: 'No response' };
    await vi.advanceTimersByTimeAsync(2_000);
    await screen.findByText('No response', { exact: false });
    expect(badge().getByText('Failed')).toBeTruthy();
    expect([count(shown, 'run_diff'), count(shown, 'run_diff_step')]).toEqual([2, 2]);
    const asked = shown.fake.calls.length;
    await vi.advanceTimersByTimeAsync(10_000);
    window.dispatchEvent(new Event('focus'));
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(shown.fake.calls.slice(asked).filter((call) => call.command.startsWith('run_diff'))).toEqual([]);
  });

  it('is left alone while it stands still, and asked when the person comes back to the window', async () => {
    const shown = begin({ status: 'paused', lastSeq: 4, said: 'Not yet' });
    await screen.findByText('Not yet', { exact: false });
    const asked = shown.fake.calls.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(shown.fake.calls.length).toBe(asked);
    // It is said how long that has been all the same.
    const first = badge().getByText(/so far/).textContent;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(badge().getByText(/so far/).textContent).not.toBe(first);
    now = { status: 'running', lastSeq: 5, said: 'Goes on' };
    const gets = count(shown, 'run_get');
    // A tab that comes to the front tells both, one after the other: the run is asked once, and the one that has ended is not.
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    await vi.advanceTimersByTimeAsync(5);
    window.dispatchEvent(new Event('focus'));
    await vi.advanceTimersByTimeAsync(5);
    expect(count(shown, 'run_get') - gets).toBe(1);
    await screen.findByText('Goes on', { exact: false });
    now = { status: 'failed', lastSeq: 6, said: 'No response' };
    await vi.advanceTimersByTimeAsync(2_000);
    await screen.findByText('No response', { exact: false });
  });

  it('is compared to its end also where that takes longer than it is asked, once at a time', async () => {
    let [under, most] = [0, 0];
    begin({ status: 'running', lastSeq: 4, said: 'Not yet' }, () => {
      most = Math.max(most, ++under);
      return new Promise((done) => { setTimeout(() => { under--; done(); }, 5_000); });
    });
    await vi.advanceTimersByTimeAsync(6_000);
    await screen.findByText('Not yet', { exact: false });
    for (const lastSeq of [5, 6, 7]) {
      now = { status: 'running', lastSeq, said: 'Further' };
      await vi.advanceTimersByTimeAsync(2_000); // eslint-disable-line no-await-in-loop
    }
    now = { status: 'failed', lastSeq: 8, said: 'No response' };
    await vi.advanceTimersByTimeAsync(12_000);
    await waitFor(() => expect(badge().getByText('Failed')).toBeTruthy());
    expect(most).toBe(1);
  });
});

it('swaps its sides', async () => {
  show();
  fireEvent.click(await screen.findByRole('button', { name: 'Swap sides' }));
  expect(window.location.hash).toBe(`#/compare/${B}?with=${A}`);
});

it('a run that cannot be compared says why; what passes is tried again by itself, a run that is gone is not', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  let code = 'NOT_FOUND';
  const { fake } = renderWith(<CompareScreen runId={A} with={B} />, { ...host(), run_diff: () => { throw new ApiError({ code, message: 'gone', hint: '' }); } });
  expect(await screen.findByText('The runs cannot be compared')).toBeTruthy();
  const asked = () => fake.calls.filter((call) => call.command === 'run_diff').length;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(asked()).toBe(1);
  code = 'CONNECTION';
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await vi.advanceTimersByTimeAsync(9_000);
  expect(asked()).toBeGreaterThan(4);
});

it('cards are marked: an iteration at its step, a step of another file at the one that calls it', () => {
  const inside = { stepId: 'deep', path: 'call', differs: ['state'] } as unknown as StepDifference;
  expect(cardOf(inside, DEFINITION)).toBe('call');
  expect(cardOf({ stepId: 'gone' }, DEFINITION)).toBeUndefined();
  const twice = { ...FOUND, steps: [...FOUND.steps, { ...FOUND.steps[0], path: 'each[2]' } as StepDifference, inside], definition: { same: false, steps: [{ stepId: 'each', change: 'changed' }], parts: [] } } as Comparison;
  expect([...marksOf(twice, DEFINITION)]).toEqual([
    ['put', 'Differs in 2 iterations'], ['send', 'Differs: state, calls, error'], ['call', 'Differs: state'], ['each', 'Differs: its definition changed'],
  ]);
  expect(wholesOf(twice)).toEqual(['definition', 'context']);
  // More of them than are listed.
  const called = [{ ...inside, stepId: 'call', path: undefined }, inside, { ...inside, stepId: 'deeper' }] as unknown as StepDifference[];
  expect([...marksOf({ ...twice, leftOut: { steps: 251 } }, DEFINITION).values()]).toEqual([
    'Differs in at least 2 iterations', 'Differs: state, calls, error', 'Differs in at least 1 step inside', 'Differs: its definition changed',
  ]);
  expect(marksOf({ ...FOUND, steps: called }, DEFINITION).get('call')).toBe('Differs in 2 steps inside');
});

it('when and in which run an error was is laid beside nothing', () => {
  const error = { type: 'ToolError', message: 'no', retryable: false, originNode: 'x', timestamp: 't', originRunId: 'r' };
  expect(laidOut({ list: [error], timestamp: 1 })).toEqual({ list: [{ type: 'ToolError', message: 'no', retryable: false, originNode: 'x' }], timestamp: 1 });
  expect(bothOf([1], [2])).toEqual({ a: 1, b: 2 });
  expect(bothOf([1], [])).toEqual({ a: [1], b: [] });
});

it('its family is offered first, then the newest runs; the older run stands on the left', async () => {
  const me = { runId: row(5).runId, workflowId: 'w', parentRunId: row(9).runId };
  const rows = [row(1), row(2, { parentRunId: me.runId }), row(5), row(3, { parentRunId: me.parentRunId }), row(9)];
  expect(candidatesOf(me, rows).map((one) => [one.run.runId, one.kin])).toEqual([
    [row(9).runId, 'parent'], [row(2).runId, 'child'], [row(3).runId, 'sibling'], [row(1).runId, 'recent'],
  ]);
  expect(inOrder(B, A)).toEqual({ runId: A, with: B });
  let chosen = '';
  // The original is older than what is listed: it is asked for.
  renderWith(<ChooseDialog run={me} onChoose={(id) => { chosen = id; }} onClose={() => undefined} />, { run_list: (({ text }: { text?: string }) => ({ runs: text === undefined ? rows.slice(0, 4) : [rows[4]] })) as never });
  const first = (await screen.findAllByRole('option'))[0];
  await waitFor(() => expect(screen.getAllByRole('option')[0]?.textContent).toContain('the original of this run'));
  expect(first).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('listbox')));
  fireEvent.click(screen.getAllByRole('option')[0] as HTMLElement);
  expect(chosen).toBe(row(9).runId);
});

it('a workflow that ran once has nothing to compare with', async () => {
  renderWith(<ChooseDialog run={{ runId: A, workflowId: 'w' }} onChoose={() => undefined} onClose={() => undefined} />, { run_list: (() => ({ runs: [row(1, { runId: A })] })) as never });
  expect(await screen.findByText('No other run to compare with')).toBeTruthy();
});

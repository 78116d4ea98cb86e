// What reaches the run of a screen: breakpoints of its own steps only, each press once, the input that waits now.
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/error.ts';
import { foldRun, type RunEventLike, type RunView } from '../../run/run-state.ts';
import type { Workflow } from '../../api/types.ts';
import type { FakeTransport } from '../../api/transport/fake.ts';
import { runAction } from '../../kit/index.ts';
import { useMessages } from '../../kit/messages.ts';
import { renderWith } from '../../test/render.tsx';
import { breakpointsOf, put, type Breakpoint } from '../../shared/breakpoints.ts';
import { InputDialog } from './input-dialog.tsx';
import { useDebug } from './use-debug.tsx';

const drawn = (...ids: string[]): Workflow => ({ signalbox: 1, id: 'w', name: 'W', nodes: Object.fromEntries(ids.map((id) => [id, { type: 'data.set' }])), edges: [], layout: {} }) as unknown as Workflow;
const event = (seq: number, type: string, stepId: string | null, payload: unknown = {}): RunEventLike => ({ runId: 'r', seq, ts: '2026-11-22T00:00:00.000Z', type, stepId, payload, visit: 1, attempt: 0 });
const STARTED = [event(1, 'workflow_start', null, { name: 'W', params: {} })];
const STOPPED = [...STARTED, event(2, 'workflow_paused', 'a', { reason: 'step' })];
const WHO = { operatorId: 'user:ada', role: 'builder' } as never;

interface Begun { runId: string; breakpoints: readonly Breakpoint[] }
function Place({ document, ran, view, past = false, begun = null, chosen, titleOf = (id) => id }: { titleOf?: (id: string) => string; document: Workflow; ran: Workflow; view: RunView; past?: boolean; begun?: Begun | null; chosen?: string | undefined }) {
  const { banner, dialog, line, marks } = useDebug({ workflowId: 'w', document, ran, chosen: chosen === '' ? undefined : chosen ?? 'a', titleOf, runId: 'r', view, past, begun });
  return <>{banner}{dialog}{line}<p aria-label="Marks">{[...marks].map(([place, when]) => `${place}(${when})`).join(' ')}</p></>;
}
const toggle = () => fireEvent.click(screen.getByRole('switch'));
const marks = () => screen.getByLabelText('Marks').textContent;
/** What the run stops at, as the host has it. */
let atHost: Breakpoint[] = [];
const HOST = {
  who: () => WHO,
  run_debug: () => ({ status: 'paused', underWay: 0, breakpoints: atHost, waiting: [] }) as never,
  run_breakpoints: ({ breakpoints }: { breakpoints: Breakpoint[] }) => { atHost = breakpoints; return {}; },
};
const asked = (fake: FakeTransport, command: string) => fake.calls.filter((call) => call.command === command).map((call) => call.payload);
const pass = async (ms: number) => { await act(async () => { await vi.advanceTimersByTimeAsync(ms); }); };

beforeEach(() => {
  vi.useFakeTimers();
  atHost = [];
});
afterEach(() => {
  for (const { node, from } of breakpointsOf('w')) put('w', from === undefined ? node : `${from}>${node}`, null);
  vi.useRealTimers();
});

it('a running run is told of breakpoints of the steps that it has: what was drawn since is not refused to it', async () => {
  const shown = (chosen: string) => <Place document={drawn('a', 'new')} ran={drawn('a')} view={foldRun(STARTED)} chosen={chosen} />;
  const { fake, unmount, rerender } = renderWith(shown('new'), HOST);
  await pass(0);
  toggle();
  await pass(1000);
  expect(asked(fake, 'run_breakpoints')).toEqual([]);
  expect(marks()).toBe('new()');
  rerender(shown('a'));
  toggle();
  await pass(1000);
  expect(asked(fake, 'run_breakpoints')).toEqual([{ runId: 'r', breakpoints: [{ node: 'a' }] }]);
  // Whoever sets one and leaves the screen at once has set it.
  toggle();
  unmount();
  await pass(0);
  expect(asked(fake, 'run_breakpoints')).toHaveLength(2);
});

it('c26: says what is wrong with a condition under its field, once one pauses, and nothing of what is half typed', async () => {
  const preview = ({ text, nodeId }: { text: string; nodeId: string }) => (
    text === 'item.' ? { state: 'error' as const, message: `The expression of ${nodeId} ends too early` } : text === '_index > 1' ? { state: 'error' as const, message: '`_index` has no value in this place' } : { state: 'no_data' as const });
  const { fake } = renderWith(<Place document={drawn('a')} ran={drawn('a')} view={foldRun([])} />, { ...HOST, expression_preview: preview as never });
  await pass(0);
  toggle();
  const field = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Condition' });
  const type = (value: string) => fireEvent.change(field(), { target: { value } });
  type('item');
  type('item.');
  await pass(100);
  expect(asked(fake, 'expression_preview')).toEqual([]);
  await pass(1000);
  expect(screen.getByRole('status').textContent).toBe('The expression of a ends too early');
  expect(field().getAttribute('aria-invalid')).toBe('true');
  // Elsewhere it is fine: the engine refuses it in a condition alone.
  type('nodes.fetch.ok');
  await pass(1000);
  expect(screen.getByRole('status').textContent).toMatch(/^Breakpoint conditions cannot use `nodes`/);
  for (const fine of ['item.n > 1', '_index > 1', 'item.nodes == "nodes"', '']) {
    type(fine);
    await pass(1000);
    expect(screen.queryByRole('status')).toBeNull();
    expect(field().getAttribute('aria-invalid')).toBeNull();
  }
});

it('a breakpoint that the run refuses is told with the title of its step', async () => {
  const refuse = () => { throw new ApiError({ code: 'BAD_BREAKPOINT', message: "The breakpoint at 'a' cannot be set: it ends too early.", hint: 'Name a step.', details: { node: 'a' } }); };
  renderWith(<Place document={drawn('a')} ran={drawn('a')} view={foldRun(STARTED)} titleOf={() => 'Pay the invoice'} />, { ...HOST, run_breakpoints: refuse as never });
  await pass(0);
  toggle();
  await pass(1000);
  expect(useMessages.getState().shown.map((one) => one.text).at(-1)).toContain('“Pay the invoice”');
});

it('what is set while one looks at the past reaches the run that goes on', async () => {
  const shown = (past: boolean) => <Place document={drawn('a')} ran={drawn('a')} view={foldRun(STARTED)} past={past} />;
  const { fake, rerender } = renderWith(shown(false), HOST);
  await pass(0);
  rerender(shown(true));
  toggle();
  await pass(1000);
  expect(asked(fake, 'run_breakpoints')).toEqual([{ runId: 'r', breakpoints: [{ node: 'a' }] }]);
});

it('what was set between the press and the first event of the run reaches it', async () => {
  const shown = (view: RunView, begun: Begun | null) => <Place document={drawn('a')} ran={drawn('a')} view={view} begun={begun} />;
  const { fake, rerender } = renderWith(shown(foldRun([]), null), HOST);
  await pass(0);
  act(() => put('w', 'a', { node: 'a' }));
  // It was asked for before that, without breakpoints.
  const begun = { runId: 'r', breakpoints: [] };
  rerender(shown(foldRun(STARTED), begun));
  await pass(1000);
  expect(asked(fake, 'run_breakpoints')).toEqual([{ runId: 'r', breakpoints: [{ node: 'a' }] }]);
  // What went with it is not told again.
  rerender(shown(foldRun([...STARTED, event(2, 'step_start', 'a', { type: 'data.set', input: [] })]), begun));
  await pass(1000);
  expect(asked(fake, 'run_breakpoints')).toHaveLength(1);
});

describe('a run that was started elsewhere, with breakpoints of its own', () => {
  const ITS: Breakpoint[] = [{ node: 'mail', when: 'item.total > 100' }, { node: 'mail', from: 'ask.approved' }, { node: 'charge[0]/post' }];
  const DRAWN = { ...drawn('a', 'mail', 'ask', 'charge'), edges: [{ from: 'ask.approved', to: 'mail' }] } as Workflow;
  const ran = (...list: Breakpoint[][]) => foldRun([...STARTED, ...list.map((breakpoints, n) => event(n + 2, 'breakpoints_set', null, { breakpoints }))]);
  const shown = (view: RunView, chosen?: string) => <Place document={DRAWN} ran={DRAWN} view={view} chosen={chosen} />;
  beforeEach(() => { atHost = ITS; });

  it('shows its breakpoints, and not those that are kept here for the next run', async () => {
    act(() => put('w', 'a', { node: 'a' }));
    const { rerender, fake } = renderWith(shown(ran(ITS), 'mail'), HOST);
    await pass(1000);
    expect(marks()).toBe('mail(item.total > 100) ask.approved>mail() charge[0]/post()');
    expect(screen.getByRole('switch').getAttribute('aria-checked')).toBe('true');
    expect(asked(fake, 'run_breakpoints')).toEqual([]);
    rerender(shown(ran(ITS, [])));
    expect(marks()).toBe('');
    rerender(shown(foldRun([...STARTED, event(2, 'workflow_done', null)])));
    expect(marks()).toBe('a()');
  });

  it('keeps them all when one is set or taken away', async () => {
    const { fake, rerender } = renderWith(shown(ran(ITS)), HOST);
    await pass(0);
    toggle();
    await pass(1000);
    expect(asked(fake, 'run_breakpoints')).toEqual([{ runId: 'r', breakpoints: [...ITS, { node: 'a' }] }]);
    rerender(shown(ran(ITS, atHost), 'mail'));
    toggle();
    expect(marks()).toBe('ask.approved>mail() charge[0]/post() a()');
    await pass(1000);
    expect(atHost).toEqual([ITS[1], ITS[2], { node: 'a' }]);
    expect(breakpointsOf('w')).toEqual([{ node: 'a' }]);
    // Somebody else takes one away: it does not come back.
    rerender(shown(ran(ITS, atHost, atHost.slice(1)), 'mail'));
    expect(marks()).toBe('charge[0]/post() a()');
  });

  it('begins with what the run has by then, whoever set it', async () => {
    const { fake } = renderWith(shown(ran(ITS)), HOST);
    await pass(0);
    toggle();
    atHost = [{ node: 'ask' }];
    await pass(1000);
    expect(asked(fake, 'run_breakpoints')).toEqual([{ runId: 'r', breakpoints: [{ node: 'ask' }, { node: 'a' }] }]);
  });

  it('has told a condition that ends with a space: the field keeps it, and what somebody else takes away then stays away', async () => {
    const { fake, rerender } = renderWith(shown(ran(ITS), 'mail'), HOST);
    await pass(0);
    const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Condition' });
    fireEvent.change(field, { target: { value: 'item.total in ' } });
    await pass(1000);
    const errorText = [{ node: 'mail', when: 'item.total in' }, ITS[1], ITS[2]] as Breakpoint[];
    expect(asked(fake, 'run_breakpoints')).toEqual([{ runId: 'r', breakpoints: errorText }]);
    rerender(shown(ran(ITS, errorText), 'mail'));
    // More is typed behind it.
    expect(field.value).toBe('item.total in ');
    atHost = errorText.slice(1);
    rerender(shown(ran(ITS, errorText, atHost), 'mail'));
    expect(marks()).toBe('ask.approved>mail() charge[0]/post()');
    rerender(shown(ran(ITS, errorText, atHost), 'a'));
    toggle();
    await pass(1000);
    expect(atHost).toEqual([ITS[1], ITS[2], { node: 'a' }]);
  });

  it('names all of them where nothing is chosen, and takes away all of them', async () => {
    const { fake } = renderWith(shown(ran(ITS), ''), HOST);
    await pass(0);
    expect(screen.getByText('3 breakpoints, on mail, ask · approved → mail, charge 1 › post')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Remove all' }));
    await pass(1000);
    expect(asked(fake, 'run_breakpoints')).toEqual([{ runId: 'r', breakpoints: [] }]);
  });
});

it('the editor of an input says why it goes when somebody else lets the run go on, and does not come back by itself', async () => {
  vi.useRealTimers();
  const waiting = { status: 'paused', underWay: 0, breakpoints: [], waiting: [{ stepId: 'a', attempt: 0, input: { n: 1 }, editable: true }] } as never;
  const shown = (...events: RunEventLike[]) => <Place document={drawn('a')} ran={drawn('a')} view={foldRun(events)} />;
  const { rerender } = renderWith(shown(...STOPPED), { who: () => WHO, run_debug: () => waiting, run_edit_input: () => ({ patch: [] }) as never });
  await waitFor(() => expect(runAction('debug.edit')).toBe(true));
  expect(await screen.findByRole('textbox', { name: 'Input as JSON' })).toBeTruthy();
  const ON = event(3, 'workflow_continued', null, { mode: 'continue' });
  rerender(shown(...STOPPED, ON));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(useMessages.getState().shown.map((one) => one.text)).toContain('The run is no longer waiting; its input was not changed');
  rerender(shown(...STOPPED, ON, event(4, 'workflow_paused', 'a', { reason: 'step' })));
  await screen.findByText('After one step.');
  expect(screen.queryByRole('dialog')).toBeNull();
});

describe('the editor of an input, with something typed in it', () => {
  let input: unknown;
  let refused: ApiError | null;
  const HOSTED = {
    who: () => WHO,
    run_debug: () => ({ status: 'paused', underWay: 0, breakpoints: [], waiting: [{ stepId: 'a', attempt: 0, input, editable: true }] }) as never,
    run_edit_input: () => { if (refused) throw refused; return { patch: [] } as never; },
  };
  const shown = (...events: RunEventLike[]) => <Place document={drawn('a')} ran={drawn('a')} view={foldRun(events)} />;
  const open = async () => {
    const rendered = renderWith(shown(...STOPPED), HOSTED);
    await pass(0);
    act(() => { runAction('debug.edit'); });
    await pass(300);
    return rendered;
  };
  const box = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Input as JSON' });
  const type = (value: string) => fireEvent.change(box(), { target: { value } });
  const use = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Use this input/ });
  const said = () => screen.getByRole('dialog').querySelector('.dbg-input > [role=status]')?.textContent;
  beforeEach(() => {
    input = { n: 1 };
    refused = null;
  });

  it('asks a host that was away until it is back, and what is typed is not called wrong', async () => {
    const { fake } = await open();
    refused = new ApiError({ code: 'CONNECTION', message: 'Signalbox does not respond.', hint: '' });
    type('{"n": 2}');
    await pass(300);
    expect(said()).toBe('Signalbox does not respond. It is checked again automatically.');
    expect([box().getAttribute('aria-invalid'), use().disabled]).toEqual([null, true]);
    refused = null;
    await pass(2_000);
    expect([said(), use().disabled]).toEqual(['This input is valid.', false]);
    const before = asked(fake, 'run_edit_input').length;
    await pass(10_000);
    expect(asked(fake, 'run_edit_input')).toHaveLength(before);
    // So it is when it goes away with what is sent.
    refused = new ApiError({ code: 'STORE_BUSY', message: 'The store is busy.', hint: '' });
    fireEvent.click(use());
    await pass(300);
    expect(use().disabled).toBe(true);
    refused = null;
    await pass(2_000);
    expect(use().disabled).toBe(false);
    // Another refusal is about the text, and nobody asks again.
    refused = new ApiError({ code: 'BAD_INPUT', message: 'The field n is missing.', hint: '' });
    type('{}');
    await pass(300);
    const asks = asked(fake, 'run_edit_input').length;
    await pass(10_000);
    expect([said(), asked(fake, 'run_edit_input').length]).toEqual(['The field n is missing.', asks]);
  });

  it('keeps it when somebody else lets the run go on, also past the next stop', async () => {
    const written: string[] = [];
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => { written.push(text); } } });
    const { fake, rerender } = await open();
    type('{"n": 2}');
    await pass(300);
    const ON = event(3, 'workflow_continued', null, { mode: 'step' });
    const all = () => [asked(fake, 'run_edit_input').length, asked(fake, 'run_debug').length];
    const before = all();
    rerender(shown(...STOPPED, ON));
    await pass(3_000);
    rerender(shown(...STOPPED, ON, event(4, 'workflow_paused', 'a', { reason: 'step' })));
    await pass(3_000);
    const dialog = screen.getByRole('dialog', { name: 'Edit the input of a' });
    expect(dialog.textContent).toContain('The run is no longer waiting; its input was not changed');
    expect(dialog.textContent).toContain('Your changes were not sent. They are kept here until you discard them.');
    expect([box().value, box().readOnly, use().disabled]).toEqual(['{"n": 2}', true, true]);
    expect(all()).toEqual(before);
    fireEvent.click(screen.getByRole('button', { name: 'Copy as JSON' }));
    await pass(0);
    expect(written).toEqual(['{"n": 2}']);
    fireEvent.click(screen.getByRole('button', { name: 'Discard' }));
    await pass(500);
    expect(screen.queryByRole('dialog')).toBeNull();
    vi.unstubAllGlobals();
  });

  it('keeps it when the run stands at its next stop before anything is drawn in between', async () => {
    const { rerender } = await open();
    type('{"n": 2}');
    await pass(300);
    rerender(shown(...STOPPED, event(3, 'workflow_continued', null, { mode: 'step' }), event(4, 'workflow_paused', 'b', { reason: 'step' })));
    await pass(300);
    expect(screen.getByRole('dialog').textContent).toContain('They are kept here until you discard them.');
    expect([box().value, box().readOnly]).toEqual(['{"n": 2}', true]);
  });

  it('compares it with the input of the moment when somebody else has edited that', async () => {
    const { rerender } = await open();
    type('{"n": 2}');
    await pass(300);
    input = { n: 7 };
    rerender(shown(...STOPPED, event(3, 'input_edited', 'a', { patch: [] })));
    await pass(300);
    expect(box().value).toBe('{"n": 2}');
    expect(screen.getByRole('group', { name: 'Changes' }).textContent).toContain('7');
    expect(screen.getByRole('group', { name: 'Changes' }).textContent).not.toContain('1');
  });
});

it('a second press before the first is answered is not sent: it would be about a stop that is over', async () => {
  let answer: () => void = () => undefined;
  const { fake } = renderWith(<Place document={drawn('a')} ran={drawn('a')} view={foldRun(STOPPED)} />, { who: () => WHO, run_step: () => new Promise((done) => { answer = () => done({}); }) });
  await pass(0);
  act(() => { runAction('debug.step'); });
  act(() => { runAction('debug.step'); });
  await pass(0);
  expect(asked(fake, 'run_step')).toHaveLength(1);
  await act(async () => { answer(); await Promise.resolve(); });
  await pass(0);
  act(() => { runAction('debug.step'); });
  await pass(0);
  expect(asked(fake, 'run_step')).toHaveLength(2);
});

it('the dialog shows what waits now, not what waited at the stop before', async () => {
  vi.useRealTimers();
  let input: unknown = { n: 1 };
  const waiting = () => ({ status: 'paused', underWay: 0, breakpoints: [], waiting: [{ stepId: 'a', attempt: 0, input, editable: true }] }) as never;
  const dialog = (open: boolean) => (open ? <InputDialog runId="r" titleOf={(id) => id} onClose={() => undefined} /> : <span />);
  const { rerender } = renderWith(dialog(true), { run_debug: waiting, run_edit_input: () => ({ patch: [] }) as never });
  const text = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Input as JSON' });
  expect((await text()).value).toContain('1');
  rerender(dialog(false));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  input = { n: 2 };
  rerender(dialog(true));
  expect((await text()).value).toContain('2');
});

it('an input that would go out as another is refused in words, and nobody is asked about it', async () => {
  vi.useRealTimers();
  const waiting = () => ({ status: 'paused', underWay: 0, breakpoints: [], waiting: [{ stepId: 'a', attempt: 0, input: { n: 1 }, editable: true }] }) as never;
  const { fake } = renderWith(<InputDialog runId="r" titleOf={(id) => id} onClose={() => undefined} />, { run_debug: waiting, run_edit_input: () => ({ patch: [] }) as never });
  const box = await screen.findByRole('textbox', { name: 'Input as JSON' });
  await waitFor(() => expect(asked(fake, 'run_edit_input')).toHaveLength(1));
  fireEvent.change(box, { target: { value: '{"n": 1e400}' } });
  expect(screen.getByRole('status').textContent).toContain('Line 1, column 7: 1e400 is too large for a number');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: /^Use this input|^Use/ }).disabled).toBe(true);
  fireEvent.change(box, { target: { value: '{"n": 99007199254740995000001}' } });
  expect(screen.getByRole('status').textContent).toContain('99007199254740995000001 cannot be stored exactly');
  expect(asked(fake, 'run_edit_input')).toHaveLength(1);
});

it('c26: what was typed goes only where the person says so, and Ctrl+Enter sends what fits', async () => {
  vi.useRealTimers();
  const waiting = () => ({ status: 'paused', underWay: 0, breakpoints: [], waiting: [{ stepId: 'a', attempt: 0, input: { n: 1 }, editable: true }] }) as never;
  const closed = vi.fn();
  const { fake } = renderWith(<InputDialog runId="r" titleOf={(id) => id} onClose={closed} />, { run_debug: waiting, run_edit_input: () => ({ patch: [] }) as never });
  const box = await screen.findByRole('textbox', { name: 'Input as JSON' });
  const send = () => fireEvent.keyDown(box, { key: 'Enter', ctrlKey: true });
  const sent = () => asked(fake, 'run_edit_input').filter((one) => !(one as { check?: boolean }).check);
  send();
  fireEvent.change(box, { target: { value: '{"n": ' } });
  send();
  fireEvent.keyDown(box, { key: 'Escape' });
  fireEvent.click(await screen.findByRole('button', { name: 'Keep editing' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Discard the new input?' })).toBeNull());
  expect(closed).not.toHaveBeenCalled();
  fireEvent.change(box, { target: { value: '{"n": 2}' } });
  await screen.findByText('This input is valid.');
  expect(sent()).toEqual([]);
  send();
  await waitFor(() => expect(closed).toHaveBeenCalledTimes(1));
  expect(sent()).toMatchObject([{ input: { n: 2 } }]);
});

it('c26: names a call in loops by titles and its iteration, where one is chosen and in the title', async () => {
  vi.useRealTimers();
  const titles: Record<string, string> = { each: 'Each order', put: 'Put', a: 'First' };
  const waiting = ['each[0]', 'each[1]'].map((path) => ({ stepId: 'put', path, attempt: 0, input: { n: 1 }, editable: true }));
  renderWith(<InputDialog runId="r" titleOf={(id) => titles[id] ?? id} onClose={() => undefined} />, { run_debug: () => ({ status: 'paused', underWay: 0, breakpoints: [], waiting }) as never, run_edit_input: () => ({ patch: [] }) as never });
  const dialog = await screen.findByRole('dialog', { name: /Each order 1 › Put/ });
  expect(dialog.textContent).not.toContain('each[0]');
});

describe('c26: two calls wait', () => {
  const call = (stepId: string, input: unknown) => ({ stepId, attempt: 0, input, editable: true });
  const open = async (waiting: () => unknown[]) => {
    vi.useRealTimers();
    const closed = vi.fn();
    const client = renderWith(<InputDialog runId="r" titleOf={(id) => id} onClose={closed} />, { run_debug: () => ({ status: 'paused', underWay: 0, breakpoints: [], waiting: waiting() }) as never, run_edit_input: () => ({ patch: [] }) as never });
    await screen.findByRole('textbox', { name: 'Input as JSON' });
    return { closed, fake: client.fake };
  };
  const box = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Input as JSON' });
  const type = (value: string) => fireEvent.change(box(), { target: { value } });
  const choose = async (name: string) => {
    await userEvent.click(screen.getByRole('combobox', { name: 'Call' }));
    await userEvent.click(await screen.findByRole('option', { name }));
    await screen.findByRole('dialog', { name: `Edit the input of ${name}` });
  };
  const BOTH = () => [call('a', { n: 1 }), call('b', { n: 5 })];

  it('what was typed for one is there when it is chosen again, and closing asks about all of them', async () => {
    const { closed } = await open(BOTH);
    const asIs = box().value;
    type('{"n": 2}');
    await choose('b');
    expect(box().value).toContain('5');
    fireEvent.keyDown(box(), { key: 'Escape' });
    expect(await screen.findByText('Your changes for a are not saved. It starts with its present input.')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Keep editing' }));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Discard the new input?' })).toBeNull());
    expect(closed).not.toHaveBeenCalled();
    await choose('a');
    expect(box().value).toBe('{"n": 2}');
    type(asIs);
    fireEvent.keyDown(box(), { key: 'Escape' });
    expect(closed).toHaveBeenCalledTimes(1);
  });

  it('one is sent, and what is typed for the other one stays open', async () => {
    const { closed, fake } = await open(BOTH);
    const send = async (input: unknown) => {
      await screen.findByText('This input is valid.');
      fireEvent.keyDown(box(), { key: 'Enter', ctrlKey: true });
      await waitFor(() => expect(asked(fake, 'run_edit_input').filter((one) => !(one as { check?: boolean }).check).at(-1)).toMatchObject({ input }));
    };
    type('{"n": 2}');
    await choose('b');
    type('{"n": 6}');
    await send({ n: 6 });
    await screen.findByRole('dialog', { name: 'Edit the input of a' });
    expect(box().value).toBe('{"n": 2}');
    expect(closed).not.toHaveBeenCalled();
    await send({ n: 2 });
    await waitFor(() => expect(closed).toHaveBeenCalledTimes(1));
  });

  it('one that comes to stand before the first one does not take its place', async () => {
    let waiting = BOTH();
    await open(() => waiting);
    type('{"n": 2}');
    waiting = [call('new', { n: 0 }), ...waiting];
    act(() => { window.dispatchEvent(new Event('visibilitychange')); });
    await userEvent.click(screen.getByRole('combobox', { name: 'Call' }));
    await screen.findByRole('option', { name: 'new' });
    expect(screen.getByRole('dialog', { name: 'Edit the input of a' })).toBeTruthy();
    expect(box().value).toBe('{"n": 2}');
  });
});

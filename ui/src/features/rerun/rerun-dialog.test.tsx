import { act, renderHook, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { ApiError } from '../../api/error.ts';
import type { Handlers } from '../../api/transport/fake.ts';
import { editorOf, renderWith, replaceCode } from '../../test/render.tsx';
import { useBreakpoints } from '../../shared/breakpoints.ts';
import { RerunDialog } from './rerun-dialog.tsx';

const PLAN = { stepId: 'put', masked: false, context: { big: 9_007_199_254_740_993_000, n: 1 }, input: [{ n: 1 }], params: {}, steps: [], answers: [], waits: false, sameDefinition: true };
const shown = (handlers: Handlers) => renderWith(<RerunDialog runId="r-1" step="put" steps={[{ name: 'put', title: 'Put' }]} onStarted={() => undefined} onClose={() => undefined} />, { rerun_look: (() => PLAN) as never, ...handlers });
const press = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Re-run \d/ });

it('refuses values that would go out as others, with what and where', async () => {
  const { fake } = shown({ run_rerun: (() => ({ runId: 'r-2' })) as never });
  const box = await screen.findByRole('textbox', { name: 'Variables' });
  const says = (text: string) => {
    act(() => replaceCode(box, text));
    return screen.queryByRole('alert')?.textContent;
  };
  expect(says('{\n"big": 1e400, "n": 1}')).toBe('Line 2, column 8: 1e400 is too large for a number. Write a smaller one, or write it as text in double quotes.');
  expect(press().disabled).toBe(true);
  expect(says('{"big": 99007199254740993000001, "n": 1}')).toMatch(/^Line 1, column 9: 99007199254740993000001 cannot be stored exactly/);
  expect(says('{"big": 1, "n": 1, "n": 2}')).toMatch(/^Line 1, column 20: “n” appears twice in one object/);
  expect(says('{"big": "\\ud800", "n": 1}')).toMatch(/^Line 1, column 9: This text has an incomplete character/);
  expect(says(`{"n": 1, "big": ${'['.repeat(600)}${']'.repeat(600)}}`)).toMatch(/more than 120 levels deep/);
  expect(says('{"big"')).toBe('This is not JSON yet: line 1, column 7.');
  expect(says('{"big": "9007199254740993", "n": 1}')).toBeUndefined();
  await userEvent.click(press());
  await waitFor(() => expect(fake.calls.find((call) => call.command === 'run_rerun')?.payload).toMatchObject({ overrides: { $big: '9007199254740993' } }));
});

it('a large number that nobody touched is not sent', async () => {
  const { fake } = shown({ run_rerun: (() => ({ runId: 'r-2' })) as never });
  const box = await screen.findByRole('textbox', { name: 'Variables' });
  act(() => replaceCode(box, editorOf(box).state.doc.toString().replace('"n": 1', '"n": 2')));
  await userEvent.click(press());
  await waitFor(() => expect(fake.calls.find((call) => call.command === 'run_rerun')?.payload).toMatchObject({ overrides: { $n: 2 } }));
  expect(fake.calls.find((call) => call.command === 'run_rerun')?.payload).not.toHaveProperty('overrides.$big');
});

it('forgets why the last press was refused when something else is typed', async () => {
  shown({ run_rerun: () => { throw new ApiError({ code: 'VALIDATION', message: '$n needs a number', hint: '' } as never); } });
  const box = await screen.findByRole('textbox', { name: 'Variables' });
  act(() => replaceCode(box, '{"big": 1, "n": "x"}'));
  await userEvent.click(press());
  await screen.findByText('$n needs a number');
  act(() => replaceCode(box, '{"big": 1, "n": 3}'));
  expect(screen.queryByText('$n needs a number')).toBeNull();
});

it('c24 what has changed since is looked at again before it begins', async () => {
  let version = 1;
  const step = (title: string) => ({ stepId: title, title, kind: 'http.request', fate: 'again', change: 'none', effect: 'write', calls: 1, repeats: true, asks: false });
  const { fake } = shown({
    rerun_look: (() => ({ ...PLAN, context: { big: version, n: 1 }, of: `${version}`, steps: version === 1 ? [step('Send')] : [step('Send'), step('Send more')] })) as never,
    run_rerun: ((sent: { seen?: string }) => {
      if (sent.seen !== '2') throw new ApiError({ code: 'PLAN_CHANGED', message: 'The run or its workflow has changed since this was looked at, and nothing was started.', hint: 'Review what would run now.' } as never);
      return { runId: 'r-2' };
    }) as never,
  });
  const box = await screen.findByRole('textbox', { name: 'Variables' });
  act(() => replaceCode(box, '{"big": 1, "n": 7}'));
  version = 2;
  await userEvent.click(press());
  await screen.findByText(/has changed since this was looked at/);
  await screen.findByText('Send more');
  await userEvent.click(press());
  await waitFor(() => expect(fake.calls.filter((call) => call.command === 'run_rerun').at(-1)?.payload).toMatchObject({ seen: '2' }));
  // What the person has changed, and not what the old plan had.
  const sent = fake.calls.filter((call) => call.command === 'run_rerun').map((call) => (call.payload as { overrides?: unknown }).overrides);
  expect(sent.at(-1)).toEqual({ $n: 7 });
});

it('names a step in loops by titles, and people count from 1', async () => {
  const titles: Record<string, string> = { each: 'Each order', lines: 'Each line', put: 'Put' };
  renderWith(<RerunDialog runId="r-1" step="each[0]/lines[1]/put" steps={[]} titleOf={(id) => titles[id] ?? id} onStarted={() => undefined} onClose={() => undefined} />, { rerun_look: (() => PLAN) as never });
  expect(await screen.findByRole('dialog', { name: 'Re-run from Each order 1 › Each line 2 › Put' })).toBeTruthy();
});

it('the list names steps as the canvas does, and of one that has never run it does not say that it does something twice', async () => {
  const titles: Record<string, string> = { each: 'Each order', s2: 'HTTP request', put: 'Put' };
  const step = (stepId: string, title: string, more: object) => ({ stepId, title, kind: 'http.request', fate: 'again', change: 'none', effect: 'write', repeats: true, calls: 1, asks: false, ...more });
  const steps = [step('s2', 's2', {}), step('each[0]/put', 'put', { fate: 'open', calls: 0 }), step('late', 'Comes later', { fate: 'open', calls: 0, repeats: false })];
  renderWith(<RerunDialog runId="r-1" step="put" steps={[]} titleOf={(id) => titles[id] ?? id} onStarted={() => undefined} onClose={() => undefined} />, { rerun_look: (() => ({ ...PLAN, steps })) as never });
  const list = await screen.findByRole('list', { name: 'Steps' });
  expect([...list.children].map((row) => [...row.children].slice(1).map((part) => part.textContent))).toEqual([
    ['HTTP request s2', 'runs again', 'Repeats its side effect.'],
    ['Each order 1 › Put put', 'may run', 'Has side effects.'],
    ['Comes later late', 'may run', 'Safe to repeat.'],
  ]);
  expect(screen.getByTitle('HTTP request (s2)')).toBeTruthy();
});

it('tells of an input that the workflow does not declare, and lets it be', async () => {
  const definition = { params: { type: 'object', properties: { customer: { type: 'string' } } }, nodes: {}, edges: [] } as never;
  const { fake } = renderWith(<RerunDialog runId="r-1" step="put" part="params" steps={[{ name: 'put', title: 'Put' }]} definition={definition} onStarted={() => undefined} onClose={() => undefined} />,
    { rerun_look: (() => ({ ...PLAN, params: { old: 1 } })) as never, run_rerun: (() => ({ runId: 'r-2' })) as never });
  const box = await screen.findByRole('textbox', { name: 'Run input' });
  act(() => replaceCode(box, '{"old": 2, "customer": "a"}'));
  expect(screen.queryByText(/declares no input/)).toBeNull();
  act(() => replaceCode(box, '{"old": 1, "custmer": "a"}'));
  expect(screen.getByText(/The workflow declares no input “custmer”/)).toBeTruthy();
  await userEvent.click(press());
  await waitFor(() => expect(fake.calls.find((call) => call.command === 'run_rerun')?.payload).toMatchObject({ overrides: { custmer: 'a' } }));
});

it('takes the breakpoints along, except for a step that runs alone (C27)', async () => {
  const point = { node: 'put', when: 'item.n > 1' };
  const definition = { id: 'w-points', nodes: { put: { type: 'data.set' } }, edges: [] } as never;
  const { result } = renderHook(() => useBreakpoints('w-points'));
  act(() => { result.current.toggle('put'); result.current.toggle('gone'); });
  act(() => result.current.setWhen('put', point.when));
  const asks = async (alone: boolean) => {
    const started = vi.fn();
    const { fake, unmount } = renderWith(<RerunDialog runId="r-1" step="put" alone={alone} steps={[{ name: 'put', title: 'Put' }]} definition={definition} onStarted={started} onClose={() => undefined} />,
      { rerun_look: (() => PLAN) as never, run_rerun: (() => ({ runId: 'r-2' })) as never });
    await userEvent.click(await screen.findByRole('button', { name: alone ? /^Run this step/ : /^Re-run \d/ }));
    await waitFor(() => expect(started).toHaveBeenCalledWith('r-2', alone ? [] : [point]));
    unmount();
    return (fake.calls.find((call) => call.command === 'run_rerun')?.payload as { breakpoints?: unknown } | undefined)?.breakpoints;
  };
  expect(await asks(false)).toEqual([point]);
  expect(await asks(true)).toBeUndefined();
});

it('names what is wrong with the workflow that is refused', async () => {
  const diagnostics = [{ code: 'X', severity: 'error', path: '/nodes/put', message: 'Put has no list', hint: 'Give it one.' }, { code: 'Y', severity: 'warning', path: '', message: 'A warning', hint: '' }];
  shown({ rerun_look: () => { throw new ApiError({ code: 'INVALID_WORKFLOW', message: 'Invalid workflow', hint: 'Fix what the diagnostics say', details: { diagnostics } } as never); } });
  expect((await screen.findByText(/Put has no list/)).textContent).toBe('Put has no list Give it one.');
  expect(screen.queryByText(/A warning/)).toBeNull();
});

it('says of a run that is stopped that nobody is waited for', async () => {
  const waits = (openTasks: string[]) => shown({ rerun_look: (() => ({ ...PLAN, waits: true })) as never, run_get: (() => ({ runId: 'r-1', openTasks })) as never });
  const { unmount } = waits([]);
  expect(await screen.findByText('This run is stopped and has not ended. It is cancelled when the new run starts.')).toBeTruthy();
  unmount();
  waits(['t-1']);
  expect(await screen.findByText(/^This run waits for a person/)).toBeTruthy();
});

it('closes at once when nothing was typed, and asks before it throws away what was', async () => {
  const close = vi.fn();
  renderWith(<RerunDialog runId="r-1" step="put" steps={[{ name: 'put', title: 'Put' }]} onStarted={() => undefined} onClose={close} />, { rerun_look: (() => PLAN) as never });
  const box = await screen.findByRole('textbox', { name: 'Variables' });
  await userEvent.keyboard('{Escape}');
  expect(close).toHaveBeenCalledTimes(1);
  act(() => replaceCode(box, '{"big": 2, "n": 1}'));
  await userEvent.keyboard('{Escape}');
  await userEvent.click(await screen.findByRole('button', { name: /^Keep editing\s*Esc/ }));
  expect([close.mock.calls.length, editorOf(box).state.doc.toString()]).toEqual([1, '{"big": 2, "n": 1}']);
  await userEvent.keyboard('{Escape}');
  await userEvent.click(await screen.findByRole('button', { name: 'Discard' }));
  expect(close).toHaveBeenCalledTimes(2);
});

const chooseVersion = (name: string) => userEvent.click(screen.getByRole('radio', { name }));
const variables = () => screen.findByRole('textbox', { name: 'Variables' });

it('asks before it throws away what was typed also while another version is refused or loads', async () => {
  const close = vi.fn();
  const look = ({ stepId, definition }: { stepId: string; definition: string }): unknown => {
    if (stepId === 'end') return new Promise(() => undefined);
    if (definition === 'current') throw new ApiError({ code: 'INVALID_WORKFLOW', message: 'Invalid workflow', hint: '' });
    return PLAN;
  };
  renderWith(<RerunDialog runId="r-1" step="put" steps={[{ name: 'put', title: 'Put' }, { name: 'end', title: 'End' }]} onStarted={() => undefined} onClose={close} />, { rerun_look: look as never });
  const box = await variables();
  act(() => replaceCode(box, '{"big": 2, "n": 1}'));
  await chooseVersion('Current workflow');
  await screen.findByText('Invalid workflow');
  const asked = async (leave: () => Promise<unknown>) => {
    await leave();
    await userEvent.click(await screen.findByRole('button', { name: /^Keep editing\s*Esc/ }));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Discard the changes?' })).toBeNull());
    expect(close).not.toHaveBeenCalled();
  };
  await asked(() => userEvent.keyboard('{Escape}'));
  await asked(() => userEvent.click(screen.getByRole('button', { name: /^Cancel\s*Esc/ })));
  await chooseVersion('As in the original run');
  expect(editorOf(await variables()).state.doc.toString()).toBe('{"big": 2, "n": 1}');
  await userEvent.click(screen.getByRole('combobox', { name: 'Step' }));
  await userEvent.click(await screen.findByRole('option', { name: /^End/ }));
  expect(screen.queryByRole('textbox', { name: 'Variables' })).toBeNull();
  await userEvent.keyboard('{Escape}');
  await userEvent.click(await screen.findByRole('button', { name: 'Discard' }));
  expect(close).toHaveBeenCalledTimes(1);
});

it('a text that was taken back is no change: another version shows its own values, and nobody is asked', async () => {
  const close = vi.fn();
  const { fake } = renderWith(<RerunDialog runId="r-1" step="put" steps={[{ name: 'put', title: 'Put' }]} onStarted={() => undefined} onClose={close} />,
    { rerun_look: (({ definition }: { definition: string }) => (definition === 'current' ? { ...PLAN, context: { fresh: 5 } } : PLAN)) as never, run_rerun: (() => ({ runId: 'r-2' })) as never });
  const box = await variables();
  const before = editorOf(box).state.doc.toString();
  act(() => replaceCode(box, '{"big": 2, "n": 1}'));
  act(() => replaceCode(box, before));
  await chooseVersion('Current workflow');
  await waitFor(() => expect(editorOf(box).state.doc.toString()).toContain('"fresh": 5'));
  await userEvent.keyboard('{Escape}');
  expect(close).toHaveBeenCalledTimes(1);
  await userEvent.click(press());
  await waitFor(() => expect(fake.calls.find((call) => call.command === 'run_rerun')?.payload).toMatchObject({ definition: 'current', overrides: {} }));
});

it('does not ask about what was typed before the masks went: it is shown unhandled', async () => {
  const close = vi.fn();
  renderWith(<RerunDialog runId="r-1" step="put" steps={[{ name: 'put', title: 'Put' }]} onStarted={() => undefined} onClose={close} />,
    { rerun_look: (({ definition }: { definition: string }) => ({ ...PLAN, masked: definition === 'original' })) as never });
  const box = await variables();
  act(() => replaceCode(box, '{"big": 2, "n": 1}'));
  await chooseVersion('Current workflow');
  await waitFor(async () => expect(editorOf(await variables()).state.doc.toString()).toContain('9007199254740993000'));
  await userEvent.keyboard('{Escape}');
  expect(close).toHaveBeenCalledTimes(1);
});

it('keeps the step that it was opened for in the list, and what was typed for it', async () => {
  const titles: Record<string, string> = { each: 'Each order', put: 'Put' };
  const close = vi.fn();
  renderWith(<RerunDialog runId="r-1" step="each[0]/put" steps={[{ name: 'end', title: 'End' }]} titleOf={(id) => titles[id] ?? id} onStarted={() => undefined} onClose={close} />, { rerun_look: (({ stepId }: { stepId: string }) => ({ ...PLAN, stepId })) as never });
  const box = await screen.findByRole('textbox', { name: 'Variables' });
  act(() => replaceCode(box, '{"big": 2, "n": 1}'));
  const choose = async (name: RegExp) => {
    await userEvent.click(screen.getByRole('combobox', { name: 'Step' }));
    await userEvent.click(await screen.findByRole('option', { name }));
  };
  await choose(/^End/);
  expect(editorOf(await screen.findByRole('textbox', { name: 'Variables' })).state.doc.toString()).toContain('"n": 1');
  // What is typed for the step of before would be thrown away, too.
  await userEvent.click(await screen.findByRole('button', { name: /^Cancel\s*Esc/ }));
  await userEvent.click(await screen.findByText('Keep editing'));
  expect(close).not.toHaveBeenCalled();
  await choose(/^Each order 1 › Put/);
  await waitFor(() => expect(editorOf(screen.getByRole('textbox', { name: 'Variables' })).state.doc.toString()).toBe('{"big": 2, "n": 1}'));
});

it('lists answers by their place', async () => {
  const answers = ['each[1]/ask', 'each[9]/ask', 'each[0]/ask'].map((stepId) => ({ stepId, action: 'approve', operatorId: 'user:ada' }));
  shown({ rerun_look: (() => ({ ...PLAN, answers })) as never });
  const list = await screen.findByRole('list', { name: 'Decisions of people' });
  expect([...list.children].map((one) => one.textContent)).toEqual(['each 1 › ask: ada answered approve', 'each 2 › ask: ada answered approve', 'each 10 › ask: ada answered approve']);
});

it('says that a step before it whose result does not fit runs beside it, and strongly so where that asks a person', async () => {
  const step = (stepId: string, more: object) => ({ stepId, title: stepId, kind: 'data.set', fate: 'again', change: 'incompatible', effect: 'none', repeats: false, calls: 1, asks: false, ...more });
  const look = (...steps: object[]) => shown({ rerun_look: (() => ({ ...PLAN, steps })) as never });
  const first = look(step('make', {}), step('put', { change: 'changed' }));
  expect(await screen.findByText(/^“make” runs again in parallel with “Put”, which starts at once with its old input/)).toBeTruthy();
  expect(screen.getByText(/^The other earlier and parallel steps/)).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
  first.unmount();
  look(step('make', {}), step('ask', { kind: 'builtin.human_approval' }));
  expect((await screen.findByRole('alert')).textContent).toBe('“ask” asks a person again: “Put” runs before anybody answers.');
});

it('says whose answers are kept, and what may run apart from what runs again', async () => {
  const step = (stepId: string, fate: string) => ({ stepId, title: stepId, kind: 'http.request', fate, change: 'none', effect: 'write', repeats: true, calls: 1, asks: false });
  shown({ rerun_look: (() => ({ ...PLAN, steps: [step('a', 'again'), step('b', 'open'), step('c', 'open')], answers: [{ stepId: 'ask', action: 'approve', operatorId: 'user:ada' }] })) as never });
  expect(await screen.findByText('ask: ada answered approve')).toBeTruthy();
  expect(screen.getByText('1 step with side effects will run again and 2 more may run')).toBeTruthy();
});

it('says whose variables are changed when the step stands in another file, and begins with what the step gets', async () => {
  const definition = { name: 'Orders', nodes: { each: { type: 'flow.loop', title: 'Each order' }, ship: { type: 'flow.subworkflow', title: 'Ship it', parent: 'each' } }, edges: [] } as never;
  const titles: Record<string, string> = { each: 'Each order', ship: 'Ship it', put: 'Put' };
  const { fake } = renderWith(<RerunDialog runId="r-1" step="each[0]/ship/put" steps={[]} definition={definition} titleOf={(id) => titles[id] ?? id} onStarted={() => undefined} onClose={() => undefined} />,
    { rerun_look: (() => ({ ...PLAN, stepId: 'each[0]/ship/put' })) as never, run_rerun: (() => ({ runId: 'r-2' })) as never });
  const box = await screen.findByRole('textbox', { name: 'Step input' });
  expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Step input', 'Outer variables', 'Run input']);
  act(() => replaceCode(box, '[{"n": 5}]'));
  await userEvent.click(screen.getByRole('tab', { name: 'Outer variables' }));
  expect(screen.getByText(/in the file that “Ship it” calls.*These are the variables of “Orders”/)).toBeTruthy();
  await userEvent.click(screen.getByRole('tab', { name: 'Run input' }));
  expect(screen.getByText(/This is the input of “Orders”/)).toBeTruthy();
  await userEvent.click(press());
  await waitFor(() => expect(fake.calls.find((call) => call.command === 'run_rerun')?.payload).toMatchObject({ stepId: 'each[0]/ship/put', input: [{ n: 5 }], overrides: {} }));
});

it('a step that runs alone has its input as a table, and those of earlier runs to choose from', async () => {
  const { fake } = renderWith(<RerunDialog runId="r-1" step="put" alone steps={[{ name: 'put', title: 'Put' }]} definition={{ signalbox: 1, id: 'w', name: 'W', nodes: { put: { type: 'data.set', typeVersion: 1 } }, edges: [] }} onStarted={() => undefined} onClose={() => undefined} />, {
    rerun_look: (() => PLAN) as never, run_rerun: (() => ({ runId: 'r-2' })) as never,
    run_list: (() => ({ runs: ['r-1', 'r-0', 'r-same', 'r-none'].map((runId) => ({ runId })) })) as never,
    run_step_data: (({ runId }: { runId: string }) => (runId === 'r-none' ? null : { runId, startedAt: '2026-11-30T02:00:00.000Z', config: {}, output: {}, input: [{ item: 0, data: { n: runId === 'r-0' ? 7 : 1 } }] })) as never,
  });
  const cell = await screen.findByRole<HTMLInputElement>('textbox', { name: 'n of item 1' });
  expect(cell.value).toBe('1');
  await userEvent.click(await screen.findByRole('combobox', { name: 'Input from' }));
  const options = await screen.findAllByRole('option');
  expect(options).toHaveLength(2);
  await userEvent.click(options[1] as HTMLElement);
  await waitFor(() => expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'n of item 1' }).value).toBe('7'));
  await userEvent.type(screen.getByRole('textbox', { name: 'n of item 1' }), '5');
  await userEvent.click(screen.getByRole('button', { name: /^Run this step/ }));
  await waitFor(() => expect(fake.calls.find((call) => call.command === 'run_rerun')?.payload).toMatchObject({ input: [{ n: 75 }] }));
});

// Where a run stands that somebody stopped, and what is sent with the next one.
import { beforeEach, expect, test, vi } from 'vitest';
import { foldRun, type RunEventLike } from '../../run/run-state.ts';
import { whereStopped, whyStopped } from './words.ts';

const log = (...all: [type: string, stepId: string | null, payload?: unknown][]): RunEventLike[] =>
  all.map(([type, stepId, payload = {}], index) => ({ runId: 'r', seq: index + 1, ts: '2026-11-22T00:00:00.000Z', type, stepId, payload, ...(stepId ? { visit: 1, attempt: 0 } : {}) }));
const started = { type: 'data.set', config: {}, input: [], meta: {}, resolvedInputs: null };
const definition = { nodes: { a: {}, b: {} }, edges: [{ from: 'a.success', to: 'b' }] };

beforeEach(() => localStorage.clear());

test('a stopped run is paused once nothing is under way, and says where and why', () => {
  const stop = { reason: 'breakpoint', condition: 'item.n > 1', conditionError: 'no n' };
  const busy = foldRun(log(['workflow_start', null, { name: 'W', params: {} }], ['step_start', 'a', started], ['workflow_paused', 'b', stop]), definition);
  expect([busy.status, busy.underWay, busy.stopped?.stepId]).toEqual(['running', 1, 'b']);
  const done = { outputs: null, ports: { success: 1 }, items: { success: [] } };
  const still = foldRun(log(['workflow_start', null, { name: 'W', params: {} }], ['step_start', 'a', started], ['workflow_paused', 'b', stop], ['step_done', 'a', done]), definition);
  expect([still.status, still.underWay]).toEqual(['paused', 0]);
  expect(still.stopped && whereStopped(still.stopped, (id) => id.toUpperCase())).toBe('Stopped before B');
  expect(whereStopped({ ...(still.stopped as NonNullable<typeof still.stopped>), path: 'l[2]' }, (id) => id.toUpperCase())).toBe('Stopped before B in L 3');
  // A branch is named after the step that it begins with.
  expect(whereStopped({ ...(still.stopped as NonNullable<typeof still.stopped>), path: 'both/b' }, (id) => id.toUpperCase())).toBe('Stopped before B in BOTH');
  expect(still.stopped && whyStopped(still.stopped, (id) => id)).toBe('At a breakpoint: item.n > 1.');
  const on = foldRun(log(['workflow_start', null, { name: 'W', params: {} }], ['workflow_paused', null, { reason: 'request', operatorId: 'user:ada' }], ['workflow_continued', null, { mode: 'step' }]), definition);
  expect([on.status, on.stopped]).toEqual(['running', null]);
});

test('breakpoints that were kept wrongly are none, and steps that are gone are not sent', async () => {
  const kept = async (text: string) => {
    localStorage.setItem('signalbox.breakpoints', text);
    // They are read once, when the window opens.
    vi.resetModules();
    return await import('../../shared/breakpoints.ts');
  };
  for (const text of ['{ "w": ', 'null', '7', '{ "w": "a" }', '{ "w": [null, {}, { "node": 1 }, { "node": "a", "when": 5 }] }']) expect((await kept(text)).breakpointsOf('w'), text).toEqual([]);
  const { breakpointsOf, sendable } = await kept(JSON.stringify({ w: [{ node: 'a', when: ' item.n > 1 ' }, { node: 'gone' }, { node: 'b', when: ' ' }] }));
  expect(breakpointsOf('w')).toHaveLength(3);
  const drawn = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, { type: 'data.set' }]));
  expect(sendable('w', { nodes: drawn('a', 'b'), edges: [] })).toEqual([{ node: 'a', when: 'item.n > 1' }, { node: 'b' }]);
});

test('a refusal names the step of a breakpoint by its title', async () => {
  const { withTitle } = await import('../../shared/breakpoints.ts');
  const refused = (node: string) => ({ code: 'BAD_BREAKPOINT', message: `The breakpoint at '${node}' cannot be set: it ends too early.`, hint: 'Name a step.', details: { node } });
  const titles = (id: string) => ({ n: 'Tell', each: 'Each order' })[id] ?? id;
  expect(withTitle(refused('n'), titles)).toMatchObject({ message: 'The breakpoint at “Tell” cannot be set: it ends too early.', hint: 'Name a step.' });
  expect(withTitle(refused('each[0]/n'), titles).message).toContain('at “Each order 1 › Tell”');
  expect(withTitle({ code: 'OTHER', message: "No 'n'.", details: { node: 'n' } }, titles).message).toBe("No 'n'.");
});

test('breakpoints on wires are told apart from those of their step, and go with the wire', async () => {
  localStorage.setItem('signalbox.breakpoints', JSON.stringify({ w: [{ node: 'b' }, { node: 'b', from: 'a.error', when: 'true' }, { node: 'b', from: 'a.success' }, { node: 'c', from: 'a.fallback' }, { node: 'b', from: 7 }] }));
  vi.resetModules();
  const { breakpointsOf, nameOf, placeOf, sendable } = { ...(await import('../../shared/breakpoints.ts')), ...(await import('./words.ts')) };
  expect(breakpointsOf('w').map(placeOf)).toEqual(['b', 'a.error>b', 'a.success>b', 'a.fallback>c']);
  const nodes = { a: { type: 't', errorHandling: { fallbackNodeId: 'c' } }, b: { type: 't' }, c: { type: 't' } };
  expect(sendable('w', { nodes, edges: [{ from: 'a.error', to: 'b' }] })).toEqual([{ node: 'b' }, { node: 'b', from: 'a.error', when: 'true' }, { node: 'c', from: 'a.fallback' }]);
  expect(sendable('w', { nodes: { ...nodes, a: { type: 't' } }, edges: [] })).toEqual([{ node: 'b' }]);
  expect(nameOf({ node: 'b', from: 'a.error' }, (id) => id.toUpperCase())).toBe('A · error → B');
  const stop = { reason: 'breakpoint' as const, seq: 3, stepId: 'b', from: 'a.error' };
  expect(whyStopped(stop, (id) => id.toUpperCase())).toBe('At a breakpoint on the wire from A · error.');
});

test('breakpoints follow a step to its new id, with its wires and their conditions', async () => {
  localStorage.setItem('signalbox.breakpoints', JSON.stringify({
    w: [{ node: 'a', when: "nodes.a.output.n > 1 && item.text != 'nodes.a'" }, { node: 'b', from: 'a.success' }, { node: 'b' }], other: [{ node: 'a' }],
  }));
  vi.resetModules();
  const { breakpointsOf, renamePoints } = await import('../../shared/breakpoints.ts');
  renamePoints('w', 'a', 'a-2');
  expect(breakpointsOf('w')).toEqual([{ node: 'a-2', when: "nodes['a-2'].output.n > 1 && item.text != 'nodes.a'" }, { node: 'b', from: 'a-2.success' }, { node: 'b' }]);
  expect(breakpointsOf('other')).toEqual([{ node: 'a' }]);
  const before = breakpointsOf('w');
  renamePoints('w', 'a', 'c');
  expect(breakpointsOf('w')).toBe(before);
});

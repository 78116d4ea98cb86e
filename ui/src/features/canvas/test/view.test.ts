import { describe, expect, it, vi } from 'vitest';
import { formatCount } from '../../../i18n/index.ts';
import { foldRun, type NodeRun, type RunView } from '../../../run/run-state.ts';
import type { Diagnostic } from '../../../api/types.ts';
import { canvasActions, canvasActionTable } from '../actions.ts';
import { applyEdits } from '../document.ts';
import { createEditor, edgeKeys, edgeOfKey } from '../editor.ts';
import { mayEnterWire, openPort } from '../insert.ts';
import { flowBuilder } from '../view/flow-nodes.ts';
import { fitOf } from '../view/handle.ts';
import { wholeRun } from '../view/iterations.tsx';
import { keepFitted, withStep } from '../view/keep-fitted.ts';
import { lookOf, timeLeft, wireState } from '../view/run-styles.ts';
import { CanvasSession } from '../view/session.ts';
import { menuUnder, type MenuParts } from '../view/menu.tsx';
import { LEGEND } from '../view/tools.tsx';
import { detailOf, edgeOf, problemsByNode } from '../view/ui.ts';
import { CATALOG, KINDS, sample } from './fixtures.ts';

const run = (state: NodeRun['state'], more: Partial<NodeRun> = {}): NodeRun => ({
  id: 'a', state, attempt: 0, itemsIn: 1, itemsOut: 1, durationMs: 0, calls: 1, open: 0, ...more,
});
const view = (part: Partial<RunView>): RunView => ({ status: 'running', nodes: {}, ports: {}, ...part }) as RunView;

describe('what is drawn', () => {
  it('the edges of frames are a pixel of the screen at least, however far one looks from', () => {
    for (const zoom of [2, 1, 0.85, 0.5, 0.35, 0.3, 0.1]) expect(edgeOf(zoom) * zoom, String(zoom)).toBeGreaterThanOrEqual(1);
    expect(edgeOf(2)).toBe(1);
  });

  it('the legend has the signs that steps have, that of a kept result too', () => {
    const signs = LEGEND.map(([signal]) => signal);
    for (const state of ['done', 'running', 'retrying', 'waiting', 'asks', 'skipped', 'failed', 'kept'] as const) expect(signs, state).toContain(lookOf(run(state), false, 0).signal);
  });

  it('keeps the objects of cards and wires that did not change', () => {
    const build = flowBuilder();
    const before = build(sample(), CATALOG);
    const original = sample();
    const first = build(original, CATALOG);
    const { document } = applyEdits(original, [{ type: 'setNode', id: 'fetch', path: ['config', 'url'], value: '/x' }]);
    const second = build(document, CATALOG);
    expect(second.nodes[0]).toBe(first.nodes[0]);
    expect(second.nodes[1]).not.toBe(first.nodes[1]);
    expect(second.wires).toBe(first.wires);
    expect(second.rects).toBe(before.rects);
    const moved = build(applyEdits(document, [{ type: 'place', places: { end: [0, 800] } }]).document, CATALOG);
    expect(moved.wires).not.toBe(second.wires);
    expect(moved.nodes[1]).toBe(second.nodes[1]);
  });

  it('draws a fallback as a wire, and no wire that leads unhandled', () => {
    const document = sample();
    document.edges.push({ from: 'gone.success', to: 'end' }, { from: 'yes.success', to: 'nowhere' });
    document.nodes['fetch'] = { ...(document.nodes['fetch'] as object), type: 'http.request', errorHandling: { fallbackNodeId: 'yes' } };
    const flow = flowBuilder()(document, CATALOG);
    expect(flow.edges.map((e) => e.id)).toEqual(['start.success>fetch', 'fetch.success>adult', 'adult.true>yes', 'yes.success>end', 'fallback:fetch>yes']);
  });

  it('tells two equal wires of a broken file apart', () => {
    const document = sample();
    document.edges.push({ from: 'yes.success', to: 'end' });
    const keys = edgeKeys(document);
    expect(new Set(keys).size).toBe(5);
    expect(edgeOfKey(keys[4] as string)).toEqual({ from: 'yes.success', to: 'end' });
  });

  it('shows everything, never larger than 100 %', () => {
    expect(fitOf([], 100, 100)).toEqual({ x: 0, y: 0, zoom: 1 });
    expect(fitOf([{ x: 0, y: 0, width: 200, height: 56 }], 1000, 600)).toEqual({ x: 400, y: 272, zoom: 1 });
    expect(fitOf([{ x: 0, y: 0, width: 2000, height: 56 }], 1000, 600).zoom).toBeLessThan(0.5);
    // The last card would lie under the overview; all of it is seen beside it, and a low canvas has no overview.
    const stair = [{ x: 0, y: 0, width: 200, height: 56 }, { x: 700, y: 480, width: 200, height: 56 }];
    const { x, y, zoom } = fitOf(stair, 1000, 600);
    expect(900 * zoom + x <= 1000 - 176 || 536 * zoom + y <= 600 - 120).toBe(true);
    expect(zoom).toBeGreaterThan(0.7);
    expect(fitOf(stair.map((r) => ({ ...r, y: r.y / 4 })), 1000, 300).zoom).toBe(1);
    // Nor has one of very many cards, and what lies outside of the view is under nothing.
    const crowd = [...stair, ...Array.from({ length: 299 }, () => ({ x: 0, y: 0, width: 200, height: 56 }))];
    expect(fitOf(crowd, 1000, 600)).toEqual({ x: 50, y: 44, zoom: 1 });
    // In a low canvas nothing stands under the tools, whatever is to be readable.
    for (const readable of [false, true]) {
      const low = fitOf([{ x: 0, y: -100, width: 800, height: 500 }], 1000, 400, readable);
      expect([Math.round(low.y - 100 * low.zoom), 400 * low.zoom + low.y < 400]).toEqual([44, true]);
    }
    // The zoom tools take the left lower corner: where a card would lie under them, the graph is shown above them.
    const [pair, aside] = [[0, 230].map((y) => ({ x: 0, y, width: 400, height: 56 })), [0, 230].map((y) => ({ x: 0, y, width: 120, height: 56 }))];
    const over = fitOf(pair, 640, 330);
    expect(286 * over.zoom + over.y).toBeLessThanOrEqual(330 - 44);
    expect(fitOf(aside, 640, 330).zoom, 'a card beside them needs no room').toBeGreaterThan(over.zoom);
    expect([9_999, 10_000, 12_345, 999_999, 1_250_000].map(formatCount)).toEqual(['9,999', '10k', '12.3k', '999.9k', '1.2M']);
    const long = [{ x: 0, y: 0, width: 200, height: 56 }, { x: 2000, y: 700, width: 200, height: 56 }];
    expect(fitOf(long, 1000, 600, true)).toEqual({ x: 24, y: 73, zoom: 0.6 });
    expect([detailOf(1), detailOf(0.85), detailOf(0.6), detailOf(0.4), detailOf(0.2)]).toEqual([0, 0, 1, 2, 3]);
  });

  it('c19: a view that is too small for all shows the step that matters, and no further than the steps go', () => {
    const view = { x: 24, y: 73, zoom: 0.6 };
    const card = (x: number) => ({ x, y: 0, width: 200, height: 56 });
    expect(withStep(view, card(200), 800, 400, [3000, 56], 48)).toEqual(view);
    expect(withStep(view, undefined, 800, 400, [3000, 56], 48)).toEqual(view);
    expect(withStep(view, card(1600), 800, 400, [3000, 56], 48)).toEqual({ x: 400 - 1700 * 0.6, y: 73, zoom: 0.6 });
    // The last one stands at the edge, not in the middle with nothing behind it.
    expect(withStep(view, card(2800), 800, 400, [3000, 56], 48)).toEqual({ x: 800 - 48 - 1800, y: 73, zoom: 0.6 });
  });

  it('c19: fits again when the canvas gets another size, until somebody has moved it', () => {
    let told = (): void => undefined;
    const stopped = vi.fn();
    vi.stubGlobal('ResizeObserver', class { constructor(tell: () => void) { told = tell; } observe() {} disconnect() { stopped(); } });
    let at = { x: 0, y: 0, zoom: 1 };
    const last = { view: { ...at } };
    let width = 1000;
    const box = { get clientWidth() { return width; }, clientHeight: 500 } as HTMLElement;
    keepFitted({ box, now: () => at, fitted: (room) => ({ x: room, y: 0, zoom: 1 }), set: (view) => { at = view; } }, last);
    told();
    expect(at.x).toBe(1000);
    width = 700;
    told();
    expect(at.x).toBe(700);
    at = { x: 640, y: 0, zoom: 1 };
    width = 1000;
    told();
    expect(at.x).toBe(640);
    expect(stopped).toHaveBeenCalledTimes(1);
    vi.unstubAllGlobals();
  });

  it('puts problems on the card they belong to', () => {
    const at = (path: string): Diagnostic => ({ code: 'BAD_CONFIG', severity: 'error', path, message: path, hint: '' });
    const { nodes, ...rest } = sample();
    const found = problemsByNode({ ...rest, nodes: { ...nodes, 'a/b': { type: 'builtin.wait' } } }, [at('/nodes/fetch/config/url'), at('/edges/2/to'), at('/settings'), at('/edges'), at('/nodes/a~1b'), at('/nodes/gone')]);
    expect([...found.keys()]).toEqual(['fetch', 'adult', 'a/b']);
  });
});

it('C27: the menu under the dot of a wire is that of its wire: the tags stand in a layer of their own', () => {
  const editor = createEditor(sample());
  const { ui } = new CanvasSession(editor);
  const parts: MenuParts = { editor, ui, far: false, flow: flowBuilder()(sample(), CATALOG), toFlow: (x, y) => [x, y], toClient: (x, y) => [x, y], element: null, show: () => undefined };
  const layer = document.createElement('div');
  layer.innerHTML = '<span data-edge="adult.true>yes"><span data-mark="breakpoint"></span></span>';
  expect(menuUnder(parts, layer.querySelector('[data-mark]'), 5, 6)).toBe(true);
  expect(ui.getState().menu).toMatchObject({ of: 'wire', x: 5, y: 6 });
  expect(editor.getState().selection).toEqual({ nodes: [], edges: ['adult.true>yes'] });
  expect(menuUnder(parts, layer, 5, 6)).toBe(true);
  expect(ui.getState().menu).toMatchObject({ of: 'canvas' });
});

describe('the look of a run', () => {
  it('has ring, icon and words for each state', () => {
    expect(lookOf(undefined, false, 0)).toEqual({ className: '', signal: null, words: '', line: null });
    expect(lookOf(undefined, true, 0)).toMatchObject({ className: 'is-off', signal: 'off', words: 'Disabled' });
    // What a model says is cut at its beginning; "3 error handled" would be no words.
    expect(lookOf(run('running', { says: { what: 'text', words: 'It was a dark and stormy night at sea' } } as never), false, 0)).toMatchObject({ line: '…dark and stormy night at sea', tail: true });
    expect(lookOf(run('done'), false, 0).tail).toBeUndefined();
    expect(lookOf({ ...run('handled'), over: { of: 5, inState: 3 } } as never, false, 0).line).toBe('3 failed, handled');
    // Of calls that are not loaded it says that there are some.
    expect(lookOf({ ...run('done'), calls: 3, unloaded: 2000, over: { of: 3, inState: 3 } } as never, false, 0).line).toBe('3/2,003 loaded');
    expect(lookOf({ ...run('handled'), calls: 3, unloaded: 2, floor: 'handled', over: { of: 3, inState: 3 } } as never, false, 0)).toMatchObject({ signal: 'err', line: 'Errors not loaded' });
    expect(lookOf({ ...run('idle'), calls: 0, unloaded: 2 } as never, false, 0)).toMatchObject({ signal: null, line: 'Not loaded' });
    // Where it is drawn a disabled step looks so with a run on it, too; in a run it is what became of it.
    for (const state of ['skipped', 'done', 'unreached'] as const) expect(lookOf(run(state), true, 0, false, undefined, true)).toMatchObject({ className: 'is-off', signal: 'off', words: 'Disabled', line: null });
    expect(lookOf(run('running'), true, 0, false, undefined, true).className).toBe('is-running');
    expect(lookOf(run('skipped'), true, 0).className).toBe('is-skipped');
    expect(lookOf(run('retrying', { attempt: 1, maxAttempts: 2, retryAtMs: 4000 }), false, 0)).toMatchObject({ className: 'is-retry', line: '2/3, next in 4 s' });
    expect(lookOf(run('failed', { attempt: 2, maxAttempts: 2, errorCode: 'TIMEOUT' }), false, 0).line).toBe('TIMEOUT, 3/3');
    expect(lookOf(run('waiting', { dueMs: 60_000 }), false, 0).line).toBe('in 1 min');
    expect(lookOf(run('asks', { itemsIn: 9, inVisit: 4, asking: 1, askingItems: 1 }), false, 0)).toMatchObject({ className: 'is-person', line: '1 of 4 waiting', whole: '1 of 4 waits for a person' });
    expect(lookOf({ ...run('waiting'), over: { of: 157, inState: 1 } } as never, false, 0)).toMatchObject({ line: '1 waiting', whole: '1 of 157 waiting' });
    expect(lookOf({ ...run('asks'), over: { of: 1570, inState: 2 } } as never, false, 0)).toMatchObject({ line: '2 waiting', whole: '2 of 1,570 wait for a person' });
    expect(lookOf(run('asks', { itemsIn: 3, inVisit: 1, asking: 1, askingItems: 1 }), false, 0).line).toBe('waits for a person');
    // One question about all that came in is not one of three.
    expect(lookOf(run('asks', { itemsIn: 3, inVisit: 3, asking: 1 }), false, 0)).toMatchObject({ line: 'waits for a person' });
    expect(lookOf(run('skipped'), false, 0)).toMatchObject({ signal: 'skip', line: 'skipped' });
    expect(lookOf(run('kept'), false, 0, false, '01a2009a-37a6-7464-a79a-75ea2b616218').line).toBe('reused from run 616218');
    expect(timeLeft(2 * 86_400_000 + 4 * 3_600_000)).toBe('2 d 4 h');
  });

  it('tells taken, live, open and dead wires', () => {
    expect(wireState(null, 'a.success', 'a', 'b')).toBe('plain');
    expect(wireState(view({}), 'a.success', 'a', 'b')).toBe('open');
    expect(wireState(view({ ports: { 'a.success': 2 } }), 'a.success', 'a', 'b')).toBe('taken');
    expect(wireState(view({ ports: { 'a.success': 2 }, nodes: { b: run('running') } }), 'a.success', 'a', 'b')).toBe('live');
    // Into a loop in which all that is left waits for a person, and into one in which more goes on.
    const asked = (status: RunView['status']) => wireState(view({ status, ports: { 'a.success': 2 }, nodes: { b: run('running', { kind: 'flow.loop' }) }, tasks: [{ path: 'b[0]' }] as never }), 'a.success', 'a', 'b');
    expect([asked('paused'), asked('running')]).toEqual(['taken', 'live']);
    expect(wireState(view({ nodes: { a: run('done') } }), 'a.error', 'a', 'b')).toBe('not-taken');
    // A loop over an empty list goes on with nothing; a step that sent nothing does not.
    const empty = (kind: string, port: string) => wireState(view({ ports: { 'a.success': 0 }, nodes: { a: run('done', { kind }) } }), `a.${port}`, 'a', 'b');
    expect([empty('flow.loop', 'success'), empty('flow.loop', 'error'), empty('data.filter', 'success')]).toEqual(['taken', 'not-taken', 'not-taken']);
    expect(wireState(view({ status: 'failed' }), 'a.success', 'a', 'b')).toBe('not-taken');
    // While it is still being read, something may come along.
    expect(wireState(view({ status: 'failed', behind: true }), 'a.success', 'a', 'b')).toBe('open');
    // Of a kept decision: the way that its original took; what that is not known of, the step behind it tells.
    const kept = (leftKept: Record<string, number> | undefined, port: string, b: NodeRun['state'] = 'idle') => wireState(view({ nodes: { a: run('kept', leftKept ? { leftKept } : {}), b: run(b) } }), `a.${port}`, 'a', 'b');
    expect([kept({ true: 1 }, 'true'), kept({ true: 1 }, 'false'), kept(undefined, 'true'), kept(undefined, 'false', 'skipped')]).toEqual(['plain', 'not-taken', 'plain', 'not-taken']);
    expect(kept({ true: 1 }, 'true', 'unreached')).toBe('plain');
  });
});

describe('actions', () => {
  it('have one id each, and the table is the same list', () => {
    const editor = createEditor(sample());
    const list = canvasActions(editor, new CanvasSession(editor).handle, KINDS);
    expect(new Set(list.map((a) => a.id)).size).toBe(list.length);
    expect(canvasActionTable().map((a) => a.id)).toEqual(list.map((a) => a.id).filter((id) => !id.startsWith('canvas.add.')));
    expect(canvasActionTable().every((a) => a.when?.() === false)).toBe(true);
  });

  it('act on the document without a picture', () => {
    const editor = createEditor(sample());
    const { handle } = new CanvasSession(editor);
    editor.select(['fetch']);
    handle.extend('down');
    expect(editor.getState().selection.nodes).toEqual(['fetch', 'adult']);
    handle.toggleDisabled();
    expect(editor.getState().document.nodes['adult']?.disabled).toBe(true);
    handle.toggleDisabled();
    expect(editor.getState().document.nodes['adult']).not.toHaveProperty('disabled');
    handle.duplicate();
    expect(Object.keys(editor.getState().document.nodes)).toHaveLength(7);
    handle.remove(false);
    expect(Object.keys(editor.getState().document.nodes)).toHaveLength(5);
    while (editor.undo());
    expect(editor.getState().document).toEqual(sample());
  });

  it('know where a wire may go on and what may enter one', () => {
    expect(openPort(sample(), CATALOG, 'adult')).toBe('false');
    expect(openPort(sample(), CATALOG, 'end')).toBeUndefined();
    expect(mayEnterWire(sample(), CATALOG, 'yes')).toBe(false);
    const { document } = applyEdits(sample(), [{ type: 'addNode', id: 'x', node: { type: 'data.set' }, at: [0, 0] }]);
    expect(mayEnterWire(document, CATALOG, 'x')).toBe(true);
  });
});

describe('iterations of the whole run', () => {
  const drawn = { nodes: { long: { type: 'flow.loop' }, short: { type: 'flow.loop' } }, edges: [] };
  const events = [['long', 5], ['short', 2]].map(([stepId, n], i) => ({ runId: 'r', seq: i + 1, ts: '2026-11-23T10:00:00.000Z', type: 'step_start', stepId, payload: { type: 'flow.loop', config: { source: Array.from({ length: n as number }) } } }));
  const at = (choice: Record<string, number>) => wholeRun({ ...foldRun(events as never, drawn), choice }, drawn as never);

  it('are one number for all loops, also where one goes round less often', () => {
    expect(at({ long: 4, short: 4 })).toEqual({ at: 4, of: 5, mixed: false });
    expect(at({ long: 4, short: 1 })).toEqual({ at: null, of: 5, mixed: true });
    expect(at({ long: 7, short: 7 })).toEqual({ at: 5, of: 5, mixed: false });
    expect(at({})).toEqual({ at: null, of: 5, mixed: false });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gridOf, LARGE, largeSize, miniGraph, SMALL } from '../../features/gallery/mini-graph.ts';
import { formatAgo, formatBytes, formatDuration, t, tn } from '../../i18n/index.ts';
import { RETRY } from '../../test/fixtures.ts';
import { nodeOf, edgeOf } from '../../api/diagnostics.ts';
import { askedSchema, firstValues, mustAsk } from '../builder/params.ts';
import { noWorkflow, parseWorkflow } from '../commands.ts';
import { hashOf, parseRoute } from '../router.ts';

describe('addresses', () => {
  it('lead back to where they came from, whatever the reference holds', () => {
    fc.assert(fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (text) => {
      expect(parseRoute(hashOf({ screen: 'workflow', ref: text }))).toEqual({ screen: 'workflow', ref: text });
      expect(parseRoute(hashOf({ screen: 'run', runId: text, step: text }))).toEqual({ screen: 'run', runId: text, step: text });
      expect(parseRoute(hashOf({ screen: 'inbox', taskId: text }))).toEqual({ screen: 'inbox', taskId: text });
      expect(parseRoute(hashOf({ screen: 'audit', query: text, seq: 7 }))).toEqual({ screen: 'audit', query: text, seq: 7 });
      expect(parseRoute(hashOf({ screen: 'runs', workflow: text }))).toEqual({ screen: 'runs', workflow: text });
    }));
  });
  it('that mean nothing lead to the first screen', () => {
    for (const hash of ['', '#', '#/', '#/nowhere', '#/workflow/', '#/%E0%A4%A']) expect(parseRoute(hash)).toEqual({ screen: 'workflows' });
  });
});

describe('small drawings', () => {
  it('follow the layout of the file', () => {
    const grid = gridOf(RETRY);
    expect([grid.get('start'), grid.get('adult'), grid.get('no'), grid.get('end')]).toEqual([{ col: 0, row: 0 }, { col: 2, row: 0 }, { col: 3, row: 1 }, { col: 4, row: 0 }]);
  });
  it('need no layout, and survive loops and broken wires', () => {
    const { layout: _, ...plain } = RETRY;
    expect(gridOf(plain).get('end')?.col).toBe(4);
    const odd = { ...plain, edges: [...plain.edges, { from: 'end.success', to: 'start' }, { from: 'none.success', to: 'start' }] };
    const graph = miniGraph(odd, SMALL);
    expect(graph.boxes).toHaveLength(7);
    expect(graph.wires.every((wire) => !wire.d.includes('NaN'))).toBe(true);
    expect(miniGraph({ ...plain, nodes: {}, edges: [] }, LARGE)).toMatchObject({ boxes: [], wires: [], width: 0 });
  });
  it('draw what goes on in the next row as a way on, and only what goes back dashed', () => {
    const node = { type: 'flow.noop' };
    const rows = { ...RETRY, nodes: { a: node, b: node, c: node }, edges: [{ from: 'a.success', to: 'b' }, { from: 'b.success', to: 'c' }], layout: { a: [0, 0] as const, b: [248, 0] as const, c: [0, 176] as const } };
    expect(miniGraph(rows as unknown as typeof RETRY, SMALL).wires.map((wire) => wire.kind)).toEqual(['ok', 'ok']);
    const back = { ...rows, edges: [...rows.edges, { from: 'c.success', to: 'a' }] };
    expect(miniGraph(back as unknown as typeof RETRY, SMALL).wires.map((wire) => wire.kind)).toEqual(['ok', 'ok', 'back']);
  });
  it('are wide enough for words where they show words', () => {
    expect(largeSize(3, 456).w).toBe(104);
    const five = largeSize(5, 456);
    expect(5 * five.w + 4 * five.gapX).toBeLessThanOrEqual(424);
  });
});

describe('input of a run', () => {
  const workflow = { ...RETRY, params: { type: 'object', required: ['base', 'name'], properties: { base: { type: 'string', 'x-practice': true }, name: { type: 'string' }, n: { type: 'integer', default: 3 } } } };
  it('asks for what the host does not fill', () => {
    const schema = askedSchema(workflow);
    expect(Object.keys(schema?.properties ?? {})).toEqual(['name', 'n']);
    expect(schema?.required).toEqual(['name']);
    expect(firstValues(schema ?? {}, undefined)).toEqual({ n: 3 });
    expect(mustAsk(schema, { n: 3 })).toBe(true);
    expect(mustAsk(schema, firstValues(schema ?? {}, { name: 'Ada', n: 5 }))).toBe(false);
  });
  it('asks nothing when there is nothing to ask', () => {
    expect(askedSchema(RETRY)).toBeNull();
    expect(mustAsk(null, {})).toBe(false);
  });
});

describe('findings', () => {
  const at = (path: string) => nodeOf({ code: 'CYCLE', severity: 'error', path, message: '', hint: '' }, RETRY);
  it('lead to the step, for wires to the step they leave', () => {
    expect(at('/nodes/fetch/config/url')).toBe('fetch');
    expect(at('/edges/1')).toBe('fetch');
    expect(at('/settings')).toBeUndefined();
    expect(at('/nodes/none')).toBeUndefined();
    const wire = (path: string) => edgeOf({ code: 'CYCLE', severity: 'error', path, message: '', hint: '' }, RETRY);
    expect([wire('/edges/1'), wire('/edges/99'), wire('/edges'), wire('/nodes/fetch')]).toEqual([1, undefined, undefined, undefined]);
    for (const whole of ['/edges', '/nodes', '']) expect(at(whole)).toBeUndefined();
  });
});

it('takes only workflow files for workflow files', () => {
  expect(parseWorkflow('{"nodes":{},"edges":[],"name":"A"}')?.name).toBe('A');
  for (const text of ['', '[]', '{"nodes":{}}', 'null', '{"nodes":{},"edges":{}}']) expect(parseWorkflow(text)).toBeUndefined();
});

describe('words and numbers', () => {
  it('are short and exact', () => {
    expect(formatDuration(-3_600_000)).toBe('0 ms');
    expect([0, 812, 1620, 31_500, 61_000, 7_260_000, 200_000_000].map(formatDuration)).toEqual(['0 ms', '812 ms', '1.62 s', '31.5 s', '1 min 1 s', '2 h 1 min', '2 d 7 h']);
    // One way of writing numbers, whoever puts them into a text.
    expect([t('card.item', { n: 10_000 }), t('unit.s', { n: 1.5 }), t('common.ago.s', { n: 3 })]).toEqual(['item 10,000', '1.5 s', expect.stringContaining('3')]);
    expect([512, 1300, 5_000_000].map(formatBytes)).toEqual(['512 B', '1.3 KB', '4.8 MB']);
    const now = Date.parse('2026-11-21T12:00:00Z');
    expect(['2026-11-21T11:59:58Z', '2026-11-21T11:56:00Z', '2026-11-21T09:30:00Z', '2026-11-20T11:00:00Z'].map((iso) => formatAgo(iso, now))).toEqual(['just now', '4 min ago', '2 h ago', 'yesterday']);
    expect([tn('common.steps', 1), tn('common.steps', 1200)]).toEqual(['1 step', '1,200 steps']);
  });
});

it('a file that is no workflow says where reading it stopped, and what is no text says no place', () => {
  expect(noWorkflow('{\n  "nodes": {').detail).toMatch(/line 2, column 13\. Choose a \*\.signalbox\.json file/);
  expect(noWorkflow(' \n').detail).toMatch(/^It is empty\. Choose a /);
  expect(noWorkflow('\u{fffd}PNG\r\n\u001a\n\0\0').detail).toMatch(/^Choose a /);
  expect(noWorkflow('{"signalbox": 1}').detail).toMatch(/^Choose a /);
  expect(noWorkflow('{"a":1,"a":2}')).toEqual({ text: 'This file contains a value that cannot be stored exactly', detail: expect.stringContaining('Line 1') });
});

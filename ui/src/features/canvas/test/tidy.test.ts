/** Tidy, the width of cards, their numbers, and what several chosen cards can do together. */
import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../../api/types.ts';
import { applyEdits } from '../document.ts';
import { autoLayout } from '../model/layout.ts';
import { withRoomForTitle } from '../model/make-space.ts';
import { overlaps, rectsOf } from '../model/place.ts';
import { numberedTitles } from '../model/titles.ts';
import { CATALOG } from './fixtures.ts';

const base = (nodes: Workflow['nodes'], edges: Workflow['edges'], layout: Workflow['layout'] = {}): Workflow =>
  ({ signalbox: 1, id: 'w', name: 'W', nodes, edges, layout }) as Workflow;

describe('tidy', () => {
  const document = base({
    start: { type: 'trigger.manual' }, fetch: { type: 'http.request' }, set: { type: 'data.set' }, check: { type: 'flow.if' }, end: { type: 'flow.stop' }, other: { type: 'data.set' },
    tell: { type: 'data.set', title: 'Tell somebody that the address could not be read' }, give: { type: 'flow.stop' },
  }, [
    { from: 'fetch.error', to: 'tell' }, { from: 'tell.success', to: 'give' }, { from: 'start.success', to: 'fetch' }, { from: 'fetch.success', to: 'set' },
    { from: 'set.success', to: 'check' }, { from: 'check.true', to: 'end' }, { from: 'check.false', to: 'other' },
  ]);
  const tidied = applyEdits(document, [{ type: 'place', places: autoLayout(document, CATALOG) }]).document;
  const rects = rectsOf(tidied, CATALOG);
  const top = (id: string): number => rects.get(id)?.y ?? NaN;

  it('keeps the success path in one straight row', () => {
    expect(['start', 'fetch', 'set', 'check', 'end'].map(top)).toEqual([0, 0, 0, 0, 0]);
  });
  it('puts other ways below it, and error paths below these', () => {
    expect(top('other')).toBeGreaterThan(0);
    expect(top('tell')).toBeGreaterThan(0);
    expect(top('give')).toBe(top('tell'));
  });
  it('covers nothing, and done twice changes nothing', () => {
    const all = [...rects.values()];
    for (const [i, a] of all.entries()) for (const b of all.slice(i + 1)) expect(overlaps(a, b, 8)).toBe(false);
    expect(applyEdits(tidied, [{ type: 'place', places: autoLayout(tidied, CATALOG) }]).inverse).toEqual([]);
  });
  it('lays out a chain of thousands of steps', () => {
    const ids = Array.from({ length: 3000 }, (_, i) => `s${String(i)}`);
    const long = base(Object.fromEntries(ids.map((id) => [id, { type: 'data.set' }])), ids.slice(1).map((to, i) => ({ from: `${ids[i] as string}.success`, to })));
    const places = autoLayout(long, CATALOG);
    expect(new Set(Object.values(places).map(([, y]) => y))).toEqual(new Set([0]));
  });
});

describe('cards', () => {
  const long = 'Ask the second service about each of the orders';
  const two = (x: number): Workflow => base({ a: { type: 'data.set', title: long }, b: { type: 'data.set', title: 'Short' } }, [], { a: [0, 0], b: [x, 0] });
  const widthOf = (document: Workflow, id = 'a'): number => rectsOf(document, CATALOG).get(id)?.width ?? 0;

  it('widen for their title, as far as the neighbour leaves room', () => {
    expect(widthOf(two(800))).toBe(280);
    expect(widthOf(two(800), 'b')).toBe(200);
    expect(widthOf(two(280))).toBe(232);
    expect(widthOf(two(248))).toBe(200);
    // Closer than the usual width: narrower, but never less than can be read.
    expect(widthOf(two(216))).toBe(168);
    expect(widthOf(two(100))).toBe(160);
  });
  it('that get a longer title move what stands to the right of them, and only then', () => {
    const document = base({ a: { type: 'data.set' }, b: { type: 'data.set' }, c: { type: 'data.set' } }, [], { a: [0, 0], b: [248, 0], c: [0, 144] });
    const title = (value: string) => applyEdits(document, withRoomForTitle(document, CATALOG, [{ type: 'setNode', id: 'a', path: ['title'], value }])).document;
    expect(title(long).layout).toEqual({ a: [0, 0], b: [328, 0], c: [0, 144] });
    expect(widthOf(title(long))).toBe(280);
    expect(title('Short').layout).toEqual(document.layout);
  });
  it('in a row below do not count', () => {
    expect(widthOf(base({ a: { type: 'data.set', title: long }, b: { type: 'data.set' } }, [], { a: [0, 0], b: [248, 144] }))).toBe(280);
  });
  it('with equal titles are numbered; a number that is taken is passed over', () => {
    const document = base({ a: { type: 'data.set' }, b: { type: 'data.set' }, c: { type: 'data.filter', title: 'Set fields 2' }, d: { type: 'data.set', title: 'Set fields' }, e: { type: 'data.filter' } }, []);
    const titles = numberedTitles(document, CATALOG);
    expect(Object.entries(document.nodes).map(([id, node]) => titles(id, node))).toEqual(['Set fields', 'Set fields 3', 'Set fields 2', 'Set fields 4', 'Filter']);
  });
});

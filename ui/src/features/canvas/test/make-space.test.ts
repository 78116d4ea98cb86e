import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../../api/types.ts';
import { applyEdits, type Edit } from '../document.ts';
import { insertNode } from '../insert.ts';
import { overlaps, rectsIn, rectsOf } from '../model/place.ts';
import { makeSpaceBetween } from '../model/make-space.ts';
import { CATALOG, KINDS } from './fixtures.ts';

const SET = KINDS.find((one) => one.type === 'data.set') ?? KINDS[0]!;
/** start → ask → end in one row without a free column, a card above, and what happens on an error below. */
const row = (): Workflow => ({
  signalbox: 1, id: 'row', name: 'Row',
  nodes: {
    start: { type: 'trigger.manual' }, ask: { type: 'http.request' }, end: { type: 'flow.stop' }, late: { type: 'data.filter' }, above: { type: 'flow.noop' }, loose: { type: 'data.set' },
  },
  edges: [{ from: 'start.success', to: 'ask' }, { from: 'ask.success', to: 'end' }, { from: 'ask.error', to: 'late' }],
  layout: { start: [0, 0], ask: [248, 0], end: [496, 0], late: [372, 144], above: [0, -144], loose: [0, 400] },
} as Workflow);
const xOf = (document: Workflow): number => rectsOf(document, CATALOG).get('loose')?.x ?? Number.NaN;
const covers = (document: Workflow): boolean => {
  const all = [...rectsIn(document, rectsOf(document, CATALOG), undefined).values()];
  return all.some((a, i) => all.some((b, k) => i < k && overlaps(a, b)));
};
const drop = (document: Workflow, edge: { from: string; to: string }, at: [number, number]): Workflow => {
  const edits: Edit[] = [{ type: 'place', places: { loose: at } }, { type: 'insertOnEdge', edge, id: 'loose', port: 'success' }];
  return applyEdits(document, makeSpaceBetween(document, CATALOG, edits, 'loose', edge)).document;
};

describe('a card in a wire (UX C4)', () => {
  it('parts the ends of the wire when they stand too close, and keeps the row', () => {
    const next = drop(row(), { from: 'start.success', to: 'ask' }, [120, 8]);
    expect(next.layout).toMatchObject({ start: [0, 0], loose: [248, 0], ask: [496, 0], end: [744, 0], late: [620, 144], above: [0, -144] });
    expect(covers(next)).toBe(false);
  });

  it('stays where it was dropped when there is room', () => {
    const wide = row();
    wide.layout = { ...wide.layout, end: [900, 0] };
    expect(drop(wide, { from: 'ask.success', to: 'end' }, [560, 16]).layout).toMatchObject({ loose: [560, 16], end: [900, 0] });
  });

  it('goes no further than it must on a long wire', () => {
    const long = row();
    // Dropped over a card that stands beside the wire.
    long.layout = { ...long.layout, end: [2000, 0], above: [1500, -40] };
    const next = drop(long, { from: 'ask.success', to: 'end' }, [1488, 8]);
    expect(Math.abs(xOf(next) - 1488)).toBeLessThan(400);
    expect(next.layout).toMatchObject({ ask: [248, 0], end: [2000, 0] });
    expect(covers(next)).toBe(false);
    // Dropped on its end: there is room before it.
    const late = drop(long, { from: 'ask.success', to: 'end' }, [1960, 0]);
    expect(late.layout).toMatchObject({ end: [2000, 0] });
    expect(xOf(late)).toBeGreaterThan(1600);
    expect(covers(late)).toBe(false);
  });

  it('gives way alone in a wire that leads down', () => {
    const next = drop(row(), { from: 'ask.error', to: 'late' }, [300, 80]);
    expect(next.layout).toMatchObject({ start: [0, 0], ask: [248, 0], end: [496, 0], late: [372, 144] });
    expect(covers(next)).toBe(false);
  });

  it('does the same for a new step from the search', () => {
    const { edits, id } = insertNode(row(), CATALOG, SET, { edge: { from: 'start.success', to: 'ask' }, at: [224, 28] });
    const next = applyEdits(row(), edits).document;
    expect([next.layout?.[id], next.layout?.ask]).toEqual([[248, 0], [496, 0]]);
    expect(next.edges.map((edge) => `${edge.from}>${edge.to}`)).toContain(`${id}.success>ask`);
    expect(covers(next)).toBe(false);
  });
});

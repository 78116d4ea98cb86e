/** The outline: its lines, and moving a step along its way. */
import { describe, expect, it } from 'vitest';
import { applyEdits } from '../document.ts';
import { arranged } from '../model/arrange.ts';
import { moveAlong, moveBehind } from '../model/move-step.ts';
import { outlineOf } from '../model/outline.ts';
import { overlaps, rectsOf } from '../model/place.ts';
import { CATALOG, sample } from './fixtures.ts';

const words = (document = sample(), closed: string[] = []): string[] =>
  outlineOf(document, CATALOG, new Set(closed)).map((line) => `${String(line.level)} ${line.kind === 'step' ? line.title : `${line.port}${line.edge ? ` > ${line.to}` : ''}`}`);

describe('the outline', () => {
  it('lists steps along their wires, each with its ports', () => {
    expect(words().slice(0, 5)).toEqual(['1 Manual start', '2 success > Fetch the user', '1 Fetch the user', '2 success > If', '2 error']);
  });
  it('folds what is below a step', () => {
    const all = words().length;
    expect(words(sample(), ['start'])).toHaveLength(all - 1);
  });
  it('puts the steps of a container below it, counted with its ports', () => {
    const document = sample();
    document.nodes['box'] = { type: 'flow.loop' };
    document.nodes['in'] = { type: 'data.set', parent: 'box', title: 'Inside' };
    const lines = outlineOf(document, CATALOG, new Set());
    expect(lines.find((line) => line.key === 'in')).toMatchObject({ level: 2, at: 3, of: 3 });
    expect(lines.find((line) => line.key === 'box')).toMatchObject({ level: 1, open: true });
  });
});

describe('moving a step', () => {
  const line = () => ({ ...sample(), nodes: { a: { type: 'trigger.manual' }, b: { type: 'data.set' }, c: { type: 'data.filter' }, d: { type: 'flow.noop' } }, layout: { a: [0, 0], b: [248, 0], c: [496, 0], d: [744, 0] },
    edges: [{ from: 'a.success', to: 'b' }, { from: 'b.success', to: 'c' }, { from: 'c.success', to: 'd' }] });
  const edgesAfter = (edits: ReturnType<typeof moveAlong>): string[] => applyEdits(line(), edits ?? []).document.edges.map((edge) => `${edge.from}>${edge.to}`).toSorted();

  it('on and back changes places with its neighbour, and back again is as before', () => {
    const on = edgesAfter(moveAlong(line(), CATALOG, 'b', 1));
    expect(on).toEqual(['a.success>c', 'b.success>d', 'c.success>b']);
    expect(edgesAfter(moveAlong(line(), CATALOG, 'c', -1))).toEqual(on);
    const once = applyEdits(line(), moveAlong(line(), CATALOG, 'b', 1) ?? []).document;
    const twice = applyEdits(once, moveAlong(once, CATALOG, 'b', -1) ?? []).document;
    expect(twice.edges.map((edge) => `${edge.from}>${edge.to}`).toSorted()).toEqual(['a.success>b', 'b.success>c', 'c.success>d']);
    expect(twice.layout).toEqual(line().layout);
  });
  it('nothing stands before what starts the workflow', () => {
    expect(moveAlong(line(), CATALOG, 'b', -1)).toBeNull();
    expect(moveAlong(line(), CATALOG, 'd', 1)).toBeNull();
    expect(moveBehind(line(), CATALOG, 'a', 'b')).toBeNull();
  });
});

describe('arranging', () => {
  const document = { ...sample(), nodes: { a: { type: 'data.set' }, b: { type: 'data.set' }, c: { type: 'data.set' } }, edges: [], layout: { a: [0, 0], b: [256, 40], c: [1000, 400] } };
  it('puts cards on one line without covering any', () => {
    for (const how of ['alignLeft', 'alignCenter', 'alignRight', 'alignTop', 'alignBottom'] as const) {
      const next = applyEdits(document, [{ type: 'place', places: arranged(document, CATALOG, ['a', 'b', 'c'], how) }]).document;
      const rects = [...rectsOf(next, CATALOG).values()];
      for (const [i, x] of rects.entries()) for (const y of rects.slice(i + 1)) expect(overlaps(x, y), how).toBe(false);
      const edge = { alignLeft: (r: (typeof rects)[0]) => r.x, alignCenter: (r: (typeof rects)[0]) => r.x + r.width / 2, alignRight: (r: (typeof rects)[0]) => r.x + r.width, alignTop: (r: (typeof rects)[0]) => r.y, alignBottom: (r: (typeof rects)[0]) => r.y + r.height }[how];
      expect(new Set(rects.map(edge)).size, how).toBe(1);
    }
  });
  it('leaves the same distance between each two', () => {
    expect(arranged(document, CATALOG, ['a', 'b', 'c'], 'distributeAcross')).toEqual({ a: [0, 0], b: [504, 40], c: [1000, 400] });
  });
});

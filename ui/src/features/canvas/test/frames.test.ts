import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../../api/types.ts';
import { applyEdits, type Edit, textOf } from '../document.ts';
import { createEditor } from '../editor.ts';
import { insertNode } from '../insert.ts';
import { asDocument, fragmentOf, fragmentText, pasteEdits, readFragment } from '../model/fragment.ts';
import { BODY_AT, byDepth, FRAME_MIN, framesAround, outermost, withInside } from '../model/frames.ts';
import { treeOf } from '../../../shared/container-tree.ts';
import { blockedSources, blockedTargets } from '../model/graph.ts';
import { autoLayout } from '../model/layout.ts';
import { frameAt, overlaps, placesOf, rectsIn, rectsOf } from '../model/place.ts';
import { makeSpace } from '../model/make-space.ts';
import { routeWires } from '../route/router.ts';
import { templateEdits } from '../templates.ts';
import { copySelection } from '../view/clipboard.ts';
import { flowBuilder } from '../view/flow-nodes.ts';
import { CATALOG, KINDS } from './fixtures.ts';

const kindOf = (type: string) => {
  const found = KINDS.find((one) => one.type === type);
  if (!found) throw new Error(type);
  return found;
};

/** start → each (check → price, check → inner (count)) → end */
function nested(): Workflow {
  return {
    signalbox: 1, id: 'orders', name: 'Orders',
    nodes: {
      start: { type: 'trigger.manual' },
      price: { type: 'data.set', parent: 'each' },
      each: { type: 'flow.loop', title: 'Each order', config: { source: '=items' } },
      check: { type: 'flow.if', parent: 'each' },
      inner: { type: 'flow.loop', parent: 'each', title: 'Each line' },
      count: { type: 'data.set', parent: 'inner' },
      end: { type: 'flow.stop' },
    },
    edges: [{ from: 'start.success', to: 'each' }, { from: 'check.true', to: 'price' }, { from: 'check.false', to: 'inner' }, { from: 'each.success', to: 'end' }],
    layout: { start: [0, 48], each: [248, 0], check: [32, 48], price: [280, 48], inner: [280, 168], count: [32, 48], end: [1000, 48] },
  } as Workflow;
}
const apply = (document: Workflow, ...edits: Edit[]): Workflow => applyEdits(document, edits).document;

describe('frames hold their steps', () => {
  it('what a file says no places of does not lie on another', () => {
    const drawn = { ...nested(), layout: undefined } as unknown as Workflow;
    const rects = rectsOf(drawn, CATALOG);
    const { parent } = treeOf(drawn);
    const ids = Object.keys(drawn.nodes);
    for (const a of ids) for (const b of ids) if (a < b && parent.get(a) === parent.get(b)) expect(overlaps(rects.get(a)!, rects.get(b)!), `${a} ${b}`).toBe(false);
  });

  it('adds up places, and a frame is as large as its steps need', () => {
    const places = placesOf(nested());
    expect(places.get('count')).toEqual([248 + 280 + 32, 168 + 48]);
    const rects = rectsOf(nested(), CATALOG);
    expect(rects.get('inner')).toEqual({ x: 528, y: 168, ...FRAME_MIN });
    const each = rects.get('each');
    expect(each).toEqual({ x: 248, y: 0, width: 280 + FRAME_MIN.width + 32, height: 168 + FRAME_MIN.height + 48 });
    // Frames lie below what stands in them.
    expect(byDepth(nested()).slice(0, 2)).toEqual(['each', 'inner']);
    expect(rectsOf(apply(nested(), { type: 'resize', id: 'each', size: { width: 900, height: 100 } }), CATALOG).get('each')).toMatchObject({ width: 900, height: each?.height });
  });

  it('moves what is in a frame with it, and the file says the same of its steps', () => {
    const next = apply(nested(), { type: 'place', places: { each: [400, 80] } });
    expect(next.layout).toMatchObject({ each: [400, 80], check: [32, 48], count: [32, 48] });
    expect(placesOf(next).get('count')).toEqual([400 + 312, 80 + 216]);
    const both = apply(nested(), { type: 'place', places: { each: [400, 80], count: [400 + 320, 80 + 224] } });
    expect(both.layout?.['count']).toEqual([40, 56]);
  });

  it('knows the tree, and survives a broken one', () => {
    expect(framesAround(nested(), 'count')).toEqual(['inner', 'each']);
    expect(withInside(nested(), ['each'])).toEqual(['price', 'each', 'check', 'inner', 'count']);
    expect(outermost(nested(), ['count', 'each', 'start'])).toEqual(['each', 'start']);
    const round = { ...nested(), nodes: { a: { type: 'flow.loop', parent: 'b' }, b: { type: 'flow.loop', parent: 'a' }, c: { type: 'data.set', parent: 'gone' }, d: { type: 'data.set', parent: 'd' } } } as Workflow;
    expect([...treeOf(round).parent]).toEqual([]);
    expect(rectsOf(round, CATALOG).size).toBe(4);
  });

  it('gives steps without a place one in their frame', () => {
    const document = nested();
    delete (document.layout as Record<string, unknown>)['price'];
    delete (document.layout as Record<string, unknown>)['count'];
    const rects = rectsOf(document, CATALOG);
    const each = rects.get('each') as NonNullable<ReturnType<typeof rects.get>>;
    for (const id of ['price', 'count']) {
      const r = rects.get(id) as NonNullable<ReturnType<typeof rects.get>>;
      expect(r.x >= each.x && r.x + r.width <= each.x + each.width && r.y >= each.y && r.y + r.height <= each.y + each.height).toBe(true);
    }
  });
});

describe('over the border', () => {
  it('a step that moves out keeps its place, and loses the wires that would cross', () => {
    const before = nested();
    const next = apply(before, { type: 'reparent', ids: ['price'] });
    expect(next.nodes['price']).not.toHaveProperty('parent');
    expect(placesOf(next).get('price')).toEqual(placesOf(before).get('price'));
    expect(next.edges.map((e) => e.from)).toEqual(['start.success', 'check.false', 'each.success']);
    const back = apply(next, { type: 'reparent', ids: ['price'], parent: 'inner' });
    expect(back.nodes['price']).toMatchObject({ parent: 'inner' });
    expect(placesOf(back).get('price')).toEqual(placesOf(before).get('price'));
  });

  it('steps that move together keep the wires between them; a fallback over the border goes', () => {
    const document = nested();
    document.nodes['check'] = { ...document.nodes['check'], type: 'flow.if', errorHandling: { fallbackNodeId: 'price' } };
    const together = apply(document, { type: 'reparent', ids: ['check', 'price', 'inner'] });
    expect(together.edges).toHaveLength(4);
    expect(together.nodes['check']?.errorHandling?.fallbackNodeId).toBe('price');
    const alone = apply(document, { type: 'reparent', ids: ['check'] });
    expect(alone.nodes['check']?.errorHandling).toEqual({});
  });

  it('a frame cannot go into itself, nor into what stands in it', () => {
    expect(apply(nested(), { type: 'reparent', ids: ['each'], parent: 'each' })).toEqual(nested());
    expect(apply(nested(), { type: 'reparent', ids: ['each'], parent: 'inner' })).toEqual(nested());
    expect(apply(nested(), { type: 'reparent', ids: ['start'], parent: 'gone' })).toEqual(nested());
  });

  it('refuses wires over it, and says what to do instead', () => {
    const targets = blockedTargets(nested(), CATALOG, 'check.true');
    expect(targets.get('end')).toContain('border of “Each order”');
    expect(targets.get('each')).toContain('port on its edge');
    expect(targets.get('count')).toContain('border of “Each line”');
    expect(targets.has('inner')).toBe(false);
    expect(blockedTargets(nested(), CATALOG, 'each.success').get('price')).toContain('begins with the steps');
    expect(blockedSources(nested(), CATALOG, 'price').get('start')).toContain('border');
  });

  it('undoes any mixture of moves, cuts, sizes and deletions to the byte', () => {
    const ids = fc.constantFrom('start', 'price', 'each', 'check', 'inner', 'count', 'end', 'gone');
    const point = fc.tuple(fc.integer({ min: -500, max: 2000 }), fc.integer({ min: -500, max: 2000 }));
    const edit: fc.Arbitrary<Edit> = fc.oneof(
      fc.record({ type: fc.constant('reparent' as const), ids: fc.uniqueArray(ids, { maxLength: 3 }), parent: fc.constantFrom('each', 'inner', undefined, 'gone') }),
      fc.record({ type: fc.constant('dissolve' as const), ids: fc.uniqueArray(ids, { maxLength: 2 }) }),
      fc.record({ type: fc.constant('resize' as const), id: ids, size: fc.constantFrom(undefined, { width: 600, height: 400 }) }),
      fc.record({ type: fc.constant('place' as const), places: fc.dictionary(ids, point, { maxKeys: 3 }) }),
      fc.record({ type: fc.constant('removeNodes' as const), ids: fc.uniqueArray(ids, { maxLength: 2 }) }),
      fc.record({ type: fc.constant('renameNode' as const), id: ids, to: fc.constantFrom('a', 'each', 'b') }),
    );
    fc.assert(fc.property(fc.array(edit, { maxLength: 20 }), (edits) => {
      const editor = createEditor(nested());
      for (const one of edits) {
        editor.apply(makeSpace(editor.getState().document, CATALOG, [one]));
        const { document } = editor.getState();
        for (const { from, to } of document.edges) expect(document.nodes[from.split('.')[0] as string]?.parent).toBe(document.nodes[to]?.parent);
        for (const { parent } of Object.values(document.nodes)) if (typeof parent === 'string') expect(document.nodes).toHaveProperty(parent);
      }
      const after = textOf(editor.getState().document);
      while (editor.undo());
      expect(textOf(editor.getState().document)).toBe(textOf(nested()));
      while (editor.redo());
      expect(textOf(editor.getState().document)).toBe(after);
    }), { numRuns: 200 });
  });
});

describe('delete, copy, paste', () => {
  it('deletes a frame with what is in it', () => {
    const next = apply(nested(), { type: 'removeNodes', ids: ['each'], reconnect: { each: 'success' } });
    expect(Object.keys(next.nodes)).toEqual(['start', 'end']);
    expect(next.edges).toEqual([{ from: 'start.success', to: 'end' }]);
    expect(Object.keys(next.layout ?? {})).toEqual(['start', 'end']);
  });

  it('takes only the frame away: its steps stand where they stood, wired where it was wired', () => {
    const next = apply(nested(), { type: 'dissolve', ids: ['each'], ends: ['price', 'inner'] });
    expect(Object.keys(next.nodes)).toEqual(['start', 'price', 'check', 'inner', 'count', 'end']);
    expect(next.edges.map((e) => `${e.from}>${e.to}`)).toEqual(['start.success>check', 'check.true>price', 'check.false>inner', 'price.success>end', 'inner.success>end']);
    expect(placesOf(next).get('count')).toEqual(placesOf(nested()).get('count'));
    expect(next.nodes['count']).toMatchObject({ parent: 'inner' });
  });

  it('wires the way in to what began in the frame: not past a retry, not to what a step falls back to', () => {
    const drawn = {
      signalbox: 1, id: 'w', name: 'W',
      nodes: {
        start: { type: 'trigger.manual' }, each: { type: 'flow.loop' },
        call: { type: 'http.request', parent: 'each', errorHandling: { fallbackNodeId: 'other' } }, ask: { type: 'builtin.human_decision', parent: 'each' }, other: { type: 'data.set', parent: 'each' },
      },
      edges: [{ from: 'start.success', to: 'each' }, { from: 'call.error', to: 'ask' }, { from: 'ask.retry', to: 'call' }],
    } as unknown as Workflow;
    const next = apply(drawn, { type: 'dissolve', ids: ['each'] });
    expect(next.edges.map((e) => `${e.from}>${e.to}`)).toEqual(['start.success>call', 'call.error>ask', 'ask.retry>call']);
  });

  it('says how many steps were copied, those in a frame too', async () => {
    const editor = createEditor(nested());
    editor.select(['each']);
    expect(await copySelection(editor)).toBe('5 steps copied');
  });

  it('copies a frame with what is in it, and a step out of its frame', () => {
    const fragment = fragmentOf(nested(), ['inner']);
    expect(fragment.nodes).toEqual({ inner: { type: 'flow.loop', title: 'Each line' }, count: { type: 'data.set', parent: 'inner' } });
    expect(fragment.layout).toEqual({ inner: [528, 168], count: [32, 48] });
    const read = readFragment(fragmentText(fragment));
    if ('problem' in read) throw new Error(read.problem);
    const { edits, ids } = pasteEdits(nested(), read, [0, 800], false);
    const next = apply(nested(), ...edits);
    expect(ids).toEqual(['inner_2']);
    expect(next.nodes['count_2']).toEqual({ type: 'data.set', parent: 'inner_2' });
    expect(next.layout).toMatchObject({ inner_2: [0, 800], count_2: [32, 48] });
    const into = apply(nested(), ...pasteEdits(nested(), fragment, [300, 400], false, 'each').edits);
    expect(into.nodes['inner_2']).toMatchObject({ parent: 'each' });
    expect(into.layout).toMatchObject({ inner_2: [304 - 248, 400], count_2: [32, 48] });
  });

  it('a whole file is a fragment too, also when a step stands before its frame, and keeps the sizes', () => {
    const file = apply(nested(), { type: 'resize', id: 'inner', size: { width: 640, height: 320 } });
    const read = readFragment(textOf(file));
    if ('problem' in read) throw new Error(read.problem);
    const next = apply(nested(), ...pasteEdits(nested(), read, [0, 1000], false).edits);
    expect(next.layout).toMatchObject({ price_2: [280, 48], inner_2: [280, 168, 640, 320] });
    expect(rectsOf(asDocument(nested(), read), CATALOG).get('inner')).toMatchObject({ width: 640, height: 320 });
  });
});

describe('new steps', () => {
  it('go into the frame that lies at the place, that of the neighbour, or the one that is selected', () => {
    const at = insertNode(nested(), CATALOG, kindOf('data.set'), { at: [300, 300] });
    expect(apply(nested(), ...at.edits).nodes[at.id]).toMatchObject({ parent: 'each' });
    const from = insertNode(nested(), CATALOG, kindOf('data.set'), { from: 'count.success' });
    const next = apply(nested(), ...from.edits);
    expect(next.nodes[from.id]).toMatchObject({ parent: 'inner' });
    expect(next.edges.at(-1)).toEqual({ from: 'count.success', to: from.id });
    const frame = apply(nested(), { type: 'addNode', id: 'box', node: { type: 'flow.parallel' }, at: [0, 896] });
    const chosen = insertNode(frame, CATALOG, kindOf('data.set'), { frame: 'box' });
    expect(apply(frame, ...chosen.edits).layout?.[chosen.id]).toEqual([...BODY_AT]);
    const start = insertNode(nested(), CATALOG, kindOf('trigger.manual'), { at: [300, 300] });
    expect(apply(nested(), ...start.edits).nodes[start.id]).not.toHaveProperty('parent');
  });

  it('make room: what stands behind a frame that grows goes on', () => {
    const document = nested();
    document.layout = { ...document.layout, end: [880, 48] };
    const { edits } = insertNode(document, CATALOG, kindOf('data.set'), { from: 'inner.success' });
    const rects = rectsOf(apply(document, ...edits), CATALOG);
    const [each, end] = [rects.get('each'), rects.get('end')];
    expect(each && end && !overlaps(each, end, 8)).toBe(true);
    expect((each?.width ?? 0) > 600).toBe(true);
  });

  it('templates at an error port in a frame stay in it', () => {
    const { edits, ids } = templateEdits(nested(), CATALOG, 'retry', 'count.error');
    const next = apply(nested(), ...edits);
    expect(ids.map((id) => next.nodes[id]?.parent)).toEqual(['inner']);
  });
});

describe('layout and wires', () => {
  it('lays out every frame by itself, and nothing covers a neighbour', () => {
    const places = autoLayout(nested(), CATALOG);
    const next = apply(nested(), { type: 'place', places });
    const rects = rectsOf(next, CATALOG);
    for (const frame of [undefined, 'each', 'inner']) {
      const list = [...rectsIn(next, rects, frame).values()];
      for (const [i, a] of list.entries()) for (const b of list.slice(i + 1)) expect(overlaps(a, b, 8)).toBe(false);
    }
    // The line goes straight through the frame's ports.
    expect((rects.get('start')?.y ?? 0) + 28).toBe((rects.get('each')?.y ?? 0) + 76);
    expect(apply(next, { type: 'place', places: autoLayout(next, CATALOG) })).toEqual(next);
  });

  it('keeps the wires of a body inside its frame, and those outside of it', () => {
    const document = nested();
    document.edges.push({ from: 'price.success', to: 'check' });
    const flow = flowBuilder()(document, CATALOG);
    const routes = routeWires(flow.wires, flow.rects, { soft: flow.soft, scopes: flow.scopes });
    const inside = (key: string, frame: string): boolean => {
      const r = flow.rects.get(frame);
      return (routes.get(key)?.points ?? []).every(([x, y]) => r !== undefined && x > r.x && x < r.x + r.width && y > r.y + 28 && y < r.y + r.height);
    };
    expect(inside('check.true>price', 'each')).toBe(true);
    expect(inside('price.success>check', 'each')).toBe(true);
    expect(flow.nodes.filter((node) => node.type === 'frame').map((node) => node.id)).toEqual(['each', 'inner']);
  });

  it('finds the innermost frame at a place', () => {
    const rects = rectsOf(nested(), CATALOG);
    expect(frameAt(nested(), CATALOG, rects, [600, 230])).toBe('inner');
    expect(frameAt(nested(), CATALOG, rects, [600, 230], new Set(['inner']))).toBe('each');
    expect(frameAt(nested(), CATALOG, rects, [0, 0])).toBeUndefined();
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../../api/types.ts';
import { applyEdits, applyPatches, type Edit, textOf } from '../document.ts';
import { createEditor, UNDO_STEPS } from '../editor.ts';
import { insertNode } from '../insert.ts';
import { fragmentOf, fragmentText, pasteEdits, readFragment } from '../model/fragment.ts';
import { slug, uniqueId } from '../../../shared/step-ids.ts';
import { autoLayout } from '../model/layout.ts';
import { CATALOG, KINDS, sample } from './fixtures.ts';

type Extra = Record<string, unknown>;
const apply = (document: Workflow, ...edits: Edit[]): Workflow => applyEdits(document, edits).document;

const ids = fc.constantFrom('start', 'fetch', 'adult', 'yes', 'end', 'new_1', 'new-2', '_x', 'gone');
const ports = fc.constantFrom('success', 'error', 'true', 'false');
const from = fc.tuple(ids, ports).map(([id, port]) => `${id}.${port}`);
const point = fc.tuple(fc.integer({ min: -2000, max: 2000 }), fc.integer({ min: -2000, max: 2000 }));
const value = fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined });
const edge = fc.record({ from, to: ids });
const field = fc.constantFrom('title', 'config', 'disabled', 'if', '__proto__', 'x-note', '7');
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ type: fc.constant('addNode' as const), id: ids, node: fc.constant({ type: 'data.set', config: { a: '=nodes.fetch.output' } }), at: point }),
  fc.record({ type: fc.constant('removeNodes' as const), ids: fc.uniqueArray(ids, { maxLength: 3 }), reconnect: fc.constantFrom({}, { fetch: 'success', yes: 'success', adult: 'true' }) }),
  fc.record({ type: fc.constant('place' as const), places: fc.dictionary(ids, point, { maxKeys: 4 }) }),
  fc.record({ type: fc.constant('connect' as const), from, to: ids }),
  fc.record({ type: fc.constant('disconnect' as const), edges: fc.array(edge, { maxLength: 3 }) }),
  fc.record({ type: fc.constant('replug' as const), edge, from, to: ids }),
  fc.record({ type: fc.constant('insertOnEdge' as const), edge, id: ids, port: ports }),
  fc.record({ type: fc.constant('setNode' as const), id: ids, path: fc.oneof(field.map((f) => [f]), field.map((f) => ['extra', f])), value }),
  fc.record({ type: fc.constant('renameNode' as const), id: ids, to: ids }),
  fc.record({ type: fc.constant('set' as const), path: fc.constantFrom(['name'], ['params'], ['settings', 'errorPolicy'], ['context', 'initial', 'x']), value: fc.constantFrom<unknown>('a', 'safe', { a: 1 }, undefined) }),
);
/** Setting `extra` to a text and then a field below it cannot work: such an edit is no edit. */
const possible = (document: Workflow, e: Edit): boolean => {
  try {
    applyEdits(document, [e]);
    return true;
  } catch {
    return false;
  }
};

describe('edits and their inverse', () => {
  it('any random sequence and full undo gives the same bytes, and redo the later ones', () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 40 }), (edits) => {
        const original = sample();
        const before = textOf(original);
        const editor = createEditor(original);
        let steps = 0;
        for (const e of edits) if (possible(editor.getState().document, e) && editor.apply(e)) steps += 1;
        const after = textOf(editor.getState().document);
        for (let i = 0; i < steps; i += 1) expect(editor.undo()).toBe(true);
        expect(editor.undo()).toBe(false);
        expect(textOf(editor.getState().document)).toBe(before);
        expect(textOf(original)).toBe(before);
        expect(editor.getState().dirty).toBe(false);
        while (editor.redo());
        expect(textOf(editor.getState().document)).toBe(after);
      }),
      { numRuns: 300 },
    );
  });

  it('paste, insert and layout are undone to the byte too', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(5), fc.subarray(['start', 'fetch', 'adult', 'yes', 'end']), point), { maxLength: 12 }), (moves) => {
        const original = sample();
        const before = textOf(original);
        let document = original;
        let back: ReturnType<typeof applyEdits>['inverse'] = [];
        for (const [what, chosen, at] of moves) {
          const edits = what < 2
            ? pasteEdits(document, fragmentOf(document, chosen), at, what === 1).edits
            : what < 4
              ? insertNode(document, CATALOG, KINDS[what + 1] as (typeof KINDS)[number], what === 2 ? { at } : { from: 'fetch.error' }).edits
              : [{ type: 'place' as const, places: autoLayout(document, CATALOG, what === 4 ? chosen : undefined) }];
          const done = applyEdits(document, edits);
          document = done.document;
          back = [...done.inverse, ...back];
        }
        expect(textOf(applyPatches(document, back).document)).toBe(before);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps fields it does not know', () => {
    const next = apply(sample(), { type: 'replug', edge: { from: 'start.success', to: 'fetch' }, to: 'yes' }, { type: 'renameNode', id: 'fetch', to: 'load' });
    expect((next as unknown as Extra)['x-team']).toEqual({ owner: 'ops', '10': true });
    expect(next.edges[0]).toEqual({ from: 'start.success', to: 'yes', 'x-colour': 'blue' });
    expect((next.nodes['load'] as unknown as Extra | undefined)?.['x-note']).toEqual([1, 2]);
  });

  it('keeps 200 steps', () => {
    const editor = createEditor(sample());
    for (let i = 0; i < UNDO_STEPS + 20; i += 1) editor.apply({ type: 'set', path: ['name'], value: `n${i}` });
    let undone = 0;
    while (editor.undo()) undone += 1;
    expect(undone).toBe(UNDO_STEPS);
  });

  it('knows what is saved, also when a save returns late', () => {
    const editor = createEditor(sample());
    editor.apply({ type: 'set', path: ['name'], value: 'b' });
    const written = editor.getState().document;
    editor.apply({ type: 'set', path: ['name'], value: 'c' });
    editor.markSaved(written);
    expect(editor.getState().dirty).toBe(true);
    editor.undo();
    expect(editor.getState().dirty).toBe(false);
    editor.undo();
    expect(editor.getState().dirty).toBe(true);
  });

  it('makes one step of typing in one field', () => {
    const editor = createEditor(sample());
    for (const text of ['h', 'ht', 'http']) editor.apply({ type: 'setNode', id: 'fetch', path: ['config', 'url'], value: text }, { merge: 'fetch/url' });
    editor.undo();
    expect(textOf(editor.getState().document)).toBe(textOf(sample()));
  });

  it('takes the same value again as no step', () => {
    const editor = createEditor(sample());
    expect(editor.apply({ type: 'setNode', id: 'fetch', path: ['title'], value: 'Fetch the user' })).toBe(false);
    expect(editor.getState().undoLabel).toBeNull();
  });

  it('does nothing in a read-only document', () => {
    const editor = createEditor(sample(), { readOnly: true });
    expect(editor.apply({ type: 'set', path: ['name'], value: 'x' })).toBe(false);
    expect(editor.getState().dirty).toBe(false);
  });
});

describe('single edits', () => {
  it('delete and reconnect puts the bridge where the wire stood', () => {
    const next = apply(sample(), { type: 'removeNodes', ids: ['fetch'], reconnect: { fetch: 'success' } });
    expect(next.edges.map((e) => `${e.from}>${e.to}`)).toEqual(['start.success>adult', 'adult.true>yes', 'yes.success>end']);
    expect(next.layout).not.toHaveProperty('fetch');
  });

  it('delete without reconnect takes the wires away', () => {
    const next = apply(sample(), { type: 'removeNodes', ids: ['adult', 'yes'] });
    expect(next.edges.map((e) => e.from)).toEqual(['start.success']);
  });

  it('reconnects over a chain of removed nodes', () => {
    const next = apply(sample(), { type: 'removeNodes', ids: ['fetch', 'adult', 'yes'], reconnect: { fetch: 'success', adult: 'true', yes: 'success' } });
    expect(next.edges).toEqual([{ from: 'start.success', to: 'end' }]);
  });

  it('inserts into a wire', () => {
    const { edits, id } = insertNode(sample(), CATALOG, KINDS[2] as (typeof KINDS)[number], { edge: { from: 'start.success', to: 'fetch' }, at: [100, 0] });
    const next = apply(sample(), ...edits);
    expect(id).toBe('set_fields');
    expect(next.edges.slice(0, 2)).toEqual([{ from: 'start.success', to: 'set_fields', 'x-colour': 'blue' }, { from: 'set_fields.success', to: 'fetch' }]);
  });

  it('places a new node on the grid and on no other', () => {
    const { edits } = insertNode(sample(), CATALOG, KINDS[1] as (typeof KINDS)[number], { from: 'start.success' });
    expect(edits[0]).toMatchObject({ type: 'addNode', at: [248, 80] });
    expect(edits[1]).toEqual({ type: 'connect', from: 'start.success', to: 'http_request' });
  });

  it('new top fields stand before the layout', () => {
    const next = apply(sample(), { type: 'set', path: ['params'], value: { type: 'object' } });
    expect(Object.keys(next).slice(-2)).toEqual(['params', 'layout']);
  });

  it('renaming rewrites wires, layout, fallback, onAbort and expressions', () => {
    const document = sample();
    (document.nodes['adult'] as { errorHandling: object }).errorHandling = { fallbackNodeId: 'fetch' };
    (document.settings as { onAbort: string }).onAbort = 'fetch';
    const next = apply(document, { type: 'renameNode', id: 'fetch', to: 'load-it' });
    expect(Object.keys(next.nodes)).toEqual(['start', 'load-it', 'adult', 'yes', 'end']);
    expect(next.edges[0]?.to).toBe('load-it');
    expect(next.edges[1]?.from).toBe('load-it.success');
    expect(next.nodes['adult']?.errorHandling?.fallbackNodeId).toBe('load-it');
    expect(next.nodes['adult']?.config).toEqual({ condition: "nodes['load-it'].output.response.age >= 18" });
    expect(next.nodes['yes']?.config).toEqual({
      assign: { v: "={{ 'nodes.fetch' }}", w: "=nodes['load-it'].output", t: "see nodes.fetch: {{ nodes['load-it'].output.id }}" },
    });
    expect(next.settings?.onAbort).toBe('load-it');
    expect(Object.keys(next.layout ?? {})[1]).toBe('load-it');
  });

  it('refuses ids that are taken or no ids', () => {
    expect(apply(sample(), { type: 'renameNode', id: 'fetch', to: 'yes' })).toEqual(sample());
    expect(apply(sample(), { type: 'renameNode', id: 'fetch', to: 'a b' })).toEqual(sample());
    expect(apply(sample(), { type: 'addNode', id: 'fetch', node: { type: 'data.set' }, at: [0, 0] })).toEqual(sample());
  });
});

describe('ids and references', () => {
  it('makes ids from words', () => {
    expect(slug('HTTP request')).toBe('http_request');
    expect(slug('Über 1.000 €?')).toBe('uber_1_000');
    expect(slug('2 fast')).toBe('step_2_fast');
    expect(slug('工')).toBe('step');
    expect(uniqueId('fetch', (id) => id === 'fetch' || id === 'fetch_2')).toBe('fetch_3');
    expect(uniqueId('fetch_2', (id) => id === 'fetch_2')).toBe('fetch_3');
  });

  it('always finds a free id of the right form', () => {
    fc.assert(fc.property(fc.string(), fc.array(fc.string()), (text, taken) => {
      const id = uniqueId(slug(text), (x) => taken.includes(x));
      expect(id).toMatch(/^[A-Za-z_][A-Za-z0-9_-]*$/);
      expect(taken).not.toContain(id);
    }));
  });
});

describe('copy and paste', () => {
  it('goes through text and gives new ids to what it brings', () => {
    const document = sample();
    const read = readFragment(fragmentText(fragmentOf(document, ['fetch', 'adult'])));
    if ('problem' in read) throw new Error(read.problem);
    const { edits, ids } = pasteEdits(document, read, [0, 300], false);
    const next = apply(document, ...edits);
    expect(ids).toEqual(['fetch_2', 'adult_2']);
    expect(next.nodes['adult_2']?.config).toEqual({ condition: 'nodes.fetch_2.output.response.age >= 18' });
    expect(next.edges.slice(4)).toEqual([{ from: 'fetch_2.success', to: 'adult_2' }]);
    expect(next.layout?.['adult_2']).toEqual([248, 304]);
  });

  it('can keep the wires that led in', () => {
    const document = sample();
    const { edits } = pasteEdits(document, fragmentOf(document, ['fetch']), [0, 300], true);
    expect(apply(document, ...edits).edges.at(-1)).toEqual({ from: 'start.success', to: 'fetch_2', 'x-colour': 'blue' });
  });

  it('takes a whole file, and says why it takes nothing', () => {
    expect(readFragment(textOf(sample()))).toHaveProperty('nodes.fetch');
    expect(readFragment('hello')).toHaveProperty('problem');
    expect(readFragment('{"nodes":{}}')).toHaveProperty('problem');
    expect(readFragment('{"signalbox":1,"nodes":{"a":{}}}')).toHaveProperty('problem', 'The step "a" in the clipboard has no type.');
  });
});

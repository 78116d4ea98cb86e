/** Groups of steps: in the file, through every edit, in copied text, and folded on the canvas. */
import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../../api/types.ts';
import { applyEdits, applyPatches, type Edit, textOf } from '../document.ts';
import { createEditor } from '../editor.ts';
import { fragmentOf, fragmentText, pasteEdits, readFragment } from '../model/fragment.ts';
import { changeGroup, groupEdits, groupOf, groupRect, groupsOf } from '../model/groups.ts';
import { rectsOf } from '../model/place.ts';
import { flowBuilder } from '../view/flow-nodes.ts';
import { foldGroups } from '../view/folded.ts';
import { stateOfGroup } from '../view/groups.tsx';
import { CATALOG } from './fixtures.ts';

const line = (): Workflow => ({
  signalbox: 1, id: 'w', name: 'W',
  nodes: { start: { type: 'trigger.manual' }, a: { type: 'http.request' }, b: { type: 'data.set' }, c: { type: 'data.set', title: 'Last' }, tell: { type: 'data.set', title: 'Tell' } },
  edges: [{ from: 'start.success', to: 'a' }, { from: 'a.success', to: 'b' }, { from: 'b.success', to: 'c' }, { from: 'a.error', to: 'tell' }],
  layout: { start: [0, 0], a: [248, 0], b: [496, 0], c: [744, 0], tell: [372, 144] },
}) as Workflow;
const apply = (document: Workflow, ...edits: Edit[]): Workflow => applyEdits(document, edits).document;
const grouped = (): Workflow => apply(line(), ...groupEdits(line(), ['a', 'b'], 'Fetch').edits);

describe('a group', () => {
  it('is view state of the file, and undo gives the file back to the byte', () => {
    const editor = createEditor(line());
    const before = textOf(editor.getState().document);
    editor.apply(groupEdits(line(), ['a', 'b'], 'Fetch').edits);
    editor.apply(changeGroup('group', { title: 'Get orders', color: 'green', note: 'Every morning' }));
    const { document } = editor.getState();
    expect((document.layout as Record<string, unknown>)['$groups']).toEqual({ group: { title: 'Get orders', color: 'green', steps: ['a', 'b'], note: 'Every morning' } });
    expect(Object.keys(document.nodes)).toEqual(Object.keys(line().nodes));
    editor.undo();
    editor.undo();
    expect(textOf(editor.getState().document)).toBe(before);
  });
  it('follows renames, loses what is deleted, and goes with its last step', () => {
    const renamed = apply(grouped(), { type: 'renameNode', id: 'a', to: 'orders' });
    expect(groupsOf(renamed)[0]?.steps).toEqual(['orders', 'b']);
    const one = apply(renamed, { type: 'removeNodes', ids: ['b'] });
    expect(groupsOf(one)[0]?.steps).toEqual(['orders']);
    const done = applyEdits(one, [{ type: 'removeNodes', ids: ['orders'] }]);
    expect(done.document.layout).not.toHaveProperty('$groups');
    expect(textOf(applyPatches(done.document, done.inverse).document)).toBe(textOf(one));
  });
  it('takes in what is put between its steps, and each step is in one group only', () => {
    const between = apply(grouped(), { type: 'addNode', id: 'x', node: { type: 'data.set' }, at: [400, 0] }, { type: 'insertOnEdge', edge: { from: 'a.success', to: 'b' }, id: 'x', port: 'success' });
    expect(groupOf(between, 'x')?.title).toBe('Fetch');
    const other = apply(between, ...groupEdits(between, ['x', 'c'], 'Other').edits);
    expect(groupsOf(other).map((group) => [group.title, group.steps])).toEqual([['Fetch', ['a', 'b']], ['Other', ['x', 'c']]]);
    expect(groupsOf(apply(other, { type: 'ungroup', ids: ['x', 'c'] }))).toHaveLength(1);
  });
  it('is copied when all its steps are, under new names', () => {
    const document = grouped();
    const fragment = readFragment(fragmentText(fragmentOf(document, ['a', 'b'])));
    if ('problem' in fragment) throw new Error(fragment.problem);
    const { edits, ids } = pasteEdits(document, fragment, [0, 400], false);
    const next = apply(document, ...edits);
    expect(groupsOf(next).map((group) => group.steps)).toEqual([['a', 'b'], ids]);
    expect(fragmentText(fragmentOf(document, ['a']))).not.toContain('$groups');
  });
  it('that a file says wrongly is kept and shown as far as it goes', () => {
    const odd = { ...line(), layout: { ...line().layout, $groups: { one: { title: 5, color: 'pink', steps: ['a', 'gone', 7] }, two: 'x', three: { steps: ['a', 'b'] } } } } as unknown as Workflow;
    expect(groupsOf(odd).map((group) => [group.id, group.title, group.color, group.steps])).toEqual([['one', '', 'grey', ['a']], ['three', '', 'grey', ['b']]]);
    expect(apply(odd, { type: 'place', places: { c: [8, 8] } }).layout).toHaveProperty('$groups.two', 'x');
  });
  it('encloses its steps', () => {
    const rects = rectsOf(grouped(), CATALOG);
    const rect = groupRect(groupsOf(grouped())[0]!, rects);
    expect(rect).toMatchObject({ x: 228, width: 488 });
  });
});

describe('a folded group', () => {
  it('is one card; wires that cross its border end there, those inside are gone', () => {
    const document = grouped();
    const whole = flowBuilder()(document, CATALOG);
    const flow = foldGroups(whole, document, new Set(['group']));
    expect(flow.nodes.map((node) => node.id)).toEqual(['start', 'c', 'tell', '$group:group']);
    expect(flow.edges.map((edge) => `${edge.source}.${String(edge.sourceHandle)}>${edge.target}`)).toEqual(['start.success>$group:group', '$group:group.success>c', '$group:group.error>tell']);
    expect(flow.wires).toHaveLength(3);
    expect(foldGroups(whole, document, new Set())).toBe(whole);
  });
  it('takes the place of its first step, so that the wires to it stay straight', () => {
    const document = grouped();
    const whole = flowBuilder()(document, CATALOG);
    const card = foldGroups(whole, document, new Set(['group'])).nodes.find((node) => node.id === '$group:group');
    expect(card?.position).toMatchObject({ x: whole.rects.get('a')?.x, y: whole.rects.get('a')?.y });
  });
  it('says the state that most needs a look', () => {
    const run = (a: string, b: string) => ({ nodes: { a: { state: a }, b: { state: b } } }) as never;
    expect(stateOfGroup(run('done', 'failed'), ['a', 'b'])).toBe('err 1');
    expect(stateOfGroup(run('done', 'running'), ['a', 'b'])).toBe('run 1');
    expect(stateOfGroup(run('done', 'done'), ['a', 'b'])).toBe('ok 2');
    expect(stateOfGroup(run('idle', 'idle'), ['a', 'b'])).toBe('');
  });
});

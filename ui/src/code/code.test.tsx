import { EditorState, type TransactionSpec } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { CompletionContext } from '@codemirror/autocomplete';
import { act, fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { Cut, isCut } from '../json/json.ts';
import { editorOf, renderWith, replaceCode } from '../test/render.tsx';
import { runWaiting } from './after-paint.ts';
import { CodeEditor } from './CodeEditor.tsx';
import { celLanguage, isTemplate, kitHighlight, templateLanguage } from './cel-language.ts';
import { expressionCompletion, insideTemplate } from './completion.ts';
import { FIELD_MIME, pathExpression } from './field-drag.ts';
import { ValueView } from './ValueView.tsx';
import { columnsOf, formatSize, linesOf, schemaOf, searchIn, sizeOf } from './value-lines.ts';
import { highlightTree } from '@lezer/highlight';

function colours(language: typeof celLanguage | typeof templateLanguage, text: string): string[] {
  const found: string[] = [];
  highlightTree(language.parser.parse(text), kitHighlight, (from, to, classes) => found.push(`${classes}:${text.slice(from, to)}`));
  return found;
}

describe('colours', () => {
  it('of an expression', () => {
    expect(colours(celLanguage, "item.total * 1.19 + size(nodes.a['x y'].b) > 0 && true")).toEqual([
      'tok:item.total', 'num:1.19', "tok:nodes.a['x y'].b", 'num:0', 'num:true',
    ]);
    expect(colours(celLanguage, "item.name.startsWith('a') == other.item")).toEqual(['tok:item.name', "str:'a'"]);
  });
  it('of a template', () => {
    expect(colours(templateLanguage, 'https://x/{{item.id}}/a').join('')).toContain('{{');
    expect(isTemplate('a {{ b }} c')).toBe(true);
    expect(isTemplate('{"a": {"b": 1}}')).toBe(false);
  });
});

describe('completion', () => {
  const names = () => Promise.resolve([{ label: 'item.id', type: 'string', sample: 'S-2041' }, { label: 'params.base', type: 'string', detail: 'Run input' }]);
  const at = async (text: string, template: boolean, explicit = false) =>
    await expressionCompletion(names, template)(new CompletionContext(EditorState.create({ doc: text }), text.length, explicit));
  it('offers the names of the engine for the word under the cursor', async () => {
    const result = await at('1 + item.i', false);
    expect(result?.from).toBe(4);
    expect(result?.options.map((one) => one.label)).toEqual(['item.id', 'params.base']);
    expect(result?.options[0]?.detail).toBe('string  S-2041');
  });
  it('in a text only between the braces', async () => {
    expect(await at('https://item', true)).toBeNull();
    expect((await at('https://{{it', true))?.from).toBe(10);
    expect(insideTemplate('{{a}} b')).toBe(false);
  });
  it('offers the types of errors inside a text that is compared with one', async () => {
    const labels = async (text: string) => { const found = await at(text, false); return [found?.from, found?.options.map((one) => one.label)]; };
    const types = ['ToolError', 'LLMError', 'NetworkError', 'ValidationError', 'Timeout', 'UnknownError'];
    expect(await labels("error.type == '")).toEqual([15, types]);
    expect(await labels('error.retryable && error.type != "Net')).toEqual([34, types]);
    expect(await labels("err.type in ['ToolError', 'Ti")).toEqual([27, types]);
    expect((await labels("error.message == '"))[1]).not.toEqual(types);
    expect((await labels("myerror.type == 'a"))[1]).not.toEqual(types);
  });
  it('stays quiet when the host does not respond', async () => {
    expect(await expressionCompletion(() => Promise.reject(new Error('gone')), false)(new CompletionContext(EditorState.create({ doc: 'it' }), 2, true))).toBeNull();
  });
});

/** A key, and what it changes elsewhere once it is drawn. */
const typed = (editor: EditorView, spec: TransactionSpec) => act(() => { editor.dispatch(spec); runWaiting(); });

describe('the editor', () => {
  it('tells what was typed before a command, a press or the end of the field can look at it', () => {
    const seen: string[] = [];
    const shown = renderWith(<CodeEditor value="" onChange={(text) => seen.push(text)} mode="cel" label="x" singleLine />);
    const editor = editorOf(screen.getByLabelText('x'));
    const key = (insert: string) => act(() => editor.dispatch({ changes: { from: editor.state.doc.length, insert }, userEvent: 'input.type' }));
    key('a');
    expect(seen).toEqual([]);
    fireEvent.keyDown(document.body, { key: 's', ctrlKey: true });
    expect(seen).toEqual(['a']);
    key('b');
    fireEvent.pointerDown(document.body);
    expect(seen).toEqual(['a', 'ab']);
    key('c');
    shown.unmount();
    expect(seen).toEqual(['a', 'ab', 'abc']);
  });
  it('tells two letters of one frame as one change with both', () => {
    const seen: [string, string][] = [];
    renderWith(<CodeEditor value="x" onChange={(...all) => seen.push(all)} mode="cel" label="x" singleLine />);
    const editor = editorOf(screen.getByLabelText('x'));
    for (const insert of ['a', 'b']) act(() => editor.dispatch({ changes: { from: editor.state.doc.length, insert }, userEvent: 'input.type' }));
    act(runWaiting);
    expect(seen).toEqual([['xab', 'ab']]);
  });
  it('an expression never begins with an equals sign, however it is typed or pasted', () => {
    const seen: string[] = [];
    renderWith(<CodeEditor value="1 + item.n" onChange={(text) => seen.push(text)} mode="cel" label="x" singleLine />);
    act(() => replaceCode(screen.getByLabelText('x'), '='));
    act(() => replaceCode(screen.getByLabelText('x'), ' = 40 == 2'));
    expect(seen).toEqual(['', '40 == 2']);
  });
  it('a comparison keeps its sign when its left side is taken away', () => {
    const seen: string[] = [];
    renderWith(<CodeEditor value="item.n == 2" onChange={(text) => seen.push(text)} mode="cel" label="x" singleLine />);
    const editor = editorOf(screen.getByLabelText('x'));
    const cut = (to: number) => typed(editor, { changes: { from: 0, to }, selection: { anchor: 0 }, userEvent: 'delete.backward' });
    cut('item.n'.length);
    // Without the space the whole would be stored as a text.
    cut(1);
    expect(seen).toEqual([' == 2', ' == 2']);
    typed(editor, { changes: { from: editor.state.selection.main.head, insert: 'n' }, userEvent: 'input.type' });
    expect(seen.at(-1)).toBe('n == 2');
  });
  it('says what was put in, and that a deletion put in nothing', () => {
    const seen: [string, string][] = [];
    renderWith(<CodeEditor value="a=" onChange={(...all) => seen.push(all)} mode="template" label="x" singleLine />);
    const editor = editorOf(screen.getByLabelText('x'));
    typed(editor, { changes: { from: 0, to: 1 }, userEvent: 'delete.backward' });
    typed(editor, { changes: { from: 1, insert: 'b' }, userEvent: 'input.type' });
    expect(seen).toEqual([['=', ''], ['=b', 'b']]);
  });
  it('keeps one line one line', () => {
    const seen: string[] = [];
    renderWith(<CodeEditor value="" onChange={(text) => seen.push(text)} mode="cel" label="x" singleLine />);
    act(() => replaceCode(screen.getByLabelText('x'), 'a\n   + b'));
    expect(editorOf(screen.getByLabelText('x')).state.doc.toString()).toBe('a + b');
    expect(seen).toEqual(['a + b']);
  });
  it('takes a value from outside without reporting it as typed', () => {
    const onChange = vi.fn();
    const shown = renderWith(<CodeEditor value="a" onChange={onChange} mode="template" label="x" />);
    shown.rerender(<CodeEditor value="b" onChange={onChange} mode="template" label="x" />);
    expect(editorOf(screen.getByLabelText('x')).state.doc.toString()).toBe('b');
    expect(onChange).not.toHaveBeenCalled();
  });
});

describe('paths', () => {
  it('are written as an expression reads them', () => {
    expect(pathExpression('item', ['a', 0, 'b-c', "it's", 'd'])).toBe("item.a[0]['b-c']['it\\'s'].d");
  });
  it('marks letters that are not seen, in names and values, and obeys none', () => {
    const { container } = renderWith(<ValueView value={{ 'pay\u200bee': '\u202emoc.live@ada\u202c' }} label="Output" />);
    expect(container.textContent).toContain('payU+200Bee');
    expect(container.textContent).toContain('U+202Emoc.live@adaU+202C');
    expect(container.textContent).not.toMatch(/[\u200b\u202e\u202c]/);
  });

  it('a field is dragged as its expression', () => {
    renderWith(<ValueView value={{ user: { id: 'S-2041' } }} root="item" label="Input" />);
    const data = new Map<string, string>();
    const transfer = { setData: (type: string, text: string) => data.set(type, text), effectAllowed: '' };
    fireEvent.dragStart(screen.getByText('id'), { dataTransfer: transfer });
    expect(data.get(FIELD_MIME)).toBe('item.user.id');
  });
});

describe('values', () => {
  it('sizes as K-28 says', () => {
    expect(formatSize(52_340)).toBe('51.1KB');
    expect(formatSize(1023)).toBe('1023B');
    expect(formatSize(1024)).toBe('1.0KB');
    const once = { a: 'b' };
    const written = vi.spyOn(JSON, 'stringify');
    expect([sizeOf(once), sizeOf(once), written.mock.calls.length]).toEqual([9, 9, 1]);
    written.mockRestore();
    expect(sizeOf({ a: 'ä😀' })).toBe('{"a":"ä😀"}'.length);
    const cut = new Cut({ _truncated: true, type: 'string', preview: '', ref: 'r', length: 42_000 });
    expect([sizeOf(cut), sizeOf({ n: 1, big: cut }), sizeOf([cut, cut])]).toEqual([42_000, '{"n":1,"big":}'.length + 42_000, '[,]'.length + 84_000]);
  });
  it('lines are folded and cut', () => {
    expect(linesOf({ a: [1, { b: null }], c: {} }, new Set(), 100).lines.map((line) => line.kind)).toEqual(['open', 'open', 'value', 'open', 'value', 'close', 'close', 'empty', 'close']);
    expect(linesOf({ a: [1, 2] }, new Set(['["a"]']), 100).lines.map((line) => line.kind)).toEqual(['open', 'folded', 'close']);
    expect(linesOf(Array.from({ length: 1000 }, (_, i) => i), new Set(), 100)).toMatchObject({ hidden: true });
  });
  it('search finds names and values', () => {
    expect(searchIn({ a: { Name: 'Ada' }, b: ['nada'] }, 'ada').map((one) => one.path)).toEqual([['a', 'Name'], ['b', 0]]);
    expect(searchIn({ a: { Name: 'Ada' } }, 'name').map((one) => one.text)).toEqual(['Ada']);
  });
  it('schema and columns of what was seen', () => {
    expect(schemaOf([{ a: 1, b: { c: 'x' } }, { a: null }]).map((one) => [one.name, one.types.join('|'), one.seen])).toEqual([['a', 'number|null', 2], ['b', 'object', 1], ['c', 'string', 1]]);
    expect(columnsOf([{ a: 1 }, { b: 1 }, 3])).toEqual(['a', 'b']);
  });
});

describe('ts_101: a cut value', () => {
  const preview = `<script>window.hit = 1</script> it's "quoted" & <b>bold</b>...`;
  const cut = new Cut({ _truncated: true, type: 'string', length: 52_340, preview, ref: 'R/10/payload/items' });
  it('ts_101 its preview is text and stays text', () => {
    const { container } = renderWith(<ValueView value={{ body: cut }} label="Output" />);
    expect(container.querySelector('script')).toBeNull();
    expect(container.querySelector('.value b')).toBeNull();
    expect(screen.getByText(preview)).toBeTruthy();
    expect((window as unknown as { hit?: number }).hit).toBeUndefined();
    expect(screen.getByText('(51.1KB, truncated)')).toBeTruthy();
  });
  it('is loaded on demand, copied and saved whole', async () => {
    const user = userEvent.setup();
    const whole = `whole <img src=x onerror=alert(1)> ${'y'.repeat(50)}`;
    const { fake, container } = renderWith(<ValueView value={{ body: cut }} label="Output" />, { run_value: ({ ref }) => (ref === cut.ref ? whole : null) });
    await user.click(screen.getByRole('button', { name: 'Load full value' }));
    expect(await screen.findByText(whole)).toBeTruthy();
    expect(container.querySelector('img')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Copy' }));
    expect(await navigator.clipboard.readText()).toBe(whole);
    expect(fake.calls).toHaveLength(1);
  });
  it('of a value that would hold the window the first part is shown; what is copied is the whole', async () => {
    const user = userEvent.setup();
    const whole = 'y'.repeat(1_500_000);
    const { container } = renderWith(<ValueView value={{ body: cut }} label="Output" />, { run_value: () => whole });
    await user.click(screen.getByRole('button', { name: 'Load full value' }));
    expect(await screen.findByText('The first 195.3KB of 1,464.8KB. Copy it or save it as a file for the rest.')).toBeTruthy();
    expect(container.querySelector('.cut-whole')?.textContent).toHaveLength(200_000);
    await user.click(screen.getByRole('button', { name: 'Copy' }));
    expect((await navigator.clipboard.readText()).length).toBe(whole.length);
  });
  it('is another one when the value is another: nothing of the old stays', async () => {
    const shown = renderWith(<ValueView value={{ body: cut }} label="Output" />, { run_value: () => 'whole one' });
    await userEvent.click(screen.getByRole('button', { name: 'Load full value' }));
    expect(await screen.findByText('whole one')).toBeTruthy();
    shown.rerender(<ValueView value={{ body: new Cut({ ...cut, preview: 'second', ref: 'R/11/payload/items' }) }} label="Output" />);
    expect(screen.queryByText('whole one')).toBeNull();
    expect(screen.getByText('second')).toBeTruthy();
  });
  it('says why it cannot be loaded', async () => {
    renderWith(<ValueView value={cut} label="Output" />, { run_value: () => Promise.reject(new Error('the run was deleted')) });
    await userEvent.click(screen.getByRole('button', { name: 'Load full value' }));
    expect(await screen.findByText('Loading failed: the run was deleted')).toBeTruthy();
  });
  it('is told from data that only looks like it', () => {
    expect(isCut({ ...cut })).toBe(false);
    expect(isCut(cut)).toBe(true);
  });
});

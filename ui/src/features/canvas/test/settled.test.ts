import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createEditor, REST_MS } from '../editor.ts';
import { sample } from './fixtures.ts';

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

const typed = (id: string, text: string) => [{ type: 'setNode', id, path: ['config', 'text'], value: text } as const, { merge: `${id} text` }] as const;

it('what is typed is in the document at once, and around it when the person pauses', () => {
  const editor = createEditor(sample());
  const before = editor.getState().document;
  const [id = ''] = Object.keys(before.nodes);
  for (const text of ['a', 'ab', 'abc']) {
    editor.apply(...typed(id, text));
    vi.advanceTimersByTime(REST_MS - 1);
    expect(editor.getState().settled).toBe(before);
  }
  expect(editor.getState().document.nodes[id]?.config).toMatchObject({ text: 'abc' });
  expect(editor.getState().dirty).toBe(true);
  vi.advanceTimersByTime(1);
  expect(editor.getState().settled).toBe(editor.getState().document);
});

it('an undo, another change, another choice and another content do not wait', () => {
  const editor = createEditor(sample());
  const { document: first } = editor.getState();
  const [id = ''] = Object.keys(first.nodes);
  const settled = () => {
    const now = editor.getState();
    expect(now.settled).toBe(now.document);
    vi.advanceTimersByTime(REST_MS * 2);
    expect(editor.getState().settled).toBe(now.document);
  };
  editor.apply(...typed(id, 'a'));
  editor.undo();
  settled();
  editor.apply(...typed(id, 'b'));
  editor.apply({ type: 'setNode', id, path: ['title'], value: 'Another' }, { label: 'Rename' });
  settled();
  editor.apply(...typed(id, 'c'));
  editor.select([id]);
  settled();
  editor.apply(...typed(id, 'd'));
  editor.replaceDocument(first);
  settled();
});

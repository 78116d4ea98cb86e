import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { expect, it } from 'vitest';
import type { ExpressionName } from '../api/types.ts';
import { expressionCompletion } from './completion.ts';

const NAMES = [
  { label: 'item.customer', type: 'string' }, { label: 'nodes.first.output', type: 'object' }, { label: '_result.id', type: 'integer' }, { label: 'size', type: 'function' },
] as unknown as ExpressionName[];
const ask = async (text: string, explicit: boolean) => await expressionCompletion(async () => await Promise.resolve(NAMES), true)(new CompletionContext(EditorState.create({ doc: text }), text.length, explicit));

it('beside the braces a field is offered when asked for, with braces of its own', async () => {
  expect(await ask('Dear ', false)).toBeNull();
  const asked = await ask('Dear ', true);
  expect(asked?.from).toBe(5);
  expect(asked?.options.map(({ label, apply }) => [label, apply])).toEqual([['item.customer', '{{item.customer}}'], ['nodes.first.output', '{{nodes.first.output}}']]);
});

it('a word that begins a field is taken for it, any other text stays', async () => {
  expect((await ask('/customers/cust', true))?.from).toBe(11);
  expect((await ask('/customers', true))?.from).toBe(10);
  expect((await ask('{{item.cu', true))?.options[0]?.apply).toBeUndefined();
});

import { expect, it } from 'vitest';
import type { CallCard } from '../../run/run-state.ts';
import { patchLines } from './patch-lines.ts';

const card = (...data: unknown[]): CallCard => ({ input: data.map((one, item) => ({ item, data: one })) }) as unknown as CallCard;
const PATCH = [{ op: 'replace', path: '/num', value: 42 }, { op: 'remove', path: '/list/1' }, { op: 'add', path: '/a~1b', value: null }, { op: 'move', from: '/x', path: '/y' }];

it('shows what stood there, of the step and of the healer that got its error', () => {
  const lines = ['− /num: "42"', '+ /num: 42', '− /list/1: {"b":2}', '+ /a~1b: null', 'move /x → /y'];
  const input = { num: '42', list: [1, { b: 2 }], 'a/b': 1 };
  expect(patchLines(PATCH, card(input))).toEqual(lines);
  expect(patchLines(PATCH, card({ type: 'ValidationError', message: 'm', details: { input } }))).toEqual(lines);
});

it('says no more than it knows: of several items, of what is not there, and of no patch', () => {
  const lines = ['+ /num: 42', '− /list/1', '+ /a~1b: null', 'move /x → /y'];
  expect(patchLines(PATCH, card({ num: 1 }, { num: 2 }))).toEqual(lines);
  expect(patchLines(PATCH, card({}))).toEqual(lines);
  expect(patchLines([null], card('text'))).toEqual(['− : "text"', '+ : ']);
});

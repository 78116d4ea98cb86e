import { expect, it } from 'vitest';
import { sentences, told } from './error.ts';

it('texts follow each other as sentences', () => {
  expect(sentences('The file has version 99', 'Open it with a newer Signalbox')).toBe('The file has version 99. Open it with a newer Signalbox');
  expect(sentences('It broke.', undefined, '', 'Try again')).toBe('It broke. Try again');
  expect(told({ message: 'What is it?', hint: 'Say it.' })).toBe('What is it? Say it.');
  expect(told({ message: 'Only this' })).toBe('Only this');
});

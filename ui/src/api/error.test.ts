import { expect, it } from 'vitest';
import { ApiError, sentences, errorText } from './error.ts';

it('texts follow each other as sentences', () => {
  expect(sentences('The file has version 99', 'Open it with a newer Signalbox')).toBe('The file has version 99. Open it with a newer Signalbox');
  expect(sentences('It broke.', undefined, '', 'Try again')).toBe('It broke. Try again');
  expect(errorText({ message: 'What is it?', hint: 'Say it.' })).toBe('What is it? Say it.');
  expect(errorText({ message: 'Only this' })).toBe('Only this');
});

it('what is not there is said without the words of a terminal', () => {
  const missing = new ApiError({ code: 'NOT_FOUND', message: 'not found', hint: 'There is no task t1. `signalbox tasks list` shows all.' });
  expect([missing.message, missing.hint]).toEqual(['There is no task t1.', '']);
  const said = (hint: string) => new ApiError({ code: 'NOT_FOUND', message: 'not found', hint }).message;
  expect(said('There is no run r1. `signalbox runs list`, or POST /rpc/run_list, shows all.')).toBe('There is no run r1.');
  expect(said("The tool server 'a' has no tool 'b'; `signalbox tools available` shows all.")).toBe("The tool server 'a' has no tool 'b'.");
  expect(errorText(new ApiError({ code: 'NOT_FOUND', message: 'not found', hint: '' }))).toBe('not found');
});

import { expect, it } from 'vitest';
import { kind } from '../../../test/fixtures.ts';
import { summaryOf } from '../model/summary.ts';

it('a time is shown as a time, whatever unit the file has', () => {
  const wait = kind('flow.wait', { summary: '{ms}{until}', config: { type: 'object', properties: { ms: { type: 'integer', 'x-ui': { widget: 'duration' } }, until: { type: 'string' } } } });
  const of = (config: object) => summaryOf(wait, { type: 'flow.wait', config } as never).text;
  expect([of({ ms: 8000 }), of({ ms: 90_000 }), of({ ms: 250 }), of({ ms: 7_200_000 }), of({ ms: '=item.pause' })]).toEqual(['8 s', '1 min 30 s', '250 ms', '2 h', 'item.pause']);
});

it('a list is counted by its name; where nothing has to be filled in, nothing is said to be missing', () => {
  const handler = kind('builtin.error_handler', { summary: '{rules}', config: { type: 'object', properties: { rules: { type: 'array' } } } });
  const of = (rules: object[]) => summaryOf(handler, { type: handler.type, config: { rules } } as never).text;
  expect([of([{}]), of([{}, {}])]).toEqual(['1 rule', '2 rules']);
  expect(summaryOf(handler, { type: handler.type } as never)).toEqual({ text: handler.description, mono: false });
  const set = kind('data.set', { summary: '{assign}', config: { type: 'object', required: ['assign'], properties: { assign: { type: 'object' } } } });
  expect(summaryOf(set, { type: 'data.set' } as never).text).toBe('not set up yet');
});

import { expect, it } from 'vitest';
import { kind } from '../../../test/fixtures.ts';
import { summaryOf } from '../model/summary.ts';

it('a time is shown as a time, whatever unit the file has', () => {
  const wait = kind('flow.wait', { summary: '{ms}{until}', config: { type: 'object', properties: { ms: { type: 'integer', 'x-ui': { widget: 'duration' } }, until: { type: 'string' } } } });
  const of = (config: object) => summaryOf(wait, { type: 'flow.wait', config } as never).text;
  expect([of({ ms: 8000 }), of({ ms: 90_000 }), of({ ms: 250 }), of({ ms: 7_200_000 }), of({ ms: '=item.pause' })]).toEqual(['8 s', '1 min 30 s', '250 ms', '2 h', 'item.pause']);
});

import { expect, it } from 'vitest';
import { asSchema, type JsonSchema } from '../../../json/json-schema.ts';
import { withChoiceWords } from '../../../i18n/index.ts';
import { choicesOf } from '../../../schema-form/model.ts';
import { kind } from '../../../test/fixtures.ts';
import { summaryOf } from '../model/summary.ts';

it('a time is shown as a time, whatever unit the file has', () => {
  const wait = kind('flow.wait', { summary: '{ms}{until}', config: { type: 'object', properties: { ms: { type: 'integer', 'x-ui': { widget: 'duration' } }, until: { type: 'string' } } } });
  const of = (config: object) => summaryOf(wait, { type: 'flow.wait', config } as never).text;
  expect([of({ ms: 8000 }), of({ ms: 90_000 }), of({ ms: 250 }), of({ ms: 7_200_000 }), of({ ms: '=item.pause' })]).toEqual(['8 s', '1 min 30 s', '250 ms', '2 h', 'item.pause']);
});

it('what stands between two settings is left out beside an empty one', () => {
  const store = kind('object.list', { summary: '{bucket|address} {prefix}', config: { type: 'object', required: ['address'], properties: { address: { type: 'string' }, bucket: { type: 'string' }, prefix: { type: 'string' } } } });
  const listed = (config: object) => summaryOf(store, { type: 'object.list', config } as never).text;
  expect([listed({ address: 'sftp://h/in' }), listed({ address: 'https://s3', bucket: 'b', prefix: 'p/' }), listed({ address: 'sftp://h', bucket: '' })]).toEqual(['sftp://h/in', 'b p/', 'sftp://h']);
  const mail = kind('mail.send', { summary: '{to}: {subject}', config: { type: 'object', required: ['to'], properties: { to: { type: 'string' }, subject: { type: 'string' } } } });
  const line = (config: object) => summaryOf(mail, { type: 'mail.send', config } as never).text;
  expect([line({}), line({ to: 'ada' }), line({ subject: 'Hi' }), line({ to: 'ada', subject: 'Hi' })]).toEqual(['not set up', 'ada', 'Hi', 'ada: Hi']);
});

it('a list is counted by its name; where nothing has to be filled in, nothing is said to be missing', () => {
  const handler = kind('builtin.error_handler', { summary: '{rules}', config: { type: 'object', properties: { rules: { type: 'array' } } } });
  const of = (rules: object[]) => summaryOf(handler, { type: handler.type, config: { rules } } as never).text;
  expect([of([{}]), of([{}, {}])]).toEqual(['1 rule', '2 rules']);
  expect(summaryOf(handler, { type: handler.type } as never)).toEqual({ text: handler.description, mono: false });
  const set = kind('data.set', { summary: '{assign}', config: { type: 'object', required: ['assign'], properties: { assign: { type: 'object' } } } });
  expect(summaryOf(set, { type: 'data.set' } as never).text).toBe('not set up');
});

it('a choice is said in words, on the card and in the form, and stays what it is in the file', () => {
  const strategy = { type: 'string', enum: ['deterministic', 'both', 'llm'], default: 'deterministic', description: 'both: rules, and a model.', 'x-ui': { widget: 'select', order: 1 } };
  const healer = kind('builtin.self_healing', { summary: '{strategy}', config: { type: 'object', properties: { strategy, prompt: { type: 'string' } } } });
  const of = (config: object) => summaryOf(healer, { type: healer.type, config } as never).text;
  const words = ['Rules only', 'Rules first, then a model', 'Model only'];
  expect([of({}), of({ strategy: 'both' }), of({ strategy: 'llm' }), of({ strategy: 'other' })]).toEqual([...words, 'other']);
  const form = withChoiceWords(healer.type, asSchema(healer.config));
  expect(choicesOf(form.properties?.['strategy'] as JsonSchema)).toEqual(strategy.enum.map((value, index) => ({ value, label: words[index] })));
  expect(form.properties?.['prompt']).toEqual({ type: 'string' });
  expect(withChoiceWords('data.set', strategy)).toBe(strategy);
});

it('a step that is called after its tool says which (T-10)', () => {
  const call = kind('mcp.tool', { summary: '{server} {tool}' });
  const of = (id: string, config: object) => summaryOf(call, { type: 'mcp.tool', config } as never, id).text;
  expect([of('Tool_010_read', { server: 'files' }), of('Tool_010_read', { server: 'files', tool: 'size' }), of('step', { server: 'files' })]).toEqual(['files read', 'files size', 'files']);
});

it('a loop says what it goes over or how long it goes round, not which kind it is', () => {
  const loop = kind('flow.loop', { summary: '{mode}' });
  const of = (config?: object) => summaryOf(loop, { type: 'flow.loop', config } as never);
  expect(of({ source: '=item.orders' })).toEqual({ text: 'item.orders', mono: true });
  expect(of({ while: 'context.next != null', source: '' })).toEqual({ text: 'while context.next != null', mono: true });
  expect(of()).toEqual({ text: 'each item', mono: false });
  expect([of({ source: '=item.orders', mode: 'parallel' }).text, of({ mode: 'parallel', maxConcurrency: 3 }).text]).toEqual(['item.orders, 8 at once', 'each item, 3 at once']);
});

it('what is too long says that it is cut, between two entries', () => {
  const numbers = Array.from({ length: 100 }, (_, n) => n + 1).join(', ');
  const set = kind('data.filter', { summary: '{condition}' });
  const of = (condition: string) => summaryOf(set, { type: 'data.filter', config: { condition } } as never).text;
  expect(of(`=[${numbers}]`)).toMatch(/^\[1, 2, .* \d+, ?…$/);
  expect(of(`=[${numbers.replaceAll(' ', '')}]`)).toMatch(/^\[1,2,.*,\d+,…$/);
  for (const text of [of(`=[${numbers}]`), of(`=[${numbers.replaceAll(' ', '')}]`)]) {
    const shown = text.slice(1, -1).split(',').map(Number).slice(0, -1);
    expect(shown).toEqual(shown.map((_, n) => n + 1));
  }
  expect(of('a'.repeat(200))).toBe(`${'a'.repeat(119)}…`);
  expect(of('a'.repeat(120))).toBe('a'.repeat(120));
});

it('a schedule is said in words', () => {
  const schedule = kind('trigger.schedule', { summary: '{cron}{every}', config: { type: 'object', properties: { cron: { type: 'string' }, every: { type: 'integer' } } } });
  const of = (config: object) => summaryOf(schedule, { type: schedule.type, config } as never);
  expect(of({ cron: '0 8 * * 1-5' })).toEqual({ text: 'Every weekday at 08:00', mono: false });
  expect(of({ every: 900_000 }).text).toBe('Every 15 minutes');
});

import { expect, it } from 'vitest';
import type { Workflow } from '../../../api/types.ts';
import { presetOfOperation } from '../../../code/connector-step.ts';
import { applyEdits } from '../document.ts';
import { insertNode } from '../insert.ts';
import { kind } from './fixtures.ts';

const keeps = kind('http.request', { config: { type: 'object', properties: { keepInput: { type: 'boolean', 'x-ui': { initial: true } }, resultField: { type: 'string' } } } });
const catalog = new Map([[keeps.type, keeps]]);

const added = (nodes: Workflow['nodes'], preset?: { config: Record<string, unknown> }) => {
  const document = { schemaVersion: 1, id: 'w', name: 'W', nodes, edges: [], layout: {} } as unknown as Workflow;
  const edit = insertNode(document, catalog, keeps, { preset }).edits.find((one) => one.type === 'addNode');
  return edit?.type === 'addNode' ? edit.node.config : undefined;
};

it('a new call keeps its input, and puts its result where no other call does', () => {
  expect(added({})).toEqual({ keepInput: true });
  const first = { type: 'http.request', config: { keepInput: true } };
  expect(added({ first })).toEqual({ keepInput: true, resultField: 'result_2' });
  expect(added({ first, second: { type: 'http.request', config: { keepInput: true, resultField: 'result_2' } } })).toEqual({ keepInput: true, resultField: 'result_3' });
  // A step of before replaces the item: its result takes no name.
  expect(added({ first: { type: 'http.request', config: { url: 'https://example.org' } } })).toEqual({ keepInput: true });
});

it('what the step has already goes before', () => {
  expect(added({}, { config: { keepInput: false, url: 'https://example.org' } })).toEqual({ keepInput: false, url: 'https://example.org' });
});

it('a schedule means the clock of the person who adds it', () => {
  const schedule = kind('trigger.schedule', { config: { type: 'object', properties: { cron: { type: 'string', 'x-ui': { initial: '0 8 * * *' } }, timezone: { type: 'string', 'x-ui': { widget: 'timezone', initial: 'local' } } } } });
  const document = { schemaVersion: 1, id: 'w', name: 'W', nodes: {}, edges: [], layout: {} } as unknown as Workflow;
  const edit = insertNode(document, new Map([[schedule.type, schedule]]), schedule, {}).edits[0];
  expect(edit?.type === 'addNode' ? edit.node.config : undefined).toEqual({ cron: '0 8 * * *', timezone: Intl.DateTimeFormat().resolvedOptions().timeZone });
});

it('a step of the demo service brings the input with its address, once', () => {
  const preset = presetOfOperation({ connector: 'demo', name: 'list_users', title: 'List users', text: '', service: 'Demo service', words: '' });
  expect(preset.config).toEqual({ connector: 'demo', operation: 'list_users', variables: { address: '{{params.practice}}' } });
  const document = { schemaVersion: 1, id: 'w', name: 'W', nodes: {}, edges: [], layout: {}, params: { type: 'object', properties: { day: { type: 'string' } } } } as unknown as Workflow;
  const { document: made } = applyEdits(document, insertNode(document, catalog, keeps, { preset }).edits);
  expect(made.params).toEqual({ type: 'object', properties: { day: { type: 'string' }, practice: { type: 'string', 'x-practice': true } } });
  expect(insertNode(made, catalog, keeps, { preset }).edits.some((one) => one.type === 'set')).toBe(false);
});

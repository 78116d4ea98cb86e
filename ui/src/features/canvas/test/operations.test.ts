import { expect, it } from 'vitest';
import type { OperationEntry } from '../../../code/connector-step.ts';
import { operationRows } from '../view/search-box.tsx';
import { CATALOG } from './fixtures.ts';

const kind = [...CATALOG.values()][0];
const entry = (n: number): OperationEntry => ({ connector: 'big', name: `repos/list-thing-${n}`, title: `List thing ${n} of a repository`, text: 'Big service, Repos', service: 'Big service', words: `list thing ${n} of a repository repos/list-thing-${n} big service, repos` });
const slack: OperationEntry = { connector: 'slack', name: 'post_message', title: 'Send a message', text: 'Slack, Messages', service: 'Slack', words: 'send a message post_message slack, messages chat message channel 聊天' };

it('finds an operation by its title, its service, its name and its words', () => {
  if (!kind) throw new Error('no kinds');
  const all = [...Array.from({ length: 2000 }, (_, n) => entry(n)), slack];
  for (const query of ['send a mess', 'slack message', 'post_message', '聊天']) expect(operationRows(query, all, kind)[0]?.row.title).toBe('Send a message');
  expect(operationRows('list thing', all, kind)).toHaveLength(40);
  expect(operationRows('', all, kind)).toEqual([]);
  expect(operationRows('zzzz', all, kind)).toEqual([]);
});

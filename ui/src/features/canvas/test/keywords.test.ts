// @vitest-environment node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NodeDescriptor } from '../../../api/types.ts';
import { findKinds } from '../model/search.ts';

const KINDS = JSON.parse(readFileSync(join(import.meta.dirname, '../../../test/catalog.gen.json'), 'utf8')) as NodeDescriptor[];
const found = (query: string): string[] => findKinds(query, KINDS, [], []).map(({ kind }) => kind.type);

describe('steps are found by the job they are for', () => {
  it.each([
    ['every day', 'trigger.schedule'], ['daily', 'trigger.schedule'], ['every morning', 'trigger.schedule'], ['每天', 'trigger.schedule'], ['每天早上发报告', 'trigger.schedule'],
    ['loop', 'flow.loop'], ['for each', 'flow.loop'], ['循环', 'flow.loop'],
    ['approve', 'builtin.human_approval'], ['审批', 'builtin.human_approval'],
    ['filter', 'data.filter'], ['筛选', 'data.filter'], ['sort', 'data.sort'], ['排序', 'data.sort'], ['translate', 'llm.chat'], ['new file', 'trigger.file_watch'],
    ['combine', 'data.aggregate'], ['write', 'file.write'], ['join', 'data.merge'], ['内连接', 'data.merge'], ['unique', 'data.dedupe'], ['去重', 'data.dedupe'],
    ['parquet', 'table.read'], ['arrow file', 'table.read'], ['feather', 'table.read'], ['excel', 'sheet.read'], ['excel file', 'sheet.read'], ['excel表', 'sheet.read'], ['summarize', 'data.summarise'], ['send email', 'mail.send'], ['发邮件', 'mail.send'], ['notify', 'mail.send'],
    ['split text', 'data.text'], ['write csv', 'file.write'], ['保存 csv', 'file.write'], ['大写', 'data.text'], ['rename column', 'data.rename'], ['delete column', 'data.pick'], ['选列', 'data.pick'], ['change date', 'data.date'], ['今天', 'data.date'],
    ['百分比', 'data.number'], ['前10条', 'data.limit'], ['manual approval', 'builtin.human_approval'], ['flatten', 'data.split'],
    // No kind answers all of these words.
    ['weekly report', 'trigger.schedule'],
  ])('%s: %s first', (query, first) => expect(found(query)[0]).toBe(first));

  it.each([
    ['excel', ['data.parse', 'data.format', 'file.read', 'file.write']], ['spreadsheet', ['data.parse', 'data.format']], ['csv', ['data.parse', 'data.format']], ['表格', ['data.parse', 'data.format']],
    ['email', ['trigger.mail', 'mail.read', 'mail.send']], ['邮件', ['trigger.mail', 'mail.read', 'mail.send']], ['flatten', ['data.transform']], ['展开', ['data.transform']],
    ['dedupe', ['code.javascript']], ['join', ['code.javascript']], ['group by', ['data.group', 'data.summarise']], ['汇总', ['data.summarise']],
  ])('%s: among the first', (query, kinds) => expect(found(query).slice(0, 8)).toEqual(expect.arrayContaining(kinds)));

  it('finds nothing for words that mean nothing', () => {
    expect(found('qqxx zzyy')).toEqual([]);
  });

  it('puts a name before a job, and a job before letters that happen to be there', () => {
    expect(found('filter').indexOf('data.filter')).toBe(0);
  });

  it('names every kind in both languages', () => {
    for (const kind of KINDS) {
      expect(kind.keywords.some((word) => /^[\x20-\x7e]+$/.test(word)), kind.type).toBe(true);
      expect(kind.keywords.some((word) => /\p{Script=Han}/u.test(word)), kind.type).toBe(true);
      expect(new Set(kind.keywords).size, kind.type).toBe(kind.keywords.length);
    }
  });
});

/** Sentences that the engine writes into audit entries, in Chinese: each has its translation, and what is no sentence of the engine stays. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyLanguage, engineText } from './index.ts';
import { en } from './t.ts';
import { summaries } from './zh.audit-summaries.ts';

beforeAll(() => applyLanguage('zh'));
afterAll(() => applyLanguage('en'));

/** Events of entries as the window knows them; one is made by the window itself. */
const EVENTS = Object.keys(en).flatMap((key) => (key.startsWith('audit.event.') && key !== 'audit.event.UNREADABLE' ? [key.slice('audit.event.'.length)] : []));

it('u_24 each event of the audit chain has its sentences', () => {
  expect(EVENTS.filter((event) => !Object.hasOwn(summaries, event))).toEqual([]);
});

it('u_24 each sentence that the engine can write is known', () => {
  const source = readFileSync(join(import.meta.dirname, '../../../src-tauri/crates/app/src/audit/describe.rs'), 'utf8');
  const [, body = ''] = source.split('pub(crate) fn of_entry');
  // Sentences begin with a name or a capital letter, and have a space.
  const literals = [...body.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((found) => (found[1] ?? '').replaceAll('\\"', '"')).filter((text) => /^(\{\w*\}|[A-Z])/.test(text) && / \w/.test(text));
  expect(literals.length).toBeGreaterThan(100);
  const all = Object.keys(summaries);
  // What ends a sentence may be its last place, or a detail behind it.
  const filled = (text: string) => [text, text.replace(/(\{\})+$/, '')].map((one) => one.replace(/\{\w*\}/g, 'x1'));
  const isKnown = (text: string) => filled(text).some((one) => all.some((event) => engineText(event, one) !== one));
  // The words that fill these are sentences of their own below.
  const composed = ['The step', '{} {} a connector{}', 'The chain is signed with a new key: {id}, in {}', 'The signing key {id} moved from {} to {}', 'The clock {way} by {}'];
  expect(literals.filter((text) => !isKnown(text))).toEqual(composed);
  for (const [event, text] of [
    ['CONNECTOR_CHANGED', 'ada replaced a connector: shop'], ['AUDIT_KEY_CHANGED', 'The chain is signed with a new key: k1, in the system key store'],
    ['AUDIT_KEY_CHANGED', 'The signing key k1 moved from a file in the data folder to the system key store'], ['CLOCK_JUMPED', 'The clock was set back by 3.0 s'],
  ] as const) expect(engineText(event, text), text).not.toBe(text);
});

it('u_24 a sentence is translated with its names, and without the actor where that stands next to it', () => {
  expect(engineText('WORKFLOW_DELETED', 'ada deleted the workflow: Orders')).toBe('ada 删除了工作流：Orders');
  expect(engineText('WORKFLOW_DELETED', 'ada deleted the workflow: {who} $1', ['user:ada', 'ada'])).toBe('删除了工作流：{who} $1');
  expect(engineText('NODE_ERROR', 'Fetch failed with ToolError: no answer: late')).toBe('Fetch 失败（ToolError）：no answer: late');
  expect(engineText('NODE_START', 'The step started')).toBe('步骤已开始');
  expect(engineText('ERROR_HANDLER_INVOKED', 'Rule "Busy" decided: ask a person')).toBe('Rule "Busy" 决定：请人员处理');
  expect(engineText('WORKFLOW_COMPLETED', 'The run ended: completed')).toBe('运行已结束：已完成');
});

it('u_24 what an author wrote stays as it is', () => {
  expect(engineText('ORDER_CHECKED', 'The run started')).toBe('The run started');
  expect(engineText('RUN_DELETED', 'something else')).toBe('something else');
});

/** Every word has its translation, with the same places to fill. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { applyLanguage, t, tn, useLanguage } from './index.ts';
import { systemLanguage } from './language.ts';
import { en } from './t.ts';
import { kinds, zh } from './zh.ts';
import { localKinds, withWords } from './kind-words.ts';
import { groupTitle } from '../schema-form/group-title.ts';
import type { NodeDescriptor } from '../api/types.ts';

afterEach(() => applyLanguage('en'));

const english: { [key: string]: string } = en;
const chinese: { [key: string]: string | undefined } = zh;
const places = (text: string): string[] => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? ''))].toSorted();
/** Chinese has one form for all numbers: `key.other`. */
const isTwin = (key: string): boolean => key.endsWith('.one') && key.replace(/one$/, 'other') in english;

it('u_24 each English key has a Chinese text', () => {
  const missing = Object.keys(english).filter((key) => !isTwin(key) && chinese[key] === undefined);
  expect(missing, `Add these keys to ui/src/i18n/zh.*.ts: ${missing.join(', ')}`).toEqual([]);
});

it('u_24 no Chinese key is left over, and none is empty', () => {
  const wrong = Object.keys(chinese).filter((key) => !(key in english) || isTwin(key) || (english[key] !== '' && !chinese[key]));
  expect(wrong, `Remove or fill in ui/src/i18n/zh.*.ts: ${wrong.join(', ')}`).toEqual([]);
});

it('u_24 the places to fill are those of the English text', () => {
  const wrong = Object.entries(chinese).filter(([key, text]) => places(text ?? '').join() !== places(english[key] ?? '').join()).map(([key]) => key);
  expect(wrong, `The {names} differ from the English text: ${wrong.join(', ')}`).toEqual([]);
});

it('u_24 the words change at once, and the page says its language', async () => {
  await applyLanguage('zh');
  expect(t('nav.workflows')).toBe('工作流');
  expect(tn('runs.shown', 1)).toBe('1 个运行');
  expect(document.documentElement.lang).toBe('zh-CN');
  expect(useLanguage.getState().language).toBe('zh');
  await applyLanguage('en');
  expect(tn('runs.shown', 1)).toBe('1 run');
  expect(document.documentElement.lang).toBe('en');
});

it('u_24 the last choice wins while words are being loaded', async () => {
  const first = applyLanguage('zh');
  await applyLanguage('en');
  await first;
  expect(t('nav.workflows')).toBe('Workflows');
});

it('u_24 the first language of the system that is here is taken, English otherwise', () => {
  expect(systemLanguage(['zh-CN', 'en'])).toBe('zh');
  expect(systemLanguage(['zh-Hans-SG'])).toBe('zh');
  expect(systemLanguage(['de', 'zh-CN', 'en'])).toBe('zh');
  expect(systemLanguage(['en-GB', 'zh-CN'])).toBe('en');
  expect(systemLanguage(['zh-TW'])).toBe('en');
  expect(systemLanguage(['fr'])).toBe('en');
  expect(systemLanguage([])).toBe('en');
});

const catalog = JSON.parse(readFileSync(join(import.meta.dirname, '../test/catalog.gen.json'), 'utf8')) as NodeDescriptor[];
const SHOWN = new Set(['title', 'description']);
/** Where a schema has words for people. Names of fields are no words, and `enum`, `default` and the like are data. */
function shown(value: unknown, at: string, isNames = false): string[] {
  if (Array.isArray(value)) return value.flatMap((one, index) => shown(one, `${at}/${String(index)}`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    if (!isNames && SHOWN.has(key) && typeof one === 'string') return [`${at}/${key}`];
    if (!isNames && ['enum', 'const', 'default', 'examples', 'required'].includes(key)) return [];
    if (key === 'labels' && typeof one === 'object' && one !== null) return Object.keys(one).map((name) => `${at}/labels/${name}`);
    return shown(one, `${at}/${key}`, !isNames && (key === 'properties' || key === '$defs'));
  });
}
function groupsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => (key === 'group' && typeof one === 'string' ? [one] : groupsIn(one)));
}

it('u_24 each heading of a group of settings has a Chinese text', async () => {
  const groups = [...new Set(groupsIn(catalog.map((kind) => kind.config)))];
  expect(groups).toContain('Result');
  await applyLanguage('zh');
  expect(groups.filter((group) => groupTitle(group) === group)).toEqual([]);
});

const pointers = (kind: NodeDescriptor): string[] => ['/title', '/description', ...kind.ports.filter((port) => port.title !== undefined).map((port) => `/ports/${port.id}/title`), ...shown(kind.config, '/config')];

it('u_24 each title and description of the catalog has a Chinese text', () => {
  const missing = catalog.flatMap((kind) => pointers(kind).filter((at) => !kinds[kind.type]?.[at]).map((at) => `${kind.type}#${at}`));
  expect(missing, `Add these to ui/src/i18n/zh.kinds-*.ts: ${missing.join(', ')}`).toEqual([]);
  const left = Object.entries(kinds).flatMap(([type, words]) => {
    const kind = catalog.find((one) => one.type === type);
    const known = new Set(kind ? pointers(kind) : []);
    return Object.keys(words).filter((at) => !known.has(at)).map((at) => `${type}#${at}`);
  });
  expect(left, `Remove these from ui/src/i18n/zh.kinds-*.ts: ${left.join(', ')}`).toEqual([]);
});

it('u_24 a kind keeps everything but its words', async () => {
  const request = catalog.find((kind) => kind.type === 'http.request');
  if (!request) throw new Error('http.request is in the catalog');
  expect(localKinds([request])).toEqual([request]);
  await applyLanguage('zh');
  const [local] = localKinds([request]);
  expect(local).toMatchObject({ type: 'http.request', title: 'HTTP 请求', effects: request.effects, errors: request.errors });
  expect(local?.aliases).toContain('HTTP request');
  expect(local?.config).toMatchObject({ properties: { method: { title: '方法', enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] } } });
  expect(withWords(request, undefined)).toBe(request);
});

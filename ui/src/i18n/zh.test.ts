/** Every word has its translation, with the same places to fill. */
import { afterEach, expect, it } from 'vitest';
import { applyLanguage, t, tn, useLanguage } from './index.ts';
import { systemLanguage } from './language.ts';
import { en } from './t.ts';
import { zh } from './zh.ts';

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

import { beforeEach, expect, it, vi } from 'vitest';
import { setTransport } from '../client.ts';
import { ApiError } from '../error.ts';
import { loadSettings, setClosing, setKeys, setLanguage, setQuery, setTheme, useSettings, whenSettingsFail } from '../settings.ts';
import { fakeTransport } from '../transport/fake.ts';
import type { AppSettings } from '../types.ts';

let kept: AppSettings;
let broken = false;
const told = vi.fn();
beforeEach(async () => {
  vi.useFakeTimers();
  kept = { theme: 'system', layout: { log: 300 }, keymap: {}, queries: { Errors: 'level:ERROR' } };
  broken = false;
  told.mockClear();
  whenSettingsFail(told);
  setTransport(fakeTransport({
    settings_get: () => kept,
    settings_set: ({ settings }) => {
      if (broken) throw new Error('full');
      kept = settings;
      return {};
    },
  }));
  await loadSettings();
  return () => vi.useRealTimers();
});
const settled = () => vi.advanceTimersByTimeAsync(400);

it('what another window set meanwhile stays', async () => {
  kept = { ...kept, theme: 'dark', layout: { log: 120 } };
  setKeys('run.start', ['F6']);
  setQuery('Mine', 'actor:ada');
  setQuery('Errors', null);
  await settled();
  expect(kept).toEqual({ theme: 'dark', layout: { log: 120 }, keymap: { 'run.start': ['F6'] }, queries: { Mine: 'actor:ada' } });
  setKeys('run.start', null);
  await settled();
  expect(kept.keymap).toEqual({});
});

it('what could not be kept is shown, told, and kept with the next change', async () => {
  broken = true;
  setTheme('dark');
  await settled();
  expect(useSettings.getState().settings.theme).toBe('dark');
  expect(told).toHaveBeenCalledOnce();
  broken = false;
  setKeys('run.start', []);
  await settled();
  expect(kept).toMatchObject({ theme: 'dark', keymap: { 'run.start': [] } });
});

it('u_24 a language is kept, changes at once, and follows the system when nothing is chosen', async () => {
  await setLanguage('zh');
  expect(document.documentElement.lang).toBe('zh-CN');
  await settled();
  expect(kept.language).toBe('zh');
  await setLanguage(null);
  expect(document.documentElement.lang).toBe('en');
  await settled();
  expect(kept).not.toHaveProperty('language');
});

it('u_24 the kept language is there before anything is shown', async () => {
  kept = { ...kept, language: 'zh' };
  await loadSettings();
  expect(document.documentElement.lang).toBe('zh-CN');
  kept = { theme: 'system', layout: {}, keymap: {} };
  await loadSettings();
  expect(document.documentElement.lang).toBe('en');
});

it('a token whose settings are nobody\'s sets them for this page, and asks for no more', async () => {
  const transport = fakeTransport({
    settings_get: () => { throw new ApiError({ code: 'WORKSPACE_ONLY', message: 'Not for this token.', hint: '' }); },
  });
  setTransport(transport);
  await loadSettings();
  expect(useSettings.getState().settings).toEqual({ theme: 'system', layout: {}, keymap: {} });
  setTheme('dark');
  await setClosing('quit');
  await settled();
  expect(useSettings.getState().settings.theme).toBe('dark');
  expect(transport.calls.map((one) => one.command)).toEqual(['settings_get']);
  expect(told).not.toHaveBeenCalled();
});

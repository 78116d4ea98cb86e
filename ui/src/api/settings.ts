/** What the person set for their own eyes: theme, sizes of panes, keys, saved queries. Kept by the host, applied here. */
import { useCallback } from 'react';
import { create } from 'zustand';
import { setKeymap } from '../kit/action.ts';
import { applyLanguage, type Language } from '../i18n/index.ts';
import { call } from './client.ts';
import { toApiError } from './error.ts';
import type { AppSettings, Closing, ThemeChoice } from './types.ts';

const DEFAULT: AppSettings = { theme: 'system', layout: {}, keymap: {} };
export const useSettings = create<{ settings: AppSettings }>(() => ({ settings: DEFAULT }));

/** One thing that the person set, as a step from any settings to the next. */
type Change = (settings: AppSettings) => AppSettings;

const SETTLE_MS = 300;
let timer: ReturnType<typeof setTimeout> | undefined;
let unsaved: Change[] = [];
let keeping: Promise<void> = Promise.resolve();
/** A token that is limited to workspaces acts for a person whose settings are not for it: what is set then holds for this page alone. */
let kept = true;
let onSaveError: (cause: unknown) => void = () => undefined;

export function whenSettingsFail(handler: (cause: unknown) => void): void {
  onSaveError = handler;
}

const read = async (): Promise<AppSettings> => ({ ...DEFAULT, ...await call('settings_get', {}) });

async function readOrNone(): Promise<AppSettings> {
  try {
    const settings = await read();
    kept = true;
    return settings;
  } catch (cause) {
    if (toApiError(cause).code !== 'WORKSPACE_ONLY') throw cause;
    kept = false;
    return DEFAULT;
  }
}

function show(settings: AppSettings): void {
  const { keymap } = useSettings.getState().settings;
  useSettings.setState({ settings });
  applyTheme(settings.theme);
  // Everybody who shows keys is drawn again: not for each pixel of a pane.
  if (settings.keymap !== keymap) setKeymap(settings.keymap);
}

export async function loadSettings(): Promise<void> {
  const settings = await readOrNone();
  // Nothing is drawn in a language that goes away again.
  await applyLanguage(settings.language).catch(() => undefined);
  show(settings);
}

function change(step: Change): void {
  show(step(useSettings.getState().settings));
  if (!kept) return;
  unsaved.push(step);
  clearTimeout(timer);
  timer = setTimeout(() => { keeping = keeping.then(keep); }, SETTLE_MS);
}

/** Another window may have set something since: what is there changes only where the person changed it here. */
async function keep(): Promise<void> {
  if (!kept) return;
  const steps = unsaved;
  unsaved = [];
  try {
    const there = await read();
    await call('settings_set', { settings: steps.reduce((settings, step) => step(settings), there) });
  } catch (cause) {
    // They go along with the next change.
    unsaved = [...steps, ...unsaved];
    onSaveError(cause);
  }
}

function without<T>(map: { [key: string]: T }, key: string): { [key: string]: T } {
  const { [key]: _, ...rest } = map;
  return rest;
}

export function setTheme(theme: ThemeChoice): void {
  change((settings) => ({ ...settings, theme }));
}
/** `null`: that of the system. The window changes at once. */
export async function setLanguage(language: Language | null): Promise<void> {
  await applyLanguage(language ?? undefined);
  change((settings) => {
    const next = { ...settings };
    if (language) next.language = language;
    else delete next.language;
    return next;
  });
}
/** `null` brings the default back. */
export function setKeys(actionId: string, keys: string[] | null): void {
  change((settings) => ({ ...settings, keymap: keys ? { ...settings.keymap, [actionId]: keys } : without(settings.keymap, actionId) }));
}
/** Keeps a query under a name; `null` forgets it. */
export function setQuery(name: string, query: string | null): void {
  change((settings) => ({ ...settings, queries: query === null ? without(settings.queries ?? {}, name) : { ...settings.queries, [name]: query } }));
}
/** What closing the window does; `null`: the person is asked. Kept when the promise ends: the program may end then, too. */
export function setClosing(closing: Closing | null): Promise<void> {
  change((settings) => {
    const next = { ...settings };
    if (closing) next.closing = closing;
    else delete next.closing;
    return next;
  });
  clearTimeout(timer);
  keeping = keeping.then(keep);
  return keeping;
}
export function resetKeys(): void {
  change((settings) => ({ ...settings, keymap: {} }));
}

/** Without `data-theme` the system decides. */
function applyTheme(theme: ThemeChoice): void {
  const root = document.documentElement;
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
}

/** What is remembered of a pane, and the way to set it. */
function usePane<T extends number | boolean>(pane: string, fallback: T): [T, (value: T) => void] {
  const value = useSettings((state) => state.settings.layout[pane]);
  const set = useCallback((next: T) => change((settings) => ({ ...settings, layout: { ...settings.layout, [pane]: next } })), [pane]);
  return [typeof value === typeof fallback ? value as T : fallback, set];
}

/** Size of a pane, remembered. */
export const usePaneSize = (pane: string, fallback: number): [number, (size: number) => void] => usePane<number>(pane, fallback);
/** Whether something is open, remembered. */
export const usePaneOpen = (pane: string, fallback: boolean): [boolean, (open: boolean) => void] => usePane<boolean>(pane, fallback);

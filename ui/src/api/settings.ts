/** What the person set on this machine: theme, sizes of panes, keys. Kept by the host, applied here. */
import { useCallback } from 'react';
import { create } from 'zustand';
import { setKeymap } from '../kit/action.ts';
import { call } from './client.ts';
import type { AppSettings, ThemeChoice } from './types.ts';

interface SettingsState {
  settings: AppSettings;
  loaded: boolean;
}
const DEFAULT: AppSettings = { theme: 'system', layout: {}, keymap: {} };
export const useSettings = create<SettingsState>(() => ({ settings: DEFAULT, loaded: false }));

let timer: ReturnType<typeof setTimeout> | undefined;
let onSaveError: (cause: unknown) => void = () => undefined;

export function whenSettingsFail(handler: (cause: unknown) => void): void {
  onSaveError = handler;
}

export async function loadSettings(): Promise<void> {
  const settings = await call('settings_get', {});
  const full = { ...DEFAULT, ...settings };
  useSettings.setState({ settings: full, loaded: true });
  applyTheme(full.theme);
  setKeymap(full.keymap);
}

function change(patch: Partial<AppSettings>): void {
  const settings = { ...useSettings.getState().settings, ...patch };
  useSettings.setState({ settings });
  if (patch.theme) applyTheme(patch.theme);
  if (patch.keymap) setKeymap(patch.keymap);
  clearTimeout(timer);
  timer = setTimeout(() => {
    call('settings_set', { settings: useSettings.getState().settings }).catch((cause: unknown) => onSaveError(cause));
  }, 300);
}

export function setTheme(theme: ThemeChoice): void {
  change({ theme });
}
export function setKeys(actionId: string, keys: string[] | null): void {
  const keymap = { ...useSettings.getState().settings.keymap };
  if (keys) keymap[actionId] = keys;
  else delete keymap[actionId];
  change({ keymap });
}
/** Keeps a query under a name; `null` forgets it. */
export function setQuery(name: string, query: string | null): void {
  const queries = { ...useSettings.getState().settings.queries };
  if (query === null) delete queries[name];
  else queries[name] = query;
  change({ queries });
}
export function resetKeys(): void {
  change({ keymap: {} });
}

/** Without `data-theme` the system decides. */
export function applyTheme(theme: ThemeChoice): void {
  const root = document.documentElement;
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
}

/** Size of a pane, remembered. */
export function usePaneSize(pane: string, fallback: number): [number, (size: number) => void] {
  const value = useSettings((state) => state.settings.layout[pane]);
  const set = useCallback((size: number) => change({ layout: { ...useSettings.getState().settings.layout, [pane]: size } }), [pane]);
  return [typeof value === 'number' ? value : fallback, set];
}
/** Whether something is open, remembered. */
export function usePaneOpen(pane: string, fallback: boolean): [boolean, (open: boolean) => void] {
  const value = useSettings((state) => state.settings.layout[pane]);
  const set = useCallback((open: boolean) => change({ layout: { ...useSettings.getState().settings.layout, [pane]: open } }), [pane]);
  return [typeof value === 'boolean' ? value : fallback, set];
}

/** One Action object serves button, key, menu and palette. */
import { useLayoutEffect, useSyncExternalStore } from 'react';
import type { IconName } from './icon.tsx';
import { IS_MAC } from './kbd.tsx';

export interface Action {
  /** Stable, for example `canvas.duplicate`; the name in the person's keymap. */
  id: string;
  title: string;
  /** Default keys, `Mod+D`, `F5`, `Shift+ArrowDown`, `?`. */
  keys: string[];
  /** Absent = always possible. */
  when?: () => boolean;
  /** What must hold besides for the keys, not for button, menu and palette. */
  keysWhen?: () => boolean;
  run: () => void;
  icon?: IconName;
  /** What a menu calls it: there it is known which way a switch would go. */
  titleNow?: () => string;
  /** It takes something away. */
  danger?: boolean;
  /** Heading in palette and shortcut sheet. */
  group?: string;
  /** Keys act also while a text field has the focus (Ctrl+S, F5). */
  inFields?: boolean;
  /** Not offered in the palette (arrow keys and the like). */
  hidden?: boolean;
  /** A key that is held does it again and again (moving, undoing); else once. */
  repeats?: boolean;
  /** Where the focus must be for the keys to act: an element with `data-scope` of this name around it (or nothing
   * focused). Absent = anywhere on the screen. */
  scope?: string;
}

export type Keymap = { [actionId: string]: string[] };

let keymap: Keymap = {};
let scopes: string[] = [];
let lists: { id: number; actions: Action[] }[] = [];
let nextList = 1;
let snapshot: Action[] = [];
const listeners = new Set<() => void>();

function changed() {
  const byId = new Map<string, Action>();
  for (const list of lists) for (const action of list.actions) byId.set(action.id, action);
  snapshot = [...byId.values()];
  for (const listener of listeners) listener();
}

export function setKeymap(next: Keymap): void {
  keymap = next;
  changed();
}

/** The keys that act now: the person's, else the default. An empty list switches the keys off. */
export function keysOf(action: Action): string[] {
  return keymap[action.id] ?? action.keys;
}

/** While a scope is open (a dialog), keys of the page behind it do nothing. */
export function pushScope(name: string): () => void {
  scopes = [...scopes, name];
  return () => {
    const at = scopes.lastIndexOf(name);
    scopes = scopes.filter((_, index) => index !== at);
  };
}
export function openScope(): string | undefined {
  return scopes.at(-1);
}

export function registerActions(actions: Action[]): () => void {
  const id = nextList++;
  lists = [...lists, { id, actions }];
  changed();
  return () => {
    lists = lists.filter((list) => list.id !== id);
    changed();
  };
}

/** Offers actions while the component is mounted: a key works as soon as the screen can be seen. Memoise the list. */
export function useActions(actions: Action[]): void {
  useLayoutEffect(() => registerActions(actions), [actions]);
}

export function useAllActions(): Action[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => snapshot);
}
export function runAction(id: string): boolean {
  const action = snapshot.find((candidate) => candidate.id === id);
  if (!action || (action.when && !action.when())) return false;
  action.run();
  return true;
}

/** `Mod+Shift+K` of a keyboard event; letters are upper case, Shift is left out for signs that need it (`?`). */
export function comboOf(event: KeyboardEvent): string {
  const key = event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const parts: string[] = [];
  if (IS_MAC ? event.metaKey : event.ctrlKey) parts.push('Mod');
  if (IS_MAC && event.ctrlKey) parts.push('Ctrl');
  if (event.altKey) parts.push('Alt');
  const sign = key.length === 1 && key.toLowerCase() === key.toUpperCase();
  const digit = /^[0-9]$/.test(key);
  if (event.shiftKey && (!sign || digit || key === 'Space')) parts.push('Shift');
  parts.push(key);
  return parts.join('+');
}

function normal(combo: string): string {
  const parts = combo.split('+');
  const key = parts.pop() || '+';
  const order = ['Mod', 'Ctrl', 'Alt', 'Shift'].filter((modifier) => parts.includes(modifier));
  return [...order, key.length === 1 ? key.toUpperCase() : key].join('+');
}

function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.closest('.cm-editor')) return true;
  if (target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit', 'range'].includes(target.type);
}

/** Finds and runs the action of a key press. The last registered list wins. */
export function handleKey(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || openScope() !== undefined) return false;
  const combo = comboOf(event);
  const field = isTextField(event.target);
  for (let index = snapshot.length - 1; index >= 0; index -= 1) {
    const action = snapshot[index];
    if (!action || (field && !action.inFields)) continue;
    if (!keysOf(action).some((keys) => normal(keys) === combo)) continue;
    if (action.scope && !inScope(action.scope)) continue;
    if ((action.when && !action.when()) || (action.keysWhen && !action.keysWhen())) continue;
    event.preventDefault();
    event.stopPropagation();
    // A held key would do it to what comes next, which nobody has seen.
    if (!event.repeat || action.repeats) action.run();
    return true;
  }
  return false;
}

/** The scope of the last thing that was focused or pressed: when a field of a form goes away the focus falls to the page,
 * and what is typed next is still meant for the form. */
let place: string | null = null;

function inScope(scope: string): boolean {
  const focused = document.activeElement;
  if (!focused || focused === document.body) return place === null || place === scope;
  return focused.closest(`[data-scope="${scope}"]`) !== null;
}

/** Nothing has the focus: where it was last, or null. */
export function lastPlace(): string | null {
  return place;
}

/** Ctrl+A takes what is shown in a value, never the whole page. */
function selectWithin(event: KeyboardEvent): void {
  if (event.defaultPrevented || comboOf(event) !== 'Mod+A' || isTextField(event.target)) return;
  event.preventDefault();
  const shown = document.activeElement?.closest('.value, .well, pre') ?? null;
  const selection = window.getSelection();
  if (shown && selection) selection.selectAllChildren(shown);
}

export function listenForKeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (!handleKey(event)) selectWithin(event);
  };
  const onPlace = (event: Event) => {
    place = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-scope]')?.dataset['scope'] ?? null : null;
  };
  const forget = () => { place = null; };
  window.addEventListener('keydown', onKey);
  window.addEventListener('focusin', onPlace);
  window.addEventListener('pointerdown', onPlace, true);
  window.addEventListener('hashchange', forget);
  return () => {
    window.removeEventListener('keydown', onKey);
    window.removeEventListener('focusin', onPlace);
    window.removeEventListener('pointerdown', onPlace, true);
    window.removeEventListener('hashchange', forget);
  };
}

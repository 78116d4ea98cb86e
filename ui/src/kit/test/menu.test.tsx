import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { pretendLayout } from '../../test/render.tsx';
import { openScope, registerActions, setKeymap, type Action } from '../action.ts';
import { ContextMenu, entriesOf } from '../menu.tsx';

const undo: (() => void)[] = [];
afterEach(() => {
  act(() => { for (const stop of undo.splice(0)) stop(); });
  setKeymap({});
});
const action = (id: string, more: Partial<Action> = {}): Action => ({ id, title: `Do ${id}`, keys: [], run: () => undefined, ...more });

it('C7: entries are the actions that are possible now, with the keys of the person, and no line without something on both sides', () => {
  setKeymap({ b: ['Mod+Y'] });
  const all = [action('a', { when: () => false }), action('b', { keys: ['Mod+B'] }), action('c', { titleNow: () => 'Undo c' }), action('d', { when: () => false })];
  const entries = entriesOf(all, [['a'], ['b', 'd'], ['gone'], ['c']]);
  expect(entries.map((entry) => entry && [entry.id, entry.label, entry.keys])).toEqual([['b', 'Do b', 'Mod+Y'], null, ['c', 'Undo c', undefined]]);
});

it('what is chosen runs after the menu has been told to go; keys of the page do nothing meanwhile', async () => {
  const order: string[] = [];
  undo.push(registerActions([action('a', { run: () => order.push('run') })]));
  const close = vi.fn((chosen?: () => void) => {
    order.push('close');
    chosen?.();
  });
  const view = render(<ContextMenu at={{ x: 10, y: 10 }} groups={[['a']]} label="Menu" onClose={close} />);
  expect(openScope()).toBe('menu');
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Do a' }));
  expect(order.slice(0, 2)).toEqual(['close', 'run']);
  expect(order.filter((what) => what === 'run')).toHaveLength(1);
  view.unmount();
  expect(openScope()).toBeUndefined();
});

it('a menu without a possible entry closes itself', () => {
  const close = vi.fn();
  render(<ContextMenu at={{ x: 10, y: 10 }} groups={[['none']]} label="Menu" onClose={close} />);
  expect(close).toHaveBeenCalledWith();
});

it('a menu at a point near the lower edge of the window is moved up until it is wholly seen', async () => {
  // The window is 600 high, the menu 400: there is room for it neither below the point nor above it.
  pretendLayout(900, 400);
  Object.defineProperty(document.documentElement, 'clientHeight', { configurable: true, get: () => 600 });
  undo.push(registerActions([action('a')]), () => { Reflect.deleteProperty(document.documentElement, 'clientHeight'); });
  render(<ContextMenu at={{ x: 10, y: 300 }} groups={[['a']]} label="Menu" onClose={() => undefined} />);
  const layer = (await screen.findByRole('menu', { name: 'Menu' })).closest<HTMLElement>('.layer');
  await waitFor(() => expect(layer?.style.transform).toBe('translate(8px, 192px)'));
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { comboOf, handleKey, keysOf, listenForKeys, pushScope, registerActions, runAction, setKeymap, type Action } from '../action.ts';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const stop of undo.splice(0)) stop();
  setKeymap({});
  document.body.replaceChildren();
});

function offer(...actions: Action[]) {
  undo.push(registerActions(actions));
}
function press(key: string, more: KeyboardEventInit = {}, target: EventTarget = document.body) {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
  Object.defineProperty(event, 'target', { value: target });
  return handleKey(event);
}

describe('keys', () => {
  it('names a combination with its modifiers in one order', () => {
    expect(comboOf(new KeyboardEvent('keydown', { key: 'z', ctrlKey: true, shiftKey: true }))).toBe('Mod+Shift+Z');
    expect(comboOf(new KeyboardEvent('keydown', { key: '?', shiftKey: true }))).toBe('?');
    expect(comboOf(new KeyboardEvent('keydown', { key: ' ' }))).toBe('Space');
  });

  it('runs the action of the keys and stops the browser from acting too', () => {
    const run = vi.fn();
    offer({ id: 'a', title: 'A', keys: ['Mod+Shift+K'], run });
    expect(press('k', { ctrlKey: true, shiftKey: true })).toBe(true);
    expect(press('k', { ctrlKey: true })).toBe(false);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('a held key acts once, but for moving and the like', () => {
    const [once, again] = [vi.fn(), vi.fn()];
    offer({ id: 'once', title: '', keys: ['A'], run: once });
    offer({ id: 'again', title: '', keys: ['J'], run: again, repeats: true });
    for (const repeat of [false, true, true]) {
      // What is held belongs to the key all the same: nothing else acts on it.
      expect(press('a', { repeat })).toBe(true);
      expect(press('j', { repeat })).toBe(true);
    }
    expect([once.mock.calls.length, again.mock.calls.length]).toEqual([1, 3]);
  });

  it('a form that loses its focus keeps its keys', () => {
    undo.push(listenForKeys());
    const run = vi.fn();
    offer({ id: 'scoped', title: '', keys: ['Delete'], run, scope: 'canvas' });
    document.body.innerHTML = '<div data-scope="canvas" tabindex="-1"></div><div data-scope="panel"><input><p>empty</p></div>';
    const [canvas, input, text] = [document.querySelector<HTMLElement>('[data-scope=canvas]'), document.querySelector('input'), document.querySelector('p')];
    expect(press('Delete')).toBe(true);
    input?.focus();
    input?.remove();
    expect(document.activeElement).toBe(document.body);
    expect(press('Delete')).toBe(false);
    canvas?.focus();
    expect(press('Delete')).toBe(true);
    canvas?.blur();
    text?.dispatchEvent(new Event('pointerdown', { bubbles: true }));
    expect(press('Delete')).toBe(false);
    // Another screen: nothing had the focus there.
    window.dispatchEvent(new Event('hashchange'));
    expect(press('Delete')).toBe(true);
    expect(run).toHaveBeenCalledTimes(3);
  });

  it('Ctrl+A never takes the page', () => {
    undo.push(listenForKeys());
    document.body.innerHTML = '<p>frame</p><input>';
    const ask = (target: Element) => {
      const event = new KeyboardEvent('keydown', { key: 'a', ctrlKey: true, bubbles: true, cancelable: true });
      target.dispatchEvent(event);
      return event.defaultPrevented;
    };
    expect(ask(document.body)).toBe(true);
    expect(ask(document.querySelector('input') as Element)).toBe(false);
  });

  it('leaves typing alone, except for actions that ask for it', () => {
    const [plain, strong] = [vi.fn(), vi.fn()];
    offer({ id: 'plain', title: '', keys: ['D'], run: plain }, { id: 'strong', title: '', keys: ['Mod+S'], run: strong, inFields: true });
    const input = document.createElement('input');
    document.body.append(input);
    expect(press('d', {}, input)).toBe(false);
    expect(press('s', { ctrlKey: true }, input)).toBe(true);
    expect(plain).not.toHaveBeenCalled();
    expect(strong).toHaveBeenCalledOnce();
  });

  it('follows the keymap of the person; an empty list switches the keys off', () => {
    const run = vi.fn();
    const action = { id: 'a', title: 'A', keys: ['F5'], run };
    offer(action);
    setKeymap({ a: ['Mod+Enter'] });
    expect(press('F5')).toBe(false);
    expect(press('Enter', { ctrlKey: true })).toBe(true);
    setKeymap({ a: [] });
    expect(press('Enter', { ctrlKey: true })).toBe(false);
    expect(keysOf(action)).toEqual([]);
    expect(runAction('a')).toBe(true);
  });

  it('does nothing behind an open dialog, and nothing that is not possible now', () => {
    const run = vi.fn();
    let possible = true;
    offer({ id: 'a', title: 'A', keys: ['X'], run, when: () => possible });
    const leave = pushScope('dialog');
    expect(press('x')).toBe(false);
    leave();
    possible = false;
    expect(press('x')).toBe(false);
    expect(runAction('a')).toBe(false);
    possible = true;
    expect(press('x')).toBe(true);
  });

  it('lets the screen opened last win', () => {
    const [first, second] = [vi.fn(), vi.fn()];
    offer({ id: 'a', title: '', keys: ['X'], run: first });
    offer({ id: 'b', title: '', keys: ['X'], run: second });
    press('x');
    expect(second).toHaveBeenCalledOnce();
    expect(first).not.toHaveBeenCalled();
  });
});

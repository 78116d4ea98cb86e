// The window is closed while workflows are active.
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import type { ClosingAsked } from '../../api/transport/transport.ts';
import type { AppSettings } from '../../api/types.ts';
import { demoHost } from '../../test/fixtures.ts';
import { App } from '../app.tsx';

let kept: AppSettings;
let said: string[];
let ask: ((asked: ClosingAsked) => void) | undefined;
beforeEach(() => {
  const host = demoHost();
  kept = { theme: 'light', layout: { log: true }, keymap: {} };
  said = [];
  host.handlers.settings_get = () => kept;
  host.handlers.settings_set = ({ settings }) => { kept = settings; said.push(`kept ${settings.closing ?? 'nothing'}`); return {}; };
  host.onClosing = (listener) => { ask = listener; return () => { ask = undefined; }; };
  host.closing = async (word) => { said.push(word); };
  setTransport(host);
  queryClient.clear();
  window.location.hash = '';
});
afterEach(() => {
  cleanup();
  delete document.documentElement.dataset.theme;
});
const at = async (hash: string) => {
  window.location.hash = hash;
  render(<App />);
  await screen.findByRole('navigation', { name: 'Main' });
};
const closed = async (asked: ClosingAsked) => {
  await waitFor(() => expect(ask).toBeDefined());
  act(() => ask?.(asked));
  return screen.findByRole('dialog', { name: /active/ });
};

it('keeps the answer before the shell acts on it, and leaves other settings alone', async () => {
  await at('#/workflows');
  const dialog = await closed({ active: 2, tray: false });
  expect(within(dialog).getByText('2 workflows are active')).toBeTruthy();
  expect(dialog.textContent).toContain('start Signalbox again');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Keep running' }));
  await waitFor(() => expect(said).toEqual(['shown', 'kept background', 'background']));
  expect(kept).toEqual({ theme: 'light', layout: { log: true }, keymap: {}, closing: 'background' });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('says where the tray is, and a cancelled question keeps nothing and can be asked again', async () => {
  await at('#/workflows');
  const dialog = await closed({ active: 1, tray: true });
  expect(within(dialog).getByText('1 workflow is active')).toBeTruthy();
  expect(dialog.textContent).toContain('in the tray');
  fireEvent.click(within(dialog).getByText('Cancel'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(said).toEqual(['shown', 'stay']);
  fireEvent.click(within(await closed({ active: 1, tray: true })).getByRole('button', { name: 'Quit' }));
  await waitFor(() => expect(said).toEqual(['shown', 'stay', 'shown', 'kept quit', 'quit']));
});

it('the answer is changed in the settings, also back to asking', async () => {
  kept = { ...kept, closing: 'quit' };
  await at('#/settings');
  const choices = within(await screen.findByRole('radiogroup', { name: 'Closing the window' }));
  expect(choices.getByRole('radio', { name: 'Quit', checked: true })).toBeTruthy();
  fireEvent.click(choices.getByRole('radio', { name: 'Keep running' }));
  await waitFor(() => expect(kept.closing).toBe('background'));
  fireEvent.click(choices.getByRole('radio', { name: 'Ask' }));
  await waitFor(() => expect(kept).not.toHaveProperty('closing'));
});

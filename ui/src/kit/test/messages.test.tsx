import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePlace } from '../free-place.ts';
import { dismissToast, leaveScreen, showMessages, toast, Toaster } from '../index.ts';
import { readingMs, useMessages } from '../messages.ts';

const words = { label: 'Messages', closeLabel: 'Discard', more: (n: number) => `and ${String(n)} more`, none: 'Nothing', at: () => 'now' };
const say = (signal: 'ok' | 'err', text: string, more = {}) => act(() => { toast({ signal, text, ...more }); });
const pass = (ms: number) => act(() => { vi.advanceTimersByTime(ms); });

beforeEach(() => {
  vi.useFakeTimers();
  render(<Toaster {...words} />);
});
afterEach(() => {
  act(() => {
    for (const one of useMessages.getState().shown) dismissToast(one.id);
    showMessages(false);
  });
  useMessages.setState({ past: [] });
  cleanup();
  vi.useRealTimers();
});

describe('messages', () => {
  it('are announced, stay until they can have been read, and are found again in a list', () => {
    say('err', 'Lost');
    expect(screen.getByRole('alert').textContent).toContain('Lost');
    const time = readingMs({ signal: 'err', text: 'Lost' });
    expect(time).toBeGreaterThanOrEqual(8_000);
    pass(time - 1);
    expect(screen.queryByText('Lost')).toBeTruthy();
    pass(1);
    expect(screen.queryByText('Lost')).toBeNull();
    act(() => showMessages(true));
    expect(within(screen.getByRole('dialog', { name: 'Messages' })).getByText('Lost')).toBeTruthy();
  });

  it('of two sentences stay long enough to be read, a word does not', () => {
    expect(readingMs({ signal: 'info', text: 'Saved' })).toBe(2_500);
    expect(readingMs({ signal: 'info', text: 'This step handles failures of other steps. Select the step that failed, correct its input and continue from there.' })).toBeGreaterThanOrEqual(5_000);
  });

  it('are announced once each: by the place that was there before, an error by itself', () => {
    const polite = screen.getByRole('region', { name: 'Messages' }).querySelector('[aria-live]');
    say('ok', 'Saved');
    expect(polite?.textContent).toContain('Saved');
    expect(screen.queryByRole('status')).toBeNull();
    say('err', 'Lost');
    expect(polite?.textContent).not.toContain('Lost');
    expect(screen.getByRole('alert').closest('[aria-live]')).toBeNull();
  });

  it('wait while the pointer or the focus is on them', () => {
    say('err', 'Lost');
    const region = screen.getByRole('region', { name: 'Messages' });
    fireEvent.pointerMove(region);
    pass(120_000);
    expect(screen.getByText('Lost')).toBeTruthy();
    fireEvent.pointerLeave(region);
    const close = screen.getByRole('button', { name: 'Discard' });
    act(() => close.focus());
    pass(120_000);
    expect(screen.getByText('Lost')).toBeTruthy();
    act(() => close.blur());
    pass(120_000);
    expect(screen.queryByText('Lost')).toBeNull();
  });

  it('are one with a count when the same is said again', () => {
    for (let n = 0; n < 3; n += 1) say('err', 'Lost', { detail: 'No disk' });
    say('err', 'Lost', { detail: 'No net' });
    expect(screen.getAllByRole('alert').map((one) => one.textContent)).toEqual(['Lost ×3No disk', 'LostNo net']);
  });

  it('are three at most; the others wait behind a button', () => {
    for (let n = 1; n <= 5; n += 1) say('err', `Lost ${String(n)}`);
    expect(screen.getAllByRole('alert').map((one) => one.textContent)).toEqual(['Lost 3', 'Lost 4', 'Lost 5']);
    fireEvent.click(screen.getByRole('button', { name: 'and 2 more' }));
    expect(within(screen.getByRole('dialog')).getAllByRole('listitem')).toHaveLength(5);
  });

  it('leave with their screen, unless they are about work behind it', () => {
    say('err', 'This file');
    say('err', 'The settings', { background: true });
    say('err', 'The draft', { background: true, lasting: true });
    say('ok', 'Deleted');
    act(() => leaveScreen());
    expect(screen.getAllByRole('alert').map((one) => one.textContent)).toEqual(['The settings', 'The draft']);
    expect(screen.getByText('Deleted')).toBeTruthy();
    pass(120_000);
    // What still holds is still said.
    expect(screen.getAllByRole('alert').map((one) => one.textContent)).toEqual(['The draft']);
  });
});

it('a message makes room for a menu that opens where it stands', async () => {
  const rect = (left: number, top: number, right: number, bottom: number) => ({ left, top, right, bottom, width: right - left, height: bottom - top, x: left, y: top, toJSON: () => ({}) });
  const spy = vi.spyOn(document.body, 'getBoundingClientRect').mockReturnValue(rect(0, 0, window.innerWidth, window.innerHeight));
  const region = screen.getByRole('region', { name: 'Messages' });
  Object.defineProperties(region, { offsetWidth: { value: 300 }, offsetHeight: { value: 60 } });
  say('err', 'Lost');
  const before = region.style.bottom;
  expect(before).not.toBe('');
  // Menus and lists are drawn beside the page; what they offer is no button.
  const menu = document.createElement('div');
  menu.className = 'pop menu';
  const top = window.innerHeight - 200;
  menu.getBoundingClientRect = () => rect(0, top, window.innerWidth, window.innerHeight);
  await act(async () => {
    document.body.append(menu);
    await Promise.resolve();
    vi.advanceTimersToNextFrame();
  });
  expect(region.style.bottom).not.toBe(before);
  expect(Number.parseFloat(region.style.bottom)).toBeGreaterThanOrEqual(200);
  menu.remove();
  spy.mockRestore();
});

it('a page that changes all the time is not measured with each frame', async () => {
  say('err', 'Lost');
  const measured = vi.spyOn(document, 'querySelectorAll');
  const row = document.createElement('div');
  document.body.append(row);
  for (let frame = 0; frame < 60; frame += 1) {
    // One frame after the other.
    // eslint-disable-next-line no-await-in-loop
    await act(async () => {
      row.append(document.createElement('i'));
      await Promise.resolve();
      vi.advanceTimersByTime(16);
    });
  }
  // 960 ms.
  expect(measured.mock.calls.length).toBeGreaterThan(4);
  expect(measured.mock.calls.length).toBeLessThan(11);
  measured.mockRestore();
  row.remove();
});

describe('the place of messages', () => {
  const room = { left: 64, top: 0, right: 1280, bottom: 800 };
  const size = { width: 400, height: 100 };
  const CORNER = { right: 1264, bottom: 784 };
  const box = (left: number, top: number, right: number, bottom: number) => ({ left, top, right, bottom });
  const place = (pressed: ReturnType<typeof box>[], read: ReturnType<typeof box>[] = [], now?: typeof CORNER) => freePlace(room, size, { pressed, read }, now);

  it('is at the lower right, above what is pressed there', () => {
    expect(place([])).toEqual(CORNER);
    // A bar of buttons at the bottom.
    expect(place([box(464, 750, 1264, 790)])).toEqual({ right: 1264, bottom: 720 });
  });
  it('is not squeezed between two things while there is room below', () => {
    const fields = [box(864, 0, 1280, 400), box(864, 520, 1280, 560)];
    expect(place(fields)).toEqual(CORNER);
  });
  it('lies on what is only read rather than in the middle of a pane', () => {
    expect(place([], [box(864, 0, 1280, 800)])).toEqual(CORNER);
    // Not on the buttons below it, and not on the record above it, where room would be.
    expect(place([box(864, 760, 1280, 800)], [box(864, 300, 1280, 750)])).toEqual({ right: 1264, bottom: 752 });
  });
  it('is beside what is pressed all over the right', () => {
    const { right, bottom } = place([box(864, 0, 1280, 800), box(64, 0, 1280, 90)]);
    expect([right < 864, right > 840, bottom]).toEqual([true, true, 784]);
    expect(place([box(64, 300, 1280, 800)]).bottom).toBeLessThan(300);
  });
  it('stays while it is free, and makes room for a banner that comes', () => {
    const now = { right: 1264, bottom: 600 };
    expect(place([], [], now)).toEqual(now);
    // Near a field is free, too: what is being read does not jump.
    expect(place([box(864, 604, 1264, 640)], [], now)).toEqual(now);
    expect(place([box(64, 520, 1280, 590)], [], now)).toEqual(CORNER);
    // A window that became smaller.
    expect(freePlace({ ...room, bottom: 180 }, size, { pressed: [], read: [] }, now)).toEqual({ right: 1264, bottom: 164 });
  });
  it('is the corner where nothing is free', () => {
    expect(place([box(64, 0, 1280, 800)])).toEqual(CORNER);
  });
});

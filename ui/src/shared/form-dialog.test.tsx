import { act, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { useAsyncAction } from './use-async-action.ts';
import { Button, ConfirmDialog, Dialog, LONG_MS } from '../kit/index.ts';
import { FormDialog } from './form-dialog.tsx';
import { HoldDialog, SnoozeDialog } from '../features/inbox/dialogs.tsx';

afterEach(() => vi.useRealTimers());

function Form({ send, onClose }: { send(): Promise<unknown>; onClose(): void }) {
  const { busy, error, run } = useAsyncAction({ inForm: true });
  return <FormDialog title="Key" submit="Keep" busy={busy} error={error} complete onSubmit={() => void run(send).then((done) => { if (done) onClose(); })} onClose={onClose}><input aria-label="Name" /></FormDialog>;
}

const pressOn = async (place: Element) => {
  for (const press of [fireEvent.pointerDown, fireEvent.mouseDown, fireEvent.pointerUp, fireEvent.mouseUp, fireEvent.click]) press(place);
  await act(() => Promise.resolve());
};

it('the same press beside a dialog in which nothing is typed closes it', async () => {
  const onClose = vi.fn();
  render(<Dialog open onClose={onClose} title="Look" closeLabel="Discard" footer={<Button>Nothing</Button>}><p>text</p></Dialog>);
  await pressOn(document.querySelector('.scrim') ?? document.body);
  expect(onClose).toHaveBeenCalledOnce();
});

it('a press beside a form does not throw away what was typed; Escape closes it', async () => {
  const onClose = vi.fn();
  render(<Form send={() => Promise.resolve()} onClose={onClose} />);
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'a long key' } });
  const beside = document.querySelector('.scrim') ?? document.body;
  await pressOn(beside);
  expect(onClose).not.toHaveBeenCalled();
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' });
  expect(onClose).toHaveBeenCalledOnce();
});

it('a form that waits for an answer lets the person go after a while, and what comes then closes nothing', async () => {
  vi.useFakeTimers();
  let answer: (value: unknown) => void = () => undefined;
  const closed: string[] = [];
  function Host() {
    const [open, setOpen] = useState<'first' | 'second'>('first');
    const close = () => { closed.push(open); setOpen('second'); };
    return open === 'first' ? <Form key="1" send={() => new Promise((done) => { answer = done; })} onClose={close} /> : <p>another dialog</p>;
  }
  render(<Host />);
  fireEvent.click(screen.getByRole('button', { name: 'Keep' }));
  const cancel = () => screen.getByRole<HTMLButtonElement>('button', { name: /^Cancel\s*Esc/ });
  expect(cancel().disabled).toBe(true);
  act(() => { vi.advanceTimersByTime(LONG_MS); });
  expect(cancel().disabled).toBe(false);
  expect(screen.getByText(/^No response yet/)).toBeTruthy();
  fireEvent.click(cancel());
  expect(closed).toEqual(['first']);
  await act(async () => { answer({}); await Promise.resolve(); });
  expect(closed).toEqual(['first']);
});

it('a question that waits for an answer lets the person go, too', () => {
  vi.useFakeTimers();
  const onClose = vi.fn();
  render(<ConfirmDialog open busy title="Delete?" text="It is gone then." confirm="Delete" cancel="Keep" late="No answer yet" onConfirm={() => undefined} onClose={onClose} />);
  const keep = () => screen.getAllByRole<HTMLButtonElement>('button', { name: /^Keep/ });
  expect(keep().map((one) => one.disabled)).toEqual([true, true]);
  act(() => { vi.advanceTimersByTime(LONG_MS); });
  expect(keep().map((one) => one.disabled)).toEqual([false, false]);
  expect(screen.getByRole('status').textContent).toBe('No answer yet');
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' });
  expect(onClose).toHaveBeenCalledOnce();
});

it('what a question about a task answers after the person went closes nothing', async () => {
  vi.useFakeTimers();
  let answer: (done: boolean) => void = () => undefined;
  const onClose = vi.fn();
  const { rerender } = render(<HoldDialog onHold={() => new Promise((done) => { answer = done; })} onClose={onClose} />);
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'the supplier' } });
  fireEvent.click(screen.getAllByRole('button').at(-1) as HTMLElement);
  act(() => { vi.advanceTimersByTime(LONG_MS); });
  fireEvent.click(screen.getByRole('button', { name: /^Cancel\s*Esc/ }));
  expect(onClose).toHaveBeenCalledOnce();
  rerender(<p>another question</p>);
  await act(async () => { answer(true); await Promise.resolve(); });
  expect(onClose).toHaveBeenCalledOnce();
});

it('a time of one\'s own is not thrown away by a press beside it', async () => {
  const onClose = vi.fn();
  render(<SnoozeDialog expiresAt={undefined} onSnooze={() => Promise.resolve(true)} onClose={onClose} />);
  await pressOn(document.querySelector('.scrim') ?? document.body);
  expect(onClose).not.toHaveBeenCalled();
});

import { act, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { useDoing } from './doing.ts';
import { FormDialog, LONG_MS } from './form-dialog.tsx';

afterEach(() => vi.useRealTimers());

function Form({ send, onClose }: { send(): Promise<unknown>; onClose(): void }) {
  const { busy, error, run } = useDoing({ inForm: true });
  return <FormDialog title="Key" submit="Keep" busy={busy} error={error} complete onSubmit={() => void run(send).then((done) => { if (done) onClose(); })} onClose={onClose}><input aria-label="Name" /></FormDialog>;
}

it('a press beside a form does not throw away what was typed; Escape closes it', async () => {
  const onClose = vi.fn();
  render(<Form send={() => Promise.resolve()} onClose={onClose} />);
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'a long key' } });
  const beside = document.querySelector('.scrim') ?? document.body;
  for (const press of [fireEvent.pointerDown, fireEvent.mouseDown, fireEvent.pointerUp, fireEvent.mouseUp, fireEvent.click]) press(beside);
  await act(() => Promise.resolve());
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
  expect(screen.getByText(/^No answer yet/)).toBeTruthy();
  fireEvent.click(cancel());
  expect(closed).toEqual(['first']);
  await act(async () => { answer({}); await Promise.resolve(); });
  expect(closed).toEqual(['first']);
});

import { fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { Button, ConfirmDialog, Dialog, Field, Segmented, Select, SplitPane, Tabs, TextInput } from '../index.ts';

describe('controls', () => {
  it('joins label, field and error', () => {
    render(<Field label="Name" error="Must not be empty">{({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} value="" onChange={() => {}} />}</Field>);
    const input = screen.getByLabelText('Name');
    expect(input.getAttribute('aria-invalid')).toBe('true');
    expect(document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent).toContain('Must not be empty');
  });

  it('moves a choice with the arrow keys', () => {
    function Host() {
      const [value, setValue] = useState<'a' | 'b'>('a');
      return <Segmented label="Which" value={value} onChange={setValue} options={[{ value: 'a', label: 'A' }, { value: 'b', label: 'B' }]} />;
    }
    render(<Host />);
    fireEvent.keyDown(screen.getByRole('radio', { name: 'A' }), { key: 'ArrowRight' });
    expect(screen.getByRole('radio', { name: 'B' }).getAttribute('aria-checked')).toBe('true');
    expect(document.activeElement).toBe(screen.getByRole('radio', { name: 'B' }));
  });

  it('moves between tabs with the arrow keys and joins tab and panel', () => {
    function Host() {
      const [value, setValue] = useState('one');
      return <Tabs label="Parts" value={value} onChange={setValue} tabs={[{ id: 'one', label: 'One' }, { id: 'two', label: 'Two' }]}>{value}</Tabs>;
    }
    render(<Host />);
    fireEvent.keyDown(screen.getByRole('tab', { name: 'One' }), { key: 'End' });
    expect(screen.getByRole('tabpanel', { name: 'Two' }).textContent).toBe('two');
  });

  it('shows that a button works and takes no second click', () => {
    const onClick = vi.fn();
    render(<Button busy onClick={onClick}>Save</Button>);
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(onClick).not.toHaveBeenCalled();
    expect(screen.getByRole('button').getAttribute('aria-busy')).toBe('true');
  });

  it('resizes a pane by keys within its bounds', () => {
    const onResize = vi.fn();
    const rect = vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue(DOMRect.fromRect({ width: 900, height: 400 }));
    render(<SplitPane side="right" size={300} min={290} max={310} label="Width" onResize={onResize} pane={<p>pane</p>}><p>main</p></SplitPane>);
    const handle = screen.getByRole('separator', { name: 'Width' });
    fireEvent.keyDown(handle, { key: 'ArrowLeft' });
    expect(onResize).toHaveBeenLastCalledWith(310);
    fireEvent.keyDown(handle, { key: 'ArrowRight' });
    expect(onResize).toHaveBeenLastCalledWith(290);
    rect.mockRestore();
  });

  it('never lets a pane take what the other one keeps, by keys, by drag, or by a size from a taller window', () => {
    const onResize = vi.fn();
    const rect = vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue(DOMRect.fromRect({ width: 900, height: 400 }));
    HTMLElement.prototype.setPointerCapture = () => undefined;
    render(<SplitPane side="bottom" size={900} min={120} max={4000} reserve={36} label="Height" onResize={onResize} pane={<p>pane</p>}><p>main</p></SplitPane>);
    const handle = screen.getByRole('separator', { name: 'Height' });
    expect((document.querySelector('.split-pane') as HTMLElement).style.maxHeight).toBe('calc(100% - 36px)');
    fireEvent.keyDown(handle, { key: 'ArrowUp' });
    expect(onResize).toHaveBeenLastCalledWith(364);
    fireEvent.keyDown(handle, { key: 'ArrowDown' });
    expect(onResize).toHaveBeenLastCalledWith(348);
    fireEvent.pointerDown(handle, { button: 0, pointerId: 1 });
    fireEvent(handle, new MouseEvent('pointermove', { clientY: -50 }));
    expect(onResize).toHaveBeenLastCalledWith(364);
    rect.mockRestore();
  });

  it('is not closed by the second press of a double press that opened it', async () => {
    const onClose = vi.fn();
    render(<Dialog open title="Delete?" closeLabel="Discard" onClose={onClose}>Text</Dialog>);
    await screen.findByRole('dialog');
    const beside = document.querySelector('.scrim') as HTMLElement;
    const press = (detail: number) => {
      fireEvent.pointerDown(beside, { pointerType: 'mouse', detail: 0 });
      fireEvent.mouseDown(beside, { detail });
      fireEvent.pointerUp(beside, { pointerType: 'mouse' });
      fireEvent.mouseUp(beside, { detail });
      fireEvent.click(beside, { detail });
    };
    press(2);
    expect(onClose).not.toHaveBeenCalled();
    press(1);
    expect(onClose).toHaveBeenCalledOnce();
  });

  it('asks before something is lost', async () => {
    const [yes, no] = [vi.fn(), vi.fn()];
    render(<ConfirmDialog open title="Delete?" text="It is gone then." confirm="Delete" cancel="Keep" danger onConfirm={yes} onClose={no} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Delete' }));
    expect(yes).toHaveBeenCalledOnce();
    fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' });
    expect(no).toHaveBeenCalled();
  });
});

it('the list of a select begins where its box begins, and is as wide at least', async () => {
  render(<Select<string> value="a" label="Step" options={[{ value: 'a', label: 'A' }, { value: 'b', label: 'B' }]} onChange={() => undefined} />);
  await userEvent.click(screen.getByRole('combobox', { name: 'Step' }));
  const list = (await screen.findByRole('option', { name: 'B' })).closest('.pop');
  expect(list?.classList.contains('of-box')).toBe(true);
  expect(list?.getAttribute('data-align')).toBe('start');
});

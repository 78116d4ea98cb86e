import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { NodeDescriptor } from '../../api/types.ts';
import { canFail, faultedSteps, FaultsContext, faultText } from '../../shared/faults.ts';
import { renderWith } from '../../test/render.tsx';
import { delayOf, FaultDialog, itemsOf } from './fault-dialog.tsx';
import { FaultLine } from './fault-line.tsx';

const KIND = { type: 'http.request', role: 'step', errors: [{ type: 'NetworkError', code: 'CONNECTION', when: 'The address did not answer.', retryable: true }, { type: 'ToolError', code: 'AUTH', when: 'Access is denied.', retryable: false }] } as unknown as NodeDescriptor;

function dialog() {
  const onSet = vi.fn();
  const onClose = vi.fn();
  renderWith(<FaultDialog title="Pay" kind={KIND} ports={['success']} fault={undefined} onSet={onSet} onClose={onClose} />);
  return { onSet, onClose, set: () => screen.getByRole('button', { name: 'Set for the next run' }) };
}

it('puts in an error that the kind declares', async () => {
  const { onSet, onClose, set } = dialog();
  expect(screen.getByText('The address did not answer.')).toBeTruthy();
  await userEvent.click(screen.getByRole('checkbox', { name: 'First attempt only' }));
  await userEvent.click(set());
  expect(onSet).toHaveBeenCalledWith({ error: 'CONNECTION', firstCallOnly: true });
  expect(onClose).toHaveBeenCalled();
});

it('puts in a result or a delay, and says what is wrong with one', async () => {
  const { onSet, set } = dialog();
  await userEvent.click(screen.getByRole('radio', { name: 'Delay only' }));
  expect(set().hasAttribute('disabled')).toBe(true);
  const delay = screen.getByRole('textbox', { name: 'Delay in milliseconds' });
  await userEvent.type(delay, '1.5');
  expect(screen.getByText('Write a whole number from 0 to 3600000.')).toBeTruthy();
  await userEvent.clear(delay);
  await userEvent.type(delay, '1500');
  await userEvent.click(set());
  expect(onSet).toHaveBeenLastCalledWith({ delayMs: 1500 });
  await userEvent.click(screen.getByRole('radio', { name: 'Result' }));
  await userEvent.click(set());
  expect(onSet).toHaveBeenLastCalledWith({ output: { success: [{}] }, delayMs: 1500 });
});

it('reads lists and milliseconds', () => {
  expect([itemsOf('[1]'), itemsOf('{}'), itemsOf('[')]).toEqual([[1], null, null]);
  expect([delayOf(''), delayOf(' 20 '), delayOf('-1'), delayOf('3600001')]).toEqual([0, 20, null, null]);
});

it('says under the panel what the next run does', async () => {
  const set = vi.fn();
  const ask = vi.fn();
  renderWith(<FaultsContext value={{ faults: { pay: { error: 'AUTH' } }, set, ask }}><FaultLine step="pay" /><FaultLine step="other" /></FaultsContext>);
  expect(screen.getByText('Next run: fails with AUTH')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Remove' }));
  expect(set).toHaveBeenCalledWith('pay', null);
  await userEvent.click(screen.getByRole('button', { name: 'Fail in the next run…' }));
  expect(ask).toHaveBeenCalledWith('other');
});

it('knows which steps can have one, and which had one', () => {
  expect([canFail(KIND), canFail({ ...KIND, role: 'loop' } as NodeDescriptor), canFail(undefined)]).toEqual([true, false, false]);
  expect(faultText({ delayMs: 2000 })).toBe('Next run: takes 2 s longer');
  expect(faultedSteps({ nodes: { a: { type: 'x', fault: { delayMs: 1 } }, b: { type: 'x' } } } as never)).toEqual(['a']);
});

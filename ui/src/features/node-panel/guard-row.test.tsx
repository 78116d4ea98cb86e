import { fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { pretendLayout, renderWith } from '../../test/render.tsx';
import { GuardRow, readGuard, type Guard } from './guard-row.tsx';

beforeEach(() => pretendLayout());

const shown = (written: unknown) => {
  const onChange = vi.fn<(guard: Guard, field: string) => void>();
  renderWith(<GuardRow n={1} place="before" guard={readGuard(written)} findings={[]} readOnly={false} onChange={onChange} onRemove={() => undefined} />);
  return onChange;
};

it('narrows the kinds of personal data, and keeps a field that it does not know', () => {
  const onChange = shown({ name: 'x', check: 'personalData', action: 'mask', later: 1 });
  const kinds = screen.getAllByRole('checkbox');
  expect(kinds.map((kind) => kind.getAttribute('aria-checked'))).toEqual(['true', 'true', 'true', 'true', 'true']);
  fireEvent.click(screen.getByRole('checkbox', { name: 'Phone numbers' }));
  expect(onChange).toHaveBeenLastCalledWith({ name: 'x', check: 'personalData', action: 'mask', later: 1, kinds: ['email', 'iban', 'card', 'nationalId'] }, 'kinds');
});

it('takes lists by commas', () => {
  const onChange = shown({ name: 'x', check: 'personalData', except: ['a'] });
  const except = screen.getByRole('textbox', { name: 'Exceptions of check 1' });
  fireEvent.change(except, { target: { value: 'a, *@example.com ,' } });
  fireEvent.blur(except);
  expect(onChange).toHaveBeenLastCalledWith({ name: 'x', check: 'personalData', except: ['a', '*@example.com'] }, 'except');
});

it('keeps a size a whole number', () => {
  const onChange = shown({ name: 'x', check: 'size', maxBytes: 10 });
  fireEvent.change(screen.getByRole('spinbutton', { name: 'Most bytes of check 1' }), { target: { value: '2000' } });
  expect(onChange).toHaveBeenLastCalledWith({ name: 'x', check: 'size', maxBytes: 2000 }, 'maxBytes');
});

it('lets a person decide about what any check finds', () => {
  shown({ name: 'x', check: 'promptInjection', action: 'ask' });
  expect(screen.getByRole('combobox', { name: 'What check 1 does' }).textContent).toContain('Ask a person');
});

it('asks a model by the words of a policy', () => {
  const onChange = shown({ name: 'x', check: 'policy', policy: 'No insults.', action: 'ask' });
  fireEvent.change(screen.getByRole('textbox', { name: 'Policy of check 1' }), { target: { value: 'No threats.' } });
  expect(onChange).toHaveBeenLastCalledWith({ name: 'x', check: 'policy', policy: 'No threats.', action: 'ask' }, 'policy');
  fireEvent.change(screen.getByRole('textbox', { name: 'Model of check 1' }), { target: { value: 'small' } });
  expect(onChange).toHaveBeenLastCalledWith({ name: 'x', check: 'policy', policy: 'No insults.', action: 'ask', model: 'small' }, 'model');
});

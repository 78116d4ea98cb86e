import { fireEvent, screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { NodePanel } from '../../features/node-panel/index.ts';
import { renderWith } from '../../test/render.tsx';
import { FIRST } from '../../test/walkthrough.ts';

it('n_09 the two amounts of a workflow are a group with a name, and what is wrong with one is said once', () => {
  const finding = { code: 'BAD_SETTINGS' as never, severity: 'error' as const, path: '/settings/budget/perRun', message: 'Not above 0.', hint: '' };
  renderWith(<NodePanel document={{ ...FIRST, settings: { budget: { perRun: -1 } } } as never} selected={[]} catalog={[]} diagnostics={[finding]} onEdit={vi.fn()} run={null} readOnly={false} />);
  const group = within(screen.getByRole('group', { name: 'Model budget' }));
  expect(group.getByRole('textbox', { name: 'Per run' })).toBeTruthy();
  expect(group.getAllByText('Not above 0.')).toHaveLength(1);
});

it('l_05 a workflow has a model of its own: chosen among those of this machine, and the default of the machine is seen where it has none', async () => {
  const model_list = () => ({ providers: [{ name: 'house', kind: 'openai' as const, baseUrl: 'https://m.example/v1', models: [{ name: 'small' }], here: true, changedBy: 'a', changedAt: '' }], default: { provider: 'house', model: 'big' } });
  const names = vi.fn(() => ({ models: ['big', 'other'] }));
  const onEdit = vi.fn();
  const panel = (model?: unknown) => <NodePanel document={{ ...FIRST, settings: { model } } as never} selected={[]} catalog={[]} diagnostics={[]} onEdit={onEdit} run={null} readOnly={false} />;
  const { rerender } = renderWith(panel(), { model_list, model_names: names });
  const group = within(screen.getByRole('group', { name: 'Model of this workflow' }));
  const model = await group.findByPlaceholderText('big, default on this machine');
  expect(group.getByPlaceholderText('house, default on this machine')).toBeTruthy();
  fireEvent.change(model, { target: { value: 'small' } });
  expect(onEdit).toHaveBeenLastCalledWith({ type: 'set', path: ['settings', 'model'], value: 'small' }, expect.anything());
  fireEvent.change(group.getByRole('combobox', { name: 'Provider of this workflow' }), { target: { value: 'house' } });
  expect(onEdit).toHaveBeenLastCalledWith({ type: 'set', path: ['settings', 'model'], value: { provider: 'house' } }, expect.anything());
  // The provider is asked only once a person is in the field.
  expect(names).not.toHaveBeenCalled();
  fireEvent.focus(model);
  await vi.waitFor(() => expect(document.querySelector('datalist option[value=other]')).toBeTruthy());
  rerender(panel({ provider: 'house', model: 'small' }));
  expect(group.getByDisplayValue('small')).toBeTruthy();
  fireEvent.change(group.getByDisplayValue('small'), { target: { value: '' } });
  expect(onEdit).toHaveBeenLastCalledWith({ type: 'set', path: ['settings', 'model'], value: { provider: 'house' } }, expect.anything());
});

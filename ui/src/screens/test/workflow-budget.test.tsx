import { screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { NodePanel } from '../../features/node-panel/index.ts';
import { renderWith } from '../../test/render.tsx';
import { FIRST } from '../../test/walkthrough.ts';

it('n_09 the two amounts of a workflow are a group with a name, and what is wrong with one is said once', () => {
  const finding = { code: 'BAD_SETTINGS' as never, severity: 'error' as const, path: '/settings/budget/perRun', message: 'Not above 0.', hint: '' };
  renderWith(<NodePanel document={{ ...FIRST, settings: { budget: { perRun: -1 } } } as never} selected={[]} catalog={[]} diagnostics={[finding]} onEdit={vi.fn()} run={null} readOnly={false} />);
  const group = within(screen.getByRole('group', { name: 'Budget for models' }));
  expect(group.getByRole('textbox', { name: 'Of one run' })).toBeTruthy();
  expect(group.getAllByText('Not above 0.')).toHaveLength(1);
});

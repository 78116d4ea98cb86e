import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { RETRY } from '../../test/fixtures.ts';
import { renderWith } from '../../test/render.tsx';
import { CoverageChip } from './coverage.tsx';

it('ts_101 what is not seen in a finding, its hint or its button is marked', async () => {
  const finding = { code: 'RULE_UNREACHABLE', severity: 'warning' as const, path: '/x', message: 'The rule "a\u202eb" never fits', hint: 'Move "a\u001bb" up.', fix: { label: 'Remove "a\u0000b"' } };
  renderWith(<CoverageChip document={RETRY} readOnly={false} onFix={() => undefined} onShow={() => undefined} />, { error_coverage: () => ({ score: { wired: 1, policy: 0, total: 1 }, findings: [finding] }) as never });
  await userEvent.click(await screen.findByRole('button'));
  const [row] = await screen.findAllByRole('listitem');
  expect(row?.textContent).toContain('The rule "aU+202Eb" never fitsMove "aU+001Bb" up.');
  expect(screen.getByRole('button', { name: 'Remove "a[U+0000]b"' })).toBeTruthy();
});

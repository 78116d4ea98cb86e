import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
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

it('says whether the last proof is one of this document', async () => {
  const proof = { at: '2026-01-05T09:00:00Z', score: 92, isCurrent: true, steps: {} };
  const told: unknown[] = [];
  const onProve = vi.fn();
  let answer: object = { score: { wired: 1, policy: 0, total: 1 }, findings: [], proof };
  const chip = () => <CoverageChip document={{ ...RETRY }} readOnly={false} onFix={() => undefined} onShow={() => undefined} onProof={(one) => told.push(one)} onProve={onProve} />;
  const { rerender } = renderWith(chip(), { error_coverage: () => answer as never });
  expect((await screen.findByRole('button')).textContent).toContain('Proved: 92 %');
  expect(told.at(-1)).toEqual(proof);
  answer = { ...answer, proof: { ...proof, isCurrent: false } };
  rerender(chip());
  await waitFor(() => expect(screen.getByRole('button').textContent).toContain('Proof out of date'));
  await userEvent.click(screen.getByRole('button'));
  await userEvent.click(await screen.findByRole('button', { name: 'Prove error handling' }));
  expect(onProve).toHaveBeenCalledOnce();
});

import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import { RETRY } from '../../test/fixtures.ts';
import { renderOnce } from '../../test/render.tsx';
import { ProofDialog, type ProofProps } from './proof-dialog.tsx';

const FIX = { label: 'Use the default error handling', edits: [{ type: 'set', path: ['settings', 'errorPolicy'], value: 'safe' }] };
const result = (step: string, fault: string, outcome: string, more = {}) => ({ step, faults: [fault], firstCallOnly: false, outcome, route: [], message: `What ${fault} leads to.`, ...more });
const REPORT = {
  workflow: 'w', definition: 'd', base: [{ name: 'sample data', status: 'completed' }], score: 50, tried: 2, runs: 5, totals: { endsFailed: 1, handled: 1 },
  results: [result('good', 'crash', 'recovered'), result('bad', 'ToolError AUTH', 'endsFailed', { failedStep: 'bad', fixes: [FIX] }), result('bad', 'ToolError \u202eX', 'endsFailed', { fixes: [FIX] })],
  steps: { good: { tried: 1, handled: 1, notReached: 0 }, bad: { tried: 2, handled: 0, notReached: 0 } },
  pairs: { results: [result('good', 'crash', 'handled', { also: { step: 'bad', faults: ['ToolError AUTH'] } })], handled: 1, leftOut: 7 },
  notTried: [{ step: 'far', faults: 3, reason: 'No run without a fault reaches this step.' }],
};
const VIEW = { last: { at: '2026-01-05T09:00:00Z', report: REPORT } };

beforeEach(() => { queryClient.clear(); });

function shown(props: Partial<ProofProps>, handlers: object) {
  const onFix = vi.fn();
  const onClose = vi.fn();
  const made = renderOnce(<ProofDialog fileRef="f" document={RETRY} readOnly={false} current titleOf={(id) => `Step ${id}`} onFix={onFix} onShow={vi.fn()} onClose={onClose} {...props} />, handlers as never);
  return { ...made, onFix, onClose };
}

it('shows what each fault leads to, worst first, and offers each fix once', async () => {
  const { onFix, onClose, fake } = shown({}, { proof_get: () => VIEW });
  expect(await screen.findByText('50 % of 2 faults are handled')).toBeTruthy();
  const steps = screen.getAllByRole('region').map((one) => one.getAttribute('aria-label')).filter((name) => name !== 'Messages');
  expect(steps).toEqual(['Step bad', 'Step good', 'Two faults in one run']);
  const bad = screen.getByRole('region', { name: 'Step bad' });
  expect(bad.textContent).toContain('Run fails');
  expect(bad.textContent).toContain('U+202EX');
  const fixes = within(bad).getAllByRole('button', { name: 'Use the default error handling' });
  expect(fixes).toHaveLength(1);
  expect(screen.getByText('1 of 1 handled, 7 pairs not tried')).toBeTruthy();
  expect(screen.getByText(/No run without a fault reaches this step/)).toBeTruthy();
  // The last proof is one of this document: nothing is run again.
  expect(fake.calls.some((call) => call.command === 'proof_start')).toBe(false);
  await userEvent.click(fixes[0] as HTMLElement);
  expect(onFix).toHaveBeenCalledWith(FIX, 'bad');
  expect(onClose).toHaveBeenCalled();
});

it('proves at once what was not proved as it is, says how far it is, and can be cancelled', async () => {
  let view: object = {};
  const { fake } = shown({ current: false }, {
    proof_get: () => view,
    proof_start: () => { view = { running: { done: 3, total: 12 } }; return view; },
    proof_cancel: () => { view = VIEW; return view; },
  });
  expect(await screen.findByText('Trying faults: 3 of 12')).toBeTruthy();
  expect(fake.calls.find((call) => call.command === 'proof_start')?.payload).toEqual({ ref: 'f', document: RETRY });
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(await screen.findByText('The workflow has changed since this proof.')).toBeTruthy();
});

it('saves a fault as a test, and says why one cannot be saved', async () => {
  let refuse = true;
  const { fake } = shown({}, {
    proof_get: () => VIEW,
    proof_save_test: () => {
      if (refuse) throw new ApiError({ code: 'NOT_REPEATABLE', message: 'It cannot be repeated.', hint: 'Prove again.' } as never);
      return { file: 'w.auth.signalbox-test.yaml', notes: [] };
    },
  });
  const bad = await screen.findByRole('region', { name: 'Step bad' });
  const [save] = within(bad).getAllByRole('button', { name: 'Save as test' });
  await userEvent.click(save as HTMLElement);
  await screen.findByText('It cannot be repeated. Prove again.');
  refuse = false;
  await userEvent.click(save as HTMLElement);
  await screen.findByText('Test saved: w.auth.signalbox-test.yaml');
  expect(fake.calls.findLast((call) => call.command === 'proof_save_test')?.payload).toEqual({ ref: 'f', document: RETRY, name: 'Step bad: ToolError AUTH', fault: { step: 'bad', fault: 'ToolError AUTH', firstCallOnly: false } });
});

it('says why a proof cannot be made, and changes nothing for those who only look', async () => {
  shown({ readOnly: true, current: false }, { proof_get: () => VIEW, proof_start: () => { throw new ApiError({ code: 'INVALID_WORKFLOW', message: 'The workflow has errors.', hint: 'Fix them.' } as never); } });
  expect(await screen.findByText('The workflow has errors. Fix them.')).toBeTruthy();
  await waitFor(() => expect(screen.getByRole('region', { name: 'Step bad' })).toBeTruthy());
  expect(screen.queryByRole('button', { name: 'Use the default error handling' })).toBeNull();
});

import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { Workflow } from '../../api/types.ts';
import { KINDS, RETRY } from '../../test/fixtures.ts';
import { renderWith } from '../../test/render.tsx';
import { NodePanel } from './node-panel.tsx';

const HOST = { run_step_data: () => null, expression_preview: () => ({ state: 'no_data' as const }), expression_names: () => [], past_errors: () => [], retry_timeline: () => [] };
const with_ = (maxAttempts?: number): Workflow => ({ ...RETRY, nodes: { ...RETRY.nodes, fetch: { ...(RETRY.nodes['fetch'] as Workflow['nodes'][string]), errorHandling: { retryPolicy: maxAttempts === undefined ? {} : { maxAttempts } } } } });

it('a number of retries or a pause below 0 is refused at its field, and not taken', async () => {
  const onEdit = vi.fn();
  renderWith(<NodePanel document={with_()} selected={['fetch']} catalog={KINDS} diagnostics={[]} onEdit={onEdit} tab="error" />, HOST);
  const box = screen.getByLabelText('Retries');
  await userEvent.type(box, '-3');
  expect(screen.getByRole('alert').textContent).toBe('Use a number from 0 to 100.');
  expect(onEdit).not.toHaveBeenCalled();
  await userEvent.clear(box);
  await userEvent.type(box, '7');
  expect(screen.queryByRole('alert')).toBeNull();
  expect(onEdit.mock.lastCall?.[0]).toMatchObject({ path: ['errorHandling', 'retryPolicy', 'maxAttempts'], value: 7 });
  onEdit.mockClear();
  await userEvent.type(screen.getByLabelText('First wait'), '-1');
  expect(screen.getByRole('alert').textContent).toBe('Use 0 or more.');
  expect(onEdit).not.toHaveBeenCalled();
});

it('says at the field what a file brought, and counts no retries below 0', () => {
  renderWith(<NodePanel document={with_(-3)} selected={['fetch']} catalog={KINDS} diagnostics={[]} onEdit={() => undefined} tab="error" />, HOST);
  expect(screen.getByRole('alert').textContent).toBe('Use a number from 0 to 100.');
  expect(screen.getByRole('tab', { name: /^Error handling/ }).textContent).toBe('Error handling');
  expect(document.querySelector('.panel-foot')?.textContent).not.toContain('-3');
});

it('a policy without a number says in the foot and at the tab how often a run tries again', () => {
  renderWith(<NodePanel document={with_()} selected={['fetch']} catalog={KINDS} diagnostics={[]} onEdit={() => undefined} tab="error" />, HOST);
  const n = screen.getByLabelText<HTMLInputElement>('Retries').placeholder;
  expect(Number(n)).toBeGreaterThan(0);
  expect(screen.getByRole('tab', { name: /^Error handling/ }).textContent).toBe(`Error handling${n}`);
  expect(document.querySelector('.panel-foot')?.textContent).toContain(`${n} retr`);
});

it('tells which tab is seen, so that the one with rules gets its room', async () => {
  const onShown = vi.fn();
  const { unmount } = renderWith(<NodePanel document={with_(3)} selected={['fetch']} catalog={KINDS} diagnostics={[]} onEdit={() => undefined} onShown={onShown} />, HOST);
  expect(onShown).toHaveBeenLastCalledWith('settings');
  await userEvent.click(screen.getByRole('tab', { name: /^Error handling/ }));
  expect(onShown).toHaveBeenLastCalledWith('error');
  unmount();
  expect(onShown).toHaveBeenLastCalledWith(null);
});

it('an empty condition of a rule is said in words, once', () => {
  const document: Workflow = { ...RETRY, settings: { errorPolicy: { rules: [{ name: 'Ask', when: '', action: 'human_review' }] } } };
  const shape = { code: 'BAD_CONFIG' as const, severity: 'error' as const, path: '/settings/errorPolicy/rules/0/when', message: '"Rules" 1 "When": "" is shorter than 1 character', hint: '' };
  renderWith(<NodePanel document={document} selected={[]} catalog={KINDS} diagnostics={[shape]} onEdit={() => undefined} />, { ...HOST, handler_dry_run: () => ({ action: 'abort', rule: 'default', why: [], delays: [] }) });
  const rules = screen.getByRole('list', { name: 'Rules, first match wins' });
  expect(rules.textContent).toContain('The condition is empty.');
  expect(rules.textContent).not.toContain('shorter than');
});

import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import type { RunRow } from '../../api/types.ts';
import { pretendLayout, renderWith } from '../../test/render.tsx';
import { RunHistory } from './runs.tsx';

pretendLayout();
afterEach(cleanup);

it('ts_101 what is not seen in the error of a run is marked in the list', () => {
  const run: RunRow = { runId: 'r-1', workflowId: 'w', workflowName: 'W', status: 'failed', startedAt: '2026-11-21T23:00:00.000Z', durationMs: 4, errorMessage: 'gpj\u202eexe' } as RunRow;
  const nothing = () => undefined;
  renderWith(<RunHistory runs={[run]} more={false} filters={{ workflow: '', status: '', text: '' }} workflows={[]} selected={null} failure={null} empty={null} onFilters={nothing} may={() => false}
    onSelect={nothing} onOpen={nothing} onMore={nothing} onCancel={nothing} onResume={nothing} onDelete={nothing} onCopyId={nothing} onRerun={nothing} onCompare={nothing} />);
  const cell = screen.getByText(/gpj/);
  expect(cell.textContent).toContain('gpjU+202Eexe');
  expect(cell.title).not.toContain('\u202e');
});

it('a run of the list is compared with another one from its menu, also by who may only look', async () => {
  const run = { runId: 'r-1', workflowId: 'w', workflowName: 'W', status: 'completed', startedAt: '2026-11-21T23:00:00.000Z', durationMs: 4 } as RunRow;
  const nothing = () => undefined;
  let compared: RunRow | undefined;
  renderWith(<RunHistory runs={[run]} more={false} filters={{ workflow: '', status: '', text: '' }} workflows={[]} selected={null} failure={null} empty={null} onFilters={nothing} may={() => false}
    onSelect={nothing} onOpen={nothing} onMore={nothing} onCancel={nothing} onResume={nothing} onDelete={nothing} onCopyId={nothing} onRerun={nothing} onCompare={(one) => { compared = one; }} />);
  await userEvent.click(screen.getByRole('button', { name: /^Actions of/ }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Compare with…' }));
  expect(compared).toBe(run);
});

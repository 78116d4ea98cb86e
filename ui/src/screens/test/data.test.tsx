// The data folder is checked and repaired, and old runs are shown before they are deleted.
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import { queryClient } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { renderOnce } from '../../test/render.tsx';
import { DataSection, OldRunsSection } from '../parts/data.tsx';

type Report = Commands['data_check']['response'];
type Pruned = Commands['run_prune']['response'];
const who = () => ({ operatorId: 'user:ada', role: 'builder', via: 'app' }) as Commands['who']['response'];
const data_size = () => ({ folder: '/home/ada/signalbox', storeBytes: 3_145_728, freeBytes: 0, otherBytes: 1_048_576 });

afterEach(() => {
  cleanup();
  queryClient.clear();
});

it('checks the folder, and repairs when asked to', async () => {
  const user = userEvent.setup();
  const finding = { area: 'files', state: 'repairable' as const, message: 'A file was half written.', hint: 'A repair removes it.' };
  const report = (repaired: boolean): Report => ({ runs: 12, auditEntries: 40, workflows: 3, indexes: 0, storeBytes: 1, freeBytes: 0, freedBytes: 0, findings: [{ ...finding, state: repaired ? 'repaired' : 'repairable' }] });
  const { fake } = renderOnce(<DataSection />, { who, data_size, data_check: ({ repair }) => report(repair ?? false) });
  expect(await screen.findByText('3.0 MB of runs, tasks and audit entries, 1.0 MB of other files')).toBeTruthy();
  await user.click(await screen.findByRole('button', { name: 'Check my data' }));
  expect(await screen.findByText('A file was half written.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Repair' }));
  expect(await screen.findByText('Repaired')).toBeTruthy();
  expect(fake.calls.filter(({ command }) => command === 'data_check').map(({ payload }) => payload)).toEqual([{ repair: false }, { repair: true }]);
});

it('deletes what the preview has shown, and asks before', async () => {
  const user = userEvent.setup();
  const of = (deleted: boolean): Pruned => ({ deleted, ended: 30, count: 21, bytes: 2_097_152, freedBytes: 0, oldest: [{ runId: 'r1', workflowId: 'w', workflowName: 'Morning orders', status: 'completed', endedAt: '2026-01-01T08:00:00Z', bytes: 2_048 }] });
  const { fake } = renderOnce(<OldRunsSection />, { who, data_size, run_prune_preview: () => of(false), run_prune: () => of(true) });
  const preview = await screen.findByRole<HTMLButtonElement>('button', { name: 'Preview' });
  expect(preview.disabled).toBe(true);
  const days = screen.getByRole('textbox', { name: 'Delete runs that ended more than so many days ago' });
  await user.type(days, 'x');
  expect(preview.disabled).toBe(true);
  await user.clear(days);
  await user.type(days, '90');
  await user.click(preview);
  expect(await screen.findByText('21 of 30 ended runs would be deleted, about 2.0 MB.')).toBeTruthy();
  expect(screen.getByText('and 20 more')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Delete 21 runs' }));
  expect(fake.calls.some(({ command }) => command === 'run_prune')).toBe(false);
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete 21 runs' }));
  await waitFor(() => expect(fake.calls.filter(({ command }) => command === 'run_prune').map(({ payload }) => payload)).toEqual([{ olderThanDays: 90 }]));
});

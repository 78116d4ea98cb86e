// Backups by schedule: what became of the last one, what a builder changes, and who chooses the folder.
import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import { queryClient } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { renderOnce } from '../../test/render.tsx';
import { BackupSection } from '../parts/backup.tsx';

type Schedule = Commands['backup_schedule']['response'];
const who = () => ({ operatorId: 'user:ada', role: 'builder', via: 'app' }) as Commands['who']['response'];

afterEach(() => {
  cleanup();
  queryClient.clear();
});

it('says what became of the last backup, and changes how many are kept', async () => {
  const user = userEvent.setup();
  const now: Schedule = { everyHours: 24, folder: '/mnt/backup', keep: 7, nextAt: '2026-11-30T08:00:00Z', lastAt: '2026-11-29T08:00:00Z', lastFile: '/mnt/backup/a.tar.gz', error: 'The disk is full.' };
  const { fake } = renderOnce(<BackupSection />, { who, backup_schedule: () => now, backup_schedule_set: () => now });
  expect(await screen.findByText('/mnt/backup')).toBeTruthy();
  expect(screen.getByRole('status').textContent).toContain('The disk is full.');
  await waitFor(() => expect(screen.getByRole('combobox', { name: 'Backups to keep' }).hasAttribute('data-disabled')).toBe(false));
  await user.click(screen.getByRole('combobox', { name: 'Backups to keep' }));
  await user.click(await screen.findByRole('option', { name: '14' }));
  await waitFor(() => expect(fake.calls.filter(({ command }) => command === 'backup_schedule_set').map(({ payload }) => payload)).toEqual([{ everyHours: 24, keep: 14 }]));
});

it('leaves the choice of the folder to a person at the machine', async () => {
  renderOnce(<BackupSection />, { who, backup_schedule: () => ({ keep: 7 }) });
  expect(await screen.findByText(/Choose a folder on the machine itself/)).toBeTruthy();
});

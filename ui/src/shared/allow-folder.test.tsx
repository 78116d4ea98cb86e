/** Allowing a folder in a browser: the folders of the server are looked into, and nothing is sent before one is chosen. */
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { ApiError } from '../api/error.ts';
import { renderWith } from '../test/render.tsx';
import { AllowFolderDialog } from './allow-folder.tsx';

const LISTINGS: { [folder: string]: unknown } = {
  '': { folders: ['/srv'], more: false },
  '/srv': { folder: '/srv', folders: ['/srv/orders'], more: false },
  '/srv/orders': { folder: '/srv/orders', parent: '/srv', folders: [], more: false },
};
const browse = (request: unknown) => {
  const listing = LISTINGS[(request as { folder?: string }).folder ?? ''];
  if (!listing) throw new ApiError({ code: 'FORBIDDEN', message: 'This folder may not be granted from a browser.', hint: 'Choose another one.' });
  return listing as never;
};

it('goes through the folders that may be granted, and grants one to this workflow', async () => {
  const closed = vi.fn();
  const { fake } = renderWith(<AllowFolderDialog path="/etc/passwd" writes={false} workflowId="w" onClose={closed} />, { folder_browse: browse, folder_grant: () => ({}) });
  // The folder of the path may not be granted: it is said, and one can begin elsewhere.
  expect(await screen.findByText('This folder may not be granted from a browser.')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'All starting folders' }));
  expect(screen.getByRole('button', { name: 'Allow this folder' }).hasAttribute('disabled') || screen.getByRole('button', { name: 'Allow this folder' }).getAttribute('aria-disabled') === 'true').toBe(true);
  await userEvent.click(await screen.findByRole('button', { name: '/srv' }));
  await userEvent.click(await screen.findByRole('button', { name: 'orders' }));
  await userEvent.click(screen.getByRole('button', { name: 'Allow this folder' }));
  await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  expect(fake.calls.filter(({ command }) => command === 'folder_grant').map(({ payload }) => payload)).toEqual([{ folder: '/srv/orders', access: 'ro', library: false, workflowId: 'w' }]);
});

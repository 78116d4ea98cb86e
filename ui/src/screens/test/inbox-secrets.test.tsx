/** A task whose step needs a secret or a sign-in: the way to where that is mended, for who may. */
import { cleanup, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { queryClient } from '../../api/queries.ts';
import { task } from '../../test/people.ts';
import { detail, freshInbox, showInbox } from './inbox-page.tsx';

beforeEach(freshInbox);
afterEach(() => { cleanup(); window.location.hash = ''; });

const failed = (code: string) => task(1, { errorCode: code });

it('leads to the secrets when a sign-in has ended, and nowhere for other errors', async () => {
  const host = await showInbox('#/inbox/task-1', [failed('CREDENTIAL_EXPIRED')]);
  // Operators see the error, and have no secrets to look after.
  expect(within(await detail()).queryByRole('link', { name: 'Secrets in Settings' })).toBeNull();
  host.fake.handlers.who = () => ({ operatorId: 'user:ap.desk', role: 'builder', via: 'app' });
  await queryClient.invalidateQueries({ queryKey: ['who'] });
  const link = await within(await detail()).findByRole('link', { name: 'Secrets in Settings' });
  expect(link.getAttribute('href')).toBe('#/settings/secrets');
  cleanup();
  freshInbox();
  await showInbox('#/inbox/task-1', [failed('HTTP_STATUS')]);
  const other = within(await detail());
  await other.findByText('Technical details');
  expect(other.queryByRole('link', { name: 'Secrets in Settings' })).toBeNull();
});

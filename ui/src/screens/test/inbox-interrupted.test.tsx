/** A step that was cut off: what it was doing is said, so that a person knows where to look. */
import { cleanup, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { callOf } from '../../features/inbox/interrupted.tsx';
import { task } from '../../test/people.ts';
import { detail, freshInbox, showInbox } from './inbox-page.tsx';

beforeEach(freshInbox);
afterEach(() => { cleanup(); window.location.hash = ''; });

it('names method and address of the request that may have happened', async () => {
  const cut = task(1, { reason: 'interrupted', path: 'each[1]' });
  const host = await showInbox('#/inbox/task-1', [cut]);
  host.fake.handlers.run_step_data = ({ runId, nodeId, path }) => (runId === cut.runId && nodeId === cut.nodeId && path === 'each[1]' ? { config: { method: 'POST', url: 'https://pay.example/charge' } } as never : null);
  const box = within(await detail());
  expect(await box.findByText((_, part) => part?.textContent === 'Interrupted call: POST https://pay.example/charge')).toBeTruthy();
});

it('says what a step of another kind worked on, when its settings say so', () => {
  expect([callOf({ path: 'out/a.txt' }), callOf({ url: 'https://a.example' }), callOf({ to: 'x' }), callOf(null)]).toEqual(['out/a.txt', 'https://a.example', undefined, undefined]);
});

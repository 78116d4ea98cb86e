import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import { queryClient } from '../api/queries.ts';
import { renderOnce } from '../test/render.tsx';
import { SampleRun } from './sample-run.tsx';
import { TriggerRunContext } from './trigger-run-context.ts';

afterEach(() => {
  cleanup();
  queryClient.clear();
});

it('runs the draft from this trigger, with the sample that the step makes up', async () => {
  const runs: [string, unknown][] = [];
  renderOnce(<TriggerRunContext.Provider value={(nodeId, event) => { runs.push([nodeId, event]); }}><SampleRun nodeId="arrived" /></TriggerRunContext.Provider>, {});
  await userEvent.click(screen.getByRole('button', { name: 'Run with a sample' }));
  expect(runs).toEqual([['arrived', null]]);
});

it('offers no run where none can be started', () => {
  renderOnce(<SampleRun nodeId="arrived" />, {});
  expect(screen.queryByRole('button')).toBeNull();
});

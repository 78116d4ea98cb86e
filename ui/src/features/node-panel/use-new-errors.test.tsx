import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RunView } from '../../run/run-state.ts';
import { AFTER_MS, useNewErrors } from './use-new-errors.ts';

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

const run = (calls: number) => ({ runId: 'R', status: 'running', nodes: { each: { id: 'each', calls, errorCode: 'E' } } }) as unknown as RunView;
function Panel({ calls }: { calls: number }) {
  useNewErrors(run(calls));
  return null;
}

it('errors are offered while more of them come, not only after the last', () => {
  const client = new QueryClient();
  const asked = vi.spyOn(client, 'invalidateQueries');
  const at = (calls: number) => <QueryClientProvider client={client}><Panel calls={calls} /></QueryClientProvider>;
  const { rerender, unmount } = render(at(0));
  // One error before each time is over, five times as long.
  for (let calls = 1; calls <= 10; calls += 1) {
    rerender(at(calls));
    act(() => { vi.advanceTimersByTime(AFTER_MS / 2); });
  }
  expect(asked).toHaveBeenCalledTimes(5);
  expect(asked).toHaveBeenLastCalledWith({ queryKey: ['past_errors'] });
  rerender(at(11));
  unmount();
  act(() => { vi.advanceTimersByTime(AFTER_MS * 2); });
  expect(asked).toHaveBeenCalledTimes(5);
});

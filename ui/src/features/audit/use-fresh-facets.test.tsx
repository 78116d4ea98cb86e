import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FACETS_MS, useFreshFacets } from './use-fresh-facets.ts';

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

function Facets({ written }: { written: number | undefined }) {
  useFreshFacets(written);
  return null;
}

it('facets are asked again soon after a record, and while records come all the time not with each', () => {
  const client = new QueryClient();
  const asked = vi.spyOn(client, 'invalidateQueries');
  const at = (written: number | undefined) => <QueryClientProvider client={client}><Facets written={written} /></QueryClientProvider>;
  const { rerender } = render(at(undefined));
  const pass = (ms: number) => { act(() => { vi.advanceTimersByTime(ms); }); };
  rerender(at(20));
  pass(FACETS_MS);
  expect(asked).toHaveBeenCalledTimes(0);
  rerender(at(21));
  pass(0);
  expect(asked).toHaveBeenCalledTimes(1);
  // One record with each look at the list: the wait does not begin anew.
  for (let n = 22; n <= 26; n += 1) {
    rerender(at(n));
    pass(FACETS_MS / 5 - 1);
  }
  expect(asked).toHaveBeenCalledTimes(1);
  pass(5);
  expect(asked).toHaveBeenCalledTimes(2);
  expect(asked).toHaveBeenLastCalledWith({ queryKey: ['audit_facets'] }, { cancelRefetch: false });
  pass(FACETS_MS * 2);
  expect(asked).toHaveBeenCalledTimes(2);
});

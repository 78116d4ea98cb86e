import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { fakeTransport, type FakeTransport } from '../../api/transport/fake.ts';
import { followTasks } from './live.ts';

let host: FakeTransport;
let open: { onChange(): void; onError(cause: unknown): void }[];
let closed: number;
let looks: number;
let stop: () => void;
const hide = (hidden: boolean) => {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(hidden);
  document.dispatchEvent(new Event('visibilitychange'));
};
const settled = async () => { await vi.advanceTimersByTimeAsync(0); };

beforeEach(() => {
  vi.useFakeTimers();
  [open, closed, looks] = [[], 0, 0];
  host = fakeTransport();
  host.onTaskChange = (onChange, onError) => {
    open.push({ onChange, onError });
    return () => { closed += 1; };
  };
  setTransport(host);
  vi.spyOn(queryClient, 'invalidateQueries').mockImplementation(async ({ queryKey } = {}) => { if (queryKey?.[0] === 'task_list') looks += 1; });
  stop = followTasks();
});
afterEach(() => {
  stop();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it('looks when it is told, once for many at a time, and not at the first word of a new page', async () => {
  open[0]?.onChange();
  await settled();
  expect(looks).toBe(0);
  for (let n = 0; n < 5; n += 1) open[0]?.onChange();
  await settled();
  expect(looks).toBe(2);
});

it('connects again after a break, and looks at what it may have missed', async () => {
  open[0]?.onChange();
  open[0]?.onError(null);
  expect(open).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(250);
  expect(open).toHaveLength(2);
  open[1]?.onChange();
  await settled();
  expect(looks).toBe(1);
});

it('keeps no connection in the back', async () => {
  open[0]?.onChange();
  hide(true);
  expect(closed).toBe(1);
  hide(false);
  expect(open).toHaveLength(2);
  open[1]?.onChange();
  await settled();
  expect(looks).toBe(1);
});

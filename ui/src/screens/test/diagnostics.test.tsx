import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { setTransport } from '../../api/client.ts';
import type { Finding } from '../../api/diagnostics.ts';
import { fakeTransport } from '../../api/transport/fake.ts';
import type { Diagnostic, Workflow } from '../../api/types.ts';
import { FIRST } from '../../test/walkthrough.ts';
import { useDiagnostics, VALIDATE_MS } from '../builder/diagnostics.ts';

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

it('what would mend an older text waits until the engine has looked at the new one', async () => {
  const finding: Diagnostic = { code: 'UNGATED_EGRESS', severity: 'error', path: '/nodes/find/config', message: 'm', hint: 'h', fix: { title: 'Ask', path: '/nodes/find/config/toolRules', value: [] } };
  setTransport(fakeTransport({ workflow_validate: () => [finding] }));
  const first: Diagnostic[] = [finding];
  const { result, rerender } = renderHook(({ document }: { document: Workflow }) => useDiagnostics(document, 'ref', first), { initialProps: { document: FIRST } });
  const stale = () => result.current.map((one) => (one as Finding).stale === true);
  expect(stale()).toEqual([false]);
  rerender({ document: { ...FIRST, name: 'typed' } });
  expect(stale()).toEqual([true]);
  await act(() => vi.advanceTimersByTimeAsync(VALIDATE_MS));
  expect(stale()).toEqual([false]);
});

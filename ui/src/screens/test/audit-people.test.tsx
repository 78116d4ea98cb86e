/** Who looks at the chain: what they are offered, what they are told, wherever they are. */
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { QueryClientProvider } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { useSettings } from '../../api/settings.ts';
import { summaryText } from '../../features/audit/words.ts';
import { claimedText } from '../../features/audit/record.tsx';
import { auditHost, makeChain } from '../../test/chain.ts';
import { demoHost } from '../../test/fixtures.ts';
import { pretendLayout } from '../../test/render.tsx';
import { AuditScreen } from '../audit-screen.tsx';
import { Frame } from '../frame.tsx';
import { useRoute } from '../router.ts';

function Page() {
  const route = useRoute();
  return <Frame route={route}>{route.screen === 'audit' ? <AuditScreen query={route.query} seq={route.seq} /> : <main>elsewhere</main>}</Frame>;
}
async function show(hash: string, before: (host: ReturnType<typeof auditHost>) => void = () => undefined) {
  const fake = demoHost();
  const host = auditHost(await makeChain(20), fake);
  before(host);
  setTransport(fake);
  window.location.hash = hash;
  render(<QueryClientProvider client={queryClient}><Page /></QueryClientProvider>);
  return { fake, host };
}
beforeEach(() => { pretendLayout(); queryClient.clear(); useSettings.setState({ settings: { theme: 'system', layout: {}, keymap: {} } }); });
afterEach(() => { cleanup(); window.location.hash = ''; });
const BROKEN = { state: 'broken' as const, broken: { seq: 12, kind: 'MODIFIED' as const, message: 'Its content is not what was sealed.' } };

it('a viewer is not offered an export, an operator is', async () => {
  const { host } = await show('#/audit', (made) => { Object.assign(made.status, BROKEN); made.on({ who: () => ({ operatorId: 'user:vera', role: 'viewer', via: 'rest' }) }); });
  expect(await screen.findByRole('button', { name: 'Go to entry' })).toBeTruthy();
  await waitFor(() => expect(queryClient.getQueryData(['who', {}])).toBeTruthy());
  expect(screen.queryByRole('button', { name: 'Export evidence' })).toBeNull();
  host.on({ who: () => ({ operatorId: 'user:ada', role: 'operator', via: 'rest' }) });
  await act(async () => { await queryClient.invalidateQueries({ queryKey: ['who'] }); });
  expect(await screen.findAllByRole('button', { name: 'Export evidence' })).toHaveLength(2);
});

it('a chain that breaks is said on every screen, and leads to the record (E2)', async () => {
  const { host } = await show('#/workflows');
  expect(await screen.findByText('elsewhere')).toBeTruthy();
  await waitFor(() => expect(queryClient.getQueryData(['audit_status', {}])).toBeTruthy());
  expect(screen.queryByRole('alert')).toBeNull();
  host.on({ audit_status: () => ({ ...host.status, ...BROKEN }) });
  await act(async () => { await queryClient.invalidateQueries({ queryKey: ['audit_status'] }); });
  const banner = await screen.findByRole('alert');
  expect(banner.textContent).toContain('Chain broken at entry 12');
  fireEvent.click(within(banner).getByRole('button', { name: 'Go to entry' }));
  await waitFor(() => expect(window.location.hash).toBe('#/audit/12'));
  // The audit screen has its own bar: once is enough.
  expect(await screen.findAllByRole('alert')).toHaveLength(1);
});

it('asks every second while a verification goes on, and seldom otherwise', async () => {
  vi.useFakeTimers();
  try {
    const { fake } = await show('#/workflows', (made) => { made.status.running = true; });
    const asked = () => fake.calls.filter((call) => (call.command as string) === 'audit_status').length;
    const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
    await pass(100);
    const first = asked();
    expect(first).toBeGreaterThan(0);
    await pass(1_000);
    expect(asked()).toBe(first + 1);
    Object.assign(fake.handlers, { audit_status: () => ({ running: false, state: 'intact' }) });
    await pass(1_000);
    const last = asked();
    expect(last).toBe(first + 2);
    await pass(4_800);
    expect(asked()).toBe(last);
    await pass(300);
    expect(asked()).toBe(last + 1);
  } finally {
    vi.useRealTimers();
  }
});

it('says who somebody claimed to be, as an actor or as a name', async () => {
  expect(claimedText({ type: 'human', id: 'user:ceo', role: 'builder' })).toBe('ceo, builder');
  expect(claimedText({ type: 'system' })).toBe('engine');
  expect(claimedText('user:ceo')).toBe('user:ceo');
  expect(claimedText({ strange: 1 })).toBe('{"strange":1}');
  expect(claimedText(undefined)).toBeUndefined();
  await show('#/audit/7', ({ records }) => {
    const record = records[7];
    if (record) record.entry = { ...record.entry, metadata: { claimedActor: { type: 'human', id: 'user:ceo' } } };
  });
  const label = await screen.findByText('Claimed');
  expect(label.nextElementSibling?.textContent).toBe('ceo');
});

it('a summary does not say again who, beside the actor', () => {
  const olga = { type: 'human' as const, id: 'user:olga' };
  expect(summaryText({ event: 'HITL_COMPLETED', summary: 'user:olga decided correct: supplierId', actor: olga })).toBe('Decided correct: supplierId');
  expect(summaryText({ event: 'HITL_COMPLETED', summary: 'olga reassigned the task to omar', actor: olga })).toBe('Reassigned the task to omar');
  expect(summaryText({ event: 'HITL_COMPLETED', summary: 'user:olgamar decided', actor: olga })).toBe('user:olgamar decided');
  expect(summaryText({ event: 'HITL_COMPLETED', summary: 'Rule 2 fires', actor: { type: 'system' } })).toBe('Rule 2 fires');
});

it('completion and facets know what was written while one looks', async () => {
  vi.useFakeTimers();
  try {
    const { host, fake } = await show('#/audit');
    const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
    await pass(500);
    expect(screen.getByRole('checkbox', { name: 'Event: Task completed' })).toBeTruthy();
    const facets = () => fake.calls.filter((call) => (call.command as string) === 'audit_facets').length;
    const before = facets();
    // The next look at the list finds one record more.
    host.records.push(...(await makeChain(21)).slice(20));
    await pass(2_500);
    await pass(100);
    expect(screen.getByText('21 entries')).toBeTruthy();
    expect(facets()).toBe(before + 1);
  } finally {
    vi.useRealTimers();
  }
});

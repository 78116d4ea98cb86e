import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { QueryClientProvider } from '@tanstack/react-query';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import { useSettings } from '../../api/settings.ts';
import { hashOf, sha256 } from '../../features/audit/hash.ts';
import { complete, toggle, toggleWithout, tokensOf, valueOf, withoutOf } from '../../features/audit/query.ts';
import type { AuditRow } from '../../features/audit/types.ts';
import { step } from '../../features/audit/use-audit.ts';
import { useMessages } from '../../kit/messages.ts';
import { auditHost, makeChain } from '../../test/chain.ts';
import { demoHost } from '../../test/fixtures.ts';
import { pretendLayout } from '../../test/render.tsx';
import { AuditScreen } from '../audit-screen.tsx';
import { useRoute } from '../router.ts';

let host: ReturnType<typeof auditHost>;
let fake: ReturnType<typeof demoHost>;
function Page() {
  const route = useRoute();
  return route.screen === 'audit' ? <AuditScreen query={route.query} seq={route.seq} /> : <p>elsewhere</p>;
}
const show = async (hash = '#/audit', count = 60, before?: () => void) => {
  fake = demoHost();
  host = auditHost(await makeChain(count), fake);
  setTransport(fake);
  before?.();
  window.location.hash = hash;
  render(<QueryClientProvider client={queryClient}><Page /></QueryClientProvider>);
  await screen.findByRole('heading', { name: 'Audit' });
};
beforeEach(() => { pretendLayout(); queryClient.clear(); useSettings.setState({ settings: { theme: 'system', layout: {}, keymap: {} } }); });
afterEach(() => { cleanup(); window.location.hash = ''; });
const rows = () => within(screen.getByRole('grid')).getAllByRole('row').slice(1);

describe('the hash (A-21, K-23)', () => {
  const VECTOR = '{"actor":{"type":"system"},"event":"NODE_ERROR","level":"ERROR","logId":"log-1","metadata":{"attempt":0,"errorType":"ValidationError"},"nodeId":"n-1","prevHash":"0000000000000000000000000000000000000000000000000000000000000000","runId":"r-1","seq":0,"timestamp":"2025-11-28T10:00:00.000Z","v":1}';
  it('of the test vector of the format is the one given there', async () => {
    expect(await hashOf(VECTOR)).toBe('fc40ef073de630c645446f1c4072da272873998f958b10d28cf0aa39c792c4bd');
  });
  it('is the same without the browser\'s own function', async () => {
    vi.stubGlobal('crypto', {});
    expect(await hashOf(VECTOR)).toBe('fc40ef073de630c645446f1c4072da272873998f958b10d28cf0aa39c792c4bd');
    vi.unstubAllGlobals();
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => { expect(Buffer.from(sha256(bytes)).toString('hex')).toBe(createHash('sha256').update(bytes).digest('hex')); }));
  });
});

describe('queries', () => {
  it('are read as they are written, quotes and colons in values too', () => {
    expect(tokensOf('event:NODE_ERROR  text:"two words" http://x since:2026-11-22T10:00:00Z').map(({ qualifier, value }) => [qualifier, value])).toEqual([['event', 'NODE_ERROR'], ['text', 'two words'], [undefined, 'http://x'], ['since', '2026-11-22T10:00:00Z']]);
    fc.assert(fc.property(fc.string(), (text) => { const tokens = tokensOf(text); expect(tokens.map((token) => text.slice(token.from, token.to))).toEqual(tokens.map((token) => token.text)); }));
  });
  it('hold each qualifier once, and lose it again', () => {
    expect(toggle('words', 'level', 'ERROR')).toBe('words level:ERROR');
    expect(toggle('level:WARN words', 'level', 'ERROR')).toBe('words level:ERROR');
    expect(toggle('level:ERROR words', 'level', 'ERROR')).toBe('words');
    expect(valueOf(toggle('', 'actor', 'repair input'), 'actor')).toBe('repair input');
    // A name alone is also that of a person.
    expect(toggle('words actor:ada', 'actor', 'user:ada')).toBe('words');
    expect(toggle('actor:ada', 'actor', 'user:adam')).toBe('actor:user:adam');
  });
  it('leave out what has a minus before it, each value by itself', () => {
    expect(tokensOf('-event:NODE_START -"two words" -late -5 - "-event:X" -text:x').map(({ qualifier, value, not }) => [qualifier, value, not])).toEqual([
      ['event', 'NODE_START', true], [undefined, 'two words', true], [undefined, 'late', true], [undefined, '-5', false], [undefined, '-', false], [undefined, '-event:X', false], ['text', 'x', true]]);
    expect(toggleWithout('event:NODE_ERROR', 'event', 'NODE_START')).toBe('event:NODE_ERROR -event:NODE_START');
    expect(toggleWithout('-event:NODE_START', 'event', 'NODE_SUCCESS')).toBe('-event:NODE_START -event:NODE_SUCCESS');
    expect(toggleWithout('words -actor:ada', 'actor', 'user:ada')).toBe('words');
    // A value is asked for or left out, not both.
    expect(toggleWithout('actor:ada', 'actor', 'user:ada')).toBe('-actor:user:ada');
    expect(toggle('-level:INFO -level:WARN', 'level', 'WARN')).toBe('-level:INFO level:WARN');
    expect([valueOf('-level:INFO', 'level'), withoutOf('-level:INFO level:WARN -level:', 'level')]).toEqual([undefined, ['INFO']]);
  });
  it('are completed behind a minus, too', () => {
    expect(complete('-ev', 3, {}).map((one) => [one.text, one.insert])).toEqual([['-event:', '-event:']]);
    expect(complete('-event:node', 11, { event: [{ value: 'NODE_ERROR' }] }).map((one) => one.insert)).toEqual(['-event:NODE_ERROR ']);
    expect(complete('-', 1, {}).map((one) => one.text)).not.toContain('-since:');
    expect(complete('-since:2', 8, { since: [{ value: '2026-11-22' }] })).toEqual([]);
  });
  it('are completed at the caret', () => {
    expect(complete('ev', 2, {}).map((one) => one.insert)).toEqual(['event:']);
    expect(complete('event:node words', 10, { event: [{ value: 'NODE_ERROR' }, { value: 'HITL_CREATED' }] })).toEqual([{ text: 'NODE_ERROR', from: 0, to: 10, insert: 'event:NODE_ERROR ' }]);
    expect(complete('', 0, {})).toHaveLength(12);
  });
});

describe('rows that arrive', () => {
  const row = (seq: number) => ({ seq }) as AuditRow;
  const page = (...seqs: number[]) => ({ entries: seqs.map(row), total: seqs.length, more: false, head: { size: 9, hash: '' } });
  it('come on top or at the end, each once, and only for the query that is asked', () => {
    let state = step({ query: '', of: '', rows: undefined, total: 0, more: false, head: undefined, end: false, error: null, added: 0 }, { type: 'reset', query: 'q' });
    state = step(state, { type: 'first', query: 'q', page: page(5, 4) });
    state = step(state, { type: 'newer', query: 'q', page: page(7, 6, 5) });
    expect(state).toMatchObject({ added: 2, rows: [{ seq: 7 }, { seq: 6 }, { seq: 5 }, { seq: 4 }] });
    state = step(state, { type: 'older', query: 'q', before: 4, page: page(4, 3) });
    expect(state.rows?.map((one) => one.seq)).toEqual([7, 6, 5, 4, 3]);
    expect(step(state, { type: 'newer', query: 'other', page: page(99) })).toBe(state);
    // Asked before the list began anew: what lies between would be left out.
    expect(step(state, { type: 'older', query: 'q', before: 900, page: page(2) })).toBe(state);
  });
  it('stay until those of the next query are there, and go when it cannot be asked', () => {
    const start = step({ query: 'q', of: '', rows: undefined, total: 0, more: false, head: undefined, end: false, error: null, added: 0 }, { type: 'first', query: 'q', page: page(5, 4) });
    const asked = step(start, { type: 'reset', query: 'next' });
    expect(asked).toMatchObject({ query: 'next', of: 'q', rows: [{ seq: 5 }, { seq: 4 }] });
    expect(step(asked, { type: 'older', query: 'next', before: 4, page: page(3) })).toBe(asked);
    const failed = (code: string) => step(asked, { type: 'failed', query: 'next', error: new ApiError({ code, message: 'm', hint: '' }) });
    expect(failed('CONNECTION').rows).toHaveLength(2);
    expect(failed('BAD_REQUEST')).toMatchObject({ of: 'next', rows: undefined, total: 0 });
  });
});

describe('the audit viewer (E4-E7)', () => {
  it('shows records newest first, in words, and draws only what is seen', async () => {
    await show('#/audit', 600);
    expect(await screen.findByText('600 entries')).toBeTruthy();
    expect(within(rows()[0] as HTMLElement).getByText('Run ended')).toBeTruthy();
    expect(rows().length).toBeLessThan(60);
    expect(screen.getByText('Chain intact up to entry 599')).toBeTruthy();
  });
  it('narrows by a facet and by words, and widens again', async () => {
    await show();
    fireEvent.click(await screen.findByRole('checkbox', { name: 'Event: Task completed' }));
    await waitFor(() => expect(screen.getByText('6 of 60')).toBeTruthy());
    expect(window.location.hash).toContain(encodeURIComponent('event:HITL_COMPLETED'));
    await userEvent.type(screen.getByRole('combobox'), ' nothing-like-it');
    expect(await screen.findByText('No matching entries')).toBeTruthy();
    fireEvent.click(screen.getAllByRole('button', { name: 'Clear the query' })[0] as HTMLElement);
    await waitFor(() => expect(rows().length).toBeGreaterThan(10));
  });
  it('leaves a value out from its facet, and takes it in again (E4)', async () => {
    await show();
    fireEvent.click(await screen.findByRole('button', { name: 'Exclude Task completed' }));
    await waitFor(() => expect(screen.getByText('54 of 60')).toBeTruthy());
    expect(window.location.hash).toContain(encodeURIComponent('-event:HITL_COMPLETED'));
    expect(rows().some((row) => row.textContent?.includes('Task completed'))).toBe(false);
    // It stays in the list, so that the way back is where one looks for it.
    const back = await screen.findByRole('button', { name: 'Stop excluding Task completed' });
    fireEvent.click(await screen.findByRole('button', { name: 'Exclude Run ended' }));
    await waitFor(() => expect((screen.getByRole('combobox') as HTMLInputElement).value).toBe('-event:HITL_COMPLETED -event:WORKFLOW_COMPLETED'));
    fireEvent.click(back);
    await waitFor(() => expect((screen.getByRole('combobox') as HTMLInputElement).value).toBe('-event:WORKFLOW_COMPLETED'));
  });
  it('completes while one types', async () => {
    await show();
    const box = await screen.findByRole('combobox');
    await screen.findByRole('checkbox', { name: 'Event: Task completed' });
    await userEvent.type(box, 'lev');
    fireEvent.keyDown(box, { key: 'Tab' });
    expect((box as HTMLInputElement).value).toBe('level:');
    expect(await screen.findByRole('option', { name: /CRITICAL/ })).toBeTruthy();
  });
  it('knows a person by the name alone', async () => {
    await show('#/audit', 60);
    const box = await screen.findByRole('combobox');
    await userEvent.type(box, 'actor:ap.d');
    fireEvent.mouseDown(await screen.findByRole('option', { name: /user:ap\.desk/ }));
    expect((box as HTMLInputElement).value.trimEnd()).toBe('actor:user:ap.desk');
    fireEvent.change(box, { target: { value: 'actor:ap.desk' } });
    await waitFor(() => expect(screen.getByText('6 of 60')).toBeTruthy());
    expect(await screen.findAllByRole('checkbox', { name: /^Actor:/, checked: true })).toHaveLength(1);
  });
  it('opens a record: diff, bytes, hash computed again, and how it came about', async () => {
    await show('#/audit/57');
    expect(await screen.findByRole('heading', { name: 'Task completed' })).toBeTruthy();
    const diff = await screen.findByRole('group', { name: 'Change' });
    expect(diff.textContent).toContain('/supplierId "S-Z041"');
    expect(diff.textContent).toContain('/supplierId "S-2041"');
    expect(await screen.findByText('equal')).toBeTruthy();
    fireEvent.click(screen.getByRole('radio', { name: 'Bytes' }));
    expect(screen.getByLabelText('Canonical bytes').textContent).toBe(host.records[57]?.canonical);
    const graph = screen.getByRole('group', { name: 'Origin' });
    expect(within(graph).getAllByRole('button').map((one) => one.textContent)).toEqual(['53 Step failed', '54 Error routed', '55 Self-heal failed', '56 Task created', '57 Task completed', '59 Run ended']);
    fireEvent.click(within(graph).getByText('53 Step failed'));
    await waitFor(() => expect(window.location.hash).toContain('#/audit/53'));
    expect(await screen.findByRole('heading', { name: 'Step failed' })).toBeTruthy();
  });
  it('says when a record was changed, whatever the program says', async () => {
    await show('#/audit/30', 60, () => {
      const record = host.records[30];
      if (record) record.canonical = record.canonical.replace('"INFO"', '"WARN"');
      if (record) record.entry = JSON.parse(record.canonical) as Record<string, unknown>;
    });
    expect(await screen.findByText('not equal')).toBeTruthy();
  });
  it('says when the bytes differ from the entry than what is shown', async () => {
    await show('#/audit/30', 60, () => {
      const record = host.records[30];
      if (record) record.entry = { ...record.entry, level: 'CRITICAL' };
    });
    expect(await screen.findByText('the bytes differ from the entry')).toBeTruthy();
  });
  it('has a red banner when the chain is broken, with the first bad record and what is wrong with it', async () => {
    await show('#/audit', 60, () => Object.assign(host.status, { state: 'broken', broken: { seq: 12, kind: 'MODIFIED', message: 'Its content is not what was sealed.' } }));
    const banner = await screen.findByRole('alert');
    expect(banner.textContent).toContain('Chain broken at entry 12');
    expect(banner.textContent).toContain('This entry was changed after it was written.');
    expect(banner.textContent).toContain('Entries up to 11 match.');
    fireEvent.click(within(banner).getByRole('button', { name: 'Go to entry' }));
    await waitFor(() => expect(window.location.hash).toBe('#/audit/12'));
  });
  it('goes to a record far back, among those around it, and to the newest again', async () => {
    await show('#/audit?q=level%3AINFO', 500, () => Object.assign(host.status, { state: 'broken', broken: { seq: 12, kind: 'MODIFIED', message: 'x' } }));
    await waitFor(() => expect(rows()[0]?.textContent).toContain('499'));
    fireEvent.click(within(await screen.findByRole('alert')).getByRole('button', { name: 'Go to entry' }));
    expect(await screen.findByText('Entries up to 23; newer ones are not shown.')).toBeTruthy();
    const broken = rows().find((row) => row.classList.contains('broken'));
    expect(broken?.getAttribute('aria-selected')).toBe('true');
    expect(window.location.hash).toBe('#/audit/12');
    fireEvent.click(screen.getByRole('button', { name: 'To the newest' }));
    await waitFor(() => expect(rows()[0]?.textContent).toContain('499'));
  });
  it('shows a record that a link leads to among those around it', async () => {
    await show('#/audit/12', 500);
    expect(await screen.findByText('Entries up to 23; newer ones are not shown.')).toBeTruthy();
    expect(rows().find((row) => row.getAttribute('aria-selected') === 'true')?.textContent).toContain('12');
  });
  it('marks each record up to which a checkpoint seals', async () => {
    await show('#/audit', 60, () => { for (const at of [40, 51]) { const record = host.records[at]; if (record) record.row.sealed = true; } });
    const sealed = () => rows().filter((row) => within(row).queryByRole('img', { name: 'sealed by a checkpoint' })).map((row) => row.querySelector('.seq')?.textContent);
    await waitFor(() => expect(sealed()).toEqual(['56', '51', '40']));
  });
  it('asks why the end is missing, and takes the answer for the record (E2)', async () => {
    await show('#/audit', 60, () => {
      Object.assign(host.status, { state: 'broken', broken: { seq: 58, kind: 'TRUNCATED', message: 'x', acceptable: true } });
      Object.assign(fake.handlers, { who: () => ({ operatorId: 'user:ada', role: 'builder', via: 'rest' }), audit_accept_cut: () => { Object.assign(host.status, { state: 'intact', broken: undefined }); return { status: 'ok', seq: 60 }; } });
    });
    const banner = await screen.findByRole('alert');
    fireEvent.click(await within(banner).findByRole('button', { name: 'Explain…' }));
    const send = screen.getByRole('button', { name: 'Record and continue' });
    expect(send.hasAttribute('disabled') || send.getAttribute('aria-disabled') === 'true').toBe(true);
    fireEvent.change(screen.getByRole('textbox', { name: /^Reason/ }), { target: { value: ' a power cut ' } });
    fireEvent.click(send);
    await waitFor(() => expect(fake.calls.find((call) => call.command === 'audit_accept_cut')?.payload).toEqual({ reason: 'a power cut' }));
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  });
  it('says when its counts are those of the newest records alone', async () => {
    await show('#/audit', 60, () => { const { audit_facets: all } = fake.handlers; Object.assign(fake.handlers, { audit_facets: (request: never) => ({ ...(all?.(request) as object), newest: 10_000 }) }); });
    expect(await screen.findByText('Counts are of the newest 10,000 entries. A query narrows them.')).toBeTruthy();
  });
  it('promises no more than it proves', async () => {
    await show('#/audit', 60, () => Object.assign(host.status, { signed: false, key: undefined }));
    expect(await screen.findByText('3 later entries not sealed yet')).toBeTruthy();
    expect(screen.getByText(/Checkpoint over entry 56, .*, unsigned/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'What this proves' }));
    expect(screen.getByText('Tamper-evident up to the last anchored checkpoint.')).toBeTruthy();
    expect(screen.getByText(/are unsigned: this machine has no key/)).toBeTruthy();
    expect(document.body.textContent).not.toMatch(/tamper-proof/i);
  });
  it('says beside the verdict that it could not be recorded', async () => {
    await show('#/audit', 60, () => Object.assign(host.status, { notRecorded: 'The disk is full.' }));
    expect((await screen.findByText('could not be recorded')).title).toBe('The disk is full.');
    expect(screen.getByText(/Chain intact up to entry/)).toBeTruthy();
  });
  it('verifies and exports on request', async () => {
    await show();
    const made = vi.fn(() => 'blob:x');
    Object.assign(URL, { createObjectURL: made, revokeObjectURL: () => undefined });
    fireEvent.click(await screen.findByRole('button', { name: 'Verify chain' }));
    await waitFor(() => expect(fake.calls.some((call) => (call.command as string) === 'audit_verify')).toBe(true));
    fireEvent.click(screen.getByRole('button', { name: 'Export evidence' }));
    // The dialog opens with the evidence pack that shows everything; UX E7: another profile is chosen here.
    const dialog = within(await screen.findByRole('dialog'));
    fireEvent.click(dialog.getByRole('radio', { name: 'CSV' }));
    fireEvent.click(dialog.getByRole('radio', { name: 'Without people' }));
    expect(dialog.getByText(/People become numbers/)).toBeTruthy();
    fireEvent.click(dialog.getByRole('button', { name: 'Export' }));
    await waitFor(() => expect(made).toHaveBeenCalled());
    expect(fake.calls.find((call) => (call.command as string) === 'audit_export')?.payload).toEqual({ format: 'csv', profile: 'masked' });
  });
  it.each([
    [[{ expected: 42, found: 37, accepted: 51, message: '' }, { expected: 97, found: 90, message: '' }], /entry 96 was the last one known\. The pack says so\. The export was recorded/],
    [[{ expected: 42, found: 37, accepted: 51, message: '' }], /The end of the chain was missing; entry 51 explains why\. The pack says so\./],
  ])('says with an export that an end of the chain is missing', async (missing, words) => {
    await show();
    Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined });
    fake.handlers.audit_export = (() => ({ fileName: 'audit.zip', bytesBase64: btoa('evidence'), entries: 3, missing })) as never;
    fireEvent.click(await screen.findByRole('button', { name: 'Export evidence' }));
    fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Export' }));
    await waitFor(() => expect(useMessages.getState().shown.at(-1)?.detail).toMatch(words));
    expect(useMessages.getState().shown.at(-1)?.signal).toBe(missing.at(-1)?.accepted === undefined ? 'warn' : 'ok');
  });
  it('keeps queries under a name', async () => {
    await show(`#/audit?query=${encodeURIComponent('level:ERROR')}`);
    fireEvent.click(await screen.findByRole('button', { name: 'Save query' }));
    await userEvent.type(await screen.findByLabelText(/Name/), 'Only errors');
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByRole('button', { name: 'Only errors' })).toBeTruthy();
    expect(useSettings.getState().settings.queries).toEqual({ 'Only errors': 'level:ERROR' });
    fireEvent.click(screen.getByRole('button', { name: 'Delete Only errors' }));
    expect(screen.queryByRole('button', { name: 'Only errors' })).toBeNull();
  });
  it('shows no records of another query for one that cannot be asked', async () => {
    await show();
    await waitFor(() => expect(rows().length).toBeGreaterThan(5));
    const { audit_list } = fake.handlers as unknown as { audit_list: (request: { query?: string }) => unknown };
    fake.handlers.audit_list = ((request: { query?: string }) => {
      if (request.query?.includes('since:soon')) throw new ApiError({ code: 'BAD_REQUEST', message: "'soon' is no time.", hint: 'Write 2026-11-22.' });
      return audit_list(request);
    }) as never;
    await userEvent.type(screen.getByRole('combobox', { name: /Search|Query/i }), 'since:soon ');
    expect(await screen.findByText("'soon' is no time.")).toBeTruthy();
    expect(screen.queryByRole('grid')).toBeNull();
    expect(screen.getByText('Invalid query')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Clear the query' }));
    await waitFor(() => expect(rows().length).toBeGreaterThan(5));
  });
  it('marks rows that answer the query before as such, until the answer comes', async () => {
    await show();
    await waitFor(() => expect(rows().length).toBeGreaterThan(5));
    const { audit_list } = fake.handlers as unknown as { audit_list: (request: { query?: string }) => unknown };
    // The list is marked before the request is sent, so the gate exists before both.
    let answer = () => undefined as void;
    const gate = new Promise<void>((open) => { answer = open; });
    fake.handlers.audit_list = (async (request: { query?: string }) => {
      if (request.query) await gate;
      return audit_list(request);
    }) as never;
    const middle = screen.getByRole('grid').closest('.au-mid');
    fireEvent.click(screen.getByRole('checkbox', { name: 'Level: Error' }));
    await waitFor(() => expect(middle?.className).toContain('stale'));
    expect(middle?.getAttribute('aria-busy')).toBe('true');
    answer();
    await waitFor(() => expect(middle?.className).not.toContain('stale'));
    expect(middle?.getAttribute('aria-busy')).toBe('false');
  });
  it('teaches when there are no entries', async () => {
    await show('#/audit', 0);
    expect((await screen.findAllByText('No entries yet')).length).toBeGreaterThan(0);
    expect(screen.getByRole('button', { name: 'Choose a workflow' })).toBeTruthy();
  });
});

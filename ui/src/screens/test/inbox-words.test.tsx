/** What operators read on a task: the words of authors instead of expressions, and buttons that say what they do. */
import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { changesText } from '../../features/inbox/change-words.ts';
import { asDiagnostics } from '../../features/inbox/schema.ts';
import { useSends } from '../../features/inbox/sending.ts';
import { afterText, historyDetail } from '../../features/inbox/words.ts';
import { INVOICE_SCHEMA, task } from '../../test/people.ts';
import { detail, freshInbox, showInbox } from './inbox-page.tsx';

beforeEach(freshInbox);
afterEach(() => { vi.useRealTimers(); cleanup(); window.location.hash = ''; });
const main = () => document.querySelector('.ib-act .btn.pri')?.textContent;

it('says what the author wrote where a pattern does not fit, never the expression', async () => {
  const wrong = [{ path: '/supplierId', message: 'Must match the pattern ^S-\\d{4}$' }, { path: '/invoice', message: 'Must match the pattern ^R-' }, { path: '/total', message: 'not a number' }];
  expect(asDiagnostics(wrong, INVOICE_SCHEMA).map((one) => one.message)).toEqual(['Does not match: S- and four digits', 'Has the wrong format for this field', 'not a number']);
  const host = await showInbox('#/inbox/task-2', [task(2)]);
  host.on({ task_check: () => ({ valid: false, violations: [wrong[0] as { path: string; message: string }], patch: [] }) });
  const box = await detail();
  // Seen before anything is wrong, too.
  expect((await within(box).findByText('S- and four digits', { selector: '.lab-hint' })).title).toBe('S- and four digits');
  await userEvent.type(await within(box).findByLabelText(/Supplier number/), '9');
  expect(await within(box).findByText(/Does not match: S- and four digits/)).toBeTruthy();
  expect(box.textContent).not.toContain('^S-');
});

it('leads to the correction where the step says that trying again is no use, and to the retry where it may help', async () => {
  await showInbox('#/inbox/task-2', [task(2)]);
  await within(await detail()).findByLabelText(/Supplier number/);
  expect(main()).toContain('Correct and retry');
  cleanup();
  freshInbox();
  const one = task(3);
  await showInbox('#/inbox/task-3', [{ ...one, input: { supplierId: 'S-2041', total: 1 }, schema: undefined, redacted: [], error: { ...one.error!, retryable: true } }]);
  await within(await detail()).findByText('This is the input that failed.');
  expect(main()).toContain('Retry as is');
});

it('a pause is resumed', async () => {
  await showInbox('#/inbox/task-2', [task(2, { kind: 'pause', reason: 'step', error: undefined, errorMessage: undefined, allowedActions: ['submit'], suggestions: [], redacted: [] })]);
  const box = await detail();
  expect(await within(box).findByRole('group', { name: 'Values for the rest of the run' })).toBeTruthy();
  expect(main()).toContain('Resume');
  expect(screen.queryByRole('button', { name: /^Submit$/ })).toBeNull();
});

it('a decided task is not said to be sending', async () => {
  const host = await showInbox('#/inbox/task-2', [task(2, { state: 'done', decidedBy: 'user:ada', decidedAt: new Date().toISOString() })]);
  useSends.setState({ sends: [{ id: 's', taskIds: ['task-2', 'task-3'], title: '2 tasks', action: 'skip', sendAt: 0, state: 'sending' }] });
  const head = (await detail()).querySelector('.ib-hd');
  expect(head?.querySelector('.badge')?.textContent).toBe('Decided');
  expect(head?.textContent).not.toContain('sending');
  expect(host.calls('task_complete_many')).toEqual([]);
});

it('a budget that is used up is approved first, not corrected', async () => {
  const one = task(2);
  await showInbox('#/inbox/task-2', [{ ...one, schema: undefined, redacted: [], input: { supplierId: 'S-2041', total: 1 }, errorCode: 'BUDGET_EXCEEDED', error: { ...one.error!, retryable: false, details: { code: 'BUDGET_EXCEEDED', scope: 'run', limitMicros: 1_000_000, spentMicros: 1_000_000 } } }]);
  await within(await detail()).findByText('This is the input that failed.');
  expect(main()).toMatch(/retry/i);
});

it('a form that nobody has touched is not red: it says what is still to be filled in', async () => {
  const host = await showInbox('#/inbox/task-2', [task(2, { kind: 'form', reason: 'step', error: undefined, errorMessage: undefined, allowedActions: ['submit'], suggestions: [], redacted: [] })]);
  host.on({ task_check: () => ({ valid: false, violations: [{ path: '/supplierId', message: 'Must match the pattern ^S-' }], patch: [] }) });
  const box = await detail();
  await userEvent.type(await within(box).findByLabelText(/Supplier number/), '9');
  expect(await within(box).findByText('1 field is invalid')).toBeTruthy();
  await userEvent.type(within(box).getByLabelText(/Supplier number/), '{Backspace}');
  expect(await within(box).findByText('1 field needs a value or a correction')).toBeTruthy();
  expect(within(box).queryByText(/Does not match:/)).toBeNull();
});

it('a default that was taken away is a change, though nothing differs from what came', async () => {
  const schema = { type: 'object' as const, required: ['share'], properties: { share: { type: 'integer' as const, title: 'Share', default: 5 } } };
  const host = await showInbox('#/inbox/task-2', [task(2, { kind: 'form', reason: 'step', error: undefined, errorMessage: undefined, allowedActions: ['submit'], suggestions: [], redacted: [], input: {}, schema })]);
  host.on({ task_check: () => ({ valid: false, violations: [{ path: '/share', message: 'Is needed' }], patch: [] }) });
  const box = await detail();
  const share = await within(box).findByLabelText<HTMLInputElement>(/^Share/);
  expect(share.value).toBe('5');
  expect(within(box).queryByRole('button', { name: 'Reset' })).toBeNull();
  await userEvent.clear(share);
  expect(await within(box).findByText('1 field is invalid')).toBeTruthy();
  await userEvent.click(within(box).getByRole('button', { name: 'Reset' }));
  expect((await within(box).findByLabelText<HTMLInputElement>(/^Share/)).value).toBe('5');
});

it('what comes after sending names the steps that the answer leads to', () => {
  const one = task(2, { ways: [{ action: 'correct', again: true, steps: [] }, { action: 'retry', again: false, steps: ['Book it', 'Tell them'] }, { action: 'skip', again: false, steps: ['Done'] }] });
  expect(afterText(one, 'correct')).toBe('"Fetch supplier" runs again with the corrected input.');
  expect(afterText(one, 'retry')).toBe('The run continues at "Book it", "Tell them" with the same input.');
  expect(afterText(one, 'skip')).toBe('"Fetch supplier" is skipped and the run continues at "Done".');
  // Nothing is known of a file that is not there any more.
  expect(afterText({ ...one, ways: [] }, 'correct')).toBe('The run continues at the connected step with the corrected input.');
  const asked = task(3, { kind: 'approval', reason: 'step', ways: [{ action: 'approve', again: false, steps: ['Pay'] }, { action: 'reject', again: false, steps: ['Write back'] }] });
  expect(afterText(asked, 'approve')).toBe('The run continues at "Pay".');
  expect(afterText(asked, 'reject')).toBe('The run follows the rejection path at "Write back".');
});

it('a suggestion says what changes, and of a secret only that it does', () => {
  const schema = { type: 'object' as const, properties: { total: { type: 'number' as const, title: 'Total' }, iban: { type: 'string' as const, title: 'Account', 'x-secret': true } } };
  const before = { total: '1.284,50', iban: 'DE1', note: 'x' };
  const suggestion = (correctedInput: unknown) => ({ source: 'rule' as const, correctedInput, rationale: '', valid: true, changes: ['"Total": the number 1284.5 was read from a text.'] });
  expect(changesText(schema, before, suggestion({ ...before, total: 1284.5 }))).toBe('"Total": the number 1284.5 was read from a text.');
  const both = changesText(schema, before, suggestion({ total: 1284.5, iban: 'DE2', note: 'x' }));
  expect(both).toBe('Total: "1.284,50" → 1284.5\nAccount');
  expect(changesText({}, before, { ...suggestion({ ...before, total: 1 }), changes: ['total: 1', 'note: +'] })).toBe('total: 1\nnote: +');
  // What only goes may have gone to the secret.
  expect(changesText(schema, { total: 1, Iban: 'DE1' }, suggestion({ total: 1, iban: 'DE1' }))).not.toContain('DE1');
});

it('what was found in the input before says nothing of one that is taken as a whole', async () => {
  const wrong = { valid: false, violations: [{ path: '/supplierId', message: 'Must match the pattern ^S-' }], patch: [] };
  const host = await showInbox('#/inbox/task-2', [task(2)]);
  host.on({ task_check: () => wrong });
  const box = await detail();
  await userEvent.type(await within(box).findByLabelText(/Supplier number/), '9');
  expect(await within(box).findByText(/^Does not match: /)).toBeTruthy();
  let answer: (value: unknown) => void = () => undefined;
  host.on({ task_check: () => new Promise((done) => { answer = done; }) as never });
  await userEvent.click(within(box).getByRole('button', { name: 'Use' }));
  expect(within(box).queryByText(/^Does not match: /)).toBeNull();
  expect(within(box).getByText('Checking')).toBeTruthy();
  // It is asked about at once, not after a pause for typing.
  await waitFor(() => expect(host.calls('task_check').at(-1)).toMatchObject({ correctedInput: { supplierId: 'S-2041' } }));
  answer({ valid: true, violations: [], patch: [] });
  expect(await within(box).findByText('Valid for this step')).toBeTruthy();
});

it('a row names its group, an escalation beside the time that is left, and its iteration as a word of its own', async () => {
  await showInbox('#/inbox', [task(1, { title: 'A', escalationLevel: 1, path: 'each[3]' }), task(2, { title: 'B', candidateGroups: [] }), task(3, { title: 'C', assignee: 'user:ada' })]);
  const cells = async (title: string) => within((await screen.findByText(title, { selector: '[role=row] b *' })).closest('[role=row]') as HTMLElement).getAllByRole('gridcell').map((one) => one.textContent);
  const [, , due, where, whose] = await cells('A');
  // The minutes go by the clock.
  expect(due).toMatch(/^\d+ minescalated$/);
  expect([where, whose]).toEqual(['Invoice intake, Fetch supplier iteration 4 item 2', 'For group accounts-payable']);
  const [, , left, ...others] = await cells('B');
  expect(left).toMatch(/^\d+ min$/);
  expect(others).toEqual(['Invoice intake, Fetch supplier item 3', 'unclaimed']);
  expect((await cells('C'))[4]).toBe('ada');
});

it('counts the seconds of a row down in its last minute', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  // No clock of the window has stood at this time before.
  vi.setSystemTime(Date.now() + 60_000);
  const end = (ms: number) => new Date(Date.now() + ms).toISOString();
  await showInbox('#/inbox', [task(1, { title: 'A', expiresAt: end(58_500) }), task(2, { title: 'B', expiresAt: end(10 * 60_000 + 500) })]);
  const list = await screen.findByRole('grid');
  const left = () => within(list).getAllByText(/^\d+ (s|min)$/).map((one) => one.textContent);
  await waitFor(() => expect(left()).toEqual(['58 s', '10 min']));
  act(() => { vi.advanceTimersByTime(1_000); });
  expect(left()).toEqual(['57 s', '9 min']);
  act(() => { vi.advanceTimersByTime(2_000); });
  expect(left()).toEqual(['55 s', '9 min']);
});

it.each([
  ['decided', 'abort', 'Aborted'], ['decided', 'own_word', 'own_word'], ['escalated', 'group:lead', 'group lead'], ['reassigned', 'user:ada', 'ada'], ['commented', 'group:lead is a word here', 'group:lead is a word here'],
] as const)('the history says %s "%s" in words', (what, text, words) => {
  expect(historyDetail({ at: '2026-11-24T00:00:00.000Z', by: 'system', what, text })).toBe(words);
});

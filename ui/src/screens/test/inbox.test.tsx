import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { EditorView } from '@codemirror/view';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import { useDrafts } from '../../features/inbox/drafts.ts';
import { followTasks } from '../../features/inbox/live.ts';
import { sendNow, useSends } from '../../features/inbox/sending.ts';
import { unseen } from '../../features/inbox/unseen.ts';
import { formSchema, inferSchema, wholeMasks } from '../../features/inbox/schema.ts';
import { bucketOf, todayEnd, dueOf, entriesOf } from '../../features/inbox/words.ts';
import { formatTime } from '../../i18n/index.ts';
import { someTasks, task, type PeopleHost } from '../../test/people.ts';
import { detail, freshInbox, key, showInbox } from './inbox-page.tsx';

let host: PeopleHost;
const show = async (hash: string, tasks = someTasks()) => { host = await showInbox(hash, tasks); };
const flush = async () => { for (const send of useSends.getState().sends) await act(async () => { sendNow(send.id); await Promise.resolve(); }); };

beforeEach(freshInbox);
afterEach(() => { cleanup(); window.location.hash = ''; unseen.ms = 600; });

describe('the list (D2.1)', () => {
  it('shows views with counts, headings, and opens the first task', async () => {
    await show('#/inbox');
    expect(await screen.findByRole('button', { name: 'All open 18' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Overdue 1' })).toBeTruthy();
    expect(await screen.findByText('12 min late')).toBeTruthy();
    expect(within(await detail()).getByRole('heading', { name: 'The ERP refused the booking date' })).toBeTruthy();
    expect(window.location.hash).toBe('#/inbox/late');
    // Someone else's claim is shown with its lease.
    expect(within(await detail()).getByText(/Claimed by fin.lead, released in/)).toBeTruthy();
  });
  it('filters by view, workflow, cause and words, and says when nothing fits', async () => {
    await show('#/inbox');
    fireEvent.click(await screen.findByRole('button', { name: /^Mine/ }));
    expect((await screen.findAllByText('No matching tasks')).length).toBeGreaterThan(0);
    fireEvent.click(screen.getByRole('button', { name: 'Show all' }));
    await userEvent.type(screen.getByRole('searchbox', { name: 'Search tasks' }), 'payment');
    expect(within(await detail()).getByRole('heading', { name: 'Approve payment of 18,400 EUR' })).toBeTruthy();
    await waitFor(() => expect(host.calls('task_list').at(-1)).toMatchObject({ text: 'payment', state: 'open' }));
  });
  it('a pasted search opens nothing that it does not find', async () => {
    await show('#/inbox/task-3');
    await detail();
    const opened: string[] = [];
    const seen = () => opened.push(window.location.hash);
    window.addEventListener('hashchange', seen);
    fireEvent.change(screen.getByRole('searchbox', { name: 'Search tasks' }), { target: { value: 'payment' } });
    await waitFor(() => expect(window.location.hash).toBe('#/inbox/approve'));
    window.removeEventListener('hashchange', seen);
    expect(host.calls('task_get').map((one) => (one as { taskId: string }).taskId)).toEqual(['task-3', 'approve']);
  });
  it('draws a part of ten thousand, and asks for more only when its end comes near', async () => {
    await show('#/inbox', Array.from({ length: 10_000 }, (_, n) => task(n)));
    await screen.findAllByText('Supplier number not found');
    expect(screen.getAllByRole('row').length).toBeLessThan(60);
    expect(host.calls('task_list').length).toBeLessThan(3);
  });
  it('teaches when there is nothing', async () => {
    await show('#/inbox', []);
    expect(await screen.findByText('No tasks for you')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Choose a workflow' })).toBeTruthy();
  });
  it('has headings only where the order allows each once', () => {
    const now = Date.now();
    const [a, b, c] = [task(1, { expiresAt: new Date(now - 1000).toISOString() }), task(2, { expiresAt: new Date(now + 9e8).toISOString() }), task(3, { expiresAt: new Date(now - 2000).toISOString() })];
    expect(entriesOf([a, c, b], now).filter((entry) => 'head' in entry)).toEqual([{ head: 'overdue', count: 2 }, { head: 'later', count: 1 }]);
    expect(entriesOf([a, b, c], now).filter((entry) => 'head' in entry)).toEqual([]);
    // By urgency what is not due today is one part: priority decides there, so times and none mix.
    const none = { ...b, expiresAt: undefined };
    expect(entriesOf([a, c, none, b, none], now, 'urgent').filter((entry) => 'head' in entry)).toEqual([{ head: 'overdue', count: 2 }, { head: 'rest', count: 3 }]);
    expect(entriesOf([none, none], now, 'urgent').filter((entry) => 'head' in entry)).toEqual([]);
    expect(bucketOf(task(4, { expiresAt: undefined }), now)).toBe('none');
    // What ends soon is due today also where the day ends before it.
    const night = new Date(2026, 10, 24, 23, 55).getTime();
    const after = (hours: number) => bucketOf(task(5, { expiresAt: new Date(night + hours * 3_600_000).toISOString() }), night);
    expect([after(0.15), after(12), after(14)]).toEqual(['today', 'today', 'later']);
    const morning = new Date(2026, 10, 24, 8, 0).getTime();
    expect(todayEnd(morning)).toBe(new Date(2026, 10, 24, 23, 59, 59, 999).getTime());
    // The host is asked with the same end, so it stays for a while.
    expect(todayEnd(night + 60_000)).toBe(todayEnd(night));
    expect(dueOf(a, now)).toMatchObject({ late: true, tone: 'err' });
    expect(dueOf(b, now)).toMatchObject({ late: false, tone: 'calm' });
  });
});

describe('what operators arrange (D2.1, D2.8, D2.9)', () => {
  it('saves a view of the person, counts it, and takes it away', async () => {
    await show('#/inbox');
    fireEvent.change(await screen.findByRole('searchbox', { name: 'Search tasks' }), { target: { value: 'Supplier' } });
    await userEvent.click(screen.getByRole('button', { name: 'Saved views' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Save this view…' }));
    await userEvent.type(await screen.findByLabelText(/Name/), 'Suppliers');
    await userEvent.click(screen.getByRole('button', { name: /^Save/ }));
    expect((await screen.findByRole('button', { name: /^Suppliers/ })).getAttribute('aria-pressed')).toBe('true');
    expect(host.calls('task_view_save')).toEqual([{ name: 'Suppliers', filter: { text: 'Supplier' } }]);
    await userEvent.click(screen.getByRole('button', { name: 'Saved views' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete "Suppliers"' }));
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Suppliers/ })).toBeNull());
  });
  it('colours the time at half and at nine tenths', () => {
    const now = Date.parse('2026-11-22T10:00:00Z');
    const tone = (passed: number) => dueOf({ createdAt: new Date(now - passed * 60_000).toISOString(), expiresAt: new Date(now + (100 - passed) * 60_000).toISOString() }, now)?.tone;
    expect([0, 49, 50, 89, 90].map(tone)).toEqual(['calm', 'calm', 'wait', 'wait', 'err']);
  });
  it('says who has approved, and why this person may not', async () => {
    const approval = (id: string, more: object) => task(30, { id, kind: 'approval', title: `Pay ${id}`, allowedActions: ['approve', 'reject'], error: undefined, schema: undefined, suggestions: [], ...more });
    const voted = approval('voted', { minApprovals: 2, approvals: 1, votes: [{ by: 'user:ap.desk', at: '2026-11-22T09:00:00Z', notes: 'looks fine' }] });
    await show('#/inbox/voted', [voted, approval('own', { noSelfApproval: true, startedBy: 'user:ap.desk' })]);
    const box = await detail();
    expect(within(box).getAllByText('1 of 2 approvals').length).toBeGreaterThan(0);
    expect(within(box).getByText('looks fine')).toBeTruthy();
    expect(within(box).getByText('You have approved: another person must approve, too')).toBeTruthy();
    expect(within(box).getByRole<HTMLButtonElement>('button', { name: /^Approve/ }).disabled).toBe(true);
    act(() => { window.location.hash = '#/inbox/own'; });
    expect(await screen.findByText('You started this run: another person must approve it')).toBeTruthy();
  });
});

describe('a correction (D2.4, D2.5)', () => {
  it('keeps types, is checked by the engine, and shows the difference again before it is sent', async () => {
    await show('#/inbox/task-3');
    const box = await detail();
    const field = await within(box).findByLabelText(/Supplier number/);
    expect(await within(box).findByText('1 field is invalid')).toBeTruthy();
    const send = await within(box).findByRole('button', { name: /Correct and retry/ });
    expect((send as HTMLButtonElement).disabled).toBe(true);
    await userEvent.clear(field);
    await userEvent.type(field, 'S-2041');
    const total = within(box).getByLabelText(/Total/);
    await userEvent.clear(total);
    await userEvent.type(total, '99.5');
    expect(await within(box).findByText('Valid for this step')).toBeTruthy();
    expect(within(box).getByText('2 fields')).toBeTruthy();
    await waitFor(() => expect((send as HTMLButtonElement).disabled).toBe(false));
    key('Enter', { ctrlKey: true });
    const dialog = await screen.findByRole('dialog', { name: 'Send this correction?' });
    expect(within(dialog).getByRole('group', { name: 'Changes' }).querySelectorAll('.dl.a')).toHaveLength(2);
    await userEvent.type(within(dialog).getByLabelText('Note'), 'scanner');
    fireEvent.click(within(dialog).getByRole('button', { name: /Correct and retry/ }));
    expect(useSends.getState().sends).toMatchObject([{ taskIds: ['task-3'], action: 'correct', notes: 'scanner', revision: 1, correctedInput: { supplierId: 'S-2041', total: 99.5, dueDate: null } }]);
    // The next task opens by itself; the decision can still be taken back.
    await waitFor(() => expect(window.location.hash).toBe('#/inbox/task-4'));
    key('z', { ctrlKey: true });
    expect(useSends.getState().sends).toEqual([]);
    await waitFor(() => expect(window.location.hash).toBe('#/inbox/task-3'));
    expect(((await within(await detail()).findByLabelText(/Supplier number/)) as HTMLInputElement).value).toBe('S-2041');
  });

  it('comes from a suggestion with one click, and is undone with one', async () => {
    await show('#/inbox/task-2');
    fireEvent.click(await screen.findByRole('button', { name: 'Use' }));
    expect(await screen.findByText('Valid for this step')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Used' })).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Reset' }));
    expect(await screen.findByText('none yet')).toBeTruthy();
  });

  const PLAIN = { schema: undefined, redacted: [], suggestions: [], input: { count: 0, note: '=SUM(A1)', factor: '3' } };
  const main = () => document.querySelector('.ib-act .btn.pri')?.textContent;

  it('of a wrong type is taken when the engine takes it: one state, and the button that fits it', async () => {
    await show('#/inbox/task-2', [task(2, PLAIN)]);
    const box = await detail();
    expect(await within(box).findByText('This is the input that failed.')).toBeTruthy();
    // Its step says that it is no use to try again: the correction leads from the start.
    expect(main()).toContain('Correct and retry');
    const count = await within(box).findByLabelText<HTMLInputElement>('Count');
    await userEvent.clear(count);
    await userEvent.type(count, 'three');
    expect(await within(box).findByText('Valid for this step')).toBeTruthy();
    expect(within(box).getByText('Not a number: it is sent as text.')).toBeTruthy();
    expect(box.querySelectorAll('.ib-form .c-err, .ib-form .bad')).toHaveLength(0);
    expect(main()).toContain('Correct and retry');
    expect(useDrafts.getState().drafts['task-2']?.value?.now).toMatchObject({ count: 'three' });
    // One that only 64 bits hold keeps its own digits; one that no number can be is text, and it is said why.
    const now = () => useDrafts.getState().drafts['task-2']?.value?.now;
    fireEvent.change(count, { target: { value: '9007199254740993' } });
    expect(now()).toMatchObject({ count: 9007199254740993n });
    expect([count.value, box.querySelector('.ib-form [role=status]')]).toEqual(['9007199254740993', null]);
    for (const [written, why] of [['1e400', /^1e400 is too large for a number/], ['1e-400', /^1e-400 is too close to 0/], ['123456789012345678901', /cannot be stored exactly/]] as const) {
      fireEvent.change(count, { target: { value: written } });
      expect(now()).toMatchObject({ count: written });
      expect(within(box).getByText(why).textContent).toContain('It is sent as text');
    }
    // A slip of the finger on the way to a number leaves a number.
    await userEvent.clear(count);
    await userEvent.type(count, '1o{Backspace}2');
    expect(useDrafts.getState().drafts['task-2']?.value?.now).toMatchObject({ count: 12 });
    expect(within(box).queryByText('Not a number: it is sent as text.')).toBeNull();
    // What begins with = is a text in data, and a text becomes a number when the person says so.
    expect(within(box).getByLabelText<HTMLInputElement>('Note', { selector: '.ib-form input' }).value).toBe('=SUM(A1)');
    const [, , kind] = within(box).getAllByLabelText<HTMLSelectElement>('Type of value');
    if (kind) await userEvent.selectOptions(kind, 'number');
    expect(useDrafts.getState().drafts['task-2']?.value?.now).toMatchObject({ factor: 3 });
  });

  it('of a wrong type is refused by the engine alone where a schema says so', async () => {
    await show('#/inbox/task-2');
    const box = await detail();
    host.on({ task_check: ({ correctedInput }) => (typeof (correctedInput as { total: unknown }).total === 'number'
      ? { valid: true, violations: [], patch: [] } : { valid: false, violations: [{ path: '/total', message: 'Must be a number.', keyword: 'type' }], patch: [] }) });
    const total = await within(box).findByLabelText(/Total/);
    await userEvent.clear(total);
    await userEvent.type(total, '12 EUR');
    expect(await within(box).findByText('Must be a number.')).toBeTruthy();
    expect(await within(box).findByText('1 field is invalid')).toBeTruthy();
    expect(within(box).queryByText(/^Use a number/)).toBeNull();
    expect(within(box).queryByText('Valid for this step')).toBeNull();
    expect(main()).toContain('Correct and retry');
  });

  it('is not called valid while JSON is half typed', async () => {
    await show('#/inbox/task-2', [task(2, PLAIN)]);
    const box = await detail();
    fireEvent.click(await within(box).findByRole('radio', { name: 'JSON' }));
    const code = await waitFor(() => { const found = box.querySelector<HTMLElement>('.ib-form .cm-content'); if (!found) throw new Error('no editor'); return found; });
    const view = EditorView.findFromDOM(code);
    act(() => { view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: '{"count": ' } }); });
    expect(await within(box).findByText('Not checked yet: the JSON is incomplete.')).toBeTruthy();
    expect(within(box).queryByText('Valid for this step')).toBeNull();
    expect(main()).toContain('Correct and retry');
    expect(within(box).getByRole<HTMLButtonElement>('button', { name: /Correct and retry/ }).disabled).toBe(true);
    act(() => { view?.dispatch({ changes: { from: view.state.doc.length, insert: '4}' } }); });
    expect(await within(box).findByText('Valid for this step')).toBeTruthy();
  });

  it('stays in the form when another was faster, who is named', async () => {
    await show('#/inbox/task-2');
    fireEvent.click(await screen.findByRole('button', { name: 'Use' }));
    await screen.findByText('Valid for this step');
    await waitFor(() => expect((screen.getByRole('button', { name: /Correct and retry/ }) as HTMLButtonElement).disabled).toBe(false));
    fireEvent.click(screen.getByRole('button', { name: /Correct and retry/ }));
    fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: /Correct and retry/ }));
    host.on({ task_complete: () => { throw new ApiError({ code: 'ALREADY_ANSWERED', message: '', hint: '', details: { who: 'user:grace', when: '2026-11-22T02:03:04Z' } }); } });
    await flush();
    expect((await screen.findByRole('alert')).textContent).toContain('grace decided this task at');
    fireEvent.click(screen.getByRole('button', { name: 'Open' }));
    await waitFor(() => expect(document.querySelector('[data-task=task-2]')).toBeTruthy());
    expect(((await within(await detail()).findByLabelText(/Supplier number/)) as HTMLInputElement).value).toBe('S-2041');
  });

  it('shows at once that another has answered, and keeps what was written', async () => {
    await show('#/inbox/task-2');
    let errorText: () => void = () => undefined;
    host.fake.onTaskChange = (onChange) => { errorText = onChange; onChange(); return () => undefined; };
    const stop = followTasks();
    fireEvent.click(await screen.findByRole('button', { name: 'Use' }));
    await userEvent.type(screen.getByLabelText(/^Note/), 'scanner');
    fireEvent.click(screen.getByRole('button', { name: /Abort/ }));
    expect(await screen.findByRole('dialog', { name: 'Abort the run?' })).toBeTruthy();
    host.tasks.set('task-2', { ...task(2), state: 'done', decidedBy: 'user:grace', decision: { action: 'skip', operatorId: 'user:grace', at: '2026-11-22T02:03:04Z', durationMs: 1, via: 'cli' } });
    act(() => errorText());
    expect(await screen.findByText(/^grace answered this task at .*: skipped$/)).toBeTruthy();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.queryByRole('button', { name: /Retry as is/ })).toBeNull();
    expect(screen.getByText('scanner')).toBeTruthy();
    expect(screen.getByRole('group', { name: 'Your changes' }).textContent).toContain('S-2041');
    fireEvent.click(screen.getByRole('button', { name: 'Discard' }));
    await waitFor(() => expect(screen.queryByText(/answered this task/)).toBeNull());
    stop();
  });

  it('hides what is masked, and reveals it for a reason', async () => {
    await show('#/inbox/task-2');
    const box = await detail();
    expect(await within(box).findByText('Bank account')).toBeTruthy();
    expect(within(box).queryByLabelText(/Bank account/)).toBeNull();
    fireEvent.click(within(box).getByRole('button', { name: 'Reveal (recorded)' }));
    const dialog = await screen.findByRole('dialog', { name: 'Reveal hidden values' });
    expect((within(dialog).getByRole('button', { name: /^Reveal/ }) as HTMLButtonElement).disabled).toBe(true);
    await userEvent.type(within(dialog).getByLabelText(/Why do you need/), 'call back');
    fireEvent.click(within(dialog).getByRole('button', { name: /^Reveal/ }));
    expect(((await within(box).findByLabelText(/Bank account/)) as HTMLInputElement).value).toContain('DE02');
    expect(host.calls('task_reveal')).toEqual([{ taskId: 'task-2', reason: 'call back' }]);
    expect(Object.values(sessionStorage).join('')).not.toContain('DE02');
  });

  it('keeps a text of which only a part is hidden in the form', () => {
    expect(wholeMasks({ iban: '•••1•', text: 'mail •••2• please', n: 5 }, ['/iban', '/text', '/n'])).toEqual(['/iban', '/n']);
  });

  it('has a form without a schema too', () => {
    const any = { 'x-ui': { widget: 'any' } };
    expect(inferSchema({ n: 1, s: 'x', lines: 'a\nb', b: true, o: { deep: [1] }, list: [{ a: 1 }, { b: 'x' }], none: null })).toEqual({
      type: 'object', properties: { n: any, s: any, lines: { ...any, 'x-multiline': true }, b: any, o: { type: 'object', properties: { deep: { type: 'array', items: any } } }, list: { type: 'array', items: { type: 'object', properties: { a: any, b: any } } }, none: {} },
    });
    expect(formSchema(undefined, { a: 1, secret: 'x' }, ['/secret']).properties?.['secret']?.['x-ui']).toMatchObject({ hidden: true });
  });
});

describe('keys (D2.2)', () => {
  it('move, choose, claim, decide', async () => {
    await show('#/inbox/task-0');
    await detail();
    key('j');
    await waitFor(() => expect(window.location.hash).toBe('#/inbox/task-1'));
    await screen.findAllByText('For group accounts-payable');
    key('c');
    expect(await screen.findByText(/Claimed by you/)).toBeTruthy();
    key('u');
    await waitFor(() => expect(host.calls('task_release')).toEqual([{ taskId: 'task-1' }]));
    key('s');
    await waitFor(() => expect(useSends.getState().sends).toMatchObject([{ taskIds: ['task-1'], action: 'skip' }]));
    await waitFor(() => expect(window.location.hash).toBe('#/inbox/task-2'));
    key('g');
    key('m');
    expect(await screen.findByRole('button', { name: /^Mine/, pressed: true })).toBeTruthy();
  });
  it('decide nothing about what has just opened by itself: the second press was meant for the one before', async () => {
    unseen.ms = 1_000_000;
    await show('#/inbox/task-1');
    await detail();
    key('s');
    await waitFor(() => expect(window.location.hash).toBe('#/inbox/task-2'));
    const other = await screen.findByRole<HTMLButtonElement>('button', { name: /Other path/ });
    expect(other.disabled || other.getAttribute('aria-disabled') === 'true').toBe(true);
    key('p');
    key('s');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(useSends.getState().sends).toHaveLength(1);
  });
  it('decide about it when there was time to see it', async () => {
    unseen.ms = 0;
    await show('#/inbox/task-1');
    await detail();
    key('s');
    await waitFor(() => expect(window.location.hash).toBe('#/inbox/task-2'));
    await waitFor(() => expect(screen.getByRole<HTMLButtonElement>('button', { name: /Other path/ }).getAttribute('aria-disabled')).not.toBe('true'));
    key('p');
    const ways = await screen.findByRole('dialog', { name: 'Which path?' });
    fireEvent.click(within(ways).getByRole('button', { name: /Ask the buyer/ }));
    expect(useSends.getState().sends.at(-1)).toMatchObject({ taskIds: ['task-2'], action: 'alternative', targetNodeId: 'later' });
  });
  it('of letters do nothing while a field of the form has the focus', async () => {
    await show('#/inbox/task-2');
    const field = await within(await detail()).findByRole('combobox', { name: 'Currency' });
    act(() => field.focus());
    key('s');
    expect(useSends.getState().sends).toEqual([]);
  });
  it('ask before a run is aborted', async () => {
    await show('#/inbox/task-2');
    await screen.findByRole('button', { name: /Other path/ });
    key('d');
    fireEvent.click(within(await screen.findByRole('dialog', { name: 'Abort the run?' })).getByRole('button', { name: /Abort/ }));
    expect(useSends.getState().sends).toMatchObject([{ action: 'abort' }]);
  });
});

describe('many at once (D2.7)', () => {
  it('applies one correction where it fits, and tells what came of each', async () => {
    const tasks = someTasks();
    const odd = tasks.find((one) => one.id === 'task-5');
    if (odd) odd.input = { other: true };
    await show('#/inbox/task-1', tasks);
    fireEvent.click(await screen.findByRole('button', { name: 'Use' }));
    await screen.findByText('Valid for this step');
    fireEvent.click(screen.getByRole('button', { name: 'Review all' }));
    expect(await screen.findByRole('heading', { name: '14 tasks with the same failure' })).toBeTruthy();
    expect(await screen.findByText('13 fit')).toBeTruthy();
    expect(screen.getByText('1 does not, left in the inbox')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: /Correct and retry: 13/ }));
    const at = '2026-11-22T09:05:00.000Z';
    host.tasks.set('task-7', { ...task(7), state: 'done', decidedBy: 'user:grace', decidedAt: at });
    await flush();
    const errorText = await screen.findByText('12 of 13 tasks decided; the others were not:');
    const strip = errorText.closest<HTMLElement>('[role=status]');
    expect(within(strip as HTMLElement).getByRole('list').textContent).toBe(`Supplier number not found: grace decided it at ${formatTime(at)}, before you.`);
    // Not all is well: no green tick.
    expect([strip?.querySelector('.c-ok'), strip?.querySelector('.c-wait') !== null]).toEqual([null, true]);
    // In parts of one batch.
    expect(host.calls('task_complete_many')).toMatchObject([{ action: 'correct', patch: [{ path: '/supplierId' }] }, { action: 'correct', patch: [{ path: '/supplierId' }] }]);
  });
  it('takes one decision for what was chosen with x and shift j, and says with a green tick that none was refused', async () => {
    await show('#/inbox/task-0');
    await detail();
    await screen.findByRole('button', { name: /Other path/ });
    key('x');
    key('J', { shiftKey: true });
    await screen.findByRole('heading', { name: '2 tasks with the same failure' });
    key('a');
    await waitFor(() => expect(useSends.getState().sends).toMatchObject([{ taskIds: ['task-0', 'task-1'], action: 'retry' }]));
    await flush();
    const strip = (await screen.findByText('All 2 tasks decided')).closest('[role=status]');
    expect([strip?.querySelector('.c-ok') !== null, strip?.querySelector('.c-wait')]).toEqual([true, null]);
  });
});

describe('other tasks', () => {
  it('are approved, filled in, commented and snoozed', async () => {
    await show('#/inbox/approve');
    fireEvent.click(await screen.findByRole('button', { name: /^Approve/ }));
    expect(useSends.getState().sends).toMatchObject([{ taskIds: ['approve'], action: 'approve' }]);
    act(() => { window.location.hash = '#/inbox/form'; });
    const field = await screen.findByLabelText(/Cost centre/);
    // Sent before the engine has looked: it is sent when it fits, and this does not.
    fireEvent.click(screen.getByRole('button', { name: /^Submit/ }));
    await waitFor(() => expect((screen.getByRole('button', { name: /^Submit/ }) as HTMLButtonElement).disabled).toBe(true));
    expect(screen.queryByRole('dialog')).toBeNull();
    await userEvent.type(field, '4711');
    await waitFor(() => expect((screen.getByRole('button', { name: /^Submit/ }) as HTMLButtonElement).disabled).toBe(false));
    fireEvent.click(screen.getByRole('tab', { name: /History/ }));
    await userEvent.type(await screen.findByLabelText('Comment'), 'Ask Ada');
    fireEvent.click(screen.getByRole('button', { name: 'Add comment' }));
    await waitFor(() => expect((screen.getByLabelText('Comment') as HTMLTextAreaElement).value).toBe(''));
    expect(await screen.findByText('Ask Ada')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: /^Snooze\s*Z$/ }));
    fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'In an hour' }));
    await waitFor(() => expect(host.calls('task_snooze')).toHaveLength(1));
    // It leaves the list and its count, and stands in its own view.
    await waitFor(() => expect(screen.queryByRole('row', { name: /Which cost centre/ })).toBeNull());
    expect(screen.getByRole('button', { name: /^Snoozed 1/ })).toBeTruthy();
  });
  it('show a comment that could not be stored in its box still', async () => {
    await show('#/inbox/form');
    host.on({ task_comment: () => { throw new ApiError({ code: 'CONNECTION', message: 'Signalbox does not respond.', hint: '' }); } });
    fireEvent.click(await screen.findByRole('tab', { name: /History/ }));
    await userEvent.type(await screen.findByLabelText('Comment'), 'Ask Ada');
    fireEvent.click(screen.getByRole('button', { name: 'Add comment' }));
    await waitFor(() => expect(host.calls('task_comment')).toHaveLength(1));
    expect((screen.getByLabelText('Comment') as HTMLTextAreaElement).value).toBe('Ask Ada');
  });
  it('show what is hostile as letters, and say for how many they stand', async () => {
    await show('#/inbox/tricky');
    const box = await detail();
    expect(box.querySelector('img, script')).toBeNull();
    expect(within(box).getAllByTitle(/U\+202E/).length).toBeGreaterThan(0);
    expect(within(box).getAllByText('U+001B').length).toBeGreaterThan(0);
    expect(within(box).getByText('and 36 more')).toBeTruthy();
    expect(within(box).getByText(/This task covers 37 failed items/)).toBeTruthy();
  });
  it('cannot be decided by who may only look', async () => {
    await show('#/inbox/task-2');
    host.on({ who: () => ({ operatorId: 'user:guest', role: 'viewer', via: 'rest' }) });
    await act(() => queryClient.invalidateQueries({ queryKey: ['who'] }));
    expect(await screen.findByText('You can view tasks. Operators decide.')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Retry as is/ })).toBeNull();
  });
});

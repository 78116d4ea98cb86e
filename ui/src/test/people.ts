/** Made-up tasks for tests and for looking at screens without a host. Not part of the product's bundle. */
import { ApiError } from '../api/error.ts';
import { fakeTransport, type FakeTransport, type Handlers } from '../api/transport/fake.ts';
import { applyPatch, at, type Operation } from '../shared/evidence/patch.ts';
import { diffLines } from '../shared/diff.ts';
import type { Command, Commands } from '../api/types.ts';
import type { Delegation, Task, TaskFilter, TaskRow } from '../features/inbox/types.ts';

export interface PeopleHost { fake: FakeTransport; tasks: Map<string, Task>; on(handlers: Handlers): void; calls(command: Command): unknown[] }

export const INVOICE_SCHEMA = {
  type: 'object', required: ['supplierId', 'total'],
  properties: {
    supplierId: { type: 'string', title: 'Supplier number', description: 'S- and four digits', pattern: '^S-\\d{4}$' }, invoice: { type: 'string', title: 'Invoice', 'x-ui': { width: 'half' } },
    dueDate: { type: ['string', 'null'], title: 'Due date', format: 'date' }, total: { type: 'number', title: 'Total', 'x-ui': { width: 'half' } }, currency: { type: 'string', title: 'Currency', enum: ['EUR', 'USD'], 'x-ui': { width: 'half' } },
    bankAccount: { type: 'string', title: 'Bank account' },
  },
};
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const MIN = 60_000;

export function task(n: number, more: Partial<Task> = {}): Task {
  const row: TaskRow = {
    id: `task-${String(n)}`, kind: 'decision', reason: 'error', state: 'open', revision: 1, runId: `0193a5c0-0000-7000-8000-${String(1000 + (n % 5)).padStart(12, '0')}`, workflowId: 'invoice', workflowName: 'Invoice intake',
    nodeId: 'fetch', nodeTitle: 'Fetch supplier', stepId: 'ask', item: n % 12, visit: 1, attempt: 2, title: 'Supplier number not found', severity: 'ERROR', priority: 50, fingerprint: 'f-supplier', sameCount: 14,
    errorType: 'ValidationError', errorCode: 'NOT_FOUND', errorMessage: `The ERP knows no supplier "S-Z0${String(n % 90).padStart(2, '0')}".`, candidateGroups: ['group:accounts-payable'], createdAt: ago(12 * MIN),
    expiresAt: new Date(Date.now() + (48 + n * 3) * MIN).toISOString(), reminders: 0, escalationLevel: 0, cases: 1, minApprovals: 1, approvals: 0, allowedActions: ['retry', 'correct', 'skip', 'alternative', 'abort'],
  };
  return {
    ...row, instructions: 'Supplier numbers are S- and four digits. The scanner often reads a 2 as a Z.',
    error: { type: 'ValidationError', message: row.errorMessage ?? '', retryable: false, originNode: 'fetch', originRunId: row.runId, attempt: 2, maxAttempts: 2, timestamp: row.createdAt, details: { code: 'NOT_FOUND', status: 404, response: { reason: 'unknown supplier' } } },
    input: { invoice: `R-88${String(100 + n)}`, supplierId: `S-Z0${String(n % 90).padStart(2, '0')}`, total: 1284.5, currency: 'EUR', dueDate: null, bankAccount: '••••••••' }, schema: INVOICE_SCHEMA,
    ways: [{ action: 'correct', again: true, steps: [] }, { action: 'retry', again: true, steps: [] }], alternatives: [{ targetNodeId: 'manual', label: 'Book by hand' }, { targetNodeId: 'later', label: 'Ask the buyer' }], redacted: ['/bankAccount'], mayReveal: true,
    trace: [
      { stepId: 'fetch', title: 'Fetch supplier', event: 'step_error', at: ago(12 * MIN), summary: 'not found, third call' },
      { stepId: 'repair', title: 'Repair input', event: 'auto_fix_attempt', at: ago(12 * MIN - 2000), summary: 'no repair it was sure of' },
      { stepId: 'ask', title: 'Ask an operator', event: 'human_task_created', at: ago(12 * MIN - 2000), summary: 'sent to Accounts payable' },
    ],
    variables: { $batch: '2026-11', $count: 12 }, upstream: [{ stepId: 'read', title: 'Read invoices', output: { file: 'inbox/0412.pdf', pages: 2 } }],
    suggestions: [{ source: 'history', correctedInput: { invoice: `R-88${String(100 + n)}`, supplierId: 'S-2041', total: 1284.5, currency: 'EUR', dueDate: null, bankAccount: '••••••••' }, rationale: 'Colleagues chose this 9 of 9 times', valid: true, changes: ['S-2041, Nordwind GmbH'] }],
    history: [{ at: row.createdAt, by: 'system', what: 'created' }], attachments: [], votes: [], noSelfApproval: false, ...more,
  } as Task;
}

export function someTasks(): Task[] {
  return [
    task(0, { id: 'late', title: 'The ERP refused the booking date', workflowId: 'month', workflowName: 'Month-end close', nodeTitle: 'Post booking', fingerprint: 'f-date', sameCount: 1, expiresAt: ago(12 * MIN), claimedBy: 'user:fin.lead', claimExpiresAt: new Date(Date.now() + 9 * MIN).toISOString() }),
    ...Array.from({ length: 14 }, (_, n) => task(n)),
    task(20, { id: 'approve', kind: 'approval', reason: 'step', title: 'Approve payment of 18,400 EUR', workflowId: 'pay', workflowName: 'Pay suppliers', nodeTitle: 'Release payment', allowedActions: ['approve', 'reject'], fingerprint: 'f-pay', sameCount: 1, error: undefined, errorMessage: undefined, attempt: 0, instructions: 'Above 10,000 EUR a second person looks at the payment.', suggestions: [], redacted: [], input: { supplier: 'Nordwind GmbH', total: 18400, currency: 'EUR' }, schema: undefined }),
    task(21, { id: 'form', kind: 'form', reason: 'step', title: 'Which cost centre does this belong to?', nodeTitle: 'Match order', allowedActions: ['submit'], fingerprint: 'f-form', sameCount: 1, error: undefined, errorMessage: undefined, attempt: 0, suggestions: [], redacted: [], input: { costCentre: '' }, schema: { type: 'object', required: ['costCentre'], properties: { costCentre: { type: 'string', title: 'Cost centre', minLength: 1 }, share: { type: 'integer', title: 'Share in percent', default: 100 } } } }),
    task(22, { id: 'tricky', title: 'Invoice \u202egnp.exe <img src=x onerror=alert(1)> ' + 'very-long-'.repeat(40), expiresAt: undefined, cases: 37, fingerprint: 'f-odd', sameCount: 1, errorMessage: 'It said "\u001b[31mred\u001b[0m\u200b" and then \u2066nothing\u2069 <script>alert(1)</script>', redacted: [], error: { type: 'PermissionError' as never, message: 'It said "\u001b[31mred\u001b[0m\u200b" and then \u2066nothing\u2069 <script>alert(1)</script>', retryable: false, originNode: 'fetch', timestamp: ago(0) } }),
  ];
}

/** A host with tasks that behave: filters, claims, decisions, conflicts. */
export function peopleHost(list: Task[] = someTasks(), base: FakeTransport = fakeTransport()): PeopleHost {
  const tasks = new Map(list.map((one) => [one.id, one]));
  const handlers = base.handlers as { [command: string]: unknown };
  const get = (id: string): Task => {
    const found = tasks.get(id);
    if (!found) throw new ApiError({ code: 'NOT_FOUND', message: 'There is no such task.', hint: 'It may have been deleted with its run.' });
    return found;
  };
  const change = (id: string, part: Partial<Task>, what?: Task['history'][number]['what'], text?: string): Task => {
    const old = get(id);
    const next = { ...old, revision: old.revision + 1, ...part, history: what ? [...old.history, { at: new Date().toISOString(), by: 'user:ap.desk', what, text }] : old.history };
    tasks.set(id, next);
    return next;
  };
  let saved: { name: string; filter: TaskFilter }[] = [];
  let delegations: Delegation[] = [];
  const open = () => [...tasks.values()].filter((one) => one.state === 'open');
  const due = (one: Task) => (one.expiresAt ? Date.parse(one.expiresAt) : Infinity);
  const endOfDay = new Date().setHours(23, 59, 59, 999);
  const views: { [view: string]: (one: Task) => boolean } = {
    all: (one) => !one.snoozedUntil, mine: (one) => one.claimedBy === 'user:ap.desk', unassigned: (one) => !one.claimedBy, due_today: (one) => due(one) <= endOfDay, overdue: (one) => due(one) <= Date.now(), snoozed: (one) => Boolean(one.snoozedUntil),
  };
  const violations = (value: unknown) => {
    const id = at(value, '/supplierId');
    const centre = at(value, '/costCentre');
    return [
      ...(id !== undefined && !/^S-\d{4}$/.test(String(id)) ? [{ path: '/supplierId', message: 'Not S- and four digits.' }] : []),
      ...(centre === '' ? [{ path: '/costCentre', message: 'It must not be empty.' }] : []),
    ];
  };
  const patchOf = (a: unknown, b: unknown): Operation[] => [...new Set(diffLines(a, b).filter((line) => line.mark !== ' ').map((line) => line.path))].map((path) => ({ op: 'replace', path, value: at(b, path) }));
  const complete = (payload: Commands['task_complete']['request']) => {
    const old = get(payload.taskId);
    if (old.state !== 'open') throw new ApiError({ code: 'ALREADY_ANSWERED', message: 'This task is decided.', hint: 'Open it to see the decision.', details: { who: old.decidedBy, when: old.decidedAt } });
    const wrong = payload.action === 'correct' || payload.action === 'submit' ? violations(payload.correctedInput) : [];
    if (wrong.length) throw new ApiError({ code: 'INPUT_INVALID', message: 'The input does not fit.', hint: 'Correct the fields.', details: { violations: wrong } });
    const when = new Date().toISOString();
    change(payload.taskId, { state: 'done', decidedBy: 'user:ap.desk', decidedAt: when, action: payload.action, decision: { action: payload.action, correctedInput: payload.correctedInput, notes: payload.notes, operatorId: 'user:ap.desk', at: when, durationMs: 650_000, via: 'app' } }, 'decided', payload.notes);
    return { taskId: payload.taskId, runId: old.runId, state: 'done' as const, driven: true };
  };
  const answers: Handlers = {
    who: () => ({ operatorId: 'user:ap.desk', role: 'operator', via: 'app' }),
    task_counts: () => {
      const all = open();
      const count = (view: string) => all.filter(views[view] ?? (() => true)).length;
      const group = (key: (one: Task) => string): [string, Task[]][] => {
        const groups = new Map<string, Task[]>();
        for (const one of all) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
        return [...groups];
      };
      return {
        open: all.length, mine: count('mine'), unassigned: count('unassigned'), dueToday: count('due_today'), overdue: count('overdue'), snoozed: count('snoozed'), done: tasks.size - all.length,
        byWorkflow: group((one) => one.workflowId).map(([id, some]) => ({ id, name: some[0]?.workflowName ?? id, count: some.length })),
        byFingerprint: group((one) => one.fingerprint).filter(([, some]) => some.length > 1).map(([fingerprint, some]) => ({ fingerprint, title: some[0]?.title ?? '', count: some.length })),
        saved: saved.map((one) => ({ ...one, count: all.filter((each) => !one.filter.workflow || each.workflowId === one.filter.workflow).length })),
      };
    },
    task_list: ({ state = 'open', view, workflow, fingerprint, text, limit = 100, after }) => {
      const all = [...tasks.values()].filter((one) => (state === 'all' || (state === 'open') === (one.state === 'open')) && (view === undefined || (views[view]?.(one) ?? true)) && (!workflow || one.workflowId === workflow)
        && (!fingerprint || one.fingerprint === fingerprint) && (!text || `${one.title} ${one.workflowName}`.toLowerCase().includes(text.toLowerCase()))).sort((a, b) => due(a) - due(b));
      const from = after ? Number(after) : 0;
      return { tasks: all.slice(from, from + limit), total: all.length, ...(from + limit < all.length ? { next: String(from + limit) } : {}) };
    },
    task_view_save: ({ name, filter }) => { saved = [...saved.filter((one) => one.name !== name), { name, filter }]; return {}; },
    task_view_forget: ({ name }) => { saved = saved.filter((one) => one.name !== name); return {}; },
    delegation_list: () => delegations,
    delegation_create: (one) => {
      const made: Delegation = { id: `d-${String(delegations.length)}`, from: 'user:ap.desk', to: one.to, startsAt: one.startsAt ?? ago(0), endsAt: one.endsAt, active: true, madeBy: 'user:ap.desk', ...(one.workflow ? { workflow: one.workflow } : {}) };
      delegations = [...delegations, made];
      return made;
    },
    delegation_end: ({ id }) => { delegations = delegations.filter((one) => one.id !== id); return {}; },
    task_get: ({ taskId }) => get(taskId),
    task_check: ({ taskId, correctedInput }) => ({ valid: violations(correctedInput).length === 0, violations: violations(correctedInput), patch: patchOf(get(taskId).input, correctedInput) }),
    task_complete: complete,
    task_complete_many: ({ taskIds, action, correctedInput, patch, notes }) => ({
      batchId: 'b-1',
      results: taskIds.map((taskId) => {
        try {
          const patched = patch ? applyPatch(get(taskId).input, patch) : undefined;
          if (patched && !patched.ok) throw new ApiError({ code: 'PATCH', message: `Nothing is at ${patched.path}.`, hint: '' });
          complete({ taskId, action, notes, correctedInput: patched?.ok ? patched.value : correctedInput });
          return { taskId, ok: true };
        } catch (cause) {
          return { taskId, ok: false, error: cause as ApiError };
        }
      }),
    }),
    task_claim: ({ taskId }) => change(taskId, { claimedBy: 'user:ap.desk', claimExpiresAt: new Date(Date.now() + 15 * MIN).toISOString() }, 'claimed'),
    task_release: ({ taskId }) => change(taskId, { claimedBy: undefined, claimExpiresAt: undefined }, 'released'),
    task_reassign: ({ taskId, to, notes }) => change(taskId, { assignee: to }, 'reassigned', notes),
    task_comment: ({ taskId, text }) => change(taskId, {}, 'commented', text),
    task_snooze: ({ taskId, until }) => change(taskId, { snoozedUntil: until }, 'snoozed'),
    task_hold: ({ taskId, held, notes }) => {
      const left = Math.max(0, due(get(taskId)) - Date.now());
      return held ? change(taskId, { heldSince: ago(0), remainingMs: left }, 'held', notes) : change(taskId, { heldSince: undefined, remainingMs: undefined }, 'continued', notes);
    },
    task_reveal: ({ taskId, reason }) => {
      change(taskId, {}, 'revealed', reason);
      return { input: { ...(get(taskId).input as object), bankAccount: 'DE02 1203 0000 0000 2020 51' } };
    },
  };
  Object.assign(handlers, answers);
  return { fake: base, tasks, on: (more) => Object.assign(handlers, more), calls: (command) => base.calls.filter((call) => (call.command as string) === command).map((call) => call.payload) };
}

import { describe, expect, it } from 'vitest';
import { foldRun, type RunEventLike } from '../../run/run-state.ts';

const definition = {
  nodes: { pay: { type: 'http.request', title: 'Pay' }, ask: { type: 'builtin.human_decision', title: 'Ask' }, done: { type: 'flow.noop' } },
  edges: [{ from: 'pay.error', to: 'ask' }, { from: 'ask.corrected', to: 'pay' }, { from: 'pay.success', to: 'done' }],
};
const log = (...list: [type: string, stepId: string | null, payload: unknown, visit?: number][]): RunEventLike[] =>
  list.map(([type, stepId, payload, visit], i) => ({ runId: 'r', seq: i + 1, ts: new Date(1_000 * i).toISOString(), type, stepId, visit: visit ?? 1, attempt: 0, payload }));
const origin = { stepId: 'pay', visit: 1, attempt: 0 };
const error = { type: 'ValidationError', message: 'no', retryable: false, details: { code: 'INPUT_INVALID' } };
const ASKED = log(
  ['workflow_start', null, { name: 'W' }], ['step_start', 'pay', { input: [{ item: 0, data: {} }] }], ['step_error', 'pay', { error }],
  ['step_start', 'ask', { input: [], origin }], ['human_task_created', 'ask', { taskId: 't1', title: 'Pay was refused', origin, assignee: 'user:ada' }],
);

describe('people in a run', () => {
  it('shows origin and human step as a person\'s turn and the run as paused', () => {
    const view = foldRun(ASKED, definition);
    expect([view.nodes['pay']?.state, view.nodes['ask']?.state, view.status]).toEqual(['asks', 'asks', 'paused']);
    expect(view.tasks).toMatchObject([{ taskId: 't1', title: 'Pay was refused', nodeId: 'ask', originId: 'pay' }]);
    expect(view.cards[1]).toMatchObject({ status: 'asks', people: [{ what: 'asked', who: 'user:ada', taskId: 't1' }] });
  });

  it('goes on with the answer, and the step that was corrected ends well', () => {
    const more = log(
      ['human_task_completed', 'ask', { taskId: 't1', origin, action: 'correct', operatorId: 'user:ada', notes: 'typo' }], ['step_done', 'ask', { ports: { corrected: 1 }, origin }],
      ['step_start', 'pay', { input: [{ item: 0, data: {} }] }, 2], ['step_done', 'pay', { ports: { success: 1 } }, 2],
    ).map((event, i) => ({ ...event, seq: ASKED.length + 1 + i }));
    expect(foldRun([...ASKED, more[0] as RunEventLike], definition)).toMatchObject({ status: 'running', tasks: [], nodes: { pay: { state: 'retrying' } } });
    const view = foldRun([...ASKED, ...more], definition);
    expect([view.nodes['pay']?.state, view.nodes['ask']?.state]).toEqual(['done', 'done']);
    expect(view.cards[1]?.people?.[1]).toMatchObject({ what: 'answered', action: 'correct', who: 'user:ada', text: 'typo' });
  });

  it('keeps reminders and escalations on the card, and forgets tasks at the end', () => {
    const more = log(
      ['human_task_reminded', 'ask', { taskId: 't1', origin, reminder: 1 }], ['escalated', 'ask', { taskId: 't1', origin, level: 1, action: 'escalate', to: 'group:leads' }],
      ['workflow_cancelled', null, {}],
    ).map((event, i) => ({ ...event, seq: ASKED.length + 1 + i }));
    const view = foldRun([...ASKED, ...more], definition);
    expect(view.cards[1]?.people?.map((note) => note.what)).toEqual(['asked', 'reminded', 'escalated']);
    expect([view.tasks.length, view.nodes['pay']?.state]).toEqual([0, 'cancelled']);
    // Nobody is asked about either of them any more.
    expect(view.cards.map((card) => card.status)).toEqual(['cancelled', 'cancelled']);
  });

  it('a call of a tool that a person is asked about is no error: not on the card, not on the wire, not in the count', () => {
    const held = { error: { type: 'ToolError', message: "The model wants to call 'send'.", details: { code: 'TOOL_APPROVAL' } }, held: { turns: 1 } };
    const asked = log(['workflow_start', null, {}], ['step_start', 'pay', { input: [{ item: 0, data: {} }] }], ['step_error', 'pay', held]);
    // Also at the moment of the past before the task is there.
    for (const events of [asked, [...asked, ...log(['human_task_created', 'pay', { taskId: 't', title: 'send' }]).map((event) => ({ ...event, seq: 4 }))]]) {
      const view = foldRun(events, definition);
      expect([view.errors, view.nodes['pay']?.state, view.cards[0]?.status, view.cards[0]?.question, view.ports['pay.error']]).toEqual([0, 'asks', 'asks', true, undefined]);
    }
    const more = log(
      ['human_task_created', 'pay', { taskId: 't', title: 'send' }], ['human_task_completed', 'pay', { taskId: 't', action: 'approve' }],
      ['step_start', 'pay', { input: [{ item: 0, data: {} }] }, 2], ['step_done', 'pay', { ports: { success: 1 } }, 2],
    ).map((event, i) => ({ ...event, seq: 4 + i }));
    const answered = foldRun([...asked, ...more.slice(0, 2)], definition);
    expect([answered.nodes['pay']?.state, answered.cards[0]?.status]).toEqual(['running', 'done']);
    const view = foldRun([...asked, ...more], definition);
    expect([view.errors, view.nodes['pay']?.state, view.cards.map((card) => card.status), view.ports['pay.error']]).toEqual([0, 'done', ['done', 'done'], undefined]);
  });

  it('a default task stands on the step that failed; skip ends it as skipped', () => {
    const view = foldRun(log(
      ['workflow_start', null, {}], ['step_start', 'pay', { input: [] }], ['step_error', 'pay', { error }], ['human_task_created', 'pay', { taskId: 't', title: '' }],
      ['human_task_completed', 'pay', { taskId: 't', action: 'skip' }],
    ), { ...definition, edges: [] });
    expect([view.nodes['pay']?.state, view.status]).toEqual(['skipped', 'running']);
  });

  it('a call that was cut off is what was decided about it, and the run waits for whom it waits', () => {
    const cut = (action: string) => log(
      ['workflow_start', null, {}], ['step_start', 'pay', { input: [] }], ['workflow_resumed', null, {}], ['step_interrupted', 'pay', { effect: 'unknown' }],
      ['human_task_created', 'pay', { taskId: 't', title: '' }], ['human_task_completed', 'pay', { taskId: 't', action }],
      ['step_start', 'done', { input: [] }], ['human_task_created', 'done', { taskId: 'u', title: '' }],
    );
    const skipped = foldRun(cut('skip'), { ...definition, edges: [] });
    expect([skipped.nodes['pay']?.state, skipped.cards[0]?.status, skipped.status]).toEqual(['skipped', 'skipped', 'paused']);
    const ended = foldRun([...cut('skip'), ...log(['workflow_done', null, { duration_ms: 1 }]).map((event) => ({ ...event, seq: 9 }))], { ...definition, edges: [] });
    expect(ended.nodes['pay']?.state).toBe('skipped');
    expect(foldRun(cut('retry').slice(0, 6), { ...definition, edges: [] }).nodes['pay']?.state).toBe('retrying');
  });

  it('puts a repair with its difference on the cards of healer and origin', () => {
    const patch = [{ op: 'replace', path: '/n', value: 1 }];
    const view = foldRun(log(
      ['workflow_start', null, {}], ['step_start', 'pay', { input: [] }], ['step_error', 'pay', { error }],
      ['auto_fix_attempt', 'pay', { model: 'deterministic', accepted: true, delta: 1, patch, changes: ['n is a number now'] }],
    ), { ...definition, edges: [] });
    expect(view.cards[0]?.fixes).toEqual([{ model: 'deterministic', accepted: true, delta: 1, changes: ['n is a number now'], violations: [], patch }]);
    expect(view.nodes['pay']?.state).toBe('retrying');
  });

  it('a pause waits for its resume', () => {
    const paused = log(['workflow_start', null, {}], ['step_start', 'done', { input: [] }], ['pause_start', 'done', { nodeId: 'done', waitToken: 'w', reason: 'supplier' }]);
    expect(foldRun(paused, definition)).toMatchObject({ status: 'paused', tasks: [{ taskId: 'w', title: 'supplier' }] });
  });

  const each = (...list: [type: string, payload: unknown, item: number][]): RunEventLike[] =>
    list.map(([type, payload, item], i) => ({ runId: 'r', seq: i + 2, ts: new Date(1_000 * (i + 1)).toISOString(), type, stepId: 'done', visit: 1, attempt: 0, item, payload }));
  const START = log(['workflow_start', null, {}]);
  const input = (item: number) => ({ input: [{ item, data: {} }] });

  it('one item that waits for a person is the state of its step, however many went well after it', () => {
    const events = [...START, ...each(
      ['step_start', input(0), 0], ['step_done', { ports: { success: 1 } }, 0],
      ['step_start', input(1), 1], ['step_error', { error }, 1], ['human_task_created', { taskId: 't', title: 'No' }, 1],
      ['step_start', input(2), 2], ['step_done', { ports: { success: 1 } }, 2],
    )];
    const view = foldRun(events, definition);
    expect([view.nodes['done']?.state, view.nodes['done']?.asking, view.nodes['done']?.itemsIn, view.status]).toEqual(['asks', 1, 3, 'paused']);
    // While another item is at work the run goes on.
    expect(foldRun(events.slice(0, -1), definition)).toMatchObject({ status: 'running', nodes: { done: { state: 'running', asking: 1 } } });
    const answer = { ...(events.at(-1) as RunEventLike), item: 1 };
    const after = foldRun([...events, { ...answer, seq: 9, type: 'human_task_completed', payload: { taskId: 't', action: 'retry' } },
      { ...answer, seq: 10, attempt: 1, type: 'step_start', payload: input(1) }, { ...answer, seq: 11, attempt: 1, type: 'step_done', payload: { ports: { success: 1 } } }], definition);
    expect([after.nodes['done']?.state, after.nodes['done']?.asking, after.status]).toEqual(['done', undefined, 'running']);
  });

  it('a step that asks about two items waits until both are answered', () => {
    const events = [...START, ...each(
      ['step_start', input(0), 0], ['human_task_created', { taskId: 'a', title: 'A' }, 0], ['step_start', input(1), 1], ['human_task_created', { taskId: 'b', title: 'B' }, 1],
      ['human_task_completed', { taskId: 'b', action: 'approve' }, 1], ['step_done', { ports: { success: 1 } }, 1],
    )];
    expect(foldRun(events, definition)).toMatchObject({ status: 'paused', nodes: { done: { state: 'asks', asking: 1 } } });
  });

  it('a step with one item that asks again waits for that one, however often it began', () => {
    const again = each(['step_start', input(0), 0]).map((event) => ({ ...event, visit: 2 }));
    const view = foldRun([...START, ...each(['step_start', input(0), 0], ['human_task_created', { taskId: 'a', title: 'A' }, 0], ['human_task_completed', { taskId: 'a', action: 'retry' }, 0]), ...again].map((event, index) => ({ ...event, seq: index + 1 })), definition);
    expect(view.nodes['done']).toMatchObject({ itemsIn: 2, inVisit: 1 });
  });

  it('stays a person\'s turn where another item of the step fails', () => {
    const wired = { ...definition, edges: [{ from: 'done.error', to: 'ask' }] };
    const view = foldRun([...START, ...each(
      ['step_start', input(0), 0], ['human_task_created', { taskId: 'a', title: 'A' }, 0], ['step_start', input(1), 1], ['step_error', { error }, 1],
    )], wired);
    expect(view).toMatchObject({ status: 'paused', nodes: { done: { state: 'asks' } } });
  });

  it('stays a person\'s turn where another error leaves by its wire', () => {
    const wired = { ...definition, edges: [{ from: 'done.error', to: 'ask' }] };
    const view = foldRun([...START, ...each(
      ['step_start', input(0), 0], ['step_error', { error }, 0], ['human_task_created', { taskId: 't', title: 'No' }, 0], ['step_start', input(1), 1], ['step_error', { error }, 1],
    )], wired);
    expect(view.nodes['done']?.state).toBe('asks');
  });
});

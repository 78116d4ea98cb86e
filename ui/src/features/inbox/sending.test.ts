import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { peopleHost, task, type PeopleHost } from '../../test/people.ts';
import { queryClient } from '../../api/queries.ts';
import { dropDraft, editDraft, reveal, useDrafts } from './drafts.ts';
import { failureText } from './sends-strip.tsx';
import { LOOK_MS, PART, queueSend, resumeSends, sendNow, sendOf, sendWord, stopSend, takeOut, undoLast, cancelSend, UNDO_MS, useSends, type Send } from './sending.ts';

let host: PeopleHost;
const sends = () => useSends.getState().sends;
beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  sessionStorage.clear();
  useSends.setState({ sends: [] });
  useDrafts.setState({ drafts: {}, revealed: {} });
  host = peopleHost([task(1), task(2), task(3)]);
  setTransport(host.fake);
});
afterEach(() => vi.useRealTimers());
const decide = (n = 1) => queueSend({ taskIds: [`task-${String(n)}`], title: 'Supplier', action: 'retry', notes: ' because ', revision: 1 });

describe('a decision (D2.2)', () => {
  it('is sent after five seconds, once, with a request id and the revision it was made on', async () => {
    const id = decide();
    await vi.advanceTimersByTimeAsync(UNDO_MS - 1);
    expect(host.calls('task_complete')).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(host.calls('task_complete')).toEqual([{ taskId: 'task-1', action: 'retry', notes: 'because', revision: 1, requestId: id }]);
    expect(sends()).toEqual([]);
    expect(localStorage.getItem('signalbox.sends')).toBeNull();
  });

  it('keeps whole numbers that are large, over a reload and over what another tab does', async () => {
    const correctedInput = { order: 9007199254740993n };
    queueSend({ taskIds: ['task-1'], title: 'Supplier', action: 'correct', correctedInput: correctedInput as never });
    editDraft('task-2', { value: correctedInput } as never);
    expect(localStorage.getItem('signalbox.sends')).toContain('9007199254740993');
    expect(sessionStorage.getItem('signalbox.task-drafts')).toContain('9007199254740993');
    useSends.setState({ sends: [] });
    const stop = resumeSends();
    window.dispatchEvent(new StorageEvent('storage', { key: 'signalbox.sends' }));
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1);
    expect(host.calls('task_complete')).toMatchObject([{ correctedInput }]);
    stop();
  });

  it('needs nothing that a page over plain HTTP from another machine has not', () => {
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
    expect(decide()).not.toBe(decide(2));
    vi.unstubAllGlobals();
  });

  it('can be taken back until then, and nothing was sent', async () => {
    decide(1);
    decide(2);
    expect(undoLast()?.taskIds).toEqual(['task-2']);
    await vi.advanceTimersByTimeAsync(UNDO_MS * 2);
    expect(host.calls('task_complete')).toHaveLength(1);
    expect(undoLast()).toBeUndefined();
  });

  it('on the same task takes the place of one not sent yet', async () => {
    decide();
    queueSend({ taskIds: ['task-1'], title: 'Supplier', action: 'skip' });
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1);
    expect(host.calls('task_complete')).toMatchObject([{ action: 'skip' }]);
  });

  it('with values that were masked is not written to the disk, and is sent by its page', async () => {
    reveal('task-1', undefined, { input: { iban: 'DE00 secret' } });
    queueSend({ taskIds: ['task-1'], title: 'Supplier', action: 'correct', correctedInput: { iban: 'DE01 secret' } });
    decide(2);
    expect(localStorage.getItem('signalbox.sends')).toContain('task-2');
    expect(localStorage.getItem('signalbox.sends')).not.toContain('secret');
    const stop = resumeSends();
    expect(sends().map((send) => send.taskIds[0])).toEqual(['task-2', 'task-1']);
    window.dispatchEvent(new StorageEvent('storage', { key: 'signalbox.sends' }));
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1);
    expect(host.calls('task_complete')).toContainEqual(expect.objectContaining({ taskId: 'task-1', correctedInput: { iban: 'DE01 secret' } }));
    stop();
  });

  it('survives a reload of the page and is sent then', async () => {
    const id = decide();
    await vi.advanceTimersByTimeAsync(2_000);
    useSends.setState({ sends: [] });
    const stop = resumeSends();
    expect(sendOf(sends(), 'task-1')).toMatchObject({ id, state: 'waiting' });
    await vi.advanceTimersByTimeAsync(UNDO_MS);
    expect(host.calls('task_complete')).toMatchObject([{ requestId: id }]);
    stop();
  });

  it('found much later is not sent by itself', async () => {
    decide();
    useSends.setState({ sends: [] });
    vi.setSystemTime(Date.now() + 86_400_000);
    const stop = resumeSends();
    expect(sends()).toMatchObject([{ state: 'held' }]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(host.calls('task_complete')).toEqual([]);
    sendNow(sends()[0]?.id ?? '');
    await vi.advanceTimersByTimeAsync(0);
    expect(host.calls('task_complete')).toHaveLength(1);
    stop();
  });

  it('that another window took back is not sent by this one', async () => {
    const stop = resumeSends();
    decide();
    localStorage.removeItem('signalbox.sends');
    window.dispatchEvent(new StorageEvent('storage', { key: 'signalbox.sends' }));
    await vi.advanceTimersByTimeAsync(UNDO_MS * 2);
    expect(host.calls('task_complete')).toEqual([]);
    stop();
  });

  it('that was refused stays, says who was faster and when, and keeps what was written', async () => {
    host.on({ task_complete: () => { throw new ApiError({ code: 'ALREADY_ANSWERED', message: 'This task was answered already', hint: '', details: { who: 'user:grace', when: '2026-11-22T02:03:04Z' } }); } });
    editDraft('task-1', { value: { now: { supplierId: 'S-2041' } }, notes: 'mine' });
    decide();
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1);
    const [failed] = sends();
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'ALREADY_ANSWERED' } });
    expect(failureText(failed as Send)).toMatch(/^grace decided this task at \d\d:03:04, before you/);
    expect(useDrafts.getState().drafts['task-1']).toEqual({ value: { now: { supplierId: 'S-2041' } }, notes: 'mine' });
    expect(cancelSend(failed?.id ?? '')).toBeDefined();
  });

  it('on a task that somebody works on says who, until when, and what next', async () => {
    host.on({ task_complete: () => { throw new ApiError({ code: 'CLAIMED', message: 'user:grace is working on this task until 2026-11-22T02:03:04Z.', hint: '', details: { who: 'user:grace', until: '2026-11-22T02:03:04Z' } }); } });
    decide();
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1);
    expect(failureText(sends()[0] as Send)).toMatch(/^grace is working on this task until at least \d\d:03:04.*Take the task over, or/);
  });

  it('that could not be saved can be sent again as the same request', async () => {
    let down = true;
    const ids: unknown[] = [];
    const { task_complete } = host.fake.handlers as unknown as { task_complete: (payload: { requestId?: string }) => unknown };
    host.on({ task_complete: (payload) => {
      ids.push(payload.requestId);
      if (down) throw new ApiError({ code: 'CONNECTION', message: 'Signalbox does not respond.', hint: 'Start it again.' });
      return task_complete(payload) as never;
    } });
    decide();
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1);
    expect(failureText(sends()[0] as Send)).toBe('No response: it is unknown whether the decision was saved. Try again; it counts once.');
    expect(sendWord(sends()[0] as Send)).toBe('unsure');
    down = false;
    sendNow(sends()[0]?.id ?? '');
    await vi.advanceTimersByTimeAsync(0);
    expect(sends()).toEqual([]);
    expect(new Set(ids).size).toBe(1);
  });

  /** The host does what it was asked, but its answer is lost so many times. */
  const lost = (command: 'task_complete' | 'task_complete_many', times: number) => {
    const answer = host.fake.handlers[command] as (payload: never) => unknown;
    let left = times;
    host.fake.handlers[command] = ((payload: never) => {
      const answered = answer(payload);
      left -= 1;
      if (left >= 0) throw new ApiError({ code: 'CONNECTION', message: 'Signalbox does not respond.', hint: 'Start it again.' });
      return answered;
    }) as never;
  };

  it('that was saved but got no answer is asked about by itself', async () => {
    const taken = host.fake.handlers.task_complete as (payload: never) => unknown;
    const answered: string[] = [];
    // The same request counts once, as it does in the store.
    host.on({ task_complete: (payload) => {
      if (answered.includes(payload.requestId ?? '')) return { taskId: payload.taskId, runId: 'r', state: 'done', driven: true } as never;
      answered.push(payload.requestId ?? '');
      return taken(payload as never) as never;
    } });
    lost('task_complete', 1);
    const id = decide();
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1);
    expect(sends()).toMatchObject([{ state: 'failed', unsure: ['task-1'] }]);
    expect(sendOf(sends(), 'task-1')).toBeDefined();
    await vi.advanceTimersByTimeAsync(LOOK_MS);
    expect(sends()).toEqual([]);
    expect(answered).toEqual([id]);
    expect(host.tasks.get('task-1')).toMatchObject({ state: 'done', action: 'retry' });
  });

  it('that never arrived is not sent again by itself', async () => {
    host.on({ task_complete: () => { throw new ApiError({ code: 'CONNECTION', message: 'Signalbox does not respond.', hint: '' }); } });
    decide();
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1 + 5 * LOOK_MS);
    expect(host.calls('task_complete')).toHaveLength(1);
    expect(sends()).toMatchObject([{ state: 'failed', unsure: ['task-1'] }]);
  });

  it('without an answer about a task that somebody else decided says whose decision holds', async () => {
    host.on({ task_complete: ({ taskId }) => {
      if (host.tasks.get(taskId)?.state === 'open') throw new ApiError({ code: 'CONNECTION', message: 'Signalbox does not respond.', hint: '' });
      throw new ApiError({ code: 'ALREADY_ANSWERED', message: 'This task was answered already', hint: '', details: { who: 'user:grace', when: '2026-11-22T02:03:04Z' } });
    } });
    decide();
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1);
    host.tasks.set('task-1', { ...task(1), state: 'done', decidedBy: 'user:grace' });
    await vi.advanceTimersByTimeAsync(LOOK_MS);
    expect(sends()[0]?.unsure).toBeUndefined();
    expect(failureText(sends()[0] as Send)).toMatch(/^grace decided this task/);
  });

  it('for many gives a result for each', async () => {
    host.tasks.set('task-2', { ...task(2), state: 'done', decidedBy: 'user:grace' });
    queueSend({ taskIds: ['task-1', 'task-2', 'task-3'], title: '3 tasks', action: 'skip' });
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1);
    expect(sends()).toMatchObject([{ state: 'done', results: [{ taskId: 'task-1', ok: true }, { taskId: 'task-2', ok: false, error: { code: 'ALREADY_ANSWERED' } }, { taskId: 'task-3', ok: true }] }]);
  });
});

describe('drafts', () => {
  it('are kept over a reload, but not with values that were revealed', () => {
    editDraft('task-1', { notes: 'a' });
    editDraft('task-2', { value: { now: { bankAccount: '••••' } } });
    reveal('task-2', undefined, { input: { bankAccount: 'DE02' } });
    editDraft('task-2', { value: { now: { bankAccount: 'DE02 1' } } });
    expect(JSON.parse(sessionStorage.getItem('signalbox.task-drafts') ?? '')).toEqual({ 'task-1': { notes: 'a' } });
    dropDraft('task-2');
    expect(useDrafts.getState()).toEqual({ drafts: { 'task-1': { notes: 'a' } }, revealed: {} });
  });
});

describe('a decision about many (L5)', () => {
  const many = (n: number) => {
    host = peopleHost(Array.from({ length: n }, (_, index) => task(index)));
    setTransport(host.fake);
    return queueSend({ taskIds: Array.from({ length: n }, (_, index) => `task-${String(index)}`), title: 'many', action: 'retry' });
  };
  /** Parts are answered one by one, so that what stands between two of them is seen. */
  const held = () => {
    const answer = host.fake.handlers.task_complete_many;
    const waiting: (() => void)[] = [];
    host.fake.handlers.task_complete_many = (async (request: never) => { await new Promise<void>((go) => { waiting.push(go); }); return answer?.(request); }) as never;
    return async () => { waiting.shift()?.(); await vi.advanceTimersByTimeAsync(0); };
  };

  /** The second part gets no answer. */
  const broken = () => {
    const id = many(25);
    const answer = host.fake.handlers.task_complete_many;
    let calls = 0;
    host.fake.handlers.task_complete_many = ((request: never) => {
      calls += 1;
      if (calls === 2) throw new ApiError({ code: 'UNREACHABLE', message: 'No answer.', hint: '' });
      return answer?.(request);
    }) as never;
    return id;
  };

  it('that got no answer for a part asks about it by itself, and leaves the rest to the person', async () => {
    const id = many(25);
    const answer = host.fake.handlers.task_complete_many as unknown as (request: { taskIds: string[] }) => { results: { taskId: string; ok: boolean }[] };
    let calls = 0;
    host.fake.handlers.task_complete_many = ((request: { taskIds: string[] }) => {
      calls += 1;
      // Killed in the second part: four of its ten are stored.
      if (calls === 2) {
        answer({ ...request, taskIds: request.taskIds.slice(0, 4) });
        throw new ApiError({ code: 'CONNECTION', message: 'Signalbox does not respond.', hint: '' });
      }
      // What is stored by this request is told as such.
      return calls === 3 ? { results: request.taskIds.map((taskId) => ({ taskId, ok: true })) } : answer(request);
    }) as never;
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1);
    expect(sends()[0]?.unsure).toHaveLength(PART);
    expect(failureText(sends()[0] as Send)).toMatch(/^No response for 10 tasks/);
    await vi.advanceTimersByTimeAsync(LOOK_MS);
    expect((host.calls('task_complete_many') as { taskIds: string[]; requestId: string }[])[2]).toMatchObject({ taskIds: ['task-10', 'task-11', 'task-12', 'task-13'], requestId: id });
    expect(sends()).toMatchObject([{ state: 'failed' }]);
    expect([sends()[0]?.unsure?.length, sends()[0]?.results?.length]).toEqual([6, 14]);
    await vi.advanceTimersByTimeAsync(3 * LOOK_MS);
    expect(host.calls('task_complete_many')).toHaveLength(3);
    sendNow(id);
    await vi.advanceTimersByTimeAsync(1);
    expect(sends()).toMatchObject([{ state: 'done' }]);
    expect(sends()[0]?.results).toHaveLength(25);
  });

  it('goes in parts of one batch, and says how far it is', async () => {
    const id = many(25);
    const next = held();
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1);
    expect(sends()).toMatchObject([{ state: 'sending' }]);
    await next();
    expect(sends()[0]?.results).toHaveLength(PART);
    await next();
    expect(sends()[0]?.results).toHaveLength(2 * PART);
    await next();
    expect(sends()).toMatchObject([{ state: 'done' }]);
    expect(sends()[0]?.results?.filter((one) => one.ok)).toHaveLength(25);
    const sent = host.calls('task_complete_many') as { taskIds: string[]; requestId: string }[];
    expect(sent.map((one) => one.taskIds.length)).toEqual([PART, PART, 5]);
    expect(new Set(sent.map((one) => one.requestId))).toEqual(new Set([id]));
  });

  it('stops between two parts, and leaves the rest undecided', async () => {
    const id = many(25);
    const next = held();
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1);
    stopSend(id);
    expect(sendOf(sends(), 'task-24')).toBeDefined();
    await next();
    expect(host.calls('task_complete_many')).toHaveLength(1);
    expect(sends()).toMatchObject([{ state: 'done', stopped: true }]);
    expect(sends()[0]?.results).toHaveLength(PART);
    // What was left can be decided again at once.
    expect(sendOf(sends(), 'task-24')).toBeUndefined();
  });

  it('that breaks off goes on with what is left, under the same id', async () => {
    const id = broken();
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1);
    expect(sends()).toMatchObject([{ state: 'failed' }]);
    expect(sends()[0]?.results).toHaveLength(PART);
    sendNow(id);
    await vi.advanceTimersByTimeAsync(1);
    expect(sends()).toMatchObject([{ state: 'done' }]);
    expect((host.calls('task_complete_many') as { taskIds: string[] }[]).map((one) => one.taskIds[0])).toEqual(['task-0', 'task-10', 'task-10', 'task-20']);
  });

  it('that was stopped and broke off goes on when the person tries again', async () => {
    const id = broken();
    const next = held();
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1);
    await next();
    stopSend(id);
    await next();
    expect(sends()).toMatchObject([{ state: 'failed', stopped: true }]);
    sendNow(id);
    await vi.advanceTimersByTimeAsync(0);
    for (let part = 0; part < 2; part += 1) await next();
    expect(sends()[0]?.state).toBe('done');
    expect(sends()[0]?.stopped).toBeUndefined();
    expect(sends()[0]?.results).toHaveLength(25);
  });

  it('that broke off is nothing about those that have their answer, and one of the others can be decided by itself', async () => {
    const id = broken();
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1);
    expect(sends()).toMatchObject([{ state: 'failed' }]);
    expect([sendOf(sends(), 'task-3'), sendOf(sends(), 'task-12')?.id]).toEqual([undefined, id]);
    takeOut(id, 'task-12');
    expect(sendOf(sends(), 'task-12')).toBeUndefined();
    sendNow(id);
    await vi.advanceTimersByTimeAsync(1);
    expect(sends()[0]).toMatchObject({ state: 'done' });
    expect(host.calls('task_complete_many').flatMap((one) => (one as { taskIds: string[] }).taskIds)).toContain('task-24');
    expect((host.calls('task_complete_many') as { taskIds: string[] }[]).at(-2)?.taskIds).not.toContain('task-12');
  });
  it('stays a batch when one is left of it, and is over when those that are left have their answers', async () => {
    const id = queueSend({ taskIds: ['task-1', 'task-2'], title: '2 tasks', action: 'skip' });
    takeOut(id, 'task-2');
    sendNow(id);
    await vi.advanceTimersByTimeAsync(1);
    expect(host.calls('task_complete')).toEqual([]);
    expect(host.calls('task_complete_many')).toMatchObject([{ taskIds: ['task-1'], requestId: id }]);
    const two: Send = { id: 'broken', taskIds: ['task-1', 'task-2'], title: '2 tasks', action: 'skip', sendAt: 0, state: 'failed', error: { code: 'STORAGE', message: '', hint: '' }, results: [{ taskId: 'task-1', ok: true }] };
    useSends.setState({ sends: [two] });
    takeOut('broken', 'task-2');
    expect(sends()).toMatchObject([{ taskIds: ['task-1'], state: 'done' }]);
  });
  it('of another person in the same browser is neither shown nor sent, and stays for that person', async () => {
    queryClient.setQueryData(['who', {}], { operatorId: 'user:olga', role: 'operator', via: 'rest' });
    const id = decide();
    const kept = localStorage.getItem('signalbox.sends');
    expect(sends()).toMatchObject([{ by: 'user:olga' }]);
    useSends.setState({ sends: [] });
    queryClient.setQueryData(['who', {}], { operatorId: 'user:omar', role: 'operator', via: 'rest' });
    localStorage.setItem('signalbox.sends', kept ?? '');
    const stop = resumeSends();
    decide(2);
    await vi.advanceTimersByTimeAsync(UNDO_MS * 2);
    expect(host.calls('task_complete')).toMatchObject([{ taskId: 'task-2' }]);
    stop();
    queryClient.setQueryData(['who', {}], { operatorId: 'user:olga', role: 'operator', via: 'rest' });
    const again = resumeSends();
    await vi.advanceTimersByTimeAsync(UNDO_MS * 2);
    expect(host.calls('task_complete')).toMatchObject([{ taskId: 'task-2' }, { taskId: 'task-1', requestId: id }]);
    again();
    queryClient.clear();
  });

  it('about many sends those again that came to nothing for want of room, and no others', async () => {
    const error = (code: string) => ({ code, message: '', hint: '' });
    const many: Send = { id: 'full', batch: true, taskIds: ['task-1', 'task-2', 'task-3'], title: '3 tasks', action: 'skip', sendAt: 0, state: 'done', results: [
      { taskId: 'task-1', ok: true }, { taskId: 'task-2', ok: false, error: error('DISK_FULL') }, { taskId: 'task-3', ok: false, error: error('ALREADY_ANSWERED') }] as NonNullable<Send['results']> };
    useSends.setState({ sends: [many] });
    sendNow('full');
    await vi.advanceTimersByTimeAsync(1);
    expect(host.calls('task_complete_many')).toMatchObject([{ taskIds: ['task-2'], requestId: 'full' }]);
  });
  it('is sent in time where the clock is put back meanwhile', async () => {
    decide();
    vi.setSystemTime(Date.now() - 3_600_000);
    await vi.advanceTimersByTimeAsync(UNDO_MS + 1);
    expect(host.calls('task_complete')).toHaveLength(1);
  });
});

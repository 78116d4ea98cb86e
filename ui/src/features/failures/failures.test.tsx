/** Groups of failures, the correction with its preview, and replays. */
import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import type { Commands } from '../../api/types.ts';
import { editorOf, pretendLayout, renderWith, replaceCode } from '../../test/render.tsx';
import { correctionOf, numberOf } from './correction.ts';
import { GroupDetail } from './group-detail.tsx';
import { GroupList } from './group-list.tsx';

pretendLayout();
afterEach(cleanup);

type Group = Commands['failure_groups']['response']['groups'][number];
type Replay = Commands['replay_get']['response'];

const group: Group = {
  group: 'g1', workflowId: 'w', workflowName: 'Orders', stepId: 'book', code: 'BAD_AMOUNT', message: 'The amount "…" is no number', sample: 'The amount "12,5" is no number',
  open: 100_000, total: 100_003, firstAt: '2026-11-20T10:00:00.000Z', lastAt: '2026-11-29T10:00:00.000Z',
};
const failure = (n: number) => ({ failure: n, runId: `run-${String(n)}`, stepId: 'book', at: '2026-11-29T10:00:00.000Z' });
const replay: Replay = {
  replay: 'p1', group: 'g1', status: 'running', reason: 'because', by: 'user:anna', startedAt: '2026-11-29T10:00:00.000Z', waiting: 60, started: 30, skipped: 4, refused: 6, removed: 0,
  completed: 20, failed: 3, paused: 2, running: 5, cancelled: 0, rate: 50, concurrency: 20, keepAnswers: false, includeDifferent: false, rule: 'patch', definition: 'original',
};
const nothing = () => undefined;

it('a hundred thousand failures of one kind are a page, and the next one when it is scrolled to', async () => {
  const asked: unknown[] = [];
  renderWith(<GroupDetail group="g1" onOpenRun={nothing} onOpenTask={nothing} onPropose={nothing} />, {
    who: () => ({ operatorId: 'user:anna', role: 'viewer', via: 'app' }),
    failure_group: () => ({ ...group, shape: ['/ object', '/amount string'], replays: [], newest: failure(100_000) }),
    failure_members: (request: { before?: number }) => {
      asked.push(request.before);
      const first = request.before ?? 100_001;
      return { failures: Array.from({ length: 200 }, (_, n) => failure(first - 1 - n)), next: first - 200 };
    },
  });
  expect(await screen.findByRole('heading', { name: '100,000 open failures' })).toBeTruthy();
  const list = await screen.findByRole('listbox', { name: /Failures of this group/ });
  expect(list.querySelectorAll('.fl-line').length).toBeLessThan(60);
  expect(asked).toEqual([undefined]);
  // Who may only look is offered no replay.
  expect(screen.queryByRole('button', { name: /^Replay/ })).toBeNull();
});

it('names steps by their titles, those in loops with the iteration', async () => {
  const titled = { ...group, stepId: 'each/book', stepTitle: 'Book the order' };
  renderWith(<GroupList selected={undefined} onSelect={nothing} />, { failure_groups: () => ({ groups: [titled], total: 1, filling: false }) });
  expect(await screen.findByText('Orders, Book the order')).toBeTruthy();
  cleanup();
  renderWith(<GroupDetail group="g1" onOpenRun={nothing} onOpenTask={nothing} onPropose={nothing} />, {
    who: () => ({ operatorId: 'user:anna', role: 'viewer', via: 'app' }),
    failure_group: () => ({ ...titled, shape: [], replays: [], newest: failure(1) }),
    failure_members: () => ({ failures: [{ ...failure(1), stepId: 'each[17]/book' }, { ...failure(2), stepId: 'other' }] }),
  });
  expect(await screen.findByText('Book the order [17]')).toBeTruthy();
  expect(screen.getByText('other')).toBeTruthy();
});

it('a preview of very many failures counts all and keeps a part of them', async () => {
  const user = userEvent.setup();
  renderWith(<GroupDetail group="g1" onOpenRun={nothing} onOpenTask={nothing} onPropose={nothing} />, {
    who: () => ({ operatorId: 'user:anna', role: 'builder', via: 'app' }),
    failure_group: () => ({ ...group, open: 1_200, shape: [], replays: [], newest: failure(1_200) }),
    failure_members: () => ({ failures: [failure(1_200)] }),
    failure_preview_one: () => ({ before: [], after: [], masked: false, repeats: [], answers: 0 }),
    failure_preview: ({ before = 1_201 }: { before?: number }) => ({
      tried: Array.from({ length: 100 }, (_, n) => ({ ...failure(before - 1 - n), fit: n === 0 ? 'not' : 'fits' })), ...(before > 101 ? { next: before - 100 } : {}),
    }),
  });
  await user.click(await screen.findByRole('button', { name: 'Preview' }));
  expect(await screen.findByText('1,188 fit')).toBeTruthy();
  expect(screen.getByText('12 do not fit')).toBeTruthy();
  expect(screen.getByText('All are counted. The list shows at most 500 of each kind.')).toBeTruthy();
  expect(screen.getByRole('listbox', { name: 'Result of the preview for each failure' }).getAttribute('aria-setsize') ?? '512').toBe('512');
});

it('a correction is tried piece by piece, and only those that fit are counted for the replay', async () => {
  const user = userEvent.setup();
  const sent: unknown[] = [];
  renderWith(<GroupDetail group="g1" onOpenRun={nothing} onOpenTask={nothing} onPropose={nothing} />, {
    who: () => ({ operatorId: 'user:anna', role: 'builder', via: 'app' }),
    failure_group: () => ({ ...group, open: 4, shape: [], replays: [], newest: failure(4) }),
    failure_members: () => ({ failures: [4, 3, 2, 1].map(failure) }),
    failure_preview_one: () => ({ before: [{ amount: '12,5' }], after: [{ amount: 12.5 }], masked: false, repeats: ['Book'], answers: 0 }),
    failure_preview: (request: { before?: number }) => (request.before === undefined
      ? { tried: [{ ...failure(4), fit: 'fits' }, { ...failure(3), fit: 'not', why: 'The text is no number.' }], next: 3 }
      : { tried: [{ ...failure(2), fit: 'different', why: 'It also gives /x number.' }, { ...failure(1), fit: 'fits' }] }),
    replay_start: (request: unknown) => {
      sent.push(request);
      return replay;
    },
  });
  await user.click(await screen.findByRole('radio', { name: 'JSON Patch' }));
  const box = await screen.findByRole('textbox', { name: 'JSON Patch' });
  expect(editorOf(box).state.doc.toString()).toBe('');
  replaceCode(box, '[{"op":"replace","path":"/amount","value":"=double(item.amount)"}]');
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  expect(await screen.findByText('1 does not fit')).toBeTruthy();
  await waitFor(() => expect(screen.getByText('2 fit')).toBeTruthy());
  expect(screen.getByText('1 gives something different')).toBeTruthy();
  expect(screen.getByText('The text is no number.')).toBeTruthy();
  const start = screen.getByRole<HTMLButtonElement>('button', { name: 'Replay 2 failures' });
  expect(start.disabled).toBe(true);
  await user.click(screen.getByText('The text is no number.'));
  expect(await screen.findByText('Repeats its side effect: Book.')).toBeTruthy();
  await user.click(screen.getByRole('checkbox', { name: /something different/ }));
  await user.type(screen.getByRole('textbox', { name: /^Reason/ }), 'amounts came as text');
  await user.click(screen.getByRole('button', { name: 'Replay 3 failures' }));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({ group: 'g1', sample: 4, includeDifferent: true, keepAnswers: false, rate: 50, concurrency: 20, reason: 'amounts came as text', correction: { definition: 'original', patch: [{ op: 'replace' }] } });
});

it('a replay tells how far it is, and can be paused, undone and stopped after a question', async () => {
  const user = userEvent.setup();
  const done: string[] = [];
  renderWith(<GroupDetail group="g1" onOpenRun={nothing} onOpenTask={nothing} onPropose={() => done.push('propose')} />, {
    who: () => ({ operatorId: 'user:anna', role: 'builder', via: 'app' }),
    failure_group: () => ({ ...group, open: 0, shape: [], replays: [replay], suggestion: { replay: 'p0', times: 3, kind: 'data.set', config: { assign: { amount: 1 } } } }),
    replay_pause: () => { done.push('pause'); return { ...replay, status: 'paused' }; },
    replay_undo: () => { done.push('undo'); return { ...replay, status: 'undone' }; },
    replay_stop: (request: { cancelRuns?: boolean }) => { done.push(`stop ${String(request.cancelRuns)}`); return { ...replay, status: 'stopped' }; },
    replay_items: () => ({ items: [{ failure: 9, runId: 'run-9', why: 'It was re-run meanwhile: run-77.' }] }),
  });
  expect(await screen.findByText('40 of 100 dealt with')).toBeTruthy();
  expect(screen.getByText('3 failed again')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Pause' }));
  await user.click(screen.getByRole('button', { name: 'Undo the rest' }));
  await user.click(screen.getByRole('button', { name: 'Stop…' }));
  await user.click(await screen.findByRole('button', { name: 'Stop and cancel runs' }));
  await waitFor(() => expect(done).toEqual(['pause', 'undo', 'stop true']));
  await user.click(screen.getByRole('button', { name: 'Propose the step' }));
  expect(done).toContain('propose');
  await user.click(screen.getByRole('button', { name: 'Show what was skipped' }));
  expect((await screen.findAllByText('It was re-run meanwhile: run-77.')).length).toBeGreaterThan(0);
});

it('groups say what failed, where and how often', async () => {
  const chosen: string[] = [];
  renderWith(<GroupList selected={undefined} onSelect={(id) => chosen.push(id)} />, { failure_groups: () => ({ groups: [group], total: 1, filling: true }) });
  await userEvent.click(await screen.findByText(/BAD_AMOUNT: The amount/));
  expect(chosen).toContain('g1');
  expect(screen.getByText('Orders, book')).toBeTruthy();
  expect(screen.getByText('Failures of an older version are still being read.')).toBeTruthy();
});

it('what is typed is sent as it is, or is refused before', () => {
  const of = (rule: 'recorded' | 'edited' | 'patch' | 'expression', text: string) => correctionOf({ rule, definition: 'current', texts: { [rule]: text } }, 7, '[1]');
  expect(of('recorded', '')).toEqual({ correction: { definition: 'current' } });
  expect(of('edited', '[{"a":2}]')).toEqual({ correction: { definition: 'current', edited: { failure: 7, input: [{ a: 2 }] } } });
  expect(of('patch', '{')).toHaveProperty('wrong');
  expect(of('patch', '{}')).toHaveProperty('wrong');
  expect(of('expression', ' ')).toHaveProperty('wrong');
  expect([numberOf('50', 100), numberOf('0', 100), numberOf('101', 100), numberOf('1.5', 100)]).toEqual([50, undefined, undefined, undefined]);
});

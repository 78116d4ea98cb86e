import { renderHook, act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Cut } from '../../json/json.ts';
import { createRunFold, emptyRunView, foldRun, type RunEventLike, type RunView } from '../../run/run-state.ts';
import { useSettings } from '../../api/settings.ts';
import { FIRST, FIRST_EVENTS } from '../../test/walkthrough.ts';
import { pretendLayout, renderWith } from '../../test/render.tsx';
import { CardDetail, StepCard, type SectionId, type Sections } from './card.tsx';
import type { Look } from './cards-view.tsx';
import { DetailLog } from './detail-log.tsx';
import { EventRows, IN_ORDER, type EventFilter, type SortKey, type Sorting } from './event-rows.ts';
import { rangeOf, useRowWindow } from '../../kit/row-window.ts';
import { MomentContext } from '../../kit/use-now.ts';
import { CardSearch, pickCalls } from './pick-calls.ts';
import { lineKey } from '../../run/call-table.ts';
import { Bars, CallsOfChoice, inTree, niceStep, scaleOf } from './timeline-model.ts';
import { decisionText, eventText, personText } from './words.ts';

const RUN = foldRun(FIRST_EVENTS, FIRST);

pretendLayout();

function log(run: RunView | null, more: Partial<Parameters<typeof DetailLog>[0]> = {}) {
  const onSelectNode = vi.fn();
  const shown = renderWith(<DetailLog run={run} document={FIRST} onSelectNode={onSelectNode} {...more} />, { catalog_list: () => [] });
  return { ...shown, onSelectNode };
}

const closed = (open: Set<string> = new Set()): Sections & { open: Set<string> } => ({
  open, isOpen: (card, section) => open.has(`${card.key} ${section}`), toggle: (card, section: SectionId) => void open.add(`${card.key} ${section}`),
});

afterEach(() => {
  vi.useRealTimers();
  useSettings.setState({ settings: { theme: 'system', layout: {}, keymap: {} } });
});

describe('ts_100: the card of a call', () => {
  const done = RUN.cards[2];
  const failed = RUN.cards[0];
  if (!done || !failed) throw new Error('The run has cards.');
  const card = (one: typeof done, sections = closed()) =>
    renderWith(<StepCard card={one} status={one.status} where={{ runId: 'R', words: (path) => path }} look={{ icon: 'globe', tone: 'data' }} sections={sections} selected={false} waiting={false} onSelect={() => undefined} />);

  it('ts_100 shows title and duration, and its sections start closed', () => {
    card(done);
    expect(screen.getByRole('button', { name: 'Fetch the user' })).toBeTruthy();
    expect(screen.getByText('4 ms')).toBeTruthy();
    const toggles = screen.getAllByRole('button').filter((button) => button.getAttribute('aria-expanded') !== null);
    expect(toggles.map((button) => [button.textContent?.split(' ')[0], button.getAttribute('aria-expanded')])).toEqual([
      ['Inputs', 'false'], ['Outputs', 'false'], ['Settings', 'false'], ['Variables', 'false'],
    ]);
    expect(screen.queryByText('"Ada"')).toBeNull();
  });

  it('o_09 says what the author says of the step, in one line, whole in its tooltip', () => {
    const described = { ...FIRST, nodes: { ...FIRST.nodes, fetch: { ...FIRST.nodes['fetch'], description: 'Asks for the user.\n\nOnce a day.' } } } as typeof FIRST;
    log(RUN, { document: described });
    const said = screen.getAllByText('Asks for the user. Once a day.');
    expect(said.map((one) => one.closest('p')?.title)).toEqual(said.map(() => 'Asks for the user.\n\nOnce a day.'));
    expect(said).toHaveLength(RUN.cards.filter((one) => one.nodeId === 'fetch').length);
  });

  it('ts_100 a truncated output says its size: 52,340 is 51.1KB', () => {
    const cut = new Cut({ _truncated: true, type: 'string', length: 52_340, preview: 'abc...', ref: 'R/10/x' });
    const open = closed(new Set([`${done.key} outputs`]));
    card({ ...done, items: { success: [{ id: '1', data: { body: cut } }] } }, open);
    expect(screen.getByText('(51.1KB, truncated)')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Load full value' })).toBeTruthy();
  });

  it('ts_101 data is shown as text, whatever it holds', () => {
    const nasty = `<script>window.hit = 1</script>'"`;
    const { container } = card({ ...failed, title: nasty, error: { type: 'ToolError', message: nasty } }, closed(new Set([`${failed.key} inputs`])));
    expect(container.querySelector('script')).toBeNull();
    expect(screen.getByRole('button', { name: nasty }).textContent).toBe(nasty);
    expect((window as unknown as { hit?: number }).hit).toBeUndefined();
  });

  it('a failed call says what happened in plain words, the code beside', () => {
    card(failed);
    expect(screen.getByText('The address answered 503 (service unavailable)')).toBeTruthy();
    expect(screen.getByText('SERVICE_UNAVAILABLE')).toBeTruthy();
    expect(screen.getByText('call 1 of 4')).toBeTruthy();
    expect(screen.getByText('called again after 10 ms')).toBeTruthy();
  });

  it.each([['a\u202eb', /a\[U\+202E\]b/], ['policy:a\u001bb', /a\[U\+001B\]b/]])('ts_101 what is not seen in the name of the rule that decided is marked', (rule, words) => {
    card({ ...failed, decision: { rule, action: 'abort', by: 'engine' } });
    expect(screen.getByText(words)).toBeTruthy();
  });

  it('says how many items of a batch failed, and what went wrong with each', async () => {
    const input = Array.from({ length: 1000 }, (_, item) => ({ item, data: item }));
    const itemErrors = [3, 41].map((item) => ({ item, error: { type: 'ToolError', message: `no ${String(item)}`, details: { code: 'GONE' } } }));
    card({ ...failed, input, itemErrors, error: { type: 'ToolError', message: 'no 41' } }, closed(new Set([`${failed.key} items`])));
    expect(screen.getByText('2 of 1,000 items failed. no 41')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Item 4 no 3' }));
    expect(screen.getByText('"GONE"')).toBeTruthy();
  });

  it('a request that only reads has no side effect to wonder about, wherever it was cut off', () => {
    const effects = { field: 'method', values: { GET: 'read', POST: 'write' }, otherwise: 'read' } as const;
    const shown = (method: string | undefined, of: Look['effects'] = effects) => {
      const cut = { ...failed, effectUnknown: true, config: { url: '/', ...(method && { method }) } };
      const { container, unmount } = renderWith(<CardDetail card={cut} status={cut.status} where={{ runId: 'R', words: (path) => path }} look={{ icon: 'globe', tone: 'data', effects: of }} sections={closed()} waiting={false} onSelect={() => undefined} />);
      const text = container.textContent ?? '';
      unmount();
      return text.includes('Side effect');
    };
    expect([shown('GET'), shown(undefined), shown('POST'), shown('=item.method', { ...effects, otherwise: 'write' }), shown('GET', 'write'), shown('GET', 'read')]).toEqual([false, false, true, true, true, false]);
  });

  it('a call that is not repeated does not promise more of them', () => {
    const { retryAtMs: _, ...once } = failed;
    card(once as typeof failed);
    expect(screen.queryByText(/call 1 of/)).toBeNull();
  });
});

describe('the log', () => {
  it('teaches when there is no run', () => {
    log(null);
    expect(screen.getByText('No run yet')).toBeTruthy();
  });

  it('is shown in the view that was chosen last, for the next run, too; what is filtered belongs to one run', async () => {
    const first = log(RUN);
    await userEvent.click(screen.getByRole('radio', { name: 'Events' }));
    await userEvent.type(screen.getByRole('textbox', { name: 'Filter events' }), 'fetch');
    first.unmount();
    log({ ...RUN, runId: 'another' });
    expect(screen.getByRole('radio', { name: 'Events' }).getAttribute('aria-checked')).toBe('true');
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Filter events' }).value).toBe('');
  });

  it('goes from card to card by keys', () => {
    const { onSelectNode, container } = log(RUN);
    const feed = screen.getByRole('feed');
    const on = () => [...container.querySelectorAll('.step-card')].findIndex((card) => card.classList.contains('on'));
    const press = (key: string) => { fireEvent.keyDown(feed, { key }); return on(); };
    expect([press('ArrowDown'), press('ArrowDown'), press('ArrowUp'), press('ArrowUp'), press('ArrowUp')]).toEqual([0, 1, 0, 0, 0]);
    expect(press('PageDown')).toBe(Math.min(RUN.cards.length - 1, Math.floor(600 / 81)));
    expect(press('PageUp')).toBe(0);
    expect(onSelectNode).toHaveBeenLastCalledWith(RUN.cards[0]?.nodeId);
  });

  it('keys begin at the card in sight where none is chosen, and the chosen one is told as that', () => {
    const events = Array.from({ length: 60 }, (_, n) => ({ runId: 'R', seq: n + 1, ts: '2026-11-21T23:00:00.000Z', type: 'step_start', stepId: `s${String(n)}`, visit: 1, attempt: 0, payload: { type: 'data.set', meta: {}, input: [] } }));
    const { container } = log(foldRun(events, FIRST));
    const feed = screen.getByRole('feed');
    feed.scrollTop = 7300;
    fireEvent.scroll(feed);
    fireEvent.keyDown(feed, { key: 'ArrowUp' });
    const place = container.querySelector<HTMLElement>('.step-card[aria-current="true"]')?.parentElement;
    const top = Number(/\d+/.exec(place?.style.transform ?? '')?.[0]);
    expect([top <= 7300, top > 7300 - 600]).toEqual([true, true]);
    expect(container.querySelectorAll('[aria-current]')).toHaveLength(1);
  });

  it('says that a run starts', () => {
    log(emptyRunView('R'));
    expect(screen.getByText('The run is starting')).toBeTruthy();
  });

  it('has one card per call and shares the choice with the canvas', async () => {
    const { onSelectNode } = log(RUN);
    expect(screen.getAllByRole('article')).toHaveLength(7);
    await userEvent.click(screen.getAllByRole('button', { name: 'Fetch the user' })[1] as HTMLElement);
    expect(onSelectNode).toHaveBeenCalledWith('fetch');
  });

  it('filters failed calls', async () => {
    log(RUN);
    await userEvent.click(screen.getByRole('button', { name: 'Only failed calls' }));
    expect(screen.getAllByRole('article')).toHaveLength(2);
  });

  it('keeps an opened section open while the run goes on', async () => {
    const fold = createRunFold('R', FIRST);
    fold.apply(FIRST_EVENTS.slice(0, 10));
    const shown = log(fold.view);
    await userEvent.click(within(screen.getAllByRole('article')[2] as HTMLElement).getByRole('button', { name: /^Outputs/ }));
    expect(screen.getByText('200')).toBeTruthy();
    fold.apply(FIRST_EVENTS.slice(10));
    shown.rerender(<DetailLog run={fold.view} document={FIRST} onSelectNode={() => undefined} />);
    expect(screen.getAllByText('200')).toHaveLength(1);
    expect(screen.getAllByRole('article')).toHaveLength(7);
  });

  it('shows the cards that come with the end of the run, and both ends by their keys', () => {
    const fold = createRunFold('R', FIRST);
    fold.apply(FIRST_EVENTS.slice(0, 10));
    const to = vi.fn();
    Object.defineProperty(HTMLElement.prototype, 'scrollTo', { configurable: true, value: to });
    const shown = log(fold.view);
    to.mockClear();
    fold.apply(FIRST_EVENTS.slice(10));
    shown.rerender(<DetailLog run={fold.view} document={FIRST} onSelectNode={() => undefined} />);
    expect(to).toHaveBeenCalled();
    to.mockClear();
    fireEvent.keyDown(screen.getByRole('feed'), { key: 'Home' });
    expect(to).toHaveBeenCalled();
    to.mockClear();
    fireEvent.keyDown(screen.getByRole('feed'), { key: 'End' });
    expect(to).toHaveBeenCalled();
  });

  it('a step that holds others, chosen on the canvas, stands at the top with what ran in it below; one chosen in the log stays', async () => {
    const kinds = new Map(Array.from({ length: 60 }, (_, n) => [`s${String(n)}`, n % 30 === 20 ? 'flow.subworkflow' : 'data.set']));
    const nodes = Object.fromEntries([...kinds].map(([id, type]) => [id, { type, title: id }]));
    const document = { ...FIRST, nodes, edges: [] } as typeof FIRST;
    const events = [...kinds].map(([stepId, type], n) => ({ runId: 'R', seq: n + 1, ts: '2026-11-21T23:00:00.000Z', type: 'step_start', stepId, visit: 1, attempt: 0, payload: { type, meta: {}, input: [] } }));
    const run = foldRun(events, document);
    const [to, by] = [vi.fn(), vi.fn()];
    Object.defineProperty(HTMLElement.prototype, 'scrollTo', { configurable: true, value: to });
    Object.defineProperty(HTMLElement.prototype, 'scrollBy', { configurable: true, value: by });
    Object.defineProperty(HTMLElement.prototype, 'scrollHeight', { configurable: true, value: 100_000 });
    const view = (selected: string | undefined, which: 'cards' | 'timeline') => <DetailLog run={run} document={document} view={which} selected={selected} onSelectNode={() => undefined} />;
    const shown = renderWith(view(undefined, 'timeline'), { catalog_list: () => [] });
    by.mockClear();
    shown.rerender(view('s20', 'timeline'));
    expect(by).toHaveBeenLastCalledWith(0, 20 * 28);
    shown.rerender(view('s21', 'timeline'));
    expect(by).toHaveBeenLastCalledWith(0, 22 * 28 - 600);
    shown.unmount();
    const topOf = (id: string): number => {
      const cards = renderWith(view(undefined, 'cards'), { catalog_list: () => [] });
      to.mockClear();
      cards.rerender(view(id, 'cards'));
      cards.unmount();
      return Number((to.mock.calls[0]?.[0] as { top?: number } | undefined)?.top);
    };
    // The next one is only brought in at the bottom.
    expect(topOf('s50') - topOf('s51')).toBe(600 - 2 * 81);
    // What is pressed in the log does not move.
    const pressed = renderWith(view(undefined, 'timeline'), { catalog_list: () => [] });
    by.mockClear();
    await userEvent.click(screen.getByText('s20'));
    pressed.rerender(view('s20', 'timeline'));
    expect(by).not.toHaveBeenCalled();
  });

  it('who scrolls back is not taken forth again by the next call', () => {
    const fold = createRunFold('R', FIRST);
    fold.apply(FIRST_EVENTS.slice(0, 10));
    log(fold.view);
    const follow = screen.getByRole('button', { name: 'Follow' });
    fireEvent.click(follow);
    fireEvent.wheel(screen.getByRole('feed'), { deltaY: 40 });
    expect(follow.getAttribute('aria-pressed')).toBe('true');
    fireEvent.wheel(screen.getByRole('feed'), { deltaY: -40 });
    expect(follow.getAttribute('aria-pressed')).toBe('false');
    fireEvent.click(follow);
    fireEvent.pointerDown(screen.getByRole('feed').firstElementChild as Element);
    expect(follow.getAttribute('aria-pressed')).toBe('true');
    // The scrollbar is what is pressed of the list alone.
    fireEvent.pointerDown(screen.getByRole('feed'));
    expect(follow.getAttribute('aria-pressed')).toBe('false');
  });

  it('counts down to the next call once a second', () => {
    vi.useFakeTimers();
    vi.setSystemTime(new Date('2026-11-21T23:00:00.100Z'));
    const events: RunEventLike[] = FIRST_EVENTS.slice(0, 3);
    events.push({ ...(FIRST_EVENTS[3] as RunEventLike), payload: { attempt: 1, delayMs: 4000 } });
    log(foldRun(events, FIRST));
    expect(screen.getByText('next call in 4 s')).toBeTruthy();
    act(() => { vi.advanceTimersByTime(2000); });
    expect(screen.getByText('next call in 2 s')).toBeTruthy();
    act(() => { vi.advanceTimersByTime(3000); });
    expect(screen.getByText('next call now')).toBeTruthy();
  });

  it('counts down from no more than the pause itself, where the clock here stands behind', () => {
    vi.useFakeTimers();
    vi.setSystemTime(new Date('2026-11-21T22:59:57.000Z'));
    const events: RunEventLike[] = FIRST_EVENTS.slice(0, 3);
    events.push({ ...(FIRST_EVENTS[3] as RunEventLike), payload: { attempt: 1, delayMs: 4000 } });
    log(foldRun(events, FIRST));
    expect(screen.getByText('next call in 4 s')).toBeTruthy();
    act(() => { vi.advanceTimersByTime(5000); });
    expect(screen.getByText('next call in 3 s')).toBeTruthy();
  });

  it('says of a step that holds others that a person is asked, when that is all that is left in it', async () => {
    const event = (seq: number, type: string, stepId: string | null, path: string | null, payload: object): RunEventLike => ({ runId: 'R', seq, ts: '2026-11-21T23:00:00.000Z', type, stepId, path, visit: 1, attempt: 0, payload });
    const events = [
      event(1, 'workflow_start', null, null, { name: 'Orders' }), event(2, 'step_start', 'both', null, { type: 'flow.parallel', input: [] }),
      event(3, 'step_start', 'ask', 'both/ask', { type: 'builtin.human_approval', input: [] }), event(4, 'human_task_created', 'ask', 'both/ask', { taskId: 't', title: 'Look' }),
    ];
    log(foldRun(events, { nodes: { both: { type: 'flow.parallel' }, ask: { type: 'builtin.human_approval', parent: 'both' } }, edges: [] }));
    expect(screen.getByRole('article', { name: "both, Waiting for a person" })).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'both' }));
    await userEvent.click(screen.getByRole('radio', { name: 'Timeline' }));
    expect(screen.getByText("Waiting for a person", { selector: 'dd' })).toBeTruthy();
    expect(within(screen.getByRole('listbox')).getAllByLabelText("Waiting for a person")).toHaveLength(2);
    expect([...document.querySelectorAll('.tl-bar')].map((bar) => bar.className.replace(' on', ''))).toEqual(['tl-bar person', 'tl-bar person']);
  });

  it('shows events as a table with a filter, and one event whole', async () => {
    log(RUN);
    await userEvent.click(screen.getByRole('radio', { name: 'Events' }));
    expect(screen.getAllByRole('option')).toHaveLength(19);
    await userEvent.type(screen.getByRole('textbox', { name: 'Filter events' }), 'retry');
    expect(await screen.findAllByTitle(/^retry_scheduled: /)).toHaveLength(2);
    fireEvent.click(screen.getAllByRole('option')[0] as HTMLElement);
    expect(screen.getByText('Event 4')).toBeTruthy();
  });

  it('draws a row per step with attempts and pauses', async () => {
    const { container } = log(RUN, { selected: 'fetch' });
    await userEvent.click(screen.getByRole('radio', { name: 'Timeline' }));
    const rows = container.querySelectorAll('.tl-list .tl-row');
    expect(rows).toHaveLength(5);
    expect(Array.from(rows[0]?.querySelectorAll('.tl-bar') ?? []).map((bar) => bar.className)).toEqual(['tl-bar err', 'tl-bar wait', 'tl-bar err', 'tl-bar wait', 'tl-bar ok on']);
  });
});

describe('the timeline', () => {
  it('puts what runs in a loop, a branch or another file below it', () => {
    const line = (nodeId: string, path?: string) => ({ key: lineKey(nodeId, path), nodeId, path, calls: [], busyMs: 0, begun: 0, failed: 0, handled: 0 });
    const began = [line('start'), line('each'), line('get', 'each[0]'), line('par', 'each[0]'), line('tax', 'each[0]/par/tax'), line('wait', 'each[0]/par/wait'), line('rate', 'each[0]/par/tax/tax'), line('next', 'each[1]/par/tax'), line('last'), line('sum', 'each[0]'), line('lone', 'kept[3]')];
    expect(inTree(began).map((one) => one.nodeId)).toEqual(['start', 'each', 'get', 'par', 'tax', 'rate', 'wait', 'next', 'sum', 'last', 'lone']);
  });

  const start = Date.parse('2026-11-21T23:00:00.000Z');
  it('stands in order of time', () => {
    const scale = scaleOf(RUN.table, start, start + 31);
    expect(scale.at(start)).toBe(0);
    expect(scale.at(start + 10)).toBeLessThan(scale.at(start + 20));
    expect(scale.folds).toEqual([]);
    expect(RUN.table.lines[0]).toMatchObject({ nodeId: 'fetch', calls: [0, 1, 2], begun: 3 });
  });
  it('grows with a run that goes on, also while one looks at its past, and stands where nothing comes of the run any more', () => {
    vi.useFakeTimers();
    vi.setSystemTime(start + 5000);
    const now = foldRun(FIRST_EVENTS.slice(0, 2), FIRST);
    const shown = (stands: number | undefined, past: boolean) => {
      const view = past ? { ...foldRun(FIRST_EVENTS.slice(0, 1), FIRST), moment: start } : now;
      const time = past ? { now, view, seq: 1, missing: null, go: () => undefined, byEvent: () => undefined, byCall: () => undefined } : null;
      const { container, unmount } = renderWith(<MomentContext value={stands}><DetailLog run={view} time={time} document={FIRST} view="timeline" onSelectNode={() => undefined} /></MomentContext>, { catalog_list: () => [] });
      const took = () => container.querySelector('.tl')?.textContent;
      const first = took();
      act(() => { vi.advanceTimersByTime(60_000); });
      const grew = took() !== first;
      unmount();
      return grew;
    };
    expect(shown(undefined, false)).toBe(true);
    expect(shown(undefined, true)).toBe(true);
    expect(shown(start + 5000, false)).toBe(false);
  });
  it('folds a long time without work', () => {
    const late = FIRST_EVENTS.map((event, i) => (i < 10 ? event : { ...event, ts: new Date(Date.parse(event.ts) + 3_600_000).toISOString() }));
    const view = foldRun(late, FIRST);
    const scale = scaleOf(view.table, start, start + 3_600_031);
    expect(scale.folds).toHaveLength(1);
    expect(scale.at(start + 29)).toBeGreaterThan(0.5);
    expect(scale.at(start + 3_600_030)).toBeLessThanOrEqual(1);
    // Unfolded, the hour stands as long as it was.
    const full = scaleOf(view.table, start, start + 3_600_031, new Set(scale.folds.map((fold) => fold.key)));
    expect(full.folds).toEqual([]);
    expect(full.at(start + 1_800_000)).toBeCloseTo(0.485, 2);
  });
  const many = (events: number): RunEventLike[] => Array.from({ length: events }, (_, i) => ({
    runId: 'R', seq: i + 1, ts: new Date(start + i).toISOString(), type: i % 2 === 0 ? 'step_start' : 'step_done', stepId: 'n', item: i >> 1, visit: 1, attempt: 0,
    payload: i % 2 === 0 ? { type: 'data.set', input: [] } : { ports: { success: 1 } },
  }));
  it('puts thousands of bars together', () => {
    const { table } = foldRun(many(100_000));
    const line = table.lines[0];
    if (!line) throw new Error('There is a line.');
    const bars = new Bars(table, line);
    const list = bars.of(scaleOf(table, start, start + 100_000));
    expect(list.length).toBeLessThanOrEqual(400);
    expect(list.reduce((n, bar) => n + bar.merged, 0)).toBe(50_000);
  });
  it('a call that failed among thousands is seen alone, and stands for the line', () => {
    const events = many(100_000);
    const failed = { type: 'step_error', payload: { error: { type: 'UnknownError', message: 'no' } } };
    const { table, cards } = foldRun(events.map((event, i) => (i === 20_001 ? { ...event, ...failed } : event)));
    const line = table.lines[0];
    if (!line) throw new Error('There is a line.');
    const list = new Bars(table, line).of(scaleOf(table, start, start + 100_000));
    const red = list.filter((bar) => bar.kind === 'err');
    expect(red).toMatchObject([{ call: 10_000, merged: 1 }]);
    expect((red[0]?.to ?? 1) - (red[0]?.from ?? 0)).toBeLessThan(0.01);
    expect(list.filter((bar) => bar.kind === 'ok').reduce((n, bar) => n + bar.merged, 0)).toBe(49_999);
    const one = new CallsOfChoice((call) => call === 10_000 || call === 10_001);
    const others = new CallsOfChoice((call) => call > 10_000);
    expect([new CallsOfChoice(), one, others].map((calls) => calls.worst(line, table, 'done'))).toEqual(['failed', 'failed', 'done']);
    expect(cards[10_000]?.status).toBe('failed');
    // What a retry answered is not what stands for the line.
    expect(new CallsOfChoice().worst(RUN.table.lines[0] as NonNullable<typeof line>, RUN.table, 'done')).toBe('done');
  });
  it('of a run that only waits the folds have the room', () => {
    const wait = (seq: number, type: string, stepId: string, ms: number): RunEventLike => ({ runId: 'R', seq, ts: new Date(start + ms).toISOString(), type, stepId, visit: 1, attempt: 0, payload: type === 'step_start' ? { type: 'flow.wait', input: [], dueMs: start + ms + 60_000 } : { ports: {} } });
    const { table } = foldRun([wait(1, 'step_start', 'a', 0), wait(2, 'step_done', 'a', 60_000), wait(3, 'step_start', 'b', 60_000), wait(4, 'step_done', 'b', 120_000)]);
    const scale = scaleOf(table, start, start + 120_000);
    expect(scale.folds).toHaveLength(2);
    const bars = table.lines.map((line) => new Bars(table, line).of(scale)[0]);
    expect(bars.map((bar) => Math.round(((bar?.to ?? 0) - (bar?.from ?? 0)) * 10))).toEqual([4, 4]);
  });
  it('C21: with each batch of a run of 100,000 events only what is new is looked at', () => {
    const events = many(100_000);
    const fold = createRunFold('R');
    fold.apply(events.slice(0, 99_000));
    const { table } = fold.view;
    const bars = new Bars(table, table.lines[0] as NonNullable<(typeof table.lines)[number]>);
    const scale = scaleOf(table, start, start + 100_000);
    bars.of(scale);
    const [read, looked] = [table.read, bars.read];
    for (let at = 99_000; at < 100_000; at += 100) {
      fold.apply(events.slice(at, at + 100));
      bars.of(scale);
    }
    // 500 calls began and ended in ten batches.
    expect(table.read - read).toBeLessThanOrEqual(1000);
    expect(bars.read - looked).toBeLessThanOrEqual(520);
    expect(table.busy.length).toBe(1);
  });
  it('a line of one iteration has its newest call there, found once', () => {
    const at = (call: number) => ({ seq: call * 2 + 1, path: `each[${String(call >> 1)}]`, stepId: call % 2 ? 'b' : 'a' });
    const events = Array.from({ length: 2000 }, (_, call): RunEventLike[] => [
      { runId: 'R', ts: '', type: 'step_start', visit: 1, attempt: 0, payload: { type: 'data.set', input: [] }, ...at(call) },
      { runId: 'R', ts: '', type: 'step_done', visit: 1, attempt: 0, payload: { ports: {} }, ...at(call), seq: call * 2 + 2 },
    ]).flat();
    const fold = createRunFold('R');
    // The third round has begun with its first step.
    fold.apply(events.slice(0, 9));
    const newest = new CallsOfChoice((call) => fold.view.calls.at(call)?.path === 'each[2]');
    const [a, b] = fold.view.table.lines;
    if (!a || !b) throw new Error('There are two lines.');
    expect([newest.of(a), newest.of(b)]).toEqual([4, -1]);
    for (let from = 9; from < events.length; from += 100) {
      fold.apply(events.slice(from, from + 100));
      expect([newest.of(a), newest.of(b)]).toEqual([4, 5]);
    }
    expect(newest.read).toBe(2000);
  });
  it('a line of one iteration has the time of its calls there, also of one that goes on', () => {
    const fold = createRunFold('R');
    const ts = (ms: number) => new Date(ms).toISOString();
    const begun = (seq: number, round: number, ms: number): RunEventLike => ({ runId: 'R', ts: ts(ms), type: 'step_start', stepId: 'a', path: `each[${String(round)}]`, visit: 1, attempt: 0, seq, payload: { type: 'data.set', input: [] } });
    const ended = (seq: number, round: number, ms: number): RunEventLike => ({ runId: 'R', ts: ts(ms), type: 'step_done', stepId: 'a', path: `each[${String(round)}]`, visit: 1, attempt: 0, seq, payload: { ports: {} } });
    fold.apply([begun(1, 0, 0), ended(2, 0, 1000), begun(3, 1, 1000)]);
    const second = new CallsOfChoice((call) => fold.view.calls.at(call)?.path === 'each[1]');
    const { table } = fold.view;
    const [line] = table.lines;
    if (!line) throw new Error('There is a line.');
    expect([second.busyMs(line, table, 1400), new CallsOfChoice().busyMs(line, table, 1400)]).toEqual([400, 1400]);
    fold.apply([ended(4, 1, 1500), begun(5, 2, 1500), ended(6, 2, 9000)]);
    expect([second.busyMs(line, table, 9000), new CallsOfChoice().busyMs(line, table, 9000)]).toEqual([500, 9000]);
  });
  it('has round steps', () => {
    expect([3, 17, 240, 4001].map(niceStep)).toEqual([5, 20, 500, 5000]);
  });
});

it('people are named as everywhere else, and one colon is enough', () => {
  const said = (type: string, payload: object) => eventText({ runId: 'R', seq: 1, ts: '', type, stepId: 'ask', payload }, { nodes: { ask: { title: 'Approve the day' } } } as never);
  expect(said('human_task_completed', { action: 'approve', operatorId: 'user:local' })).toBe('Approve the day: local answered approve');
  expect(said('human_task_completed', { action: 'abort' })).toBe('Approve the day: the policy answered abort');
  for (const type of ['human_task_held', 'human_task_continued', 'escalated']) expect(said(type, { operatorId: 'user:local', to: 'user:local' })).toContain(' local');
  expect(personText({ what: 'answered', who: 'user:local', action: 'approve' } as never)).toBe('local answered approve');
  for (const what of ['asked', 'held', 'continued', 'escalated']) expect(personText({ what, who: 'user:local' } as never)).not.toContain('user:');
});

it('who decided about an error is named as in the inbox, on the card and in the table', () => {
  const said = (rule: string, action: string, path?: string) => eventText({ runId: 'R', seq: 1, ts: '', type: 'error_handled', stepId: 'pay', path, payload: { originStepId: 'pay', rule, action } }, { nodes: { pay: { title: 'Pay' } } } as never);
  const onCard = (rule: string, action: string) => decisionText({ decision: { rule, action, by: 'pay' } } as never);
  expect([said('policy:safe', 'human_review'), onCard('policy:safe', 'human_review')]).toEqual(['Pay: the default error handling decided: ask a person', 'Decided by the default error handling: ask a person']);
  expect([said('policy:fail', 'abort', 'each[1]'), onCard('policy:fail', 'abort')]).toEqual(['Pay: the policy fail decided: end this part', 'Decided by the policy fail: end the run']);
  expect([said('policy:Slow', 'auto_fix'), onCard('policy:Slow', 'auto_fix')]).toEqual(['Pay: the workflow\'s rule "Slow" decided: repair the input', 'Decided by the workflow\'s rule "Slow": repair the input']);
  expect([said('Busy', 'retry'), onCard('Busy', 'retry')]).toEqual(['Pay: rule "Busy" decided: retry', 'Decided by rule "Busy": retry']);
  for (const none of ['default', 'policy:default']) {
    expect([said(none, 'abort'), onCard(none, 'abort')]).toEqual(['Pay: no rule matches: end the run', 'No rule matches: end the run']);
  }
  // What no author has named is no rule.
  expect(onCard('onExpiry', 'abort')).toBe('Decided by the step, because nobody answered in time: end the run');
});

it('every event has a sentence', () => {
  for (const event of FIRST_EVENTS) expect(eventText(event, RUN)).not.toBe('');
  expect(eventText(FIRST_EVENTS.at(-1) as RunEventLike, RUN)).toBe('Workflow completed in 31 ms');
  expect(new EventRows().order(RUN, { text: 'fetch', step: '', choice: undefined }, IN_ORDER).length).toBe(9);
});

describe('C21: the table of events', () => {
  const ALL: EventFilter = { text: '', step: '', choice: undefined };
  const seqs = (rows: EventRows, view: RunView, filter: EventFilter, sorting: Sorting): number[] => {
    const order = rows.order(view, filter, sorting);
    return Array.from({ length: order.length }, (_, place) => (order.at(place) ?? -1) + 1);
  };

  it('sorts by each column, both ways; what has no value stands last', () => {
    const rows = new EventRows();
    const by = (key: SortKey, down = false) => seqs(rows, RUN, ALL, { by: key, down });
    const event = (seq: number | undefined) => RUN.events[(seq ?? 0) - 1];
    expect(by('seq')).toEqual(RUN.events.map((_, n) => n + 1));
    expect(by('seq', true)).toEqual(by('seq').toReversed());
    expect(by('time')).toEqual(by('seq'));
    // Fetching took 2, 2 and 4 ms, the run 31.
    expect([event(by('took', true)[0])?.type, event(by('took', true)[1])?.type]).toEqual(['workflow_done', 'step_done']);
    expect(event(by('took').at(-1))?.type).not.toBe('workflow_done');
    expect(event(by('attempt', true)[0])?.attempt).toBe(2);
    expect([rows.errorOf((by('error')[0] ?? 0) - 1), rows.errorOf((by('error').at(-1) ?? 0) - 1)]).toEqual(['SERVICE_UNAVAILABLE', '']);
    expect(event(by('step')[0])?.stepId).toBe('adult');
    expect(event(by('step', true)[0])?.stepId).toBe('yes');
    for (const key of ['path', 'status'] as const) expect(by(key).toSorted((a, b) => a - b)).toEqual(by('seq'));
  });

  it('finds by step, words and code of the error', () => {
    const rows = new EventRows();
    expect(seqs(rows, RUN, { ...ALL, text: 'service_unavail' }, IN_ORDER)).toEqual([3, 6]);
    expect(seqs(rows, RUN, { ...ALL, text: 'RETRIED in' }, { by: 'seq', down: true })).toEqual([7, 4]);
    const order = rows.order(RUN, { ...ALL, step: 'yes' }, IN_ORDER);
    for (let place = 0; place < order.length; place++) expect(order.place(order.at(place) ?? -1)).toBe(place);
    expect(order.place(2)).toBe(-1);
  });

  it('of 100,000 events none is looked at without a filter, and with one only those that are new', () => {
    const all: RunEventLike[] = Array.from({ length: 100_000 }, (_, n) => ({
      runId: 'R', seq: n + 1, ts: new Date(n).toISOString(), type: n % 2 ? 'step_done' : 'step_start', stepId: `n${String((n >> 1) % 7)}`, path: `each[${String(n >> 1)}]`, visit: 1, attempt: n % 3, payload: {},
    }));
    const fold = createRunFold('R');
    fold.apply(all.slice(0, 99_000));
    const rows = new EventRows();
    expect(rows.order(fold.view, ALL, IN_ORDER).length).toBe(99_000);
    expect(rows.order(fold.view, ALL, { by: 'seq', down: true }).at(0)).toBe(98_999);
    expect(rows.read).toBe(0);
    const filter = { ...ALL, text: 'n3' };
    rows.order(fold.view, filter, IN_ORDER);
    expect(rows.read).toBe(99_000);
    fold.apply(all.slice(99_000));
    rows.order(fold.view, filter, IN_ORDER);
    expect(rows.read).toBe(100_000);
    // Sorted, a batch costs its own sorting and one walk over what stands there.
    const sorting: Sorting = { by: 'attempt', down: true };
    const next = createRunFold('R');
    next.apply(all.slice(0, 99_900));
    const sorted = new EventRows();
    sorted.order(next.view, ALL, sorting);
    next.apply(all.slice(99_900));
    const before = sorted.read;
    const order = sorted.order(next.view, ALL, sorting);
    expect(sorted.read - before).toBeLessThan(100_000 + 2000);
    expect([order.at(0), order.at(99_999)]).toEqual([2, 99_999]);
  }, 60_000);
});

it('a long list draws what is seen, wherever it stands', () => {
  expect(rangeOf(0, 600, 28)).toEqual({ from: 0, to: 34 });
  const { from, to } = rangeOf(27_000_000, 600, 28);
  expect(to - from).toBeLessThan(60);
});

it('a list that follows its end draws the new rows at once, one that is read elsewhere stays where it is', () => {
  const scroller = { current: document.createElement('div') };
  Object.defineProperty(scroller.current, 'clientHeight', { value: 280 });
  const at = (top: number, follow: boolean) => {
    scroller.current.scrollTop = top;
    return renderHook(({ count }: { count: number }) => useRowWindow(scroller, count, 28, follow), { initialProps: { count: 1000 } });
  };
  const rows = (list: ReturnType<typeof at>) => [list.result.current.from, list.result.current.to];
  const end = at(1000 * 28 - 280, true);
  expect(rows(end)).toEqual([978, 1000]);
  end.rerender({ count: 1300 });
  expect(rows(end)).toEqual([1278, 1300]);
  const read = at(500 * 28, true);
  read.rerender({ count: 1300 });
  expect(rows(read)).toEqual([488, 522]);
  const still = at(1000 * 28 - 280, false);
  still.rerender({ count: 1300 });
  expect(rows(still)).toEqual([978, 1012]);
});

describe('the search over cards', () => {
  it('U-22: finds by title, error and values, and looks only once at what has ended', () => {
    const search = new CardSearch();
    expect(search.find(RUN, 'service unavailable')).toEqual([0, 1]);
    expect(search.find(RUN, 'ADA').length).toBeGreaterThan(0);
    const fold = createRunFold('R', FIRST);
    fold.apply(FIRST_EVENTS.slice(0, 8));
    const live = new CardSearch();
    live.find(fold.view, 'fetch');
    const before = live.read;
    fold.apply(FIRST_EVENTS.slice(8));
    expect(live.find(fold.view, 'fetch')).toEqual([0, 1, 2]);
    // Two calls had ended.
    expect(live.read - before).toBe(RUN.cards.length - 2);
  });

  /** A loop whose own call stays open while its rounds go on; a person decides about the first round when all are over. */
  const rounds = (n: number): RunEventLike[] => {
    const all: RunEventLike[] = [];
    const add = (type: string, stepId: string, path: string | null, payload: unknown) => void all.push({ runId: 'R', seq: all.length + 1, ts: new Date(all.length).toISOString(), type, stepId, path, visit: 1, attempt: 0, payload });
    add('step_start', 'each', null, { type: 'flow.loop', input: [] });
    for (let round = 0; round < n; round++) {
      add('step_start', 'work', `each[${String(round)}]`, { type: 'data.set', input: [{ item: 0, data: `word ${String(round)}` }] });
      add('step_done', 'work', `each[${String(round)}]`, { ports: { success: 1 } });
    }
    return all;
  };

  it('in a loop, whose own call stays open, each call is looked through once all the same', () => {
    const events = rounds(2000);
    const fold = createRunFold('R');
    const search = new CardSearch();
    for (let at = 0; at < events.length; at += 20) {
      fold.apply(events.slice(at, at + 20));
      search.find(fold.view, 'word 1');
    }
    // 2001 calls; each was looked at when it began, and once more where a batch ended between its two events.
    expect(search.read).toBeLessThan(2001 + 200 + 1);
    expect(search.find(fold.view, 'word 1').length).toBe(1111);
    expect(search.find(fold.view, 'word 1')).toEqual(new CardSearch().find(fold.view, 'word 1'));
  });

  it('finds what was added to a call that had ended', () => {
    const events = rounds(3);
    const fold = createRunFold('R');
    fold.apply(events);
    const search = new CardSearch();
    expect(search.find(fold.view, 'grace')).toEqual([]);
    fold.apply([{ runId: 'R', seq: events.length + 1, ts: '', type: 'human_task_completed', stepId: 'work', path: 'each[1]', visit: 1, attempt: 0, payload: { taskId: 't', action: 'skip', operatorId: 'user:grace' } }]);
    expect(search.find(fold.view, 'grace')).toEqual([2]);
  });

  it('the cards without a filter are the calls themselves; with one they are those that fit', () => {
    const search = new CardSearch();
    const all = pickCalls(RUN, { step: '', errorsOnly: false, text: '' }, search);
    expect([all.length, all.at(3), all.place(3), all.place(99)]).toEqual([RUN.cards.length, 3, 3, -1]);
    expect(search.read).toBe(0);
    const errors = pickCalls(RUN, { step: 'fetch', errorsOnly: true, text: '' }, search);
    expect([errors.length, errors.at(1), errors.place(1), errors.place(2)]).toEqual([2, 1, 1, -1]);
    const past = createRunFold('R', FIRST);
    past.apply(FIRST_EVENTS);
    expect(pickCalls(past.at(6), { step: 'fetch', errorsOnly: false, text: '' }, search).length).toBe(2);
  });
});

describe('events in words', () => {
  const event = (type: string, payload: object): RunEventLike => ({ runId: 'R', seq: 1, ts: '2026-01-01T00:00:00.000Z', type, stepId: 'ask', payload });
  const nodes = { nodes: {} };

  it('ts_100 of a value that the wire has cut they say how it begins and how long it is', () => {
    const cut = new Cut({ _truncated: true, type: 'string', length: 302_402, preview: 'It was a dark', ref: 'R/3/payload/delta' });
    expect(eventText(event('llm_token', { delta: cut }), nodes)).toBe('ask: It was a dark (295.3KB, truncated)');
    expect(eventText(event('step_print', { value: cut }), nodes)).toContain('It was a dark (295.3KB, truncated)');
    expect(eventText(event('step_error', { error: { type: 'ToolError', message: cut } }), nodes)).toBe('ask: It was a dark');
  });

  it('ts_101 letters that are not seen are written out, wherever they come from', () => {
    expect(eventText(event('llm_token', { delta: '\u202emoc.live@ada' }), nodes)).toBe('ask: [U+202E]moc.live@ada');
    expect(eventText(event('step_error', { error: { type: 'ToolError', message: '\u202emoc' } }), nodes)).toBe('ask: [U+202E]moc');
    expect(eventText(event('step_done', {}), { nodes: { ask: { title: 'a\u200bb' } } } as never)).toContain('a[U+200B]b');
    // Not half of a letter that has two parts.
    expect(eventText(event('llm_token', { delta: `${'a'.repeat(119)}😀b` }), nodes)).toBe(`ask: ${'a'.repeat(119)}😀`);
  });
});

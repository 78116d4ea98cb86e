import { act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRunFold, emptyRunView, foldRun, type RunEventLike, type RunView } from '../../api/run-state.ts';
import { FIRST, FIRST_EVENTS } from '../../test/walkthrough.ts';
import { pretendLayout, renderWith } from '../../test/render.tsx';
import { StepCard, type SectionId, type Sections } from './card.tsx';
import { DetailLog } from './detail-log.tsx';
import { filterEvents } from './events-view.tsx';
import { niceStep, rowsOf, scaleOf } from './timeline-model.ts';
import { eventText } from './words.ts';

const RUN = foldRun(FIRST_EVENTS, FIRST);
const ALL = () => true;

pretendLayout();

function log(run: RunView | null, more: Partial<Parameters<typeof DetailLog>[0]> = {}) {
  const onSelectNode = vi.fn();
  const shown = renderWith(<DetailLog run={run} document={FIRST} onSelectNode={onSelectNode} {...more} />, { catalog_list: () => [] });
  return { ...shown, onSelectNode };
}

const closed = (open: Set<string> = new Set()): Sections & { open: Set<string> } => ({
  open, isOpen: (card, section) => open.has(`${card.key} ${section}`), toggle: (card, section: SectionId) => void open.add(`${card.key} ${section}`),
});

afterEach(() => vi.useRealTimers());

describe('ts_100: the card of a call', () => {
  const done = RUN.cards[2];
  const failed = RUN.cards[0];
  if (!done || !failed) throw new Error('The run has cards.');
  const card = (one: typeof done, sections = closed()) =>
    renderWith(<StepCard card={one} where={{ words: (path) => path }} look={{ icon: 'globe', tone: 'data' }} sections={sections} selected={false} waiting={false} onSelect={() => undefined} />);

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

  it('ts_100 a truncated output says its size: 52,340 is 51.1KB', () => {
    const cut = { _truncated: true as const, type: 'string', length: 52_340, preview: 'abc...', ref: 'R/10/x' };
    const open = closed(new Set([`${done.key} outputs`]));
    card({ ...done, items: { success: [{ id: '1', data: { body: cut } }] } }, open);
    expect(screen.getByText('(51.1KB, truncated)')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Load all of it' })).toBeTruthy();
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

  it('shows events as a table with a filter, and one event whole', async () => {
    log(RUN);
    await userEvent.click(screen.getByRole('radio', { name: 'Events' }));
    expect(screen.getAllByRole('option')).toHaveLength(19);
    await userEvent.type(screen.getByRole('textbox', { name: 'Filter events' }), 'retry');
    expect(await screen.findAllByText('retry_scheduled')).toHaveLength(2);
    fireEvent.click(screen.getAllByRole('option')[0] as HTMLElement);
    expect(screen.getByText('Event 4')).toBeTruthy();
  });

  it('draws a row per step with attempts and pauses', async () => {
    const { container } = log(RUN, { selected: 'fetch' });
    await userEvent.click(screen.getByRole('radio', { name: 'Timeline' }));
    const rows = container.querySelectorAll('.tl-list .tl-row');
    expect(rows).toHaveLength(5);
    expect(Array.from(rows[0]?.querySelectorAll('.tl-bar') ?? []).map((bar) => bar.className)).toEqual(['tl-bar err', 'tl-bar wait', 'tl-bar err', 'tl-bar wait', 'tl-bar ok']);
  });
});

describe('the timeline', () => {
  const start = Date.parse('2026-11-21T23:00:00.000Z');
  it('stands in order of time', () => {
    const rows = rowsOf(RUN.cards, start + 31);
    const scale = scaleOf(rows, start, start + 31);
    expect(scale.at(start)).toBe(0);
    expect(scale.at(start + 10)).toBeLessThan(scale.at(start + 20));
    expect(scale.folds).toEqual([]);
    expect(rows[0]).toMatchObject({ nodeId: 'fetch', calls: 3 });
  });
  it('folds a long time without work', () => {
    const late = FIRST_EVENTS.map((event, i) => (i < 10 ? event : { ...event, ts: new Date(Date.parse(event.ts) + 3_600_000).toISOString() }));
    const view = foldRun(late, FIRST);
    const scale = scaleOf(rowsOf(view.cards, start + 3_600_031), start, start + 3_600_031);
    expect(scale.folds).toHaveLength(1);
    expect(scale.at(start + 29)).toBeGreaterThan(0.5);
    expect(scale.at(start + 3_600_030)).toBeLessThanOrEqual(1);
  });
  it('puts thousands of bars together', () => {
    const cards = Array.from({ length: 50_000 }, (_, i) => ({ ...(RUN.cards[2] as NonNullable<(typeof RUN.cards)[number]>), index: i, key: String(i), startedMs: start + i * 2, endedMs: start + i * 2 + 1 }));
    const [row] = rowsOf(cards, start);
    expect(row?.bars.length).toBeLessThanOrEqual(240);
    expect(row?.bars.reduce((n, bar) => n + bar.merged, 0)).toBe(50_000);
  });
  it('has round steps', () => {
    expect([3, 17, 240, 4001].map(niceStep)).toEqual([5, 20, 500, 5000]);
  });
});

it('every event has a sentence', () => {
  for (const event of FIRST_EVENTS) expect(eventText(event, RUN)).not.toBe('');
  expect(eventText(FIRST_EVENTS.at(-1) as RunEventLike, RUN)).toBe('Workflow completed in 31 ms');
  expect(filterEvents(RUN.events, 'fetch', ALL, RUN).length).toBe(9);
});

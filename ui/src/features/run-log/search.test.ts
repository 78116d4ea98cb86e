import { expect, it } from 'vitest';
import { createRunFold, type CallCard, type RunEventLike } from '../../run/run-state.ts';
import { formatPath } from '../../shared/format-path.ts';
import { EventRows, IN_ORDER } from './event-rows.ts';
import { SearchQuery } from './search-query.ts';
import { CardSearch } from './pick-calls.ts';

/** A loop with 5,000 rounds; what each is given has no number. */
const EVENTS: RunEventLike[] = Array.from({ length: 5000 }, (_, n) => (['step_start', 'step_done'] as const).map((type, half): RunEventLike => ({
  runId: 'R', seq: n * 2 + half + 1, ts: new Date(n).toISOString(), type, stepId: 'work', path: `each[${String(n)}]`, visit: 1, attempt: 0,
  payload: type === 'step_start' ? { type: 'http.request', input: [{ item: 0, data: 'a word' }], config: { url: 'https://peer.example/orders' } } : { ports: { success: 1 } },
}))).flat();
const fold = createRunFold('R');
fold.apply(EVENTS);
const drawn = ({ path }: Pick<RunEventLike, 'path'> | CallCard): string => (path ? formatPath(path, () => 'Each order') : '');
const paths = (text: string) => {
  const order = new EventRows().order(fold.view, { text, step: '', choice: undefined }, IN_ORDER, drawn);
  return [...new Set(Array.from({ length: order.length }, (_, place) => fold.view.events[order.at(place) ?? -1]?.path))];
};
const cards = (text: string) => new CardSearch().find(fold.view, text, drawn).map((call) => fold.view.calls.at(call)?.path);

it('finds an iteration by the number that table and cards say, with and without separators', () => {
  for (const text of ['4,322', '4322', 'Each order 4,322', 'each order 4322']) {
    // A number alone is that of an event, too.
    expect(paths(text), text).toEqual(text.startsWith('4') ? ['each[2160]', 'each[4321]'] : ['each[4321]']);
    expect(cards(text), text).toEqual(['each[4321]']);
  }
  // Who writes a path as the tooltip shows it means that.
  expect(paths('each[4322]')).toEqual(['each[4322]']);
  expect(cards('each[4322]')).toEqual(['each[4322]']);
});

it('a number is found however it and the text are written', () => {
  const found = (text: string, ...of: string[]) => of.map((one) => new SearchQuery(text).in(one));
  for (const text of ['4,322', '4322']) expect(found(text, 'order 4322', 'order 4,322', 'order 4,32', 'order 43,22')).toEqual([true, true, false, false]);
});

it('finds an event by its number, with and without separators', () => {
  for (const text of ['9,999', '9999']) expect(paths(text)).toEqual(['each[4999]']);
});

it('what was found under the names of before is looked for again under those that came since', () => {
  const titled = (title: string) => () => title;
  const [rows, search] = [new EventRows(), new CardSearch()];
  const found = (title: string, names: unknown) => [
    rows.order(fold.view, { text: 'fetch a page', step: '', choice: undefined }, IN_ORDER, titled(title), names).length > 0,
    rows.order(fold.view, { text: 'fetch a page', step: '', choice: undefined }, { by: 'time', down: true }, titled(title), names).length > 0,
    search.find(fold.view, 'fetch a page', titled(title), names).length > 0,
  ];
  expect([found('work', 1), found('Fetch a page', 2), found('work', 3)]).toEqual([[false, false, false], [true, true, true], [false, false, false]]);
  // With each batch only what is new is looked at.
  const before = rows.read;
  found('work', 3);
  expect(rows.read - before).toBe(0);
});

it('the search over cards looks into settings and kinds, too', () => {
  expect(cards('peer.example/ORDERS')).toHaveLength(5000);
  expect(cards('http.request')).toHaveLength(5000);
  expect(cards('nowhere')).toEqual([]);
});

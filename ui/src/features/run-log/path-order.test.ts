import { expect, it, vi } from 'vitest';
import { PathOrder } from './path-order.ts';

const at = (...paths: string[]) => paths.map((path) => ({ path }));
/** Pages of three. */
function read(paths: readonly string[]): string[] {
  const order = new PathOrder();
  let all: readonly { path: string }[] = [];
  for (let from = 0; from < paths.length; from += 3) all = order.with(at(...paths.slice(from, from + 3)));
  return all.map(({ path }) => path);
}

it('pages come together in the order of the iterations, whatever order they came in', () => {
  const rounds = [0, 1, 2, 10, 11].flatMap((n) => [`each[${String(n)}]`, ...[0, 1, 9, 10].map((m) => `each[${String(n)}]/all[${String(m)}]`)]);
  const ordered = ['each[0]', ...rounds.slice(1), 'last[0]', 'last[1]'];
  expect(read(ordered)).toEqual(ordered);
  // Containers stand where they were first seen; the rest came from everywhere.
  const [first = '', ...rest] = ordered;
  const inner = rest.find((path) => path.includes('/')) as string;
  for (const step of [2, 3, 5, 7, 11]) {
    const mixed = rest.filter((path) => path !== inner).map((_, n, list) => list[(n * step) % list.length] as string);
    expect(read([first, inner, ...new Set(mixed)])).toEqual([first, inner, ...rest.filter((path) => path !== inner && mixed.includes(path))]);
  }
  expect(new PathOrder().with([])).toEqual([]);
});

it('what has a place is not sorted again for each page', () => {
  const order = new PathOrder();
  const sorts = [vi.spyOn(Array.prototype, 'sort'), vi.spyOn(Array.prototype, 'toSorted')];
  const pages = Array.from({ length: 20 }, (_, page) => at(...Array.from({ length: 100 }, (_, n) => `each[${String(page * 100 + n)}]`)));
  for (const page of pages) order.with(page);
  const sorted = sorts.flatMap((sort) => sort.mock.contexts.map((list) => (list as unknown[]).length));
  for (const sort of sorts) sort.mockRestore();
  expect(Math.max(...sorted)).toBe(100);
});

import { expect, it } from 'vitest';
import { parseExact, writeExact } from '../../json/exact-json.ts';
import { itemsOf, tableOf } from './cells.ts';

it('items come back from their cells as they were, with types, gaps and large numbers', () => {
  const items = parseExact('[{"id":9007199254740993,"name":"Ada","code":"007","yes":"true","n":null,"list":[1,{"a":"b"}]},{"name":"","extra":1.5},{}]') as unknown[];
  const table = tableOf(items);
  expect(table?.columns).toEqual(['id', 'name', 'code', 'yes', 'n', 'list', 'extra']);
  expect(table?.rows[0]).toEqual(['9007199254740993', 'Ada', '007', '"true"', 'null', '[1,{"a":"b"}]', undefined]);
  expect(table && writeExact(itemsOf(table))).toBe(writeExact(items));
});

it('a list of anything else has no table', () => {
  expect(tableOf([1, 2])).toBeNull();
  expect(tableOf([{ a: 1 }, [1]])).toBeNull();
  expect(tableOf([])).toEqual({ columns: [], rows: [] });
});

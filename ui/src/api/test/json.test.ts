import { describe, expect, it } from 'vitest';
import { isObject, pointerParts, pointerTo } from '../../json/json.ts';

describe('JSON pointers', () => {
  it('come back as the names that they were made of', () => {
    const names = ['a/b', 'm~n', '~1', '', '0'];
    expect(pointerParts(names.reduce(pointerTo, ''))).toEqual(names);
    expect(pointerTo('/nodes', 'a/b~')).toBe('/nodes/a~1b~0');
  });
  it('have no names for the whole', () => {
    expect(pointerParts('')).toEqual([]);
  });
});

it('tells an object from a list and from null', () => {
  expect([{}, [], null, 'a', undefined].map(isObject)).toEqual([true, false, false, false, false]);
});

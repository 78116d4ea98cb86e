import { expect, it } from 'vitest';
import { fieldsOf } from './known-fields.ts';

const name = (label: string, type = 'string') => ({ label, type });

it('turns names of an item into names of fields', () => {
  const names = [name('item', 'object'), name('item.id', 'integer'), name('item.address', 'object'), name('item.address.city'), name("item['zip code']"), name("item.address['zip code']"), name('item.rows', 'array'), name('item.rows[0]'), name('context.x'), name('items')];
  expect(fieldsOf(names).map((one) => one.name)).toEqual(['id', 'address', 'zip code', 'rows', 'address.city', 'address.zip code']);
});

it('offers lists first where a list is wanted', () => {
  expect(fieldsOf([name('item.status', 'integer'), name('item.body', 'object'), name('item.body.rows', 'array')], 'array').map((one) => one.name)).toEqual(['body.rows', 'status', 'body']);
});

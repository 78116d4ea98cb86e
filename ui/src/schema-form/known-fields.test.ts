import { expect, it } from 'vitest';
import { fieldOfItem, fieldsOf, fieldsOfItems } from './known-fields.ts';

const name = (label: string, type = 'string') => ({ label, type });

it('turns names of an item into names of fields', () => {
  const names = [name('item', 'object'), name('item.id', 'integer'), name('item.address', 'object'), name('item.address.city'), name("item['zip code']"), name("item.address['zip code']"), name('item.rows', 'array'), name('item.rows[0]'), name('context.x'), name('items')];
  expect(fieldsOf(names).map((one) => one.name)).toEqual(['id', 'address', 'zip code', 'rows', 'address.city', 'address.zip code']);
});

it('offers lists first where a list is wanted', () => {
  expect(fieldsOf([name('item.status', 'integer'), name('item.body', 'object'), name('item.body.rows', 'array')], 'array').map((one) => one.name)).toEqual(['body.rows', 'status', 'body']);
});

it('knows the fields of all items at hand, those of a second list with them', () => {
  const items = [{ id: 1, customer: { city: null } }, { id: 2, customer: { city: 'Rome' } }, { login: 'ada' }, 'text'];
  expect(fieldsOfItems(items)).toEqual([{ name: 'id', type: 'number' }, { name: 'customer', type: 'object' }, { name: 'customer.city', type: 'string' }, { name: 'login', type: 'string' }]);
});

it('a field of another step is one of the item only when such items arrive', () => {
  const known = [{ name: 'login', type: 'string' }];
  expect(["item.total", "paired('people').login", 'nodes.people.items[0].login', "nodes['a b'].output.login", "paired('people').city", 'nodes.people.output', 'context.login'].map((text) => fieldOfItem(text, known)))
    .toEqual(['total', 'login', 'login', 'login', null, null, null]);
});

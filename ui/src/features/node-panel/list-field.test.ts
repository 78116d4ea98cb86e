import { expect, it } from 'vitest';
import { listFieldOf } from './list-field.ts';

const http = (config = {}) => ({ type: 'http.request', config });

it('finds the list of an HTTP answer, and passes over what is about the exchange', () => {
  const answer = { status: 200, headers: {}, setCookie: ['a=1'], cookies: [{}], response: [{ id: 1 }] };
  expect(listFieldOf(http(), answer)).toBe('response');
  expect(listFieldOf(http(), { ...answer, response: { page: 1, orders: [] } })).toBe('response.orders');
  expect(listFieldOf(http(), { ...answer, response: { page: 1, 'all orders.': [] } })).toBe("response['all orders.']");
  expect(listFieldOf(http(), { ...answer, response: 'text' })).toBeNull();
});

it('offers nothing where there are several lists', () => {
  expect(listFieldOf(http(), { status: 200, response: { orders: [], customers: [] } })).toBeNull();
});

it('looks only at the result of a step that keeps its input', () => {
  const item = { lines: [1, 2], result: { status: 200, response: [{ id: 1 }] } };
  expect(listFieldOf(http({ keepInput: true }), item)).toBe('result.response');
  expect(listFieldOf(http({ keepInput: true, resultField: 'answer' }), { lines: [1], answer: { status: 200, response: [] } })).toBe('answer.response');
});

it('takes the item itself when it is the list', () => {
  expect(listFieldOf({ type: 'mcp.tool' }, [1, 2])).toBe('');
});

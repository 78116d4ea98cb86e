import { expect, it } from 'vitest';
import { parameterFor, quotedName, quotedParts, withColumn, withTable } from './sql-names.ts';

it('writes names as SQL needs them', () => {
  expect([quotedName('postgres', 'orders'), quotedName('postgres', 'Total'), quotedName('sqlite', 'order'), quotedName('mysql', 'a`b')]).toEqual(['orders', '"Total"', '"order"', '`a``b`']);
  expect(['left', 'end', 'window', 'rank', 'status', 'name', 'total'].map((name) => quotedName('mysql', name))).toEqual(['`left`', '`end`', '`window`', '`rank`', 'status', 'name', 'total']);
  expect(quotedParts('postgres', ['sales', 'Orders'])).toBe('sales."Orders"');
});

it('a table makes a statement that reads it, and its columns are chosen one by one', () => {
  let sql = withTable(undefined, 'sales.orders');
  expect(sql).toBe('SELECT * FROM sales.orders');
  sql = withColumn(sql, 'sales.orders', 'id');
  expect(sql).toBe('SELECT id FROM sales.orders');
  expect(withColumn(sql, 'sales.orders', '"Total"')).toBe('SELECT id, "Total" FROM sales.orders');
  expect(withColumn(sql, 'sales.orders', 'id')).toBe(sql);
  expect(withColumn(' ', 'orders', 'id')).toBe('SELECT id FROM orders');
});

it('a name goes to the end of a statement of somebody, and never becomes another word for the one before', () => {
  expect(['SELECT * FROM', 'SELECT o.', 'SELECT id, ', 'SELECT count('].map((sql) => withTable(sql, 'x'))).toEqual(['SELECT * FROM x', 'SELECT o.x', 'SELECT id, x', 'SELECT count(x']);
  expect(withColumn('SELECT id', 'orders', 'total')).toBe('SELECT id, total');
  expect(withColumn('SELECT "Id"', 'orders', 'total')).toBe('SELECT "Id", total');
  expect(withColumn('SELECT id FROM orders WHERE', 'orders', 'status')).toBe('SELECT id FROM orders WHERE status');
  expect(withColumn("SELECT id FROM orders WHERE status = 'a' ORDER BY", 'orders', 'id')).toBe("SELECT id FROM orders WHERE status = 'a' ORDER BY id");
  expect(withColumn('SELECT (SELECT 1 FROM a) FROM orders', 'orders', 'id')).toBe('SELECT (SELECT 1 FROM a) FROM orders, id');
});

it('data get into a statement by a parameter, each value by one', () => {
  expect(parameterFor(undefined, 'item.status')).toEqual({ name: 'status', isNew: true });
  expect(parameterFor({ status: '= item.status' }, 'item.status')).toEqual({ name: 'status', isNew: false });
  expect(parameterFor({ status: 'open' }, 'item.status')).toEqual({ name: 'status_2', isNew: true });
  expect(parameterFor({}, "item['Kunden-Nr']").name).toBe('Kunden_Nr');
  expect([parameterFor({}, 'item').name, parameterFor({}, "item['1st']").name]).toEqual(['value', '_1st']);
});

import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { queryClient } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { renderOnce } from '../../test/render.tsx';
import { quotedName, TableBrowser, tableName, withName } from './table-browser.tsx';

afterEach(() => {
  cleanup();
  queryClient.clear();
});

const who = () => ({ operatorId: 'user:ada', role: 'builder', via: 'app' }) as Commands['who']['response'];
const FOUND: Commands['database_tables']['response'] = {
  total: 1,
  tables: [{ schema: 'public', name: 'orders', kind: 'table', columns: [{ name: 'id', type: 'bigint' }, { name: 'Total', type: 'numeric' }], primaryKey: ['id'] }],
};

it('shows tables and columns, and puts a name into the settings', async () => {
  const onTable = vi.fn();
  const onColumn = vi.fn();
  const asked: unknown[] = [];
  renderOnce(<TableBrowser workflowId="shop" config={{ system: 'postgres' }} readOnly={false} onTable={onTable} onColumn={onColumn} />, { who, database_tables: (request: unknown) => { asked.push(request); return FOUND; } });
  await userEvent.click(await screen.findByRole('button', { name: 'Show tables' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Insert public.orders' }));
  await userEvent.click(screen.getByRole('button', { name: 'Insert Total' }));
  expect(asked).toEqual([{ workflowId: 'shop', config: { system: 'postgres' } }]);
  expect(onTable).toHaveBeenCalledWith(FOUND.tables[0]);
  expect(onColumn).toHaveBeenCalledWith(FOUND.tables[0], 'Total');
});

it('says why there are no tables', async () => {
  renderOnce(<TableBrowser workflowId="shop" config={{}} readOnly={false} onTable={() => {}} onColumn={() => {}} />, { who, database_tables: () => { throw new Error('The tables cannot be read: refused (AUTH).'); } });
  await userEvent.click(await screen.findByRole('button', { name: 'Show tables' }));
  expect(await screen.findByText('The tables cannot be read: refused (AUTH).')).toBeTruthy();
});

it('writes names as SQL needs them', () => {
  expect([quotedName('postgres', 'orders'), quotedName('postgres', 'Total'), quotedName('sqlite', 'order'), quotedName('mysql', 'a`b')]).toEqual(['orders', '"Total"', '"order"', '`a``b`']);
  expect([withName(undefined, 'orders'), withName('SELECT * FROM', 'orders'), withName('SELECT o.', 'id')]).toEqual(['orders', 'SELECT * FROM orders', 'SELECT o.id']);
  expect([tableName({ schema: 'a', name: 'b' }), tableName({ name: 'b' }), tableName({ schema: 'main', name: 'b' })]).toEqual(['a.b', 'b', 'b']);
});

import { cleanup, fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { renderOnce } from '../../test/render.tsx';
import { quotedParts } from './sql-names.ts';
import { TableBrowser, tableName } from './table-browser.tsx';

afterEach(() => {
  cleanup();
  queryClient.clear();
});

const who = () => ({ operatorId: 'user:ada', role: 'builder', via: 'app' }) as Commands['who']['response'];
const written = (parts: readonly string[]) => quotedParts('postgres', parts);
const FOUND: Commands['database_tables']['response'] = {
  total: 1,
  tables: [{ schema: 'public', name: 'orders', kind: 'table', columns: [{ name: 'id', type: 'bigint' }, { name: 'Total', type: 'numeric' }], primaryKey: ['id'] }],
};

it('shows tables and columns, and puts a name into the settings', async () => {
  const onTable = vi.fn();
  const onColumn = vi.fn();
  const asked: unknown[] = [];
  renderOnce(<TableBrowser workflowId="shop" config={{ system: 'postgres' }} readOnly={false} written={written} onTable={onTable} onColumn={onColumn} />, { who, database_tables: (request: unknown) => { asked.push(request); return FOUND; } });
  await userEvent.click(await screen.findByRole('button', { name: 'Show tables' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Insert public.orders' }));
  await userEvent.click(screen.getByRole('button', { name: 'Insert Total' }));
  expect(asked).toEqual([{ workflowId: 'shop', config: { system: 'postgres' } }]);
  expect(onTable).toHaveBeenCalledWith(FOUND.tables[0]);
  expect(onColumn).toHaveBeenCalledWith(FOUND.tables[0], 'Total');
});

it('says why there are no tables', async () => {
  renderOnce(<TableBrowser workflowId="shop" config={{}} readOnly={false} written={written} onTable={() => {}} onColumn={() => {}} />, { who, database_tables: () => { throw new ApiError({ code: 'DATABASE_FAILED', message: 'The tables cannot be read: refused (AUTH).', hint: 'Correct the connection, then try again.' }); } });
  await userEvent.click(await screen.findByRole('button', { name: 'Show tables' }));
  expect(await screen.findByText('The tables cannot be read: refused (AUTH). Correct the connection, then try again.')).toBeTruthy();
});

it('gives the SQL a name that is dragged there', async () => {
  renderOnce(<TableBrowser workflowId="shop" config={{}} readOnly={false} written={written} onTable={() => {}} onColumn={() => {}} />, { who, database_tables: () => FOUND });
  await userEvent.click(await screen.findByRole('button', { name: 'Show tables' }));
  const carried: string[] = [];
  const dataTransfer = { setData: (_: string, text: string) => { carried.push(text); } };
  fireEvent.dragStart(await screen.findByRole('button', { name: 'Insert public.orders' }), { dataTransfer });
  fireEvent.dragStart(screen.getByRole('button', { name: 'Insert Total' }), { dataTransfer });
  expect(carried).toEqual(['public.orders', '"Total"']);
});

it('names a table without the schema that goes without saying', () => {
  expect([tableName({ schema: 'a', name: 'b' }), tableName({ name: 'b' }), tableName({ schema: 'main', name: 'b' })]).toEqual(['a.b', 'b', 'b']);
});

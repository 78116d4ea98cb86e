import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import type { JsonMap, JsonSchema } from '../../api/types.ts';
import { fieldTarget } from '../../code/field-target.ts';
import { isObject } from '../../json/json.ts';
import { SchemaForm, type ExpressionHost } from '../../schema-form/index.ts';
import { renderWith } from '../../test/render.tsx';
import { SqlField, SqlTablesContext } from './sql-field.tsx';

const HOST: ExpressionHost = { preview: () => Promise.resolve(null), names: () => Promise.resolve([]), item: 0, setItem: () => undefined, revision: 1 };
const SCHEMA: JsonSchema = { type: 'object', properties: { sql: { type: 'string', title: 'SQL', 'x-raw': true, 'x-ui': { widget: 'sql' } } } };

function Form({ first, onValue }: { first: JsonMap; onValue: (value: JsonMap) => void }) {
  const [value, setValue] = useState<JsonMap>(first);
  const change = (path: readonly (string | number)[], next: unknown) => setValue((old) => {
    const [name = '', inner] = path.map(String);
    const within = old[name];
    const made = { ...old, [name]: inner === undefined ? next : { ...(isObject(within) ? within : {}), [inner]: next } } as JsonMap;
    onValue(made);
    return made;
  });
  return (
    <SqlTablesContext value={<p>The tables</p>}>
      <SchemaForm schema={SCHEMA} value={value} context={HOST} label="Settings" widgets={{ sql: SqlField }} onChange={(_, edit) => change(edit.path, edit.value)} />
    </SqlTablesContext>
  );
}

it('a field that is put into SQL becomes a parameter, and the same field uses it again', async () => {
  const onValue = vi.fn();
  renderWith(<Form first={{}} onValue={onValue} />);
  fireEvent.focus(screen.getByRole('textbox', { name: 'SQL' }));
  act(() => fieldTarget()?.insert('item.status'));
  await waitFor(() => expect(onValue).toHaveBeenLastCalledWith({ sql: ':status', params: { status: '=item.status' } }));
  act(() => fieldTarget()?.insert('item.status'));
  await waitFor(() => expect(onValue).toHaveBeenLastCalledWith({ sql: ':status:status', params: { status: '=item.status' } }));
  expect(screen.getByText('The tables')).toBeTruthy();
  expect(screen.getByText('a field dragged here becomes a parameter')).toBeTruthy();
});

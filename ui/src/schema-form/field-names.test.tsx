import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import type { ExpressionName, JsonSchema } from '../api/types.ts';
import { renderWith } from '../test/render.tsx';
import { SchemaForm, type ExpressionHost } from './index.ts';

const NAMES: ExpressionName[] = [{ label: 'item', type: 'object' }, { label: 'item.id', type: 'integer' }, { label: 'item.rows', type: 'array' }];
const host = (names: ExpressionName[]): ExpressionHost => ({ preview: () => Promise.resolve(null), names: () => Promise.resolve(names), item: 0, setItem: () => undefined, revision: 1 });

function Form({ schema, names, onValue }: { schema: JsonSchema; names: ExpressionName[]; onValue: (value: unknown) => void }) {
  const [value, setValue] = useState<unknown>({});
  const [context] = useState(() => host(names));
  return <SchemaForm schema={schema} value={value} context={context} label="Settings" onChange={(next) => { setValue(next); onValue(next); }} />;
}

const ONE: JsonSchema = { type: 'object', properties: { field: { type: 'string', title: 'List', 'x-raw': true, 'x-ui': { widget: 'field', prefer: 'array' } } } };
const MANY: JsonSchema = { type: 'object', properties: { by: { type: 'array', title: 'Same in', items: { type: 'string' }, 'x-raw': true, 'x-ui': { widget: 'fields' } } } };

it('a field is chosen from those of the data, lists first where a list is wanted', async () => {
  const onValue = vi.fn();
  renderWith(<Form schema={ONE} names={NAMES} onValue={onValue} />);
  fireEvent.click(await screen.findByRole('combobox', { name: 'List' }));
  const options = await screen.findAllByRole('option');
  expect(options.map((one) => one.textContent)).toEqual([expect.stringContaining('None'), expect.stringContaining('rows'), expect.stringContaining('id'), expect.stringContaining('Another name')]);
  await userEvent.click(options[1] as HTMLElement);
  expect(onValue).toHaveBeenLastCalledWith({ field: 'rows' });
});

it('without any data a name is written', () => {
  const onValue = vi.fn();
  renderWith(<Form schema={ONE} names={[]} onValue={onValue} />);
  fireEvent.change(screen.getByRole('textbox', { name: 'List' }), { target: { value: '=x' } });
  expect(onValue).toHaveBeenLastCalledWith({ field: '=x' });
});

it('several fields are pressed in the order that is wanted, and others are added', async () => {
  const onValue = vi.fn();
  renderWith(<Form schema={MANY} names={NAMES} onValue={onValue} />);
  fireEvent.click(await screen.findByRole('button', { name: 'rows' }));
  fireEvent.click(await screen.findByRole('button', { name: 'id' }));
  expect(onValue).toHaveBeenLastCalledWith({ by: ['rows', 'id'] });
  fireEvent.click(screen.getByRole('button', { name: 'Add: Same in' }));
  fireEvent.change(screen.getByRole('textbox', { name: 'Name of the field' }), { target: { value: 'address.city' } });
  fireEvent.keyDown(screen.getByRole('textbox', { name: 'Name of the field' }), { key: 'Enter' });
  expect(onValue).toHaveBeenLastCalledWith({ by: ['rows', 'id', 'address.city'] });
  fireEvent.click(screen.getByRole('button', { name: 'rows', pressed: true }));
  await waitFor(() => expect(onValue).toHaveBeenLastCalledWith({ by: ['id', 'address.city'] }));
});

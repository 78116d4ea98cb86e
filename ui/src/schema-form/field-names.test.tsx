import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import type { ExpressionName, JsonSchema } from '../api/types.ts';
import { renderWith } from '../test/render.tsx';
import { FIELD_MIME } from '../code/field-drag.ts';
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

const dropOn = (place: HTMLElement, expression: string) => fireEvent.drop(place, { dataTransfer: { getData: (type: string) => (type === FIELD_MIME ? expression : ''), types: [FIELD_MIME] } });

it('a field of the item is dropped where a field is named; one of another step is refused', async () => {
  const onValue = vi.fn();
  renderWith(<Form schema={ONE} names={NAMES} onValue={onValue} />);
  dropOn(await screen.findByRole('combobox', { name: 'List' }), 'item.address.city');
  expect(onValue).toHaveBeenLastCalledWith({ field: 'address.city' });
  dropOn(screen.getByRole('combobox', { name: 'List' }), "paired('x').other");
  expect(onValue).toHaveBeenCalledTimes(1);
  renderWith(<Form schema={MANY} names={NAMES} onValue={onValue} />);
  dropOn(screen.getByRole('group', { name: 'Same in' }), 'item.id');
  expect(onValue).toHaveBeenLastCalledWith({ by: ['id'] });
});

it('a text that is taken as it is written knows no expressions: what is dropped on a name is a name', () => {
  const raw: JsonSchema = { type: 'object', properties: { into: { type: 'string', title: 'Result in', 'x-raw': true, 'x-ui': { widget: 'text' } }, find: { type: 'string', title: 'Find', 'x-raw': true, 'x-ui': { widget: 'text' } } } };
  const onValue = vi.fn();
  renderWith(<Form schema={raw} names={NAMES} onValue={onValue} />);
  expect(screen.queryByText(/drag a field here/)).toBeNull();
  dropOn(screen.getByRole('textbox', { name: 'Result in' }), 'item.address.city');
  expect(onValue).toHaveBeenLastCalledWith({ into: 'city' });
  dropOn(screen.getByRole('textbox', { name: 'Find' }), 'item.id');
  expect(onValue).toHaveBeenCalledTimes(1);
  fireEvent.change(screen.getByRole('textbox', { name: 'Find' }), { target: { value: '=' } });
  expect(onValue).toHaveBeenLastCalledWith({ into: 'city', find: '=' });
});

it('a field that is dropped on a number or a choice is its value; where values are kept as they are written nothing is offered', () => {
  const schema: JsonSchema = { type: 'object', properties: { count: { type: 'integer', title: 'Number of items' }, from: { type: 'string', title: 'From', enum: ['start', 'end'] }, spread: { type: 'integer', title: 'Spread', 'x-raw': true } } };
  const onValue = vi.fn();
  renderWith(<Form schema={schema} names={NAMES} onValue={onValue} />);
  dropOn(screen.getByRole('textbox', { name: 'Number of items' }), 'item.count');
  dropOn(screen.getByRole('combobox', { name: 'From' }), 'item.from');
  expect(onValue).toHaveBeenLastCalledWith({ count: '=item.count', from: '=item.from' });
  expect(screen.queryByRole('button', { name: 'Use an expression: Spread' })).toBeNull();
});

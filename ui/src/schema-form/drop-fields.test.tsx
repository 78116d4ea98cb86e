import { fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import type { JsonSchema } from '../api/types.ts';
import { FIELD_MIME, intoTemplate, lastName, replacedBy } from '../code/field-drag.ts';
import { renderWith } from '../test/render.tsx';
import { SchemaForm } from './schema-form.tsx';
import type { ExpressionHost } from './scope.ts';

const SCHEMA: JsonSchema = { type: 'object', properties: { assign: { type: 'object', title: 'Fields', additionalProperties: true, 'x-ui': { widget: 'keyvalue' } } } };
const HOST: ExpressionHost = { preview: () => Promise.resolve({ state: 'no_data' }), names: () => Promise.resolve([]), item: 0, setItem: vi.fn(), revision: 1 };

function Form({ onValue }: { onValue: (value: unknown) => void }) {
  const [value, setValue] = useState<unknown>({});
  return <SchemaForm schema={SCHEMA} value={value} label="Settings" context={HOST} diagnostics={[]} basePointer="" onChange={(next) => { setValue(next); onValue(next); }} />;
}

it('a dragged field has the last name of its path', () => {
  expect(['item.a.total', 'item', 'item.rows[0]', "item['odd name']", "item['a.b']", 'item[0]', "nodes['x'].output.id"].map(lastName)).toEqual(['total', '', 'rows', 'odd name', 'a_b', '', 'id']);
});

it('a field that is dropped on a reference takes its place, and is put between others', () => {
  const put = (text: string, at: number) => { const { from, to } = replacedBy(text, at); return `${text.slice(0, from)}X${text.slice(to)}`; };
  expect([['item.body.name', 12], ['item.body.name', 14], ["paired('large').total", 3], [' item.a ', 0], ['', 0]].map(([text, at]) => put(String(text), Number(at)))).toEqual(['X', 'X', 'X', ' X ', 'X']);
  expect([put('item.a + item.b', 12), put('item.a + ', 9), put('size(item.a) > 1', 7), put("item.rows[0]['odd name'] + 1", 15), put('1 + 2', 3)]).toEqual(['item.a + X', 'item.a + X', 'size(X) > 1', 'X + 1', '1 +X 2']);
});

it('a field that is dropped next to a reference takes its place, and is never glued to it', () => {
  const put = (text: string, at: number) => { const { from, to } = replacedBy(text, at); return `${text.slice(0, from)}X${text.slice(to)}`; };
  expect([put('item.a + item.b', 9), put('item.a + item.b', 15), put('size(item.a) > 1', 5)]).toEqual(['item.a + X', 'item.a + X', 'size(X) > 1']);
});

it('a field that is dropped into a text becomes a placeholder, next to those that are there', () => {
  const put = (text: string, at: number) => { const { from, to, insert } = intoTemplate(text, at, 'X'); return `${text.slice(0, from)}${insert}${text.slice(to)}`; };
  const text = 'Dear {{item.name}}, hello';
  expect([0, 5, 6, 7, 10, 16, 17, 18, text.length].map((at) => put(text, at))).toEqual([
    '{{X}}Dear {{item.name}}, hello', 'Dear {{X}}{{item.name}}, hello', 'Dear {{X}}{{item.name}}, hello', 'Dear {{X}}{{item.name}}, hello', 'Dear {{X}}, hello',
    'Dear {{item.name}}{{X}}, hello', 'Dear {{item.name}}{{X}}, hello', 'Dear {{item.name}}{{X}}, hello', 'Dear {{item.name}}, hello{{X}}',
  ]);
  expect([put('{{}}', 2), put('{{ item.a + item.b }}', 14), put('{{item.a > 1 ? 2 : 3}}', 13)]).toEqual(['{{X}}', '{{ item.a + X }}', '{{item.a > 1 X? 2 : 3}}']);
});

it('fields that are dropped on a table of names become rows, each with a name of its own', () => {
  const onValue = vi.fn();
  renderWith(<Form onValue={onValue} />);
  const place = screen.getByText('Drag fields here, or add one.').parentElement as HTMLElement;
  const drop = (expression: string) => fireEvent.drop(place, { dataTransfer: { getData: (type: string) => (type === FIELD_MIME ? expression : ''), types: [FIELD_MIME] } });
  drop('item.customer.name');
  drop('item.total');
  drop('item.name');
  expect(onValue.mock.lastCall?.[0]).toEqual({ assign: { name: '=item.customer.name', total: '=item.total', name_2: '=item.name' } });
});

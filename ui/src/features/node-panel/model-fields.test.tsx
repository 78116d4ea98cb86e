/** Provider and model of a step: a name of those that there are, or whatever else the engine takes. */
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { queryClient } from '../../api/queries.ts';
import type { JsonSchema } from '../../api/types.ts';
import type { Handlers } from '../../api/transport/fake.ts';
import { SchemaForm } from '../../schema-form/index.ts';
import { editorOf, renderOnce, renderWith, replaceCode } from '../../test/render.tsx';
import { ModelContext, ModelField, ProviderField } from './model-fields.tsx';

const SCHEMA: JsonSchema = { type: 'object', properties: { provider: { type: 'string', title: 'Provider', 'x-ui': { widget: 'provider' } }, model: { type: 'string', title: 'Model', 'x-ui': { widget: 'model' } } } } as JsonSchema;
const HOST = { preview: () => Promise.resolve(null), names: () => Promise.resolve([]), item: 0, setItem: () => undefined, revision: 0 };

function show(start: object = {}, handlers: Handlers = {}) {
  const written: unknown[] = [];
  function Form() {
    const [value, setValue] = useState<unknown>(start);
    return <SchemaForm schema={SCHEMA} value={value} onChange={(next) => { written.push(next); setValue(next); }} diagnostics={[]} context={HOST} label="Step" widgets={{ provider: ProviderField, model: ModelField }} />;
  }
  const shown = renderWith(<Form />, { model_list: () => ({ providers: [], reserved: [] }) as never, ...handlers });
  return { ...shown, written };
}
const isIn = (box: HTMLElement) => box.contains(document.activeElement);

it('what begins as an expression, or becomes a text with data in it, is typed on where it was begun', async () => {
  const { written } = show();
  await userEvent.type(screen.getByRole('combobox', { name: 'Model' }), '=');
  await waitFor(() => expect(isIn(screen.getByLabelText('Model'))).toBe(true));
  expect(screen.getByLabelText('Model').classList.contains('cm-content')).toBe(true);
  fireEvent.change(screen.getByRole('combobox', { name: 'Provider' }), { target: { value: 'big-{{item.size}}' } });
  await waitFor(() => expect(isIn(screen.getByLabelText('Provider'))).toBe(true));
  // And at its end, where the next letter belongs.
  const editor = editorOf(screen.getByLabelText('Provider'));
  expect(editor.state.selection.main.head).toBe('big-{{item.size}}'.length);
  expect(written.at(-1)).toEqual({ model: '=', provider: 'big-{{item.size}}' });
});

it('a text that has no data in it any more is a name again, and is typed on', async () => {
  show({ model: 'big-{{item.size}}' });
  act(() => { screen.getByLabelText('Model').focus(); replaceCode(screen.getByLabelText('Model'), 'big-{{item.size}'); });
  const name = await screen.findByRole('combobox', { name: 'Model' });
  expect(document.activeElement).toBe(name);
  await userEvent.keyboard('!');
  expect((screen.getByRole('combobox', { name: 'Model' }) as HTMLInputElement).value).toBe('big-{{item.size}!');
});

it('the sign that makes it an expression leads into it', async () => {
  show({ model: 'small' });
  await userEvent.click(screen.getByRole('button', { name: /: Model$/ }));
  await waitFor(() => expect(isIn(screen.getByLabelText('Model'))).toBe(true));
});

it('an address stays one while it is edited', async () => {
  const { written } = show({ provider: { kind: 'openai', baseUrl: 'http://127.0.0.1:9' } });
  const box = screen.getByLabelText(/^Provider/, { selector: '.cm-content' });
  act(() => replaceCode(box, '{"kind":"openai","baseUrl":"http://127.0.0.1:10"}'));
  await waitFor(() => expect(written.at(-1)).toEqual({ provider: { kind: 'openai', baseUrl: 'http://127.0.0.1:10' } }));
});

it.each([['viewer', false], ['operator', true]] as const)('a %s who goes into the field: the provider is asked only by who may', async (role, asks) => {
  const house = { providers: [{ name: 'house', kind: 'openai', baseUrl: '', models: [], here: true, changedBy: '', changedAt: '' }] };
  queryClient.clear();
  const { fake } = renderOnce(
    <ModelContext value={{ provider: 'house', model: undefined, providerWords: undefined, modelWords: undefined }}><SchemaForm schema={SCHEMA} value={{}} onChange={() => undefined} diagnostics={[]} context={HOST} label="Step" widgets={{ model: ModelField }} /></ModelContext>,
    { model_list: () => house as never, model_names: () => ({ models: ['small'] }), who: () => ({ operatorId: 'user:vera', role, via: 'rest' }) },
  );
  await waitFor(() => expect([queryClient.getQueryData(['who', {}]), queryClient.getQueryData(['model_list', {}])].includes(undefined)).toBe(false));
  act(() => screen.getByRole('combobox', { name: 'Model' }).focus());
  await waitFor(() => expect(fake.calls.some((one) => one.command === 'model_names')).toBe(asks));
});

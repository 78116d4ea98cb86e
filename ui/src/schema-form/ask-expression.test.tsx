import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import type { ExpressionAnswer, JsonSchema } from '../api/types.ts';
import { renderWith } from '../test/render.tsx';
import { SchemaForm } from './schema-form.tsx';
import type { ExpressionAssistant, ExpressionHost, ExpressionWish } from './scope.ts';

const SCHEMA: JsonSchema = { type: 'object', properties: { when: { type: 'string', title: 'Condition', 'x-cel': true }, name: { type: 'string', title: 'Name', 'x-ui': { widget: 'template' } } } };
const USAGE = { questions: 1, inputTokens: 100, outputTokens: 10 };

function setup(answer: Promise<ExpressionAnswer> | null, model: string | null = 'house / small', readOnly = false) {
  const wishes: ExpressionWish[] = [];
  const cancel = vi.fn();
  const assistant: ExpressionAssistant = {
    model: () => Promise.resolve(model),
    ask: (wish) => {
      wishes.push(wish);
      return answer ?? new Promise(() => undefined);
    },
    cancel,
  };
  const host: ExpressionHost = { assistant, preview: () => Promise.resolve({ state: 'no_data' }), names: () => Promise.resolve([]), item: 1, setItem: vi.fn(), revision: 1 };
  const values: unknown[] = [];
  const Form = () => {
    const [value, setValue] = useState<unknown>({ when: 'true', name: '=item.name' });
    return <SchemaForm schema={SCHEMA} value={value} label="Settings" context={host} diagnostics={[]} basePointer="" readOnly={readOnly} onChange={(next) => { setValue(next); values.push(next); }} />;
  };
  return { wishes, cancel, values, ...renderWith(<Form />) };
}

const open = (name = 'Condition') => userEvent.click(screen.getByRole('button', { name: `Describe it in words: ${name}` }));
const ask = async (words: string) => userEvent.type(await screen.findByRole('textbox', { name: 'What should the expression give?' }), `${words}{Enter}`);

describe('an expression from words', () => {
  it('is shown with its result and written only when it is taken', async () => {
    const answer: ExpressionAnswer = { text: 'item.total > 100', preview: { state: 'value', value: true, itemCount: 1, item: 0, runId: 'r', runLabel: 'the last run' }, refused: [], usage: USAGE };
    const { wishes, values } = setup(Promise.resolve(answer));
    await open();
    await waitFor(() => expect((screen.getByRole('textbox', { name: 'What should the expression give?' }) as HTMLInputElement).disabled).toBe(false));
    await ask('orders above 100');
    await screen.findByText('1 question, 110 tokens');
    expect(wishes).toEqual([{ asked: 'orders above 100', field: 'Condition', current: 'true', condition: false, item: 1 }]);
    expect(values).toEqual([]);
    await userEvent.click(screen.getByRole('button', { name: 'Use it' }));
    expect(values).toEqual([{ when: 'item.total > 100', name: '=item.name' }]);
    expect(screen.queryByRole('group', { name: 'Describe Condition in words' })).toBeNull();
  });

  it('is refused with every reason and changes nothing', async () => {
    const answer: ExpressionAnswer = { reason: 'The model gave no expression that works.', refused: [{ text: 'item.sum', problem: 'item.sum does not exist' }, { text: '', problem: 'No JSON' }], usage: { ...USAGE, questions: 2 } };
    const { values } = setup(Promise.resolve(answer));
    await open('Name');
    await waitFor(() => expect((screen.getByRole('textbox', { name: 'What should the expression give?' }) as HTMLInputElement).disabled).toBe(false));
    await ask('the name');
    await screen.findByText('The model gave no expression that works.');
    expect(screen.getByText('item.sum')).toBeTruthy();
    expect(screen.getByText(/No JSON/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Use it' })).toBeNull();
    expect(values).toEqual([]);
  });

  it('is cancelled with the button and when the field goes away', async () => {
    const { cancel, unmount } = setup(null);
    await open();
    await waitFor(() => expect((screen.getByRole('textbox', { name: 'What should the expression give?' }) as HTMLInputElement).disabled).toBe(false));
    await ask('anything');
    await userEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
    expect(cancel).toHaveBeenCalledTimes(1);
    unmount();
    expect(cancel).toHaveBeenCalledTimes(2);
  });

  it('opens with the keys in the field; without a model it says how to add one, and who only reads is offered nothing', async () => {
    const first = setup(null, null);
    fireEvent.keyDown(screen.getByRole('textbox', { name: 'Condition' }), { key: 'i', ctrlKey: true });
    const link = await screen.findByRole('link', { name: 'Add a model' });
    expect(link.getAttribute('href')).toBe('#/settings');
    first.unmount();
    setup(null, 'house / small', true);
    expect(screen.queryByRole('button', { name: /Describe it in words/ })).toBeNull();
  });
});

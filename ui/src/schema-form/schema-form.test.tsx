import { EditorView } from '@codemirror/view';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import type { Finding } from '../api/diagnostics.ts';
import type { Diagnostic, Preview, JsonSchema } from '../api/types.ts';
import { editorOf, renderWith, replaceCode, typeCode } from '../test/render.tsx';
import { SchemaForm } from './schema-form.tsx';
import type { ExpressionHost } from './scope.ts';

const HTTP: JsonSchema = {
  type: 'object',
  required: ['url'],
  properties: {
    url: { type: 'string', title: 'Address', 'x-ui': { widget: 'template' } },
    method: { type: 'string', title: 'Method', enum: ['GET', 'POST'], default: 'GET' },
    retries: { type: 'integer', title: 'Retries', default: 3 },
    timeoutMs: { type: 'integer', title: 'Time limit', 'x-ui': { widget: 'duration' } },
    fail: { type: 'boolean', title: 'Fail on an error status', default: true },
    headers: { type: 'object', title: 'Headers', additionalProperties: true, 'x-ui': { widget: 'keyvalue' } },
    when: { type: 'string', title: 'Condition', 'x-cel': true },
    form: { type: 'object', title: 'Form of the answer', 'x-ui': { widget: 'code' } },
  },
};

function host(answer: Preview | ((text: string, kind: string) => Preview) = { state: 'no_data' }): ExpressionHost & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    preview: (text, kind, item) => {
      asked.push(`${kind} ${text} ${String(item)}`);
      return Promise.resolve(typeof answer === 'function' ? answer(text, kind) : answer);
    },
    names: () => Promise.resolve([{ label: 'item.id', type: 'string' }]),
    item: 0,
    setItem: vi.fn(),
    revision: 1,
  };
}

function Form({ schema = HTTP, start, context = null, diagnostics = [], onValue }: {
  schema?: JsonSchema; start: unknown; context?: ExpressionHost | null; diagnostics?: Diagnostic[]; onValue: (value: unknown) => void;
}) {
  const [value, setValue] = useState(start);
  return (
    <SchemaForm schema={schema} value={value} label="Settings" context={context} diagnostics={diagnostics} basePointer="/nodes/fetch/config"
      onChange={(next) => { setValue(next); onValue(next); }} />
  );
}

const setup = (props: Omit<Parameters<typeof Form>[0], 'onValue'>) => {
  const values: unknown[] = [];
  const shown = renderWith(<Form {...props} onValue={(value) => values.push(value)} />);
  return { ...shown, last: () => values.at(-1), values };
};

describe('alternatives', () => {
  it('are named in plain words where the schema gives no title', () => {
    const schema: JsonSchema = { type: 'object', properties: { name: { title: 'Name', oneOf: [{ type: 'string' }, { type: 'integer' }] } } };
    const { unmount } = setup({ schema, start: { name: 'Ada' } });
    expect(screen.getByRole('combobox', { name: 'Name' }).textContent).toContain('Text');
    unmount();
    setup({ schema, start: { name: 7 } });
    expect(screen.getByRole('combobox', { name: 'Name' }).textContent).toContain('Whole number');
  });
});

describe('types are kept', () => {
  it('a number stays a number, also in seconds', async () => {
    const { last } = setup({ start: { url: 'x' } });
    await userEvent.type(screen.getByLabelText('Retries'), '5');
    expect(last()).toEqual({ url: 'x', retries: 5 });
    await userEvent.type(screen.getByLabelText('Time limit'), '1.5');
    expect(last()).toEqual({ url: 'x', retries: 5, timeoutMs: 1500 });
    await userEvent.clear(screen.getByLabelText('Retries'));
    expect(last()).toEqual({ url: 'x', timeoutMs: 1500 });
  });

  it('what is no number is said and not written', async () => {
    const { last } = setup({ start: { retries: 2 } });
    await userEvent.type(screen.getByLabelText('Retries'), 'x');
    expect(screen.getByRole('alert').textContent).toContain('whole number');
    expect(last()).toBeUndefined();
    fireEvent.change(screen.getByLabelText('Retries'), { target: { value: '9007199254740993' } });
    expect(screen.getByRole('alert').textContent).toContain('9007199254740993 cannot be stored exactly');
    expect(last()).toBeUndefined();
  });

  it('a switch writes true and false', async () => {
    const { last } = setup({ start: {} });
    await userEvent.click(screen.getByRole('switch', { name: 'Fail on an error status' }));
    expect(last()).toEqual({ fail: false });
    // The words beside it are its label.
    await userEvent.click(screen.getByText('Fail on an error status'));
    expect(last()).toEqual({ fail: true });
  });

  it('a value of any type keeps its kind until another is selected', async () => {
    const { last } = setup({ start: { headers: { n: 3, on: true, t: 'x' } } });
    const table = screen.getByRole('group', { name: 'Headers' });
    expect((within(table).getByLabelText('n') as HTMLInputElement).value).toBe('3');
    await userEvent.type(within(table).getByLabelText('n'), '4');
    expect(last()).toEqual({ headers: { n: 34, on: true, t: 'x' } });
    await userEvent.selectOptions(within(table).getByLabelText('Type of value: n'), 'text');
    expect(last()).toEqual({ headers: { n: '34', on: true, t: 'x' } });
  });

  it('an object in a box of code is JSON, not the text of it', async () => {
    const { last } = setup({ start: {} });
    act(() => replaceCode(screen.getByRole('textbox', { name: 'Form of the answer' }), '{"type": "json_object"}'));
    expect(last()).toEqual({ form: { type: 'json_object' } });
  });

  it('an object in a box of code may be an expression, where the engine takes one', async () => {
    const { last, unmount } = setup({ start: { form: '=context.talk' }, context: host({ state: 'value', value: 1 } as never) });
    const box = () => screen.getByRole('textbox', { name: 'Form of the answer' });
    expect(box().textContent).toBe('context.talk');
    act(() => typeCode(box(), 's'));
    expect(last()).toEqual({ form: '=context.talks' });
    unmount();
    // Typed, and made of what stands there.
    const other = setup({ start: {}, context: host() });
    act(() => replaceCode(box(), '='));
    expect(other.last()).toEqual({ form: '=' });
    act(() => typeCode(box(), 'item'));
    expect(other.last()).toEqual({ form: '=item' });
    other.unmount();
    const made = setup({ start: { form: { a: 1 } }, context: host() });
    await userEvent.click(screen.getByRole('button', { name: 'Use an expression: Form of the answer' }));
    expect(made.last()).toEqual({ form: '={"a":1}' });
    made.unmount();
    // Where it is taken as it stands, there is none.
    const raw = { ...HTTP, properties: { form: { type: 'object', title: 'Form of the answer', 'x-raw': true, 'x-ui': { widget: 'code' } } } } as JsonSchema;
    setup({ schema: raw, start: { form: { a: 1 } }, context: host() });
    expect(screen.queryByRole('button', { name: 'Use an expression: Form of the answer' })).toBeNull();
  });

  it('a finding of a box of JSON is told with the box', () => {
    setup({ start: { form: {} }, diagnostics: [{ code: 'X', severity: 'error', path: '/nodes/fetch/config/form', message: 'No form', hint: '' } as unknown as Diagnostic] });
    const box = screen.getByRole('textbox', { name: 'Form of the answer' });
    expect(box.getAttribute('aria-invalid')).toBe('true');
    expect(document.getElementById(box.getAttribute('aria-describedby') ?? '')?.textContent).toContain('No form');
  });

  it('JSON stays JSON while it is a number, a text or empty for a moment', async () => {
    const { last } = setup({ start: { headers: { j: [1] } } });
    const box = () => screen.getByRole('textbox', { name: 'j' });
    for (const [text, value] of [['5', 5], ['"=a"', '=a'], ['', ''], ['[2]', [2]]] as const) {
      act(() => replaceCode(box(), text));
      expect(last()).toEqual({ headers: { j: value } });
      expect((screen.getByLabelText('Type of value: j') as HTMLSelectElement).value).toBe('json');
      expect(box().textContent).toBe(text);
    }
    await userEvent.selectOptions(screen.getByLabelText('Type of value: j'), 'text');
    expect((screen.getByLabelText('Type of value: j') as HTMLSelectElement).value).toBe('text');
  });
});

it('a secret is dots until its button is pressed, also by key', async () => {
  const user = userEvent.setup();
  const { last } = setup({ schema: { type: 'object', properties: { pin: { type: 'string', title: 'Pin', 'x-secret': true }, city: { type: 'string', title: 'City' } } }, start: { pin: '9999', city: 'Bonn' } });
  const pin = screen.getByLabelText<HTMLInputElement>('Pin');
  const show = screen.getByRole('button', { name: 'Show the value' });
  expect([pin.type, show.getAttribute('aria-pressed'), screen.getByLabelText<HTMLInputElement>('City').type]).toEqual(['password', 'false', 'text']);
  await user.click(pin);
  await user.tab();
  expect(document.activeElement).toBe(show);
  await user.keyboard('{Enter}');
  expect([pin.type, pin.value, show.getAttribute('aria-pressed')]).toEqual(['text', '9999', 'true']);
  await user.keyboard(' ');
  expect([pin.type, last()]).toEqual(['password', undefined]);
});

describe('tables', () => {
  it('adds, renames and removes rows in place', async () => {
    const { last } = setup({ start: { headers: { a: '1', b: '2' } } });
    await userEvent.click(screen.getByRole('button', { name: 'Add: Headers' }));
    await userEvent.type(screen.getByLabelText('Name'), 'c{Enter}');
    expect(last()).toEqual({ headers: { a: '1', b: '2', c: '' } });
    const first = screen.getByLabelText('Name 1');
    await userEvent.clear(first);
    await userEvent.type(first, 'z{Enter}');
    expect(JSON.stringify(last())).toBe('{"headers":{"z":"1","b":"2","c":""}}');
    await userEvent.click(screen.getByRole('button', { name: 'Remove b' }));
    expect(last()).toEqual({ headers: { z: '1', c: '' } });
  });

  it('refuses a name that is there', async () => {
    const { values } = setup({ start: { headers: { a: '1', b: '2' } } });
    const second = screen.getByLabelText('Name 2');
    await userEvent.clear(second);
    await userEvent.type(second, 'a{Enter}');
    expect(screen.getByRole('alert').textContent).toContain('"a" already exists');
    expect(values).toEqual([]);
  });
});

describe('expressions', () => {
  it('= in an empty field begins one, and the focus goes with it', async () => {
    // jsdom does not focus what is only contenteditable: the browser test looks at the focus itself.
    const focus = vi.spyOn(EditorView.prototype, 'focus');
    const { last } = setup({ start: {}, context: host() });
    expect(focus).not.toHaveBeenCalled();
    act(() => typeCode(screen.getByLabelText('Address'), '='));
    expect(last()).toEqual({ url: '=' });
    const box = screen.getByLabelText('Address');
    expect(editorOf(box).state.doc.toString()).toBe('');
    expect(box.closest('[data-mode]')?.getAttribute('data-mode')).toBe('cel');
    expect(focus).toHaveBeenCalledTimes(1);
    focus.mockRestore();
    act(() => typeCode(box, 'item.id'));
    expect(last()).toEqual({ url: '=item.id' });
  });

  it('= inside a text is a letter', () => {
    const { last } = setup({ start: { url: 'a' }, context: host() });
    act(() => replaceCode(screen.getByLabelText('Address'), '=a'));
    expect(last()).toEqual({ url: '==a' });
    expect(editorOf(screen.getByLabelText('Address')).state.doc.toString()).toBe('=a');
  });

  it('a number field becomes an expression and back', async () => {
    const { last } = setup({ start: { retries: 4 }, context: host() });
    await userEvent.click(screen.getByRole('button', { name: 'Use an expression: Retries' }));
    expect(last()).toEqual({ retries: '=4' });
    await userEvent.click(screen.getByRole('button', { name: 'Use a fixed value: Retries' }));
    expect(last()).toEqual({ retries: 4 });
  });

  it('shows the live result 150 ms after the last key, and never red without data', async () => {
    vi.useFakeTimers();
    try {
      const context = host({ state: 'no_data' });
      setup({ start: { when: 'item.id' }, context });
      act(() => typeCode(screen.getByLabelText('Condition'), ' '));
      act(() => typeCode(screen.getByLabelText('Condition'), '> 3'));
      await act(() => vi.advanceTimersByTimeAsync(149));
      expect(context.asked).toEqual([]);
      await act(() => vi.advanceTimersByTimeAsync(2));
      expect(context.asked).toEqual(['cel item.id > 3 0']);
      const note = screen.getByText('Run the workflow for a preview');
      expect(note.className).toContain('t3');
      expect(screen.queryByRole('status')).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });

  it('shows value and item, and picks another item', async () => {
    const context = host({ state: 'value', value: 'https://x/S-2041', itemCount: 12, item: 0, runId: 'R', runLabel: 'the last run' });
    setup({ start: { url: 'https://x/{{item.id}}' }, context });
    expect(await screen.findByText('https://x/S-2041')).toBeTruthy();
    expect(screen.getByText('Item 1 of 12, from the last run')).toBeTruthy();
    expect(context.asked).toEqual(['value https://x/{{item.id}} 0']);
    await userEvent.click(screen.getByRole('button', { name: 'Next item' }));
    expect(context.setItem).toHaveBeenCalledWith(1);
  });

  it('marks the place of a real error', async () => {
    const { container } = setup({ start: { when: 'item.total * )' }, context: host({ state: 'error', message: 'a value is missing before ")"', position: 13 }) });
    expect((await screen.findByRole('status')).textContent).toBe('Column 14: a value is missing before ")"');
    await waitFor(() => expect(container.querySelector('.cm-errorAt')?.textContent).toBe(')'));
    expect(screen.getByLabelText('Condition').getAttribute('aria-invalid')).toBe('true');
  });

  it('a name that is being typed is no error until one leaves the field', async () => {
    const unknown: Finding = { code: 'UNKNOWN_NAME', severity: 'error', path: '/nodes/fetch/config/when', message: 'ite is not known', hint: '' };
    const { container } = setup({ start: { when: 'ite' }, diagnostics: [unknown], context: host({ state: 'error', message: 'ite is not known', position: 0 }) });
    const field = screen.getByLabelText('Condition').closest('.field') as HTMLElement;
    expect(field.querySelector('.c-err')).not.toBeNull();
    fireEvent.focus(screen.getByLabelText('Condition'));
    await waitFor(() => expect(field.querySelector('.c-err, .bad')).toBeNull());
    expect(container.querySelector('.cm-errorAt')).toBeNull();
    fireEvent.blur(screen.getByLabelText('Condition'));
    await waitFor(() => expect(field.querySelector('.c-err')?.textContent).toContain('ite is not known'));
  });

  it('without a host there are fixed values only', () => {
    const { last } = setup({ start: {} });
    fireEvent.change(screen.getByLabelText(/Address/), { target: { value: '=x' } });
    expect(last()).toEqual({ url: '=x' });
    expect(screen.queryByRole('button', { name: /Use an expression/ })).toBeNull();
  });
});

it('findings of the validator stand under their field with code and hint', () => {
  const finding = (path: string, code: Diagnostic['code']): Diagnostic => ({ code, severity: 'error', path, message: `wrong ${code}`, hint: `do ${code}` });
  setup({
    start: { url: '', headers: { a: 1 }, nope: 1 },
    diagnostics: [finding('/nodes/fetch/config/url', 'MISSING_CONFIG'), finding('/nodes/fetch/config/headers/a', 'BAD_CONFIG'), finding('/nodes/fetch/config/nope', 'UNKNOWN_CONFIG'), finding('/nodes/other/config/url', 'BAD_PARAM')],
  });
  const field = screen.getByLabelText(/Address/).closest('.field') as HTMLElement;
  expect(field.textContent).toContain('MISSING_CONFIG');
  expect(field.textContent).toContain('do MISSING_CONFIG');
  expect(screen.getByRole('group', { name: 'Headers' }).textContent).toContain('BAD_CONFIG');
  expect(screen.getByText('UNKNOWN_CONFIG')).toBeTruthy();
  expect(screen.queryByText('BAD_PARAM')).toBeNull();
});

it('beside the raw JSON a finding says its field, in a list its place from 1, and of a name that is a number the name', async () => {
  const at = (path: string): Diagnostic => ({ code: 'MISSING_CONFIG', severity: 'error', path: `/nodes/fetch/config${path}`, message: 'no', hint: '' });
  setup({ start: { url: '', form: [{ name: 'a' }, { name: '' }], headers: { 404: 'x' } }, diagnostics: ['', '/url', '/form/1/name', '/headers/404', '/headers/a\u202eb'].map(at) });
  await userEvent.click(screen.getByRole('radio', { name: 'JSON' }));
  expect([...document.querySelectorAll('.finding')].map((one) => one.querySelector('.grow')?.firstChild?.textContent)).toEqual(['no', 'url: no', 'form › 2 › name: no', 'headers › 404: no', 'headers › a[U+202E]b: no']);
});

it('ts_101 what is not seen in a finding is marked, also in its hint', () => {
  setup({ start: { url: 'a' }, diagnostics: [{ code: 'BAD_CONFIG', severity: 'error', path: '/nodes/fetch/config/url', message: 'The rule "a\u202eb" never fits', hint: 'Move "a\u0000b" up.' }] });
  const [finding] = document.querySelectorAll('.finding');
  expect(finding?.textContent).toBe('The rule "aU+202Eb" never fits BAD_CONFIGMove "aU+0000b" up.');
  expect([...(finding?.querySelectorAll('.ctl') ?? [])].map((one) => one.getAttribute('title'))).toEqual(['U+202E right-to-left override', 'U+0000 null']);
});

it('the raw JSON is the same value', async () => {
  const { last } = setup({ start: { url: 'a' } });
  await userEvent.click(screen.getByRole('radio', { name: 'JSON' }));
  const box = () => screen.getByRole('textbox', { name: 'Settings' });
  act(() => replaceCode(box(), '{"url":"b","retries":7}'));
  expect(last()).toEqual({ url: 'b', retries: 7 });
  act(() => replaceCode(box(), '{"url":'));
  expect(screen.getByRole('alert').textContent).toContain('not JSON');
  expect(last()).toEqual({ url: 'b', retries: 7 });
  // What would come out as another value is not taken, and what and where is said.
  act(() => replaceCode(box(), '{"url":"b",\n"retries":1e400}'));
  expect(screen.getByRole('alert').textContent).toContain('Line 2, column 11: 1e400 is too large for a number');
  act(() => replaceCode(box(), '{"url":"b","url":"c"}'));
  expect(screen.getByRole('alert').textContent).toContain('“url” appears twice');
  expect(last()).toEqual({ url: 'b', retries: 7 });
  await userEvent.click(screen.getByRole('radio', { name: 'Form' }));
  expect((screen.getByLabelText('Retries') as HTMLInputElement).value).toBe('7');
});

it('what is only missing is grey until one was in the field and left it empty', async () => {
  const todo: Finding = { code: 'MISSING_CONFIG', severity: 'error', path: '/nodes/fetch/config/url', message: '“Fetch” needs “Address”', hint: 'Fill in “Address”', todo: true };
  setup({ start: {}, diagnostics: [todo] });
  const field = screen.getByLabelText(/Address/).closest('.field') as HTMLElement;
  expect(field.querySelector('[data-todo]')?.textContent).toBe('Fill in “Address”');
  expect(field.querySelector('.c-err, .bad')).toBeNull();
  await userEvent.click(within(field).getByLabelText(/Address/));
  await userEvent.tab();
  expect(field.querySelector('[data-todo]')).toBeNull();
  expect(field.querySelector('.c-err')?.textContent).toContain('“Fetch” needs “Address”');
});

it('Enter and Tab after the name of a row go to its value, a click elsewhere does not', async () => {
  const { last } = setup({ start: { url: 'x' } });
  const add = () => screen.getByRole('button', { name: 'Add: Headers' });
  await userEvent.click(add());
  await userEvent.keyboard('one{Enter}');
  expect(last()).toEqual({ url: 'x', headers: { one: '' } });
  await waitFor(() => expect(document.activeElement?.closest('.kvt-value')).toBeTruthy());
  expect(screen.getByLabelText('one').contains(document.activeElement)).toBe(true);
  await userEvent.click(add());
  await userEvent.keyboard('two{Tab}');
  await waitFor(() => expect(screen.getByLabelText('two').contains(document.activeElement)).toBe(true));
  await userEvent.click(add());
  await userEvent.keyboard('three');
  const other = screen.getByLabelText('Retries');
  await userEvent.click(other);
  expect(document.activeElement).toBe(other);
  expect(Object.keys((last() as { headers: object }).headers)).toEqual(['one', 'two', 'three']);
});

describe('lists of choices', () => {
  const list = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: 'object', properties: { list: { type: 'array', title: 'List', items, ...more } } });
  function Host({ schema, start, seen }: { schema: JsonSchema; start: unknown[]; seen: unknown[] }) {
    const [value, setValue] = useState<unknown>({ list: start });
    return <SchemaForm schema={schema} value={value} onChange={(next) => { seen.push(next); setValue(next); }} diagnostics={[]} label="Form" />;
  }
  const CHOICES: JsonSchema = { type: 'string', enum: ['a', 'b'] };

  it('show what they do not know, and what is not chosen yet', () => {
    renderWith(<Host schema={list(CHOICES)} start={['a', 'gone', '', 7]} seen={[]} />);
    const boxes = screen.getAllByRole('combobox', { name: /^List/ });
    expect(boxes.map((one) => one.textContent)).toEqual(['a', '"gone"', 'Choose…', '7']);
    expect(boxes.map((one) => one.classList.contains('bad'))).toEqual([false, true, false, true]);
  });

  it('that were empty take the focus with their first row, and one to fill in is not red', async () => {
    const at = { path: '/list/0', severity: 'error' as const, hint: 'Fill it in, or remove the row' };
    const found: Finding[] = [{ ...at, code: 'MISSING_CONFIG', message: 'A row of List is empty', todo: true }];
    function Empty() {
      const [value, setValue] = useState<unknown>({});
      return <SchemaForm schema={list({ type: 'string' })} value={value} onChange={setValue} diagnostics={found} label="Form" />;
    }
    renderWith(<Empty />);
    await userEvent.click(screen.getByRole('button', { name: /: List$/ }));
    await waitFor(() => expect(document.activeElement?.closest('.list-row')).not.toBeNull());
    expect(screen.getByText('Fill it in, or remove the row').closest('[data-todo]')).not.toBeNull();
    expect(document.querySelector('.list-row .bad')).toBeNull();
  });

  it('of different things end with the last one', async () => {
    const seen: unknown[] = [];
    renderWith(<Host schema={list(CHOICES, { uniqueItems: true })} start={['b']} seen={seen} />);
    await userEvent.click(screen.getByRole('button', { name: /: List$/ }));
    expect(seen).toEqual([{ list: ['b', 'a'] }]);
    expect(screen.queryByRole('button', { name: /: List$/ })).toBeNull();
  });

  it('that only offer names begin empty, and take any other', async () => {
    const seen: unknown[] = [];
    renderWith(<Host schema={list({ type: 'string', 'x-ui': { offered: [{ value: 'shop/echo', label: 'Echo' }] } })} start={['shop/read']} seen={seen} />);
    await userEvent.click(screen.getByRole('button', { name: /: List$/ }));
    expect(seen).toEqual([{ list: ['shop/read', ''] }]);
    await userEvent.type(screen.getByRole('combobox', { name: 'List 2' }), '-shop/buy');
    expect(seen.at(-1)).toEqual({ list: ['shop/read', '-shop/buy'] });
    expect([...document.querySelectorAll('option')].map((one) => [one.value, one.label])).toEqual([['shop/echo', 'Echo']]);
    await userEvent.click(screen.getByRole('button', { name: /: List$/ }));
    // What is typed next is for the new row, and no key of the canvas.
    expect(document.activeElement).toBe(screen.getByRole('combobox', { name: 'List 3' }));
    await userEvent.keyboard('learn_r');
    expect(seen.at(-1)).toEqual({ list: ['shop/read', '-shop/buy', 'learn_r'] });
    await userEvent.click(screen.getByRole('button', { name: 'Remove row 3' }));
    // What is offered stands there once, for all rows.
    const lists = screen.getAllByRole('combobox').map((one) => one.getAttribute('list'));
    expect(lists).toEqual([document.querySelector('datalist')?.id, document.querySelector('datalist')?.id]);
  });
});

it('where nothing can be written, what is empty says so', () => {
  const list: JsonSchema = { ...HTTP, properties: { ...HTTP.properties, when: { type: 'string', title: 'Condition', 'x-cel': true, 'x-ui': { placeholder: 'item.n > 0' } }, tags: { type: 'array', title: 'Tags', items: { type: 'string' } } } };
  renderWith(<SchemaForm schema={list} value={{ url: 'https://a.example' }} onChange={() => undefined} readOnly label="Settings" />);
  expect(screen.getAllByText('None')).toHaveLength(2);
  // An example would look like a value.
  expect(document.body.textContent).not.toContain('item.n > 0');
  expect(screen.queryByText('None yet')).toBeNull();
});

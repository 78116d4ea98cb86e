// Fields of a schema. Texts are data: they get into the page by textContent only.
'use strict';
const at = (id) => document.getElementById(id);
const make = (tag, text, more = {}) => Object.assign(document.createElement(tag), text === undefined ? more : { textContent: text, ...more });

// A form for a flat schema; anything else is edited as JSON.
function fields(schema, input) {
  const properties = Object.entries(schema?.properties ?? {});
  const simple = ({ type, enum: choices }) => Array.isArray(choices) || ['string', 'number', 'integer', 'boolean'].includes(type);
  if (!properties.length || !properties.every(([, one]) => simple(one)) || typeof input !== 'object' || Array.isArray(input)) return null;
  const read = [];
  const parts = properties.map(([name, one]) => {
    const label = make('label', one.title ?? name);
    const value = input?.[name] ?? one.default;
    let control;
    if (one.enum) {
      control = make('select');
      control.append(make('option', '', { value: '' }), ...one.enum.map((choice, index) => make('option', String(choice), { value: String(index), selected: choice === value })));
      read.push([name, () => (control.value === '' ? undefined : one.enum[Number(control.value)])]);
    } else if (one.type === 'boolean') {
      control = make('input', undefined, { type: 'checkbox', checked: value === true });
      read.push([name, () => control.checked]);
    } else if (one.type === 'string') {
      control = make((one.maxLength ?? 0) > 200 ? 'textarea' : 'input', undefined, { value: value ?? '' });
      read.push([name, () => (control.value === '' && !(name in (input ?? {})) ? undefined : control.value)]);
    } else {
      control = make('input', undefined, { inputMode: 'decimal', value: value ?? '' });
      // What is no number goes to the program as it is, which says so.
      read.push([name, () => (control.value.trim() === '' ? undefined : Number.isFinite(Number(control.value)) ? Number(control.value) : control.value)]);
    }
    if (schema.required?.includes(name)) control.required = true;
    if (one.description) label.append(make('small', one.description));
    label.append(control);
    return label;
  });
  const rest = Object.fromEntries(Object.entries(input ?? {}).filter(([name]) => !properties.some(([known]) => known === name)));
  return {
    parts,
    value: () => ({ ...rest, ...Object.fromEntries(read.map(([name, get]) => [name, get()]).filter(([, value]) => value !== undefined)) }),
  };
}

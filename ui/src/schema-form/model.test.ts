import type { JsonSchema } from '../api/types.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyEdit, choicesOf, diagnosticsAt, fromExpression, initialValue, isExpression, isNeeded, labelOf, matches, parseNumber, pointerOf, propertiesOf, storeText, toExpression,
  unescapeText, widgetOf,
} from './model.ts';

describe('widgets', () => {
  it.each([
    [{ type: 'string' }, 'text'], [{ type: 'integer' }, 'number'], [{ type: ['number', 'null'] }, 'number'], [{ type: 'boolean' }, 'switch'],
    [{ enum: ['a', 'b'] }, 'select'], [{ oneOf: [{ const: 1 }, { const: 2 }] }, 'select'], [{ oneOf: [{ type: 'string' }, { type: 'object' }] }, 'variants'],
    [{ type: 'object', properties: { a: {} } }, 'object'], [{ type: 'object', properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] }, 'object'],
    [{ type: 'object', additionalProperties: true }, 'keyvalue'], [{ type: 'array' }, 'list'],
    [{}, 'any'], [{ type: ['string', 'integer'] }, 'any'], [{ type: 'string', 'x-cel': true, 'x-ui': { widget: 'text' } }, 'cel'],
    [{ type: 'integer', 'x-ui': { widget: 'duration' } }, 'duration'], [{ type: 'string', 'x-ui': { widget: 'no such thing' } }, 'text'],
  ] as const)('%j is shown as %s', (schema, widget) => {
    expect(widgetOf(schema as never)).toBe(widget);
  });

  it('orders by the hint, then by the schema', () => {
    const schema = { properties: { b: { 'x-ui': { order: 2 } }, x: {}, a: { 'x-ui': { order: 1 } }, y: {} } };
    expect(propertiesOf(schema).map(([name]) => name)).toEqual(['a', 'b', 'x', 'y']);
  });

  it('shows a field while a field of its neighbour has a value', () => {
    const source: JsonSchema = { type: 'object', properties: { kind: { enum: ['http', 'workflow'], default: 'http' } } };
    const schema: JsonSchema = { type: 'object', properties: { source, url: { type: 'string', 'x-ui': { when: { 'source.kind': ['http'] } } } } };
    const names = (value: unknown) => propertiesOf(schema, value).map(([name]) => name);
    expect(names({})).toEqual(['source', 'url']);
    expect(names({ source: { kind: 'workflow' } })).toEqual(['source']);
    expect(names({ source: { kind: 'workflow' }, url: 'https://a.example' })).toEqual(['source', 'url']);
  });

  it('another name of a field is shown only where somebody used it', () => {
    const schema = { properties: { allowError: {}, continueOnError: { deprecated: true } } };
    const names = (value: unknown) => propertiesOf(schema, value).map(([name]) => name);
    expect(names({})).toEqual(['allowError']);
    expect(names(undefined)).toEqual(['allowError']);
    expect(names({ continueOnError: false })).toEqual(['allowError', 'continueOnError']);
  });

  it('names what has no title', () => {
    expect(labelOf('initialDelayMs', {})).toBe('Initial delay ms');
    expect(labelOf('x', { title: 'Given' })).toBe('Given');
  });

  it('keeps the type of a choice', () => {
    expect(choicesOf({ enum: [1, '1', true] })?.map((one) => one.value)).toEqual([1, '1', true]);
  });
});

describe('literal or expression', () => {
  it('tells them apart', () => {
    expect(isExpression('=item.id')).toBe(true);
    expect(isExpression('==text')).toBe(false);
    expect(isExpression('{{a}}')).toBe(false);
    expect(isExpression(3)).toBe(false);
  });

  it('begins an expression only in an empty field', () => {
    expect(storeText('=', '', '=')).toBe('=');
    expect(storeText('=item', '', '=item')).toBe('=item');
    expect(storeText('=item', 'item', '=')).toBe('==item');
    // All that was there, typed over.
    expect(storeText('=', 'Ada', '=')).toBe('=');
    // What a deletion left of a text is no sign that was typed.
    expect(storeText('=', 'a=', '')).toBe('==');
    expect(storeText('=', '=a', '')).toBe('==');
    expect(unescapeText('==item')).toBe('=item');
  });

  it('a template becomes a sum of texts', () => {
    expect(toExpression('https://x/{{item.id}}/b')).toBe("='https://x/' + string(item.id) + '/b'");
    expect(toExpression("it's")).toBe("='it\\'s'");
    expect(toExpression(12)).toBe('=12');
    expect(toExpression(undefined)).toBe('=');
  });

  it.each(['\\n', '\\\\r', 'a\nb', 'a\r\nb', "\\'"])('%j survives the way to an expression and back', (text) => {
    expect(fromExpression(toExpression(text))).toBe(text);
  });
  it('reads a tab, and leaves rarer escapes as an expression', () => {
    expect(fromExpression("='a\\tb'")).toBe('a\tb');
    expect(fromExpression("='\\u0041'")).toBeUndefined();
  });
  it('a literal survives the way to an expression and back', () => {
    const text = fc.oneof(fc.string(), fc.array(fc.constantFrom('\\', 'n', 'r', "'", '\n', '\r')).map((chars) => chars.join('')));
    fc.assert(
      fc.property(fc.oneof(text.filter((text) => !/\{\{|^=/.test(text) && text !== ''), fc.integer(), fc.boolean()), (value) => {
        expect(fromExpression(toExpression(value))).toEqual(value);
      }),
    );
  });
});

describe('numbers', () => {
  it.each([['1', 1], ['-2.5', -2.5], ['1e3', 1000], ['', undefined], [' 7 ', 7]])('%s', (text, value) => {
    expect(parseNumber(text, false)).toEqual({ ok: true, value });
  });
  it.each(['1,5', 'abc', '1.2.3', '0x10', '--1', 'Infinity', '1e999', '9007199254740993', '+9007199254740993'])('%s is none', (text) => {
    expect(parseNumber(text, false)).toEqual({ ok: false });
  });
  it('whole ones only where asked', () => {
    expect(parseNumber('1.5', true).ok).toBe(false);
  });
});

describe('edits', () => {
  it('keeps the order of siblings and shares what did not change', () => {
    const before = { a: { x: 1 }, b: { y: [1, 2, 3] }, c: 3 };
    const after = applyEdit(before, ['b', 'y', 1], 9) as typeof before;
    expect(JSON.stringify(after)).toBe('{"a":{"x":1},"b":{"y":[1,9,3]},"c":3}');
    expect(after.a).toBe(before.a);
    expect(before.b.y[1]).toBe(2);
  });
  it('takes away', () => {
    expect(applyEdit({ a: 1, b: 2 }, ['a'], undefined)).toEqual({ b: 2 });
    expect(applyEdit({ a: [1, 2] }, ['a', 0], undefined)).toEqual({ a: [2] });
  });
  it('makes what is missing', () => {
    expect(applyEdit(undefined, ['a', 'b'], 1)).toEqual({ a: { b: 1 } });
  });
  it('a name like __proto__ stays data', () => {
    const made = applyEdit({}, ['__proto__', 'polluted'], true);
    expect(Object.hasOwn(made as object, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('findings', () => {
  const one = (path: string) => ({ code: 'BAD_CONFIG' as const, severity: 'error' as const, path, message: path, hint: '' });
  it('stand at their pointer, names escaped', () => {
    const pointer = pointerOf('/nodes/a/config', ['headers', 'a/b~c']);
    expect(pointer).toBe('/nodes/a/config/headers/a~1b~0c');
    expect(diagnosticsAt([one(pointer), one(`${pointer}/0`), one('/nodes/a/config/headersX')], pointer, false)).toHaveLength(1);
    expect(diagnosticsAt([one(pointer), one(`${pointer}/0`)], pointer, true)).toHaveLength(2);
  });
});

it('a new row begins with what its schema requires', () => {
  expect(initialValue({ type: 'object', required: ['when', 'n'], properties: { when: { type: 'string' }, n: { type: 'integer', minimum: 3 }, opt: {} } })).toEqual({ when: '', n: 3 });
});

it('finds the variant of a value', () => {
  expect(matches({ type: 'object', required: ['ms'] }, { ms: 1 })).toBe(true);
  expect(matches({ type: 'object', required: ['ms'] }, { until: 'x' })).toBe(false);
  expect(matches({ type: 'number' }, 3)).toBe(true);
  expect(matches({ type: 'integer' }, 3.5)).toBe(false);
});

it('a setting is needed with what its neighbours say, and one of two is not marked', () => {
  const schema: JsonSchema = {
    type: 'object', required: ['text'],
    properties: {
      text: { type: 'string' }, to: { type: 'string', enum: ['file', 'bytes'], default: 'file' }, system: { type: 'string' },
      path: { type: 'string', 'x-needed': true, 'x-ui': { when: { to: ['file'] } } },
      bucket: { type: 'string', 'x-needed': { when: { system: ['gcs'] } } },
      content: { type: 'string', 'x-needed': { or: ['binary'] } }, binary: { type: 'string' },
    },
  };
  const marked = (object: Record<string, unknown>) => Object.keys(schema.properties ?? {}).filter((name) => isNeeded(name, schema, object));
  expect(marked({})).toEqual(['text', 'path']);
  expect(marked({ to: 'bytes', system: 'gcs' })).toEqual(['text', 'bucket']);
  expect(marked({ to: '=item.to' })).toEqual(['text']);
});

import { describe, expect, it } from 'vitest';
import { withDefaults } from './schema.ts';

describe('the defaults of a form (D2.4)', () => {
  const schema = { type: 'object', properties: { kind: { type: 'string', default: 'bank' }, active: { type: 'boolean', default: true }, limit: { type: 'number' }, place: { type: 'object', properties: { city: { type: 'string', default: 'Bonn' } } } } } as const;
  it('stand in the value from the start, nested ones where their object is', () => {
    expect(withDefaults(schema, { name: 'Acme' })).toEqual({ name: 'Acme', kind: 'bank', active: true });
    expect(withDefaults(schema, { place: {} })).toEqual({ kind: 'bank', active: true, place: { city: 'Bonn' } });
  });
  it('take the place of nothing that is there, and a value that needs none stays the same', () => {
    const full = { kind: null, active: false, place: { city: '' } };
    expect(withDefaults(schema, full)).toBe(full);
    expect(withDefaults(undefined, full)).toBe(full);
    expect(withDefaults(schema, 'a text')).toBe('a text');
  });
});

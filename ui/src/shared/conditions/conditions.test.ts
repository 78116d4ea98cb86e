// @vitest-environment node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATORS, valuesOf, numberLiteral, textLiteral, type Condition, type Group, type Operand, type Operator, type Row } from './model.ts';
import { parseConditions } from './parse.ts';
import { guardsOf, printConditions } from './print.ts';

interface Cases {
  rows: { about: string; rows: Condition; cel: string }[];
  rewritten: { from: string; to: string }[];
}
const FILE = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../tests/expressions/conditions.json'), 'utf8')) as Cases;
const groupOf = (condition: Condition): Group => (condition.kind === 'group' ? condition : { kind: 'group', join: 'all', rows: [condition] });

const rowsIn = (text: string): Group => {
  const read = parseConditions(text);
  if (!read.ok) throw new Error(`${text}: ${read.why}`);
  return read.rows;
};

describe('the table that the engine evaluates, too', () => {
  for (const { about, rows, cel } of FILE.rows) {
    it(about, () => {
      expect(printConditions(groupOf(rows))).toBe(cel);
      expect(rowsIn(cel)).toEqual(groupOf(rows));
    });
  }
  it('prints what was written by hand as an expression that means the same', () => {
    for (const { from, to } of FILE.rewritten) expect(printConditions(rowsIn(from))).toBe(to);
  });
});

describe('what cannot be said in rows', () => {
  it.each([
    ['item.total >', 'syntax'], ["item.name == 'a", 'syntax'], ['item.total > 1 // large', 'comment'], ['items.size() % 2 == 0', 'nothing'], ['a.b ? c : d', 'nothing'],
    ['a && (b || (c && (d || (e && (f || g)))))', 'deep'], ['item.n > 1u', 'syntax'], ["item.x == r'\\d'", 'syntax'],
  ])('%s: %s', (text, why) => expect(parseConditions(text)).toEqual({ ok: false, why }));

  it('keeps a part that is no comparison as text among the rows', () => {
    expect(rowsIn('item.total > 100 && item.tags.exists(t, t == \'a\')').rows).toMatchObject([{ op: 'gt' }, { kind: 'free', cel: "item.tags.exists(t, t == 'a')" }]);
    expect(printConditions(rowsIn('item.a == 1 || (item.b ? item.c : item.d)'))).toBe('item.a == 1 || (item.b ? item.c : item.d)');
  });
});

// ── any rows at all ─────────────────────────────────────────────────────────

const name = fc.constantFrom('total', 'name', 'first name', 'a-b', 'in', 'x1', "it's");
const path = fc.tuple(fc.constantFrom('item', 'context', 'params', 'tool'), fc.array(fc.oneof(name, fc.nat(9)), { maxLength: 3 })).map(([root, rest]): Row['path'] => [root, ...rest]);
const number = fc.integer({ min: -1000, max: 1000 }).map((n) => numberLiteral(String(n)));
const text = fc.string({ minLength: 1, maxLength: 8 }).map(textLiteral);

function valuesFor(op: Operator, as: Row['as']): fc.Arbitrary<readonly Operand[]> {
  const count = valuesOf(op);
  if (count === 0) return fc.constant([]);
  const one: fc.Arbitrary<Operand> = ['moreThan', 'fewerThan'].includes(op) ? fc.integer({ min: 1, max: 9 }).map((n) => numberLiteral(String(n)))
    : as === 'number' ? number : ['before', 'after', 'within', 'olderThan', 'listHas', 'listHasNot'].includes(op) ? text
      : fc.oneof(number, text, path.map((field): Operand => ({ kind: 'field', path: field })));
  return count === undefined ? fc.array(one, { minLength: 1, maxLength: 4 }) : fc.array(one, { minLength: count, maxLength: count });
}

const row: fc.Arbitrary<Row> = fc.constantFrom(...OPERATORS).chain((op) => {
  const converts = ['lt', 'le', 'gt', 'ge', 'between', 'oneOf', 'notOneOf'].includes(op) ? (['number'] as const) : ['before', 'after', 'within', 'olderThan'].includes(op) ? (['date'] as const) : [];
  return fc.constantFrom<Row['as']>(undefined, ...converts).chain((as) => fc.record({ path, values: valuesFor(op, as), missing: fc.constantFrom(...(['no', 'yes', 'error'] as const)) })
    .map(({ path: field, values, missing }): Row => ({ kind: 'row', path: field, op, values, missing, ...(as === undefined ? {} : { as }) }))
    // `has` takes a field behind a dot.
    .filter((made) => !['present', 'absent'].includes(op) || /^[A-Za-z_]\w*$/.test(String(made.path.at(-1))) && made.path.length > 1));
});
const group = (inner: fc.Arbitrary<Condition>): fc.Arbitrary<Group> => fc.record({ kind: fc.constant('group' as const), join: fc.constantFrom('all' as const, 'any' as const), rows: fc.array(inner, { minLength: 1, maxLength: 4 }) });

it('reads back what it prints: the rows of an expression print as the same expression', () => {
  fc.assert(fc.property(group(fc.oneof({ weight: 4, arbitrary: row }, { weight: 1, arbitrary: group(row) })), (made) => {
    const printed = printConditions(made);
    const read = parseConditions(printed);
    expect(read, printed).toMatchObject({ ok: true });
    expect(printConditions((read as { rows: Group }).rows)).toBe(printed);
  }), { numRuns: 500 });
});

it('reads a single row back as that row', () => {
  fc.assert(fc.property(row, (made) => {
    // Nothing stands before the comparison: then it is the same as a row that may fail.
    const plain = guardsOf(made).length === 0 ? { ...made, missing: 'error' as const } : made;
    const read = rowsIn(printConditions(groupOf(made))).rows;
    fc.pre(!(made.op === 'between' && plain.missing === 'error'));
    fc.pre(!made.values.some((value) => value.kind === 'literal' && value.literal.type === 'text' && value.literal.value === ''));
    expect(read).toEqual([plain]);
  }), { numRuns: 500 });
});

// A condition as rows: field, operator, value, in groups.

import type { Literal } from './cel-syntax.ts';

export type { Literal };

/** `item.customer['first name']` is `['item', 'customer', 'first name']`; a number is a place in a list. */
export type FieldPath = readonly [string, ...(string | number)[]];

export type Operand = { kind: 'literal'; literal: Literal } | { kind: 'field'; path: FieldPath };

export const OPERATORS = [
  'eq', 'ne', 'lt', 'le', 'gt', 'ge', 'between', 'oneOf', 'notOneOf', 'contains', 'notContains', 'startsWith', 'endsWith', 'matches', 'empty', 'notEmpty',
  'listEmpty', 'listNotEmpty', 'listHas', 'listHasNot', 'moreThan', 'fewerThan', 'isTrue', 'isFalse', 'before', 'after', 'within', 'olderThan', 'exists', 'notExists',
  // As people write them by hand; read and kept, not offered.
  'holds', 'holdsNot', 'present', 'absent',
] as const;
export type Operator = (typeof OPERATORS)[number];

/** What a row comes to where its field is missing or null: not met, met, or an error of the step. */
export type Missing = 'no' | 'yes' | 'error';

export interface Row {
  kind: 'row';
  path: FieldPath;
  op: Operator;
  /** None, one, two for `between`, any number for `oneOf`. */
  values: readonly Operand[];
  missing: Missing;
  /** `number`: a text that is compared as a number. `date`: a text such as 2026-01-31, taken as a time. */
  as?: 'number' | 'date' | undefined;
}

/** Any other expression as a row among the others. */
export interface Free { kind: 'free'; cel: string }
export interface Group { kind: 'group'; join: 'all' | 'any' | 'none'; rows: readonly Condition[] }
export type Condition = Row | Free | Group;

const NO_VALUE: ReadonlySet<Operator> = new Set(['empty', 'notEmpty', 'listEmpty', 'listNotEmpty', 'isTrue', 'isFalse', 'exists', 'notExists', 'holds', 'holdsNot', 'present', 'absent']);
/** How many values an operator takes; undefined = any number. */
export const valuesOf = (op: Operator): number | undefined => (NO_VALUE.has(op) ? 0 : op === 'between' ? 2 : op === 'oneOf' || op === 'notOneOf' ? undefined : 1);

/** A negative row is met by an item that has no such field. */
const NEGATIVE: ReadonlySet<Operator> = new Set(['ne', 'notOneOf', 'notContains', 'empty', 'listEmpty', 'listHasNot', 'notExists']);
export const usualMissing = (op: Operator): Missing => (NEGATIVE.has(op) ? 'yes' : 'no');

/** Operators whose verdict on a missing field is their meaning. */
const OF_ABSENCE: ReadonlySet<Operator> = new Set(['exists', 'notExists', 'present', 'absent', 'holds', 'holdsNot']);
export const choosesMissing = (row: Row): boolean => !OF_ABSENCE.has(row.op) && (row.path.length > 1 || row.path[0] === 'error');

export const textLiteral = (value: string): Operand => ({ kind: 'literal', literal: { type: 'text', value } });
export const numberLiteral = (digits: string): Operand => ({ kind: 'literal', literal: { type: 'number', digits } });

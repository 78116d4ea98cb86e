// What a row offers: the fields that are known, the comparisons that make sense for one, the values that were seen.

import type { ExpressionName } from '../../api/types.ts';
import { ROOTS } from '../../code/cel-language.ts';
import { choosesMissing, usualMissing, valuesOf, numberLiteral, textLiteral, type Condition, type FieldPath, type Group, type Operand, type Operator, type Row } from './model.ts';
import { parsePath } from './parse.ts';
import { printPath } from './print.ts';

/** `numeric`: a text that looks like a number, as the cells of a CSV file do. */
export type FieldType = 'text' | 'numeric' | 'number' | 'bool' | 'time' | 'date' | 'list' | 'object' | 'any';

export interface KnownField { text: string; path: FieldPath; type: FieldType; sample: string | undefined }

const ROOT_NAMES: ReadonlySet<string> = new Set(ROOTS);

/** A field of the item without `item.` before it, unless that would be another name. */
export function shownPath(path: FieldPath): string {
  const [root, first] = path;
  const whole = printPath(path);
  return root === 'item' && typeof first === 'string' && whole.startsWith('item.') && !ROOT_NAMES.has(first) ? whole.slice('item.'.length) : whole === '' ? '' : whole;
}

/** What somebody writes as a field: of the item, unless it is one of the known names. Null when it names nothing. */
export function readPath(text: string, known: readonly KnownField[]): FieldPath | null {
  const trimmed = text.trim();
  const same = known.find((field) => field.text === trimmed);
  if (same) return same.path;
  const path = parsePath(trimmed);
  if (path) return ROOT_NAMES.has(path[0]) || known.some((field) => field.path[0] === path[0] && path[0] !== 'item') ? path : ['item', ...path];
  // The head of a column as it is: "Order date", "total (EUR)".
  return trimmed !== '' && /^[^'"`\\[\]{}=<>!&|]+$/.test(trimmed) && !/^\d/.test(trimmed) ? ['item', trimmed] : null;
}

const TYPES: { readonly [type: string]: FieldType } = {
  string: 'text', integer: 'number', int: 'number', number: 'number', double: 'number', boolean: 'bool', bool: 'bool', array: 'list', list: 'list', object: 'object', map: 'object',
};

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

export function typeOf(declared: string, sample: unknown): FieldType {
  const type = TYPES[declared] ?? 'any';
  if (type !== 'text' || typeof sample !== 'string') return type;
  return TIME.test(sample) ? 'time' : DATE.test(sample) ? 'date' : NUMBER.test(sample) ? 'numeric' : 'text';
}

/** The fields that can be compared, those of the item first. */
export function fieldsOf(names: readonly ExpressionName[]): KnownField[] {
  const found: KnownField[] = [];
  for (const name of names) {
    const path = name.type === 'function' ? null : parsePath(name.label);
    if (!path || (path.length === 1 && name.type === 'object')) continue;
    found.push({ text: shownPath(path), path, type: typeOf(name.type, name.sample), sample: typeof name.sample === 'string' ? name.sample : undefined });
  }
  return found.toSorted((a, b) => Number(b.path[0] === 'item') - Number(a.path[0] === 'item'));
}

export const sameName = (a: FieldPath, b: FieldPath): boolean => a.length === b.length && a.every((part, i) => part === b[i]);

const TEXT: readonly Operator[] = ['eq', 'ne', 'contains', 'notContains', 'startsWith', 'endsWith', 'matches', 'oneOf', 'notOneOf', 'empty', 'notEmpty'];
const NUMBERS: readonly Operator[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'between', 'oneOf', 'notOneOf'];
const THERE: readonly Operator[] = ['exists', 'notExists'];
const OFFERED: { readonly [type in FieldType]: readonly Operator[] } = {
  text: [...TEXT, ...THERE],
  numeric: [...NUMBERS, 'empty', 'notEmpty', ...THERE],
  number: [...NUMBERS, ...THERE],
  bool: ['isTrue', 'isFalse', ...THERE],
  time: ['before', 'after', 'within', 'olderThan', 'empty', 'notEmpty', ...THERE],
  date: ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'within', 'olderThan', 'empty', 'notEmpty', ...THERE],
  list: ['listHas', 'listHasNot', 'listEmpty', 'listNotEmpty', 'moreThan', 'fewerThan', ...THERE],
  object: THERE,
  any: ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'between', 'contains', 'notContains', 'oneOf', 'empty', 'notEmpty', 'isTrue', 'isFalse', 'listHas', 'moreThan', ...THERE],
};

/** The comparisons of a type, with the one that stands there. */
export const operatorsFor = (type: FieldType, now: Operator): readonly Operator[] => (OFFERED[type].includes(now) ? OFFERED[type] : [now, ...OFFERED[type]]);

/** How a row takes its field. */
const takenAs = (type: FieldType, op: Operator): Row['as'] =>
  (type === 'numeric' && NUMBERS.includes(op) ? 'number' : type === 'date' && (op === 'within' || op === 'olderThan') ? 'date' : undefined);

export const BLANK: Row = { kind: 'row', path: [''], op: 'eq', values: [textLiteral('')], missing: 'no' };
export const isBlank = (row: Row): boolean => row.path[0] === '';

/** What kind of box a value has. */
export type ValueKind = 'text' | 'number' | 'time' | 'date' | 'span' | 'guess';

export function valueKind(type: FieldType, row: Row): ValueKind {
  switch (row.op) {
    case 'within': case 'olderThan': return 'span';
    case 'before': case 'after': return 'time';
    case 'moreThan': case 'fewerThan': return 'number';
    case 'contains': case 'notContains': case 'startsWith': case 'endsWith': case 'matches': return 'text';
    case 'listHas': case 'listHasNot': return 'guess';
    default:
      if (row.as === 'number' || type === 'number') return 'number';
      return type === 'date' ? 'date' : type === 'text' || type === 'numeric' ? 'text' : 'guess';
  }
}

/** A value as somebody writes it. What looks like a number is one where nothing says otherwise. */
export function operandFrom(text: string, kind: ValueKind): Operand {
  if (kind === 'number') return numberLiteral(text.trim());
  if (kind !== 'guess') return textLiteral(text);
  const trimmed = text.trim();
  if (NUMBER.test(trimmed)) return numberLiteral(trimmed);
  return trimmed === 'true' || trimmed === 'false' ? { kind: 'literal', literal: { type: 'bool', value: trimmed === 'true' } } : textLiteral(text);
}

export function operandText(operand: Operand | undefined): string {
  if (!operand) return '';
  if (operand.kind === 'field') return operand.path[0] === '' ? '' : shownPath(operand.path);
  const { literal } = operand;
  return literal.type === 'text' ? literal.value : literal.type === 'number' ? literal.digits : literal.type === 'bool' ? String(literal.value) : 'null';
}

const DIGITS = /^-?(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
export const isNumber = (operand: Operand): boolean => operand.kind !== 'literal' || operand.literal.type !== 'number' || DIGITS.test(operand.literal.digits);

/** A row with another field or comparison: what fits of its values stays. */
export function changedRow(row: Row, part: { path?: FieldPath; op?: Operator }, typeFor: (path: FieldPath) => FieldType): Row {
  const path = part.path ?? row.path;
  const type = typeFor(path);
  const offered = OFFERED[type];
  // Another field keeps its comparison where that makes sense for it.
  const op = part.op ?? (isBlank(row) || !(offered.includes(row.op) || type === 'any') ? (offered[0] ?? 'exists') : row.op);
  const as = takenAs(type, op);
  const missing = op === row.op && !isBlank(row) ? row.missing : usualMissing(op);
  const next: Row = { kind: 'row', path, op, values: row.values, missing, ...(as === undefined ? {} : { as }) };
  const count = valuesOf(op);
  const kind = valueKind(type, next);
  const kept = row.values.map((value) => (value.kind === 'field' ? (op === 'between' || count === undefined ? textLiteral('') : value) : operandFrom(operandText(value), kind)))
    // A length of time is no date, and a date no length of time.
    .filter((value) => (kind === 'span') === /^\d+(?:h|m|s)$/.test(operandText(value)) || operandText(value) === '');
  const values = count === undefined ? kept.filter((value) => operandText(value) !== '') : Array.from({ length: count }, (_, i) => kept[i] ?? operandFrom(kind === 'span' ? '24h' : '', kind));
  return { ...next, values: values.map((value) => (kind === 'span' && operandText(value) === '' ? textLiteral('24h') : value)), missing: choosesMissing(next) ? next.missing : usualMissing(op) };
}

/** Whether a row says something: it is part of the expression from then on. */
export function isComplete(row: Row): boolean {
  if (isBlank(row)) return false;
  const count = valuesOf(row.op);
  if (count === undefined && row.values.length === 0) return false;
  return row.values.every((value) => operandText(value) !== '' && isNumber(value));
}

/** The rows that say something. */
export function completeOf(group: Group): Group {
  const rows = group.rows.flatMap((row): Condition[] => {
    if (row.kind === 'row') return isComplete(row) ? [row] : [];
    if (row.kind === 'free') return row.cel.trim() === '' ? [] : [row];
    const inner = completeOf(row);
    return inner.rows.length === 0 ? [] : [inner];
  });
  return { ...group, rows };
}

/** Up to 20 different values, as they are chosen from. */
export function seenTexts(values: readonly unknown[]): string[] {
  const texts = values.filter((value) => ['string', 'number', 'boolean', 'bigint'].includes(typeof value)).map(String).filter((text) => text !== '' && text.length <= 120);
  return [...new Set(texts)].slice(0, 20);
}

/** The values at a path in the data of items. */
export function valuesAt(path: readonly (string | number)[], items: readonly unknown[]): unknown[] {
  const [root, ...rest] = path;
  if (root !== 'item') return [];
  // Two lists come one behind the other: both ends are looked at.
  return (items.length <= 200 ? items : [...items.slice(0, 100), ...items.slice(-100)]).flatMap((item) => {
    let at: unknown = item;
    for (const part of rest) {
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return [];
      at = (at as Record<string | number, unknown>)[part];
    }
    // Entries of a list are what it is asked for.
    return Array.isArray(at) ? (at as unknown[]) : [at];
  });
}

// Rows as CEL. A row never raises an error because its field is missing or null, unless it says so.

import { celString, pathExpression } from '../../code/field-drag.ts';
import type { Condition, FieldPath, Group, Literal, Operand, Operator, Row } from './model.ts';

export const printPath = ([root, ...rest]: FieldPath): string => pathExpression(root, rest);

export function printLiteral(literal: Literal): string {
  switch (literal.type) {
    case 'text': return celString(literal.value);
    case 'number': return literal.digits;
    case 'bool': return String(literal.value);
    case 'null': return 'null';
  }
}

const printOperand = (operand: Operand | undefined): string => (operand === undefined ? "''" : operand.kind === 'field' ? printPath(operand.path) : printLiteral(operand.literal));

const SIGN: Partial<Record<Operator, string>> = { eq: '==', ne: '!=', lt: '<', le: '<=', gt: '>', ge: '>=' };
const METHOD: Partial<Record<Operator, string>> = { contains: 'contains', startsWith: 'startsWith', endsWith: 'endsWith', matches: 'matches' };
const RUN_START = 'timestamp(run.startedAt)';

/** The comparison itself, in parts that all have to hold. */
export function coreOf(row: Row): string[] {
  const path = printPath(row.path);
  const subject = row.as === 'number' ? `double(${path})` : row.as === 'date' ? `timestamp(${path} + 'T00:00:00Z')` : path;
  const time = row.as === 'date' ? subject : `timestamp(${path})`;
  const [first, second] = row.values;
  const list = `[${row.values.map(printOperand).join(', ')}]`;
  const sign = SIGN[row.op];
  if (sign) return [`${subject} ${sign} ${printOperand(first)}`];
  const method = METHOD[row.op];
  if (method) return [`${path}.${method}(${printOperand(first)})`];
  switch (row.op) {
    case 'between': return [`${subject} >= ${printOperand(first)}`, `${subject} <= ${printOperand(second)}`];
    case 'oneOf': return [`${subject} in ${list}`];
    case 'notOneOf': return [`!(${subject} in ${list})`];
    case 'notContains': return [`!${path}.contains(${printOperand(first)})`];
    case 'empty': return [`${path} == ''`];
    case 'notEmpty': return [`${path} != ''`];
    case 'listEmpty': return [`size(${path}) == 0`];
    case 'listNotEmpty': return [`size(${path}) > 0`];
    case 'listHas': return [`${printOperand(first)} in ${path}`];
    case 'listHasNot': return [`!(${printOperand(first)} in ${path})`];
    case 'moreThan': return [`size(${path}) > ${printOperand(first)}`];
    case 'fewerThan': return [`size(${path}) < ${printOperand(first)}`];
    case 'isTrue': return [`${path} == true`];
    case 'isFalse': return [`${path} == false`];
    case 'before': return [`${time} < timestamp(${printOperand(first)})`];
    case 'after': return [`${time} > timestamp(${printOperand(first)})`];
    case 'within': return [`${time} >= ${RUN_START} - duration(${printOperand(first)})`];
    case 'olderThan': return [`${time} < ${RUN_START} - duration(${printOperand(first)})`];
    case 'exists': return [`${path} != null`];
    case 'notExists': return [`${path} == null`];
    case 'holds': return [path];
    case 'holdsNot': return [`!${path}`];
    case 'present': return [`has(${path})`];
    default: return [`!has(${path})`];
  }
}

/** Something that has to hold before a comparison can be made, and how its opposite is written. */
interface Guard { holds: string; not: string }

/** That every part of a path is there. */
function pathGuards(path: FieldPath): Guard[] {
  const guards: Guard[] = [];
  for (let length = 2; length <= path.length; length += 1) {
    const part = path[length - 1] as string | number;
    const [root, ...rest] = path;
    const owner = pathExpression(root, rest.slice(0, length - 2));
    const own = pathExpression(root, rest.slice(0, length - 1));
    // `has` of null is false by itself; `in` and `size` refuse it.
    const ownerThere: Guard[] = length > 2 ? [{ holds: `${owner} != null`, not: `${owner} == null` }] : [];
    if (typeof part === 'number') guards.push(...ownerThere, { holds: `size(${owner}) > ${String(part)}`, not: `size(${owner}) <= ${String(part)}` });
    else if (own.endsWith(']')) guards.push(...ownerThere, { holds: `${celString(part)} in ${owner}`, not: `!(${celString(part)} in ${owner})` });
    else guards.push({ holds: `has(${own})`, not: `!has(${own})` });
  }
  return guards;
}

/** What a comparison with null gives; absent where it would be an error. */
const OF_NULL: Partial<Record<Operator, boolean>> = { eq: false, ne: true, oneOf: false, notOneOf: true, empty: false, notEmpty: true, isTrue: false, isFalse: false, exists: false, notExists: true };

export function guardsOf(row: Row): Guard[] {
  if (row.missing === 'error') return [];
  const fields = [row.path, ...row.values.flatMap((value) => (value.kind === 'field' ? [value.path] : []))];
  const verdict = row.as === undefined && fields.length === 1 ? OF_NULL[row.op] : undefined;
  const converts = row.as !== undefined || ['before', 'after', 'within', 'olderThan'].includes(row.op);
  const guards = fields.flatMap((path, at) => {
    const text = printPath(path);
    const list = pathGuards(path);
    if (verdict !== (row.missing === 'yes')) list.push({ holds: `${text} != null`, not: `${text} == null` });
    // An empty cell of a table has no value either, and is neither a number nor a time.
    if (converts && at === 0) list.push({ holds: `${text} != ''`, not: `${text} == ''` });
    return list;
  });
  const seen = new Set<string>();
  return guards.filter(({ holds }) => !seen.has(holds) && Boolean(seen.add(holds)));
}

interface Printed { text: string; joins?: '&&' | '||' | undefined }

function printRow(row: Row): Printed {
  const core = coreOf(row);
  const guards = guardsOf(row);
  if (row.missing === 'yes' && guards.length > 0) {
    const last = core.length > 1 ? `(${core.join(' && ')})` : core[0];
    return { text: [...guards.map(({ not }) => not), last].join(' || '), joins: '||' };
  }
  const parts = [...guards.map(({ holds }) => holds), ...core];
  return { text: parts.join(' && '), joins: parts.length > 1 ? '&&' : undefined };
}

function printOne(condition: Condition): Printed | null {
  if (condition.kind === 'row') return printRow(condition);
  if (condition.kind === 'free') return condition.cel.trim() === '' ? null : { text: condition.cel };
  const joins = condition.join === 'all' ? '&&' : '||';
  const parts = condition.rows.map(printOne).filter((part) => part !== null);
  const only = parts[0];
  if (!only) return null;
  if (condition.join === 'none') return { text: `!(${parts.map((part) => within(part, '||')).join(' || ')})` };
  if (parts.length === 1) return only;
  return { text: parts.map((part) => within(part, joins)).join(` ${joins} `), joins };
}

const within = ({ text, joins }: Printed, around: '&&' | '||'): string => (joins === undefined || joins === around ? text : `(${text})`);

export const printConditions = (group: Group): string => printOne(group)?.text ?? '';

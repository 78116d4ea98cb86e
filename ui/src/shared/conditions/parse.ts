// CEL as rows, where it can be said in rows. Nothing is guessed: the rows print as an expression that means the same.

import { normalForm, parseCel, type Ast, type Literal } from './cel-syntax.ts';
import type { Condition, FieldPath, Free, Group, Operand, Operator, Row } from './model.ts';
import { guardsOf } from './print.ts';

export type Parsed = { ok: true; rows: Group } | { ok: false; why: 'syntax' | 'comment' | 'nothing' | 'deep' };

/** More groups within one another do not fit into a panel. */
const DEEPEST = 3;

function pathOf(tree: Ast): FieldPath | null {
  if (tree.kind === 'name') return [tree.name];
  if (tree.kind === 'field') {
    const of = pathOf(tree.of);
    return of && [...of, tree.name];
  }
  if (tree.kind !== 'index' || tree.key.kind !== 'literal') return null;
  const of = pathOf(tree.of);
  const { literal } = tree.key;
  if (!of) return null;
  if (literal.type === 'text') return [...of, literal.value];
  return literal.type === 'number' && /^\d{1,9}$/.test(literal.digits) ? [...of, Number(literal.digits)] : null;
}

function operandOf(tree: Ast): Operand | null {
  if (tree.kind === 'literal') return { kind: 'literal', literal: tree.literal };
  const path = pathOf(tree);
  return path && { kind: 'field', path };
}

const isText = (literal: Literal): boolean => literal.type === 'text';
const isCall = (tree: Ast, name: string): Ast | null => (tree.kind === 'call' && tree.of === undefined && tree.name === name && tree.args.length === 1 ? tree.args[0] ?? null : null);

const row = (path: FieldPath, op: Operator, values: readonly Operand[] = [], as?: Row['as']): Row => ({ kind: 'row', path, op, values, missing: 'error', ...(as === undefined ? {} : { as }) });

/** `timestamp(PATH)`, or of a date alone. */
function timeOf(tree: Ast): { path: FieldPath; as?: 'date' } | null {
  const inner = isCall(tree, 'timestamp');
  if (!inner) return null;
  const path = pathOf(inner);
  if (path) return { path };
  if (inner.kind !== 'binary' || inner.sign !== '+' || inner.right.kind !== 'literal' || inner.right.literal.type !== 'text' || inner.right.literal.value !== 'T00:00:00Z') return null;
  const date = pathOf(inner.left);
  return date && { path: date, as: 'date' };
}

const SIGNS: { readonly [sign: string]: Operator } = { '==': 'eq', '!=': 'ne', '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge' };
const METHODS: ReadonlySet<string> = new Set(['contains', 'startsWith', 'endsWith', 'matches']);

function compared(tree: Ast & { kind: 'binary' }): Row | null {
  const { sign, left, right } = tree;
  if (sign === 'in') {
    const path = pathOf(left);
    const number = isCall(left, 'double');
    const subject = path ?? (number && pathOf(number));
    if (subject && right.kind === 'list') {
      const values = right.entries.map(operandOf);
      return values.includes(null) || values.length === 0 ? null : row(subject, 'oneOf', values as Operand[], path ? undefined : 'number');
    }
    const list = pathOf(right);
    const value = operandOf(left);
    return list && value?.kind === 'literal' ? row(list, 'listHas', [value]) : null;
  }
  const op = SIGNS[sign];
  if (!op) return null;
  const counted = isCall(left, 'size');
  if (counted) {
    const path = pathOf(counted);
    if (!path || right.kind !== 'literal' || right.literal.type !== 'number') return null;
    if (sign === '==' && right.literal.digits === '0') return row(path, 'listEmpty');
    if (sign === '>' && right.literal.digits === '0') return row(path, 'listNotEmpty');
    return sign === '>' || sign === '<' ? row(path, sign === '>' ? 'moreThan' : 'fewerThan', [{ kind: 'literal', literal: right.literal }]) : null;
  }
  const time = timeOf(left);
  if (time) {
    const at = isCall(right, 'timestamp');
    if (at && (sign === '<' || sign === '>') && at.kind === 'literal' && isText(at.literal)) return row(time.path, sign === '<' ? 'before' : 'after', [{ kind: 'literal', literal: at.literal }], time.as);
    if (right.kind !== 'binary' || right.sign !== '-' || (sign !== '>=' && sign !== '<')) return null;
    const start = isCall(right.left, 'timestamp');
    const span = isCall(right.right, 'duration');
    const from = start && pathOf(start);
    if (from?.join('.') !== 'run.startedAt' || span?.kind !== 'literal' || !isText(span.literal)) return null;
    return row(time.path, sign === '<' ? 'olderThan' : 'within', [{ kind: 'literal', literal: span.literal }], time.as);
  }
  const value = operandOf(right);
  const number = isCall(left, 'double');
  const converted = number && pathOf(number);
  if (converted && value?.kind === 'literal' && value.literal.type === 'number') return row(converted, op, [value], 'number');
  const path = pathOf(left);
  if (!path || !value) return null;
  if (value.kind === 'literal' && (sign === '==' || sign === '!=')) {
    const { literal } = value;
    if (literal.type === 'null') return row(path, sign === '==' ? 'notExists' : 'exists');
    if (literal.type === 'text' && literal.value === '') return row(path, sign === '==' ? 'empty' : 'notEmpty');
    if (literal.type === 'bool' && sign === '==') return row(path, literal.value ? 'isTrue' : 'isFalse');
  }
  return row(path, op, [value]);
}

const OPPOSITE: Partial<Record<Operator, Operator>> = { oneOf: 'notOneOf', contains: 'notContains', listHas: 'listHasNot', holds: 'holdsNot', present: 'absent' };

/** One comparison, as it stands: a missing field is an error. */
function bareRow(tree: Ast): Row | null {
  const path = pathOf(tree);
  if (path) return row(path, 'holds');
  if (tree.kind === 'binary') return compared(tree);
  if (tree.kind === 'not') {
    const inner = bareRow(tree.of);
    const op = inner && OPPOSITE[inner.op];
    return inner && op ? { ...inner, op } : null;
  }
  if (tree.kind !== 'call') return null;
  const tested = isCall(tree, 'has');
  const there = tested && pathOf(tested);
  if (there && there.length > 1) return row(there, 'present');
  const of = tree.of && pathOf(tree.of);
  const value = tree.args.length === 1 && tree.args[0] ? operandOf(tree.args[0]) : null;
  return of && value && METHODS.has(tree.name) ? row(of, tree.name as Operator, [value]) : null;
}

/** `X >= A` and `X <= B`. */
function betweenOf(low: Row | null, high: Row | null): Row | null {
  if (low?.op !== 'ge' || high?.op !== 'le' || low.as !== high.as || JSON.stringify(low.path) !== JSON.stringify(high.path)) return null;
  return { ...low, op: 'between', values: [...low.values, ...high.values] };
}

const normal = (text: string): string | null => {
  const tree = parseCel(text);
  return typeof tree === 'string' ? null : normalForm(tree);
};

function chain(tree: Ast, sign: string): Ast[] {
  return tree.kind === 'binary' && tree.sign === sign ? [...chain(tree.left, sign), ...chain(tree.right, sign)] : [tree];
}

/** Longest run of guards before a comparison. */
const GUARDS = 24;

/** Parts that are joined alike: guards with the comparison they are for make one row. */
function rowsOf(parts: readonly Ast[], sign: '&&' | '||', depth: number, text: string): Condition[] | null {
  const bare = parts.map(bareRow);
  const forms = parts.map(normalForm);
  const found: Condition[] = [];
  for (let at = 0; at < parts.length;) {
    const whole = guarded(at, parts, bare, forms, sign);
    if (whole) {
      found.push(whole.row);
      at = whole.next;
      continue;
    }
    const one = conditionOf(parts[at] as Ast, depth, text);
    if (!one) return null;
    found.push(one);
    at += 1;
  }
  return found;
}

function guarded(at: number, parts: readonly Ast[], bare: readonly (Row | null)[], forms: readonly (string | null)[], sign: '&&' | '||'): { row: Row; next: number } | null {
  const missing = sign === '&&' ? 'no' : 'yes';
  const fits = (core: Row, from: number): Row | null => {
    const row: Row = { ...core, missing };
    const guards = guardsOf(row).map((guard) => normal(sign === '&&' ? guard.holds : guard.not));
    return guards.length === from - at && guards.length > 0 && guards.every((guard, i) => guard !== null && guard === forms[at + i]) ? row : null;
  };
  // The longest first: `has(x) && x != null && x > 1` begins as `has(x) && x != null` does.
  for (let last = Math.min(parts.length - 1, at + GUARDS); last >= at; last -= 1) {
    const range = sign === '&&' && last > at ? betweenOf(bare[last - 1] ?? null, bare[last] ?? null) : sign === '||' ? bothEnds(parts[last] as Ast) : null;
    const first = sign === '&&' ? last - 1 : last;
    const within = range && (fits(range, first) ?? (first === at ? range : null));
    if (within) return { row: within, next: last + 1 };
    const core = bare[last];
    const whole = core && fits(core, last);
    if (whole) return { row: whole, next: last + 1 };
  }
  return null;
}

const bothEnds = (tree: Ast): Row | null => {
  const [low, high, ...more] = chain(tree, '&&');
  return low && high && more.length === 0 ? betweenOf(bareRow(low), bareRow(high)) : null;
};

function conditionOf(tree: Ast, depth: number, text: string): Condition | null {
  const sign = tree.kind === 'binary' && (tree.sign === '&&' || tree.sign === '||') ? tree.sign : null;
  if (sign) {
    const rows = rowsOf(chain(tree, sign), sign, depth + 1, text);
    if (!rows) return null;
    if (rows.length === 1 && rows[0]) return rows[0];
    return depth >= DEEPEST ? null : { kind: 'group', join: sign === '&&' ? 'all' : 'any', rows };
  }
  const bare = bareRow(tree);
  if (bare) return bare;
  if (tree.kind === 'not' && tree.of.kind === 'binary' && tree.of.sign === '||') {
    const rows = rowsOf(chain(tree.of, '||'), '||', depth + 1, text);
    return !rows || depth >= DEEPEST ? null : { kind: 'group', join: 'none', rows };
  }
  return freeOf(tree, text);
}

function freeOf(tree: Ast, text: string): Free {
  const cel = text.slice(tree.start, tree.end);
  return { kind: 'free', cel: tree.kind === 'other' && tree.ternary ? `(${cel})` : cel };
}

const onlyFree = (condition: Condition): boolean => condition.kind === 'free' || (condition.kind === 'group' && condition.rows.every(onlyFree));

export function parseConditions(text: string): Parsed {
  if (text.trim() === '') return { ok: true, rows: { kind: 'group', join: 'all', rows: [] } };
  const tree = parseCel(text);
  if (typeof tree === 'string') return { ok: false, why: tree };
  const found = conditionOf(tree, 0, text);
  if (!found) return { ok: false, why: 'deep' };
  if (onlyFree(found)) return { ok: false, why: 'nothing' };
  return { ok: true, rows: found.kind === 'group' ? found : { kind: 'group', join: 'all', rows: [found] } };
}

/** The path that a name says, as completion offers it; null for anything else. */
export function parsePath(text: string): FieldPath | null {
  const tree = parseCel(text);
  return typeof tree === 'string' ? null : pathOf(tree);
}

// One row: its field, the comparison, the value, and what it comes to without a value.

import { useId, useRef, useState, type DragEvent } from 'react';
import { draggedField, isFieldDrag } from '../../code/field-drag.ts';
import { t, type MessageKey } from '../../i18n/index.ts';
import { Icon, IconButton, Select, TextInput, Tooltip } from '../../kit/index.ts';
import { changedRow, isBlank, isComplete, isNumber, operandFrom, operandText, operatorsFor, readPath, sameName, seenTexts, shownPath, typeOf, valueKind, type FieldType, type KnownField } from './fields.ts';
import { choosesMissing, textLiteral, valuesOf, type FieldPath, type Missing, type Operand, type Operator, type Row } from './model.ts';
import { parsePath } from './parse.ts';

/** What all rows of a condition share. */
export interface RowScope {
  known: readonly KnownField[];
  /** Values that a field had. */
  seen: (path: FieldPath) => readonly unknown[];
  readOnly: boolean;
  fieldList: string;
}

export function typeOfPath(path: FieldPath, { known, seen }: Pick<RowScope, 'known' | 'seen'>): FieldType {
  const field = known.find((one) => sameName(one.path, path));
  if (field && field.type !== 'any') return field.type;
  const value = seen(path).find((one) => one !== null && one !== undefined);
  return value === undefined ? 'any' : typeOf(typeof value === 'object' ? 'object' : typeof value, value);
}

const DATE_WORDS: Partial<Record<Operator, MessageKey>> = { lt: 'cond.op.ltDate', le: 'cond.op.leDate', gt: 'cond.op.gtDate', ge: 'cond.op.geDate' };
const operatorLabel = (op: Operator, type: FieldType): string => t((type === 'date' && DATE_WORDS[op]) || `cond.op.${op}`);

export function RowEditor({ row, n, scope, onChange, onRemove }: { row: Row; n: string; scope: RowScope; onChange: (row: Row) => void; onRemove: () => void }) {
  const { readOnly } = scope;
  const typeFor = (path: FieldPath): FieldType => typeOfPath(path, scope);
  const type = typeFor(row.path);
  const count = valuesOf(row.op);
  // On the way to `customer.city` the field is `customer`, which has other comparisons: what was chosen comes back with the next letter.
  const wanted = useRef<Pick<Row, 'op' | 'values'>>(row);
  const change = (next: Row) => {
    wanted.current = next;
    onChange(next);
  };
  const setValue = (at: number, value: Operand) => change({ ...row, values: Array.from({ length: Math.max(row.values.length, at + 1) }, (_, i) => (i === at ? value : row.values[i] ?? textLiteral(''))) });
  const wrong = row.values.some((value) => !isNumber(value) && operandText(value) !== '');
  return (
    <div className="cond-row" role="group" aria-label={t('cond.row', { n })}>
      <FieldBox row={row} n={n} scope={scope} onPath={(path) => onChange(changedRow(isBlank(row) ? row : { ...row, op: wanted.current.op, values: wanted.current.values }, { path }, typeFor))} />
      {readOnly ? <span /> : <IconButton small icon="x" label={t('cond.remove', { n })} onClick={onRemove} />}
      <span className="cond-op">
        <Select label={t('cond.operator', { n })} value={row.op} disabled={readOnly} onChange={(op) => change(changedRow(row, { op }, typeFor))}
          options={operatorsFor(type, row.op).map((op) => ({ value: op, label: operatorLabel(op, type) }))} />
      </span>
      {count === 0 ? null : count === undefined ? <Values row={row} n={n} scope={scope} type={type} onChange={change} /> : (
        <span className="cond-values">
          <Value row={row} at={0} label={t('cond.value', { n })} n={n} scope={scope} type={type} onValue={(value) => setValue(0, value)} />
          {count === 2 ? <><span className="s t2">{t('cond.toShort')}</span><Value row={row} at={1} label={t('cond.to', { n })} n={n} scope={scope} type={type} onValue={(value) => setValue(1, value)} /></> : null}
        </span>
      )}
      {choosesMissing(row) && !isBlank(row) ? (
        <span className="cond-missing">
          <Select<Missing> small label={t('cond.missing', { n })} value={row.missing} disabled={readOnly} onChange={(missing) => onChange({ ...row, missing })}
            options={(['no', 'yes', 'error'] as const).map((one) => ({ value: one, label: t(`cond.missing.${one}`) }))} />
        </span>
      ) : null}
      {isComplete(row) || readOnly ? null : <span className="cond-note s t2"><Icon name="pencil" size={12} />{t(wrong ? 'cond.notNumber' : 'cond.incomplete')}</span>}
    </div>
  );
}

/** A name from the list, or any other. */
function FieldBox({ row, n, scope, onPath }: { row: Row; n: string; scope: RowScope; onPath: (path: FieldPath) => void }) {
  const stored = isBlank(row) ? '' : shownPath(row.path);
  const [typed, setTyped] = useState({ of: stored, text: stored });
  // What was typed stands until the field is another one.
  const text = typed.of === stored ? typed.text : stored;
  const read = (next: string): FieldPath | null => (next.trim() === '' ? [''] : readPath(next, scope.known));
  const wrong = read(text) === null;
  const put = (path: FieldPath, next: string) => {
    setTyped({ of: path[0] === '' ? '' : shownPath(path), text: next });
    if (!sameName(path, row.path)) onPath(path);
  };
  const onDrop = (event: DragEvent) => {
    const path = parsePath(draggedField(event.dataTransfer) ?? '');
    if (!path || scope.readOnly) return;
    event.preventDefault();
    put(path, shownPath(path));
  };
  return (
    <span className="cond-field" onDragOver={(event) => { if (isFieldDrag(event.dataTransfer) && !scope.readOnly) event.preventDefault(); }} onDrop={onDrop}>
      <TextInput mono list={scope.fieldList} value={text} aria-label={t('cond.field', { n })} placeholder={t('cond.fieldHint')} readOnly={scope.readOnly} invalid={wrong}
        onChange={(next) => {
          const path = read(next);
          if (path) put(path, next);
          else setTyped({ of: stored, text: next });
        }}
        // What no field can be called is not kept.
        onBlur={() => setTyped({ of: stored, text: stored })} />
      {wrong ? <span className="s c-err">{t('cond.badField')}</span> : null}
    </span>
  );
}

interface ValueProps { row: Row; at: number; label: string; n: string; scope: RowScope; type: FieldType; onValue: (value: Operand) => void }

const COMPARABLE: ReadonlySet<Operator> = new Set(['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'contains', 'notContains', 'startsWith', 'endsWith']);

function Value({ row, at, label, n, scope, type, onValue }: ValueProps) {
  const list = useId();
  const value = row.values[at];
  const kind = valueKind(type, row);
  const { readOnly } = scope;
  if (kind === 'span') return <Span value={operandText(value)} label={label} n={n} readOnly={readOnly} onValue={(text) => onValue(textLiteral(text))} />;
  const field = value?.kind === 'field';
  const offered = field ? [] : seenTexts(scope.seen(row.path));
  const text = operandText(value);
  const time = kind === 'time' ? localTime(text) : undefined;
  return (
    <span className="cond-value">
      {time !== undefined && (text === '' || time !== '') ? (
        <TextInput type="datetime-local" step={1} value={time} aria-label={label} readOnly={readOnly} onChange={(next) => onValue(textLiteral(next === '' ? '' : new Date(next).toISOString().replace('.000Z', 'Z')))} />
      ) : kind === 'date' && (text === '' || /^\d{4}-\d\d-\d\d$/.test(text)) && !field ? (
        <TextInput type="date" value={text} aria-label={label} readOnly={readOnly} onChange={(next) => onValue(textLiteral(next))} />
      ) : (
        <TextInput mono={field} list={field ? scope.fieldList : list} value={text} aria-label={label} readOnly={readOnly} inputMode={kind === 'number' && !field ? 'decimal' : undefined}
          invalid={value !== undefined && text !== '' && !isNumber(value)}
          onChange={(next) => onValue(field ? { kind: 'field', path: next.trim() === '' ? [''] : (readPath(next, scope.known) ?? ['']) } : operandFrom(next, kind))} />
      )}
      {offered.length > 0 ? <datalist id={list}>{offered.map((one) => <option key={one} value={one} />)}</datalist> : null}
      {readOnly || !COMPARABLE.has(row.op) || (row.as !== undefined && !field) ? null : (
        <Tooltip text={t(field ? 'cond.otherValue' : 'cond.otherField', { n })}>
          <button type="button" className="eq-add cond-other" aria-pressed={field} aria-label={t('cond.otherField', { n })}
            onClick={() => onValue(field ? operandFrom('', kind) : { kind: 'field', path: [''] })}>=</button>
        </Tooltip>
      )}
    </span>
  );
}

/** A moment in the time zone of whoever looks; empty when it is none. */
function localTime(text: string): string {
  const at = new Date(text);
  if (text === '' || Number.isNaN(at.getTime()) || at.getMilliseconds() !== 0) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

const UNITS = ['m', 'h', 'd'] as const;
type Unit = (typeof UNITS)[number];

function Span({ value, label, n, readOnly, onValue }: { value: string; label: string; n: string; readOnly: boolean; onValue: (text: string) => void }) {
  const [, digits = '', letter = ''] = /^(\d+)(m|h)$/.exec(value) ?? [];
  const days = letter === 'h' && digits !== '0' && Number(digits) % 24 === 0;
  const [unit, setUnit] = useState<Unit>(days ? 'd' : letter === 'm' ? 'm' : 'h');
  // Another length, such as 1h30m, stays as it is written.
  if (digits === '' && value !== '') return <span className="cond-value"><TextInput value={value} aria-label={label} readOnly={readOnly} onChange={onValue} /></span>;
  const shown: Unit = letter === 'm' ? 'm' : unit === 'd' && days ? 'd' : 'h';
  const amount = shown === 'd' ? String(Number(digits) / 24) : digits;
  const put = (text: string, of: Unit) => {
    setUnit(of);
    onValue(text === '' ? '' : of === 'd' ? `${String(Number(text) * 24)}h` : `${text}${of}`);
  };
  return (
    <span className="cond-value">
      <TextInput inputMode="numeric" value={amount} aria-label={label} readOnly={readOnly} onChange={(next) => put(next.replace(/\D/g, '').slice(0, 6), value === '' ? unit : shown)} />
      <span className="cond-unit"><Select<Unit> label={t('cond.unit', { n })} value={value === '' ? unit : shown} disabled={readOnly} onChange={(next) => put(amount, next)} options={UNITS.map((one) => ({ value: one, label: t(`cond.unit.${one}`) }))} /></span>
    </span>
  );
}

/** Any number of values, a line each. */
function Values({ row, n, scope, type, onChange }: { row: Row; n: string; scope: RowScope; type: FieldType; onChange: (row: Row) => void }) {
  const stored = row.values.map(operandText).join('\n');
  const [typed, setTyped] = useState(stored);
  const kind = valueKind(type, row);
  const clean = (text: string) => text.split('\n').filter((line) => line.trim() !== '');
  const text = clean(typed).join('\n') === stored ? typed : stored;
  const offered = seenTexts(scope.seen(row.path)).filter((one) => !row.values.some((value) => operandText(value) === one)).slice(0, 6);
  const put = (next: string) => {
    setTyped(next);
    onChange({ ...row, values: clean(next).map((line) => operandFrom(line, kind)) });
  };
  return (
    <span className="cond-values cond-list">
      <span className="input area"><textarea rows={3} value={text} aria-label={t('cond.values', { n })} placeholder={t('cond.valuesHint')} readOnly={scope.readOnly} spellCheck={false} onChange={(event) => put(event.target.value)} /></span>
      {offered.length > 0 && !scope.readOnly ? <span className="row wrap gap1">{offered.map((one) => <button key={one} type="button" className="cond-add" onClick={() => put([...clean(text), one].join('\n'))}>+ {one}</button>)}</span> : null}
    </span>
  );
}

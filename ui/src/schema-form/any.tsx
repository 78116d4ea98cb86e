// A value of any type: the kind is chosen in front of it and never changes by itself.

import { useEffect, useId, useState } from 'react';
import { writeExact } from '../json/exact-json.ts';
import { numberKept, placeOf, readJson, type JsonProblem } from '../json/read-json.ts';
import { CodeEditor } from '../code/CodeEditor.tsx';
import { jsonWords, t } from '../i18n/index.ts';
import { Icon, Select, TextInput } from '../kit/index.ts';
import { TextValue, ToExpression } from './expression.tsx';
import { FieldFrame, type FieldProps } from './frame.tsx';
import { fromExpression, isExpression, isMultiline, textOf, toExpression, unescapeText } from './model.ts';
import { useExample, useForm } from './scope.ts';
import { NumberInput } from './simple.tsx';

type Kind = 'text' | 'number' | 'boolean' | 'json' | 'expression';

/** Without expressions a text that begins with `=` is a text. */
function kindOf(value: unknown, expressions: boolean): Kind {
  if (expressions && isExpression(value)) return 'expression';
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'string':
    case 'undefined':
      return 'text';
    default:
      return 'json';
  }
}

/** The nearest value of another kind. */
export function convert(value: unknown, to: Kind, expressions = true): unknown {
  const plain = !expressions ? value : isExpression(value) ? fromExpression(value) : typeof value === 'string' ? unescapeText(value) : value;
  switch (to) {
    case 'expression':
      return toExpression(value);
    case 'text': {
      const text = textOf(plain);
      return expressions && text.startsWith('=') ? `=${text}` : text;
    }
    case 'number': {
      const number = Number(plain);
      return Number.isFinite(number) && (typeof plain !== 'string' || numberKept(plain.trim()) === 'kept') ? number : 0;
    }
    case 'boolean':
      return plain === true || plain === 'true' || plain === 1;
    case 'json': {
      if (typeof plain !== 'string') return plain ?? null;
      const read = readJson(plain);
      return 'value' in read && typeof read.value === 'object' ? read.value : {};
    }
  }
}

const MARK: Record<Kind, string> = { text: 'T', number: '#', boolean: '?', json: '{}', expression: '=' };

export function AnyValue({ value, onValue, label, invalid, describedBy, bare, placeholder, singleLine = true }: {
  value: unknown;
  onValue: (value: unknown) => void;
  label: string;
  invalid: boolean;
  describedBy?: string | undefined;
  bare?: boolean;
  placeholder?: string | undefined;
  singleLine?: boolean;
}) {
  const { host, readOnly, lenient } = useForm();
  // What is typed into a box stays in it until another kind is chosen: JSON that is a text just now, a number that is none yet.
  const [typed, setTyped] = useState<{ as: 'json' | 'number'; value: unknown } | null>(null);
  const real = kindOf(value, host !== null);
  const kind = typed !== null && (typed.value === value || (typed.value === undefined && value === '')) ? typed.as : real;
  // The sign says what goes out, not in which box it was typed.
  const said = kind === 'number' ? real : kind;
  return (
    <div className="any">
      <label className="any-kind" title={t('form.kind')}>
        <span aria-hidden="true">{MARK[said]}</span>
        <select aria-label={lenient ? t('form.kind') : `${t('form.kind')}: ${label}`} {...(lenient ? { 'aria-description': label } : {})} value={said} disabled={readOnly}
          onChange={(event) => {
            setTyped(null);
            onValue(convert(value, event.target.value as Kind, host !== null));
          }}>
          <option value="text">{t('form.kind.text')}</option>
          <option value="number">{t('form.kind.number')}</option>
          <option value="boolean">{t('form.kind.boolean')}</option>
          <option value="json">{t('form.kind.json')}</option>
          {host ? <option value="expression">{t('form.kind.expression')}</option> : null}
        </select>
      </label>
      <div className="any-value">
        {kind === 'expression' || kind === 'text' ? (
          !host ? <PlainText value={typeof value === 'string' ? value : ''} onValue={onValue} label={label} invalid={invalid} describedBy={describedBy} bare={bare ?? false} placeholder={placeholder} singleLine={singleLine} /> :
          // One component for both, so that the focus stays when `=` turns one into the other.
          <TextValue value={typeof value === 'string' ? value : ''} onValue={(next) => onValue(next ?? '')} label={label} invalid={invalid} describedBy={describedBy} bare={bare ?? false} placeholder={placeholder} singleLine={singleLine} />
        ) : kind === 'number' ? (
          <NumberInput value={value} label={label} invalid={invalid} integer={false} describedBy={describedBy} bare={bare ?? false}
            onValue={(next) => {
              // An emptied box is nothing; where nothing cannot be, it is zero.
              const made = next ?? (lenient ? undefined : 0);
              setTyped({ as: 'number', value: made });
              onValue(made);
            }}
            onExpression={host ? () => onValue(toExpression(value)) : undefined} />
        ) : kind === 'boolean' ? (
          <Select label={label} value={String(value === true)} disabled={readOnly} onChange={(next) => onValue(next === 'true')}
            options={[{ value: 'true', label: 'true' }, { value: 'false', label: 'false' }]} />
        ) : (
          <JsonBox value={typed?.as === 'json' && typed.value === undefined && value === '' ? undefined : value} label={label}
            onValue={(next) => {
              setTyped({ as: 'json', value: next });
              onValue(next);
            }} />
        )}
      </div>
    </div>
  );
}

function PlainText({ value, onValue, label, invalid, describedBy, bare, placeholder, singleLine }: {
  value: string; onValue: (value: string) => void; label: string; invalid: boolean; describedBy: string | undefined; bare: boolean; placeholder: string | undefined; singleLine: boolean;
}) {
  const { readOnly } = useForm();
  if (singleLine) return <TextInput aria-label={label} aria-describedby={describedBy} className={bare ? 'bare' : ''} value={value} invalid={invalid} readOnly={readOnly} placeholder={placeholder} onChange={onValue} />;
  return (
    <span className={`input area ${bare ? 'bare' : ''} ${invalid ? 'bad' : ''}`}>
      <textarea aria-label={label} aria-describedby={describedBy} rows={3} value={value} readOnly={readOnly} placeholder={placeholder} onChange={(event) => onValue(event.target.value)} />
    </span>
  );
}

export function AnyField(field: FieldProps) {
  const { label, schema, value, required, onValue } = field;
  const { lenient } = useForm();
  const example = useExample(schema);
  return (
    <FieldFrame field={field} labelFor={false}>
      {({ describedBy, invalid }) => (
        <AnyValue value={value} onValue={(next) => onValue(next === '' && !required && !lenient ? undefined : next)} label={label} invalid={invalid} describedBy={describedBy}
          singleLine={!isMultiline(schema)} placeholder={example} />
      )}
    </FieldFrame>
  );
}

/** An object or a list that is written as JSON. `swaps`: it may be an expression instead. */
export function JsonField({ swaps, ...field }: FieldProps & { swaps: boolean }) {
  const { readOnly } = useForm();
  const { label, value, onValue } = field;
  const may = swaps && !readOnly;
  return (
    <FieldFrame field={field} labelFor={false} aside={may ? <ToExpression label={label} onPress={() => onValue(toExpression(value))} /> : undefined}>
      {({ describedBy, invalid }) => <JsonBox value={value} onValue={onValue} label={label} describedBy={describedBy} invalid={invalid} onExpression={may ? onValue : undefined} />}
    </FieldFrame>
  );
}

/** JSON as text. Writes back whenever the text is JSON; else it says where it is not. */
export function JsonBox({ value, onValue, label, minLines = 2, describedBy, invalid = false, onExpression }: {
  value: unknown; onValue: (value: unknown) => void; label: string; minLines?: number; describedBy?: string | undefined; invalid?: boolean;
  /** What begins with `=` is an expression, where one may stand. */
  onExpression?: ((expression: string) => void) | undefined;
}) {
  const { readOnly, onUnread } = useForm();
  const box = useId();
  const outside = value === undefined ? '' : writeExact(value, 2);
  const [text, setText] = useState(outside);
  const [problem, setProblem] = useState<JsonProblem | null>(null);
  const [seen, setSeen] = useState(outside);
  if (seen !== outside) {
    setSeen(outside);
    // What stands here may mean the value already: then it keeps its spaces.
    if (!means(text, value)) {
      setText(outside);
      setProblem(null);
    }
  }
  const unread = problem !== null;
  useEffect(() => {
    if (!unread) return undefined;
    onUnread?.(box, true);
    return () => onUnread?.(box, false);
  }, [unread, onUnread, box]);
  return (
    <>
      <CodeEditor
        value={text}
        mode="json"
        label={label}
        readOnly={readOnly}
        minLines={minLines}
        invalid={invalid || problem !== null}
        describedBy={describedBy}
        errorAt={problem?.at}
        onChange={(next) => {
          setText(next);
          if (next.trim() === '') {
            setProblem(null);
            onValue(undefined);
            return;
          }
          if (onExpression && isExpression(next.trim())) {
            setProblem(null);
            onExpression(next.trim());
            return;
          }
          const read = readJson(next);
          setProblem('problem' in read ? read.problem : null);
          if ('value' in read) onValue(read.value);
        }}
      />
      {problem ? <span className="s c-err row gap1" role="alert"><Icon name="errd" size={12} />{problem.kind === 'syntax' ? t('form.notJsonAt', { ...placeOf(text, problem.at) }) : jsonWords(problem, text)}</span> : null}
    </>
  );
}

function means(text: string, value: unknown): boolean {
  if (text.trim() === '') return value === undefined;
  const read = readJson(text);
  // Half typed, and the value was changed from elsewhere: that wins.
  return 'value' in read && JSON.stringify(read.value) === JSON.stringify(value);
}

// A value of any type: the kind is chosen in front of it and never changes by itself.

import { useState } from 'react';
import { CodeEditor } from '../code/CodeEditor.tsx';
import { t } from '../i18n/index.ts';
import { Icon, Select } from '../kit/index.ts';
import { TextValue } from './expression.tsx';
import { FieldFrame, type FieldProps } from './frame.tsx';
import { fromExpression, hintsOf, isExpression, isMultiline, textOf, toExpression, unescapeText } from './model.ts';
import { useForm } from './scope.ts';
import { NumberInput } from './simple.tsx';

type Kind = 'text' | 'number' | 'boolean' | 'json' | 'expression';

function kindOf(value: unknown): Kind {
  if (isExpression(value)) return 'expression';
  switch (typeof value) {
    case 'number':
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
export function convert(value: unknown, to: Kind): unknown {
  const plain = isExpression(value) ? fromExpression(value) : typeof value === 'string' ? unescapeText(value) : value;
  switch (to) {
    case 'expression':
      return toExpression(value);
    case 'text': {
      const text = textOf(plain);
      return text.startsWith('=') ? `=${text}` : text;
    }
    case 'number': {
      const number = Number(plain);
      return Number.isFinite(number) ? number : 0;
    }
    case 'boolean':
      return plain === true || plain === 'true' || plain === 1;
    case 'json': {
      if (typeof plain !== 'string') return plain ?? null;
      try {
        const parsed: unknown = JSON.parse(plain);
        return typeof parsed === 'object' ? parsed : {};
      } catch {
        return {};
      }
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
  const { host, readOnly } = useForm();
  // A text, a number or nothing at all typed as JSON is still being typed: the box stays until another kind is chosen.
  const [typed, setTyped] = useState<{ json: unknown } | null>(null);
  const kind = typed !== null && (typed.json === value || (typed.json === undefined && value === '')) ? 'json' : kindOf(value);
  return (
    <div className="any">
      <label className="any-kind" title={t('form.kind')}>
        <span aria-hidden="true">{MARK[kind]}</span>
        <select aria-label={`${t('form.kind')}: ${label}`} value={kind} disabled={readOnly}
          onChange={(event) => {
            setTyped(null);
            onValue(convert(value, event.target.value as Kind));
          }}>
          <option value="text">{t('form.kind.text')}</option>
          <option value="number">{t('form.kind.number')}</option>
          <option value="boolean">{t('form.kind.boolean')}</option>
          <option value="json">{t('form.kind.json')}</option>
          {host || kind === 'expression' ? <option value="expression">{t('form.kind.expression')}</option> : null}
        </select>
      </label>
      <div className="any-value">
        {kind === 'expression' || kind === 'text' ? (
          // One component for both, so that the focus stays when `=` turns one into the other.
          <TextValue value={typeof value === 'string' ? value : ''} onValue={(next) => onValue(next ?? '')} label={label} invalid={invalid} describedBy={describedBy} bare={bare ?? false} placeholder={placeholder} singleLine={singleLine} />
        ) : kind === 'number' ? (
          <NumberInput value={value} onValue={(next) => onValue(next ?? 0)} label={label} invalid={invalid} integer={false} describedBy={describedBy} bare={bare ?? false}
            onExpression={host ? () => onValue(toExpression(value)) : undefined} />
        ) : kind === 'boolean' ? (
          <Select label={label} value={String(value === true)} disabled={readOnly} onChange={(next) => onValue(next === 'true')}
            options={[{ value: 'true', label: 'true' }, { value: 'false', label: 'false' }]} />
        ) : (
          <JsonBox value={typed?.json === undefined && value === '' ? undefined : value} label={label}
            onValue={(next) => {
              setTyped({ json: next });
              onValue(next);
            }} />
        )}
      </div>
    </div>
  );
}

export function AnyField(field: FieldProps) {
  const { label, schema, value, required, onValue } = field;
  return (
    <FieldFrame field={field} labelFor={false}>
      {({ describedBy, invalid }) => (
        <AnyValue value={value} onValue={(next) => onValue(next === '' && !required ? undefined : next)} label={label} invalid={invalid} describedBy={describedBy}
          singleLine={!isMultiline(schema)} placeholder={hintsOf(schema).placeholder} />
      )}
    </FieldFrame>
  );
}

/** JSON as text. Writes back whenever the text is JSON; else it says where it is not. */
export function JsonBox({ value, onValue, label, minLines = 2 }: { value: unknown; onValue: (value: unknown) => void; label: string; minLines?: number }) {
  const { readOnly } = useForm();
  const outside = value === undefined ? '' : JSON.stringify(value, null, 2);
  const [text, setText] = useState(outside);
  const [problem, setProblem] = useState<{ message: string; at?: number } | null>(null);
  const [seen, setSeen] = useState(outside);
  if (seen !== outside) {
    setSeen(outside);
    // What stands here may mean the value already: then it keeps its spaces.
    if (!means(text, value)) {
      setText(outside);
      setProblem(null);
    }
  }
  return (
    <>
      <CodeEditor
        value={text}
        mode="json"
        label={label}
        readOnly={readOnly}
        minLines={minLines}
        invalid={problem !== null}
        errorAt={problem?.at}
        onChange={(next) => {
          setText(next);
          if (next.trim() === '') {
            setProblem(null);
            onValue(undefined);
            return;
          }
          try {
            const parsed: unknown = JSON.parse(next);
            setProblem(null);
            onValue(parsed);
          } catch (cause) {
            setProblem(jsonProblem(cause, next));
          }
        }}
      />
      {problem ? <span className="s c-err row gap1" role="alert"><Icon name="errd" size={12} />{problem.message}</span> : null}
    </>
  );
}

function means(text: string, value: unknown): boolean {
  if (text.trim() === '') return value === undefined;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    // Half typed, and the value was changed from elsewhere: that wins.
    return false;
  }
}

/** "Line 3, column 5: this is not JSON", from what the browser's parser says. */
export function jsonProblem(cause: unknown, text: string): { message: string; at?: number } {
  const words = cause instanceof Error ? cause.message : String(cause);
  const position = /position (\d+)/.exec(words)?.[1];
  if (position === undefined) return { message: t('form.notJson') };
  const at = Math.min(Number(position), text.length);
  const before = text.slice(0, at).split('\n');
  return { message: t('form.notJsonAt', { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }), at };
}

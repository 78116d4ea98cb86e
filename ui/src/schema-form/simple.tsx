// Fields with one plain value.

import { useId, useState } from 'react';
import { isLarge } from '../json/exact-json.ts';
import { numberKept } from '../json/read-json.ts';
import { Icon, IconButton, Select, Switch, TextInput } from '../kit/index.ts';
import { t, timeZones, whatWords } from '../i18n/index.ts';
import { useFieldFault } from './field-faults.ts';
import { ToExpression } from './expression.tsx';
import { dropLastName, dropNothing } from './drop-name.ts';
import { FieldFrame, Findings, type FieldProps } from './frame.tsx';
import { choicesOf, hintsOf, isMultiline, keyOf, optionsOf, parseNumber, textOf, toExpression, typesOf, type Offered } from './model.ts';
import { useExample, useForm } from './scope.ts';

interface Bounds { least?: number | undefined; most?: number | undefined }
const within = (value: number, { least, most }: Bounds): boolean => (least === undefined || value >= least) && (most === undefined || value <= most);
function boundsText({ least, most }: Bounds, factor: number): string {
  const from = least === undefined ? undefined : least / factor;
  const to = most === undefined ? undefined : most / factor;
  if (from === undefined) return t('form.atMost', { most: to ?? 0 });
  return to === undefined ? t('form.atLeast', { least: from }) : t('form.between', { least: from, most: to });
}

/** A number that keeps what one types until it is a number; milliseconds are shown as seconds. */
export function NumberInput({ value, onValue, label, id, describedBy, invalid, integer, unit, factor = 1, placeholder, onExpression, bare, bounds }: {
  value: unknown;
  /** A bigint only where the form takes what is typed as it is. */
  onValue: (value: number | bigint | string | undefined) => void;
  label: string;
  id?: string;
  describedBy?: string | undefined;
  invalid: boolean;
  integer: boolean;
  unit?: string | undefined;
  factor?: number;
  placeholder?: string;
  onExpression?: (() => void) | undefined;
  bare?: boolean;
  /** What is outside is said here and not taken: nobody else would say it. */
  bounds?: Bounds | undefined;
}) {
  const { readOnly, host, lenient } = useForm();
  const outside = typeof value === 'bigint' ? String(value) : typeof value === 'number' ? String(value / factor) : typeof value === 'string' ? value : '';
  const [text, setText] = useState(outside);
  const [wrong, setWrong] = useState(false);
  const [told, setTold] = useState<unknown>(value);
  // An answer to what was typed here must not rewrite "1." to "1".
  if (told !== value) {
    setTold(value);
    setText(outside);
    setWrong(false);
  }
  const typed = parseNumber(text, integer && factor === 1);
  const outOfBounds = bounds !== undefined && typed.ok && typed.value !== undefined && !within(typed.value * factor, bounds);
  useFieldFault(!invalid && (wrong || outOfBounds));
  return (
    <>
      <TextInput
        {...(id ? { id } : {})}
        aria-label={label}
        aria-describedby={describedBy}
        className={bare ? 'bare' : ''}
        inputMode="decimal"
        value={text}
        placeholder={placeholder}
        readOnly={readOnly}
        invalid={invalid || wrong || outOfBounds}
        onChange={(next) => {
          if (next.startsWith('=') && host && onExpression) {
            onValue(next);
            return;
          }
          setText(next);
          const parsed = parseNumber(next, integer && factor === 1);
          if (!parsed.ok && lenient) {
            // A whole number or not, a number or not: that is the check's to say.
            const passed = numberOf(next) ?? next;
            setTold(passed);
            onValue(passed);
            return;
          }
          setWrong(!parsed.ok);
          if (!parsed.ok) return;
          const made = parsed.value === undefined ? undefined : factor === 1 ? parsed.value : Math.round(parsed.value * factor);
          if (bounds && made !== undefined && !within(made, bounds)) return;
          setTold(made);
          onValue(made);
        }}
        end={
          <>
            {unit ? <span className="t3">{unit}</span> : null}
            {onExpression && !readOnly ? <ToExpression label={label} onPress={onExpression} /> : null}
          </>
        }
      />
      {wrong ? <span className="s c-err row gap1" role="alert"><Icon name="errd" size={12} />{wrongWords(text.trim(), integer && factor === 1)}</span> : null}
      {outOfBounds && !wrong ? <span className="s c-err row gap1" role="alert"><Icon name="errd" size={12} />{boundsText(bounds, factor)}</span> : null}
      {lenient && typeof value === 'string' && value !== '' ? <AsText value={value} onValue={onValue} readOnly={readOnly} /> : null}
    </>
  );
}

/** The number that a text says, with all of its digits. */
function numberOf(text: string): number | bigint | undefined {
  const parsed = parseNumber(text, false);
  if (parsed.ok) return parsed.value;
  const written = text.trim().replace(/^\+/, '');
  return isLarge(written) ? BigInt(written) : undefined;
}

/** Whether a text that is a number goes out as it is written. */
const keptOf = (written: string): ReturnType<typeof numberKept> => (/^[-+]?\.?\d/.test(written) && !Number.isNaN(Number(written)) ? numberKept(written.replace(/^\+/, '')) : 'kept');

function wrongWords(written: string, integer: boolean): string {
  const kept = keptOf(written);
  return kept === 'kept' ? t(integer ? 'form.notInteger' : 'form.notNumber') : whatWords(kept, written);
}

/** Where a number is expected stands a text: it goes as it is, and may be made a number with one press. */
function AsText({ value, onValue, readOnly }: { value: string; onValue: (value: number | bigint) => void; readOnly: boolean }) {
  const number = numberOf(value);
  const kept = number === undefined ? keptOf(value.trim()) : 'kept';
  return (
    <span className="s t3 row gap1" role="status">
      <Icon name="pencil" size={12} />{kept === 'kept' ? t('form.asText') : `${whatWords(kept, value.trim())} ${t('form.staysText')}`}
      {number !== undefined && !readOnly ? <button type="button" className="link s" onClick={() => onValue(number)}>{t('form.makeNumber')}</button> : null}
    </span>
  );
}

export function NumberField(field: FieldProps) {
  const { label, schema, value, onValue } = field;
  const { host } = useForm();
  const hints = hintsOf(schema);
  const duration = hints.widget === 'duration';
  const factor = duration ? 1000 : 1;
  const fallback = typeof schema.default === 'number' ? String(schema.default / factor) : '';
  return (
    <FieldFrame field={field}>
      {({ id, describedBy, invalid }) => (
        <NumberInput
          id={id}
          value={value}
          onValue={onValue}
          label={label}
          describedBy={describedBy}
          invalid={invalid}
          integer={typesOf(schema)[0] === 'integer'}
          factor={factor}
          bounds={hints.bounds === 'strict' ? { least: schema.minimum, most: schema.maximum } : undefined}
          unit={hints.unit ?? (duration ? 's' : undefined)}
          placeholder={hints.placeholder ?? fallback}
          onExpression={host ? () => onValue(toExpression(value)) : undefined}
        />
      )}
    </FieldFrame>
  );
}

export function SelectField(field: FieldProps) {
  const { label, schema, value, onValue } = field;
  const { host, readOnly } = useForm();
  const choices = choicesOf(schema) ?? [];
  const shown = value === undefined ? schema.default : value;
  const { options, known } = optionsOf(choices, shown, shown === undefined, t('form.choose'));
  return (
    <FieldFrame field={field} aside={host && !readOnly ? <ToExpression label={label} onPress={() => onValue(toExpression(shown))} /> : undefined}>
      {({ id, invalid }) => (
        <Select
          id={id}
          label={label}
          value={keyOf(shown)}
          options={options}
          invalid={invalid || (!known && shown !== undefined)}
          disabled={readOnly}
          onChange={(key) => {
            const choice = choices.find((one) => keyOf(one.value) === key);
            if (choice) onValue(choice.value);
          }}
        />
      )}
    </FieldFrame>
  );
}

export function SwitchField({ label, schema, value, findings, onValue }: FieldProps) {
  const { host, readOnly } = useForm();
  const help = useId();
  const on = value === undefined ? schema.default === true : value === true;
  return (
    <div className="field">
      <div className="row s switch-row" title={schema.description}>
        <label className="row grow">
          <Switch checked={on} onChange={onValue} label={label} disabled={readOnly} describedBy={schema.description ? help : undefined} />
          <span className="grow">{label}</span>
        </label>
        {host && !readOnly ? <ToExpression label={label} onPress={() => onValue(toExpression(on))} /> : null}
      </div>
      {schema.description ? <span id={help} className="s t3 field-help">{schema.description}</span> : null}
      <Findings findings={findings} />
    </div>
  );
}

/** Settings that give a field its name. */
const NAMES: ReadonlySet<string> = new Set(['into', 'entryName', 'countName', 'resultField', 'name']);

/** Text without expressions: titles, notes, params of a run, and settings that are taken as they are written. */
export function PlainTextField(field: FieldProps) {
  const { schema, value, required, onValue } = field;
  const { host, readOnly } = useForm();
  const hints = hintsOf(schema);
  const text = textOf(value);
  const store = (next: string) => onValue(next === '' && !required ? undefined : next);
  // Where there are data a field may be dragged here: a name takes its name, any other text is taken as it is written.
  const drop = host === null ? {} : NAMES.has(field.name) ? dropLastName(readOnly, store) : dropNothing;
  const secret = schema['x-secret'] === true;
  // Hidden at first, whatever was shown elsewhere.
  const [shown, setShown] = useState(false);
  const list = useId();
  const show = secret ? <IconButton small icon="eye" label={t('form.showValue')} pressed={shown} onClick={() => setShown(!shown)} /> : null;
  const offered: readonly Offered[] | undefined = hints.widget === 'timezone' ? timeZones().map((value) => ({ value })) : hints.offered;
  const example = useExample(schema);
  const placeholder = example ?? (typeof schema.default === 'string' ? schema.default : readOnly ? '' : placeholderOf(schema.format));
  return (
    <FieldFrame field={field}>
      {({ id, describedBy, invalid }) =>
        isMultiline(schema) ? (
          <span className={`input area ${invalid ? 'bad' : ''}`} {...drop}>
            <textarea id={id} className={secret && !shown ? 'as-dots' : undefined} aria-describedby={describedBy} rows={3} value={text} readOnly={readOnly} placeholder={placeholder}
              onChange={(event) => onValue(event.target.value === '' && !required ? undefined : event.target.value)} />
            {show}
          </span>
        ) : (
          <>
          {offered ? <datalist id={list}>{offered.map((one) => <option key={one.value} value={one.value} label={one.label} />)}</datalist> : null}
          <span className="field-drop" {...drop}>
          <TextInput id={id} type={secret && !shown ? 'password' : 'text'} aria-describedby={describedBy} value={text} invalid={invalid} readOnly={readOnly} placeholder={placeholder}
            mono={hints.widget === 'path'} list={offered ? list : undefined} onChange={store}
            end={show} />
          </span>
          </>
        )
      }
    </FieldFrame>
  );
}

function placeholderOf(format: string | undefined): string {
  switch (format) {
    case 'date':
      return '2026-12-31';
    case 'date-time':
      return '2026-12-31T14:00:00Z';
    case 'uri':
      return 'https://';
    case 'email':
      return 'name@example.org';
    default:
      return '';
  }
}

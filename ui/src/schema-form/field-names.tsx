// Names of fields of the incoming data: chosen from those that the last run or the steps before show, or written.

import { useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { Button, Select, TextInput } from '../kit/index.ts';
import { dropField } from './drop-name.ts';
import { FieldFrame, type FieldProps } from './frame.tsx';
import { fieldsOf, fieldsOfItems, type KnownField } from './known-fields.ts';
import { hintsOf, textOf } from './model.ts';
import { useExample, useForm } from './scope.ts';

/** The fields of the item that this step gets; empty as long as nobody knows any. */
function useFields(prefer: string | undefined): readonly KnownField[] {
  const { host } = useForm();
  const [known, setKnown] = useState<readonly KnownField[]>([]);
  const revision = host?.revision;
  useEffect(() => {
    let here = true;
    const seen = fieldsOfItems(host?.seen?.(['item']) ?? []);
    host?.names().then((names) => {
      if (!here) return;
      const told = fieldsOf(names, prefer);
      const more = seen.filter((one) => !told.some((other) => other.name === one.name));
      setKnown(prefer === undefined ? [...told, ...more] : [...told, ...more].toSorted((a, b) => Number(b.type === prefer) - Number(a.type === prefer)));
    }, () => { /* Without names one writes them. */ });
    return () => { here = false; };
  }, [host, revision, prefer]);
  return known;
}

/** Values of the two choices that are no names: a name never begins like this. */
const NONE = '\u0000none';
const OTHER = '\u0000other';

export function FieldNameField(field: FieldProps) {
  const { label, schema, required, onValue } = field;
  const { readOnly } = useForm();
  const known = useFields(hintsOf(schema).prefer);
  const example = useExample(schema);
  const [writes, setWrites] = useState(false);
  const value = textOf(field.value);
  const store = (next: string) => onValue(next === '' && !required ? undefined : next);
  const drop = dropField(readOnly, known, store);
  if (writes || known.length === 0) {
    return (
      <FieldFrame field={field}>
        {({ id, describedBy, invalid }) => (
          <span className="field-drop" {...drop}><TextInput id={id} mono aria-describedby={describedBy} value={value} invalid={invalid} readOnly={readOnly} placeholder={example} autoFocus={writes} onChange={store} /></span>
        )}
      </FieldFrame>
    );
  }
  const options = known.map((one) => ({ value: one.name, label: one.name, hint: one.type }));
  if (value !== '' && !known.some((one) => one.name === value)) options.unshift({ value, label: value, hint: t('form.fieldUnknown') });
  options.unshift({ value: NONE, label: t(required ? 'form.choose' : 'form.noField'), hint: '' });
  options.push({ value: OTHER, label: t('form.otherField'), hint: '' });
  return (
    <FieldFrame field={field}>
      {({ id, invalid }) => (
        <span className="field-drop" {...drop}>
          <Select id={id} label={label} value={value === '' ? NONE : value} options={options} invalid={invalid} disabled={readOnly}
            onChange={(next) => { if (next === OTHER) setWrites(true); else store(next === NONE ? '' : next); }} />
        </span>
      )}
    </FieldFrame>
  );
}

/** Several names: each that is known is a button to press, in the order in which they are wanted. */
export function FieldNamesField(field: FieldProps) {
  const { label, schema, required, onValue } = field;
  const { readOnly } = useForm();
  const known = useFields(undefined);
  const [draft, setDraft] = useState<string | null>(null);
  const chosen = Array.isArray(field.value) ? field.value.filter((one): one is string => typeof one === 'string') : [];
  const store = (next: readonly string[]) => onValue(next.length === 0 && !required ? undefined : next);
  const toggle = (name: string) => store(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]);
  const add = (typed: string) => {
    const name = typed.trim();
    setDraft(null);
    if (name !== '' && !chosen.includes(name)) store([...chosen, name]);
  };
  const free = known.filter((one) => !chosen.includes(one.name));
  const full = schema.maxItems !== undefined && chosen.length >= schema.maxItems;
  return (
    <FieldFrame field={field} labelFor={false} aside={readOnly || draft !== null || full ? undefined : (
      <button type="button" className="lab-add" onClick={() => setDraft('')} aria-label={`${t('form.add')}: ${label}`}>+ {t('form.add')}</button>
    )}>
      {() => (
        <div className="field-names" role="group" aria-label={label} {...dropField(readOnly || full, known, add)}>
          {/* One list: what is pressed moves to its place and keeps the focus. */}
          {[...chosen, ...(readOnly || full ? [] : free.map(({ name }) => name))].map((name) => {
            const on = chosen.includes(name);
            return <Button key={name} small {...(on ? { icon: 'check' as const } : { variant: 'ghost' as const })} aria-pressed={on} disabled={readOnly && on} onClick={() => toggle(name)}>{name}</Button>;
          })}
          {chosen.length === 0 && free.length === 0 && draft === null ? <span className="s t3">{t(readOnly ? 'form.nothing' : 'form.none')}</span> : null}
          {draft === null ? null : (
            <input className="input kvt-key mono" autoFocus aria-label={t('form.fieldName')} value={draft} spellCheck={false} onChange={(event) => setDraft(event.target.value)} onBlur={() => add(draft)}
              onKeyDown={(event) => {
                if (event.key === 'Enter') { event.preventDefault(); event.stopPropagation(); add(draft); }
                if (event.key === 'Escape') { event.stopPropagation(); setDraft(null); }
              }} />
          )}
        </div>
      )}
    </FieldFrame>
  );
}

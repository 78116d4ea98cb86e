// Fields made of fields: objects, tables of keys, lists, variants.

import { useEffect, useId, useRef, useState, type DragEvent, type RefObject } from 'react';
import { isFault } from '../api/diagnostics.ts';
import { draggedField, isFieldDrag, lastName } from '../code/field-drag.ts';
import { isObject } from '../json/json.ts';
import type { JsonSchema } from '../api/types.ts';
import { t, type MessageKey } from '../i18n/index.ts';
import { IconButton, Select, TextInput } from '../kit/index.ts';
import { AnyValue } from './any.tsx';
import { CelEditor, TextValue } from './expression.tsx';
import { Field } from './field.tsx';
import { groupTitle } from './group-title.ts';
import { FieldFrame, Findings, Frame, type FieldProps } from './frame.tsx';
import { choicesOf, diagnosticsAt, hintsOf, initialValue, isExpression, isNeeded, keyOf, matches, optionsOf, pointerOf, propertiesOf, textOf, widgetOf, type Path } from './model.ts';
import { useForm } from './scope.ts';
import { NumberInput } from './simple.tsx';

export interface PathProps extends FieldProps {
  path: Path;
}

/** The properties of an object, neighbours of half width in one row. */
export function Properties({ schema, value, path, only }: { schema: JsonSchema; value: unknown; path: Path; only?: readonly string[] | undefined }) {
  const object = isObject(value) ? value : {};
  const properties = propertiesOf(schema, value).filter(([name, property]) => property['x-ui']?.['hidden'] !== true && (only === undefined || only.includes(name)));
  const rows: [string, JsonSchema][][] = [];
  for (const entry of properties) {
    const last = rows.at(-1);
    const half = hintsOf(entry[1]).width === 'half';
    if (half && last?.length === 1 && last[0] && hintsOf(last[0][1]).width === 'half') last.push(entry);
    else rows.push([entry]);
  }
  const field = ([name, property]: [string, JsonSchema]) => (
    <Field
      key={name}
      name={name}
      schema={property}
      value={Object.hasOwn(object, name) ? object[name] : undefined}
      path={[...path, name]}
      required={schema.required?.includes(name) ?? false}
      needed={isNeeded(name, schema, object)}
    />
  );
  let group: string | undefined;
  return (
    <>
      {rows.map((row) => {
        const first = row[0];
        if (!first) return null;
        const named = hintsOf(first[1]).group;
        const title = named !== group ? named : undefined;
        group = named;
        const body = row.length > 1 ? <div className="form-two">{row.map(field)}</div> : field(first);
        return title ? <div key={first[0]} className="form-group"><span className="cap">{groupTitle(title)}</span>{body}</div> : <div key={first[0]} className="form-cell">{body}</div>;
      })}
    </>
  );
}

export function ObjectField({ label, schema, value, path, required, findings }: PathProps) {
  return (
    <fieldset className="form-object">
      <legend className="cap">{label}{required ? <span className="t3" aria-hidden="true"> *</span> : null}</legend>
      <div className="form-nested"><Properties schema={schema} value={value} path={path} /></div>
      <Findings findings={findings} />
    </fieldset>
  );
}

function CellValue({ schema, value, onValue, label, invalid, cel, offeredIn }: {
  schema: JsonSchema | undefined; value: unknown; onValue: (value: unknown) => void; label: string; invalid: boolean; cel?: boolean;
  /** The id of what is offered beside a text: one for all rows. */
  offeredIn?: string | undefined;
}) {
  const { readOnly } = useForm();
  const widget = schema ? widgetOf(schema) : 'any';
  if (widget === 'cel' || (cel && (isExpression(value) || value === undefined || value === ''))) {
    return <CelEditor text={String(value ?? '').replace(/^=(?!=)/, '')} onText={(next) => onValue(cel ? `=${next}` : next)} label={label} invalid={invalid} bare />;
  }
  const choices = widget === 'select' && schema ? choicesOf(schema) : null;
  if (choices) {
    const unset = value === undefined || value === null || value === '';
    const { options, known } = optionsOf(choices, value, unset, t('form.choose'));
    return (
      <Select label={label} value={keyOf(value)} disabled={readOnly} invalid={invalid || (!known && !unset)} options={options}
        onChange={(next) => { const choice = choices.find((one) => keyOf(one.value) === next); if (choice) onValue(choice.value); }} />
    );
  }
  // A name of those that there are, or any other.
  if (widget === 'text' && offeredIn !== undefined) return <TextInput mono className="bare" aria-label={label} value={textOf(value)} invalid={invalid} readOnly={readOnly} list={offeredIn} placeholder={t('form.chooseOrWrite')} onChange={onValue} />;
  if (widget === 'text' || widget === 'template' || widget === 'path') {
    return <TextValue value={textOf(value)} onValue={(next) => onValue(next ?? '')} label={label} invalid={invalid} bare />;
  }
  if (widget === 'number') return <NumberInput value={value} onValue={(next) => onValue(next ?? 0)} label={label} invalid={invalid} integer={schema?.type === 'integer'} bare />;
  return <AnyValue value={value} onValue={onValue} label={label} invalid={invalid} bare />;
}

/** A row whose value gets the focus as soon as it stands there; `within`: the part of a row that holds it. */
function useRowFocus(rows: RefObject<HTMLElement | null>, within: string, value: unknown): (row: number | null) => void {
  const [next, setNext] = useState<number | null>(null);
  useEffect(() => {
    if (next === null) return;
    const field = rows.current?.querySelectorAll(within)[next]?.querySelector<HTMLElement>(FIELDS);
    if (!field) return;
    field.focus();
    setNext(null);
  }, [rows, within, next, value]);
  return setNext;
}

/** What takes letters, or a choice. */
const FIELDS = ':is(.cm-content, input, button[role=combobox], textarea)';

/** A name that no row has yet. */
function freeName(wanted: string, taken: readonly string[]): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? wanted : `${wanted}_${String(n)}`;
    if (!taken.includes(name)) return name;
  }
}

/** A table of names and values. `prefix` stands before every name (`$` of context variables). */
export function KeyValueTable({ label, value, path, valueSchema, onValue, required, hint, keyLabel, addLabel, prefix = '', cel, none }: {
  label: string;
  value: unknown;
  path: Path;
  valueSchema?: JsonSchema | undefined;
  onValue: (value: unknown) => void;
  required?: boolean;
  hint?: string | undefined;
  keyLabel?: string;
  addLabel?: string;
  prefix?: string;
  cel?: boolean;
  none?: string;
}) {
  const form = useForm();
  const pointer = pointerOf(form.base, path);
  const entries = isObject(value) ? Object.entries(value) : [];
  const [draft, setDraft] = useState<string | null>(null);
  const [clash, setClash] = useState<string | null>(null);
  const table = useRef<HTMLDivElement>(null);
  const setNext = useRowFocus(table, ':scope > .kvt-row > .kvt-value:not(.kvt-hint)', value);
  const own = diagnosticsAt(form.diagnostics, pointer, false);
  const store = (next: [string, unknown][]) => onValue(next.length === 0 && !required ? undefined : Object.fromEntries(next));

  const fullName = (typed: string) => (prefix && typed !== '' && !/^[$/]/.test(typed) ? `${prefix}${typed}` : typed);

  function rename(index: number, typed: string, onward: boolean) {
    if (onward) setNext(index);
    const name = fullName(typed);
    if (entries[index]?.[0] === name || name === '') return;
    if (entries.some(([other], i) => other === name && i !== index)) {
      setClash(name);
      setNext(null);
      return;
    }
    setClash(null);
    store(entries.map(([old, one], i) => [i === index ? name : old, one]));
  }
  function commitDraft(typed: string, onward: boolean) {
    const name = fullName(typed);
    setDraft(null);
    if (name === '') return;
    if (entries.some(([other]) => other === name)) {
      setClash(name);
      return;
    }
    setClash(null);
    if (onward) setNext(entries.length);
    store([...entries, [name, cel ? '=' : (initialValue(valueSchema) ?? '')]]);
  }

  const add = form.readOnly || none !== undefined ? undefined : (
    <button type="button" className="lab-add" onClick={() => setDraft('')} aria-label={`${addLabel ?? t('form.add')}: ${label}`}>+ {addLabel ?? t('form.add')}</button>
  );
  // A field that is dropped becomes a row of its own name.
  const takesFields = form.host !== null && !form.readOnly && none === undefined;
  const onDrop = (event: DragEvent) => {
    const expression = draggedField(event.dataTransfer);
    if (!takesFields || expression === null || event.defaultPrevented) return;
    event.preventDefault();
    const wanted = fullName(lastName(expression));
    const name = wanted === '' ? '' : freeName(wanted, entries.map(([other]) => other));
    if (name === '') return;
    setClash(null);
    store([...entries, [name, `=${expression}`]]);
  };
  return (
    <Frame label={label} required={required} hint={hint} findings={own} labelFor={false} aside={add}>
      {() => (
        <div className="kvt-drop" onDragOver={(event) => { if (takesFields && isFieldDrag(event.dataTransfer)) event.preventDefault(); }} onDrop={onDrop}>
          {takesFields && entries.length === 0 && draft === null ? <span className="s t3">{t('form.dropFields')}</span> : null}
          {entries.length > 0 || draft !== null ? (
            <div className="box kvt" role="group" aria-label={label} ref={table}>
              {entries.map(([name, one], index) => {
                const findings = diagnosticsAt(form.diagnostics, pointerOf(pointer, [name]), true);
                return (
                  // The place is the identity: a renamed row stays the same row.
                  <div className="kvt-row" key={`row-${String(index)}`}>
                    <KeyInput name={name} label={`${keyLabel ?? t('form.name')} ${String(index + 1)}`} readOnly={form.readOnly} onCommit={(typed, onward) => rename(index, typed, onward)} />
                    <div className="kvt-value">
                      <CellValue schema={valueSchema} value={one} label={name} invalid={findings.some(isFault)} cel={cel ?? false}
                        onValue={(next) => form.edit([...path, name], next ?? '')} />
                      <Findings findings={findings} />
                    </div>
                    {form.readOnly ? <span /> : (
                      <IconButton small icon="x" label={t('form.remove', { name })} onClick={() => store(entries.filter((_, i) => i !== index))} />
                    )}
                  </div>
                );
              })}
              {draft !== null ? (
                <div className="kvt-row">
                  <KeyInput name="" label={keyLabel ?? t('form.name')} autoFocus readOnly={false} onCommit={commitDraft} onCancel={() => setDraft(null)} />
                  <div className="kvt-value t3 kvt-hint">{t('form.nameFirst')}</div>
                  <span />
                </div>
              ) : null}
            </div>
          ) : none !== undefined || form.readOnly ? <span className="s t3">{none ?? t('form.nothing')}</span> : null}
          {clash !== null ? <span className="s c-err" role="alert">{t('form.twice', { name: clash })}</span> : null}
        </div>
      )}
    </Frame>
  );
}

function KeyInput({ name, label, onCommit, onCancel, autoFocus, readOnly }: {
  name: string; label: string; /** `onward`: the person goes on to the value. */ onCommit: (name: string, onward: boolean) => void; onCancel?: () => void; autoFocus?: boolean; readOnly: boolean;
}) {
  const [text, setText] = useState<string | null>(null);
  // Enter and Tab end the name and go on to the value; the blur that follows must not end it twice.
  const onward = useRef(false);
  return (
    <input
      className="kvt-key mono"
      aria-label={label}
      value={text ?? name}
      readOnly={readOnly}
      spellCheck={false}
      // A new row was asked for: its name is what one types next.
      autoFocus={autoFocus}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => {
        if (text !== null || autoFocus || onward.current) onCommit((text ?? name).trim(), onward.current);
        onward.current = false;
        setText(null);
      }}
      onKeyDown={(event) => {
        const ends = event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey && (text ?? name).trim() !== '');
        if (ends && !readOnly) {
          event.preventDefault();
          event.stopPropagation();
          onward.current = true;
          event.currentTarget.blur();
        }
        if (event.key === 'Escape') {
          event.stopPropagation();
          setText(null);
          onCancel?.();
        }
      }}
    />
  );
}

export function KeyValueField({ label, schema, value, path, required, onValue }: PathProps) {
  const hints = hintsOf(schema);
  const valueSchema = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  return (
    <KeyValueTable label={label} value={value} path={path} valueSchema={valueSchema} onValue={onValue} required={required ?? false} hint={schema.description}
      {...(hints.addLabel ? { addLabel: hints.addLabel } : {})} {...(hints.prefix ? { prefix: hints.prefix } : {})} {...(hints.none ? { none: hints.none } : {})} cel={hints.cel ?? false} />
  );
}

export function ListField({ path, ...field }: PathProps) {
  const { label, schema, value, required, onValue } = field;
  const form = useForm();
  const hints = hintsOf(schema);
  const items: unknown[] = Array.isArray(value) ? value : [];
  const itemSchema = schema.items ?? {};
  const objects = ['object', 'variants'].includes(widgetOf(itemSchema));
  const store = (next: unknown[]) => onValue(next.length === 0 && !required ? undefined : next);
  const choices = schema.uniqueItems ? choicesOf(itemSchema) : null;
  const free = choices?.find((one) => !items.includes(one.value));
  const full = (schema.maxItems !== undefined && items.length >= schema.maxItems) || (choices !== null && !free);
  const move = (from: number, to: number) => {
    const next = items.slice();
    const [taken] = next.splice(from, 1);
    next.splice(to, 0, taken);
    store(next);
  };
  // Of a list of different things the next one is one that is not there yet.
  const offered = hintsOf(itemSchema).offered;
  const offeredId = useId();
  const first = () => free?.value ?? initialValue(itemSchema);
  const box = useRef<HTMLDivElement>(null);
  const setNext = useRowFocus(box, ':scope > .list-row > .list-value', value);
  // Who adds a row goes on in it: what is typed now is for its field, and no key of the canvas.
  const append = () => {
    setNext(items.length);
    store([...items, first()]);
  };
  const add = form.readOnly || full ? undefined : (
    <button type="button" className="lab-add" onClick={append} aria-label={`${hints.addLabel ?? t('form.add')}: ${label}`}>+ {hints.addLabel ?? t('form.add')}</button>
  );
  return (
    <FieldFrame field={field} labelFor={false} aside={add}>
      {() => items.length === 0 ? <span className="s t3">{t(form.readOnly ? 'form.nothing' : 'form.none')}</span> : (
        <div className="box list" role="list" aria-label={label} ref={box}>
          {offered ? <datalist id={offeredId}>{offered.map((one) => <option key={one.value} value={one.value} label={one.label} />)}</datalist> : null}
          {items.map((item, index) => {
            const at = [...path, index];
            const below = objects ? [] : diagnosticsAt(form.diagnostics, pointerOf(form.base, at), true);
            return (
              // A list has places, not names.
              <div className="list-row" role="listitem" key={`item-${String(index)}`}>
                <span className="list-n s t3">{index + 1}</span>
                <div className="list-value">
                  {objects ? (
                    <Field name="" label={`${label} ${String(index + 1)}`} schema={itemSchema} value={item} path={at} required bare />
                  ) : (
                    <>
                      <CellValue schema={itemSchema} value={item} label={`${label} ${String(index + 1)}`} invalid={below.some(isFault)} offeredIn={offered ? offeredId : undefined} onValue={(next) => form.edit(at, next ?? '')} />
                      <Findings findings={below} />
                    </>
                  )}
                </div>
                {form.readOnly ? null : (
                  <span className="list-tools">
                    {index > 0 ? <IconButton small icon="up" label={t('form.up')} onClick={() => move(index, index - 1)} /> : null}
                    <IconButton small icon="x" label={t('form.removeRow', { n: index + 1 })} onClick={() => store(items.filter((_, i) => i !== index))} />
                  </span>
                )}
              </div>
            );
          })}
        </div>
      )}
    </FieldFrame>
  );
}

/** What a value of a type is called. */
const TYPE_WORDS: { [type: string]: MessageKey } = {
  string: 'form.kind.text', number: 'form.kind.number', integer: 'form.type.integer', boolean: 'form.kind.boolean', array: 'form.type.array', object: 'form.type.object', null: 'form.type.null',
};

export function VariantsField({ path, ...field }: PathProps) {
  const { label, schema, value, onValue } = field;
  const { readOnly } = useForm();
  const variants = schema.oneOf ?? schema.anyOf ?? [];
  const chosen = value === undefined ? -1 : variants.findIndex((variant) => matches(variant, value));
  const variant = chosen < 0 ? undefined : variants[chosen];
  const name = (one: JsonSchema, index: number) => {
    const word = typeof one.type === 'string' ? TYPE_WORDS[one.type] : undefined;
    return one.title ?? t(word ?? 'form.variant', { n: index + 1 });
  };
  const options = variants.map((one, index) => ({ value: String(index), label: name(one, index) }));
  if (chosen < 0) options.unshift({ value: '-1', label: value === undefined ? t('form.choose') : t('form.noVariant') });
  return (
    <FieldFrame field={field} labelFor={false}>
      {() => (
        <div className="form-variant">
          <Select label={label} value={String(chosen)} options={options} disabled={readOnly}
            onChange={(next) => { const taken = variants[Number(next)]; if (taken) onValue(initialValue(taken)); }} />
          {variant && variant.const === undefined ? <Field name="" label={variant.title ?? label} schema={variant} value={value} path={path} required bare /> : null}
        </div>
      )}
    </FieldFrame>
  );
}


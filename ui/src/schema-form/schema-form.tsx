// A form over a JSON Schema: settings of a node, input of a run. The raw JSON is the same value, seen as text.

import { pointerParts } from '../json/json.ts';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { Diagnostic, JsonSchema } from '../api/types.ts';
import { plain } from '../text/letters.ts';
import { t } from '../i18n/index.ts';
import { Segmented } from '../kit/index.ts';
import { AnyField, JsonBox } from './any.tsx';
import { KeyValueField, Properties } from './compound.tsx';
import { Field } from './field.tsx';
import { Findings } from './frame.tsx';
import { applyEdit, diagnosticsAt, widgetOf, type Path } from './model.ts';
import { FormScopeProvider, type ExpressionHost, type FormScope, type OwnWidgets } from './scope.ts';
import './form.css';

export interface SchemaFormProps {
  schema: JsonSchema;
  value: unknown;
  /** The whole new value; `edit` says which part changed, for callers that keep an undo list. */
  onChange: (value: unknown, edit: { path: Path; value: unknown }) => void;
  diagnostics?: readonly Diagnostic[];
  /** JSON Pointer of the value in the document that the diagnostics speak of. */
  basePointer?: string;
  /** Present where expressions are allowed. */
  context?: ExpressionHost | null;
  readOnly?: boolean;
  label: string;
  /** Offers the raw JSON beside the form. */
  json?: boolean;
  widgets?: OwnWidgets;
  /** The caller asks the engine what fits: no field refuses a value by itself. */
  lenient?: boolean;
  /** Names of the fields that this form shows; the others are shown by another form over the same value. */
  shown?: readonly string[] | undefined;
  /** Told when a box holds what cannot be read, and when all can be read again. */
  onUnread?: (unread: boolean) => void;
}

const NO_DIAGNOSTICS: readonly Diagnostic[] = [];

export function SchemaForm({ schema, value, onChange, diagnostics = NO_DIAGNOSTICS, basePointer = '', context = null, readOnly = false, label, json = true, widgets, lenient = false, shown, onUnread }: SchemaFormProps) {
  const [view, setView] = useState<'form' | 'json'>('form');
  const boxes = useRef(new Set<string>());
  const tell = useCallback((id: string, unread: boolean) => {
    const before = boxes.current.size > 0;
    if (unread) boxes.current.add(id);
    else boxes.current.delete(id);
    const now = boxes.current.size > 0;
    if (now !== before) onUnread?.(now);
  }, [onUnread]);
  const scope = useMemo<FormScope>(
    () => ({
      base: basePointer,
      diagnostics,
      host: context,
      readOnly,
      whole: value,
      widgets,
      lenient,
      onUnread: tell,
      edit: (path, next) => onChange(applyEdit(value, path, next), { path, value: next }),
    }),
    [basePointer, diagnostics, context, readOnly, onChange, value, widgets, lenient, tell],
  );
  const top = { name: '', label, schema, value, path: [], required: true, findings: [], onValue: (next: unknown) => scope.edit([], next) };
  const widget = widgetOf(schema);
  const whole = widget === 'object';
  return (
    <FormScopeProvider value={scope}>
      <div className="form" role="group" aria-label={label}>
        {json ? (
          <div className="form-view">
            <Segmented<'form' | 'json'> small label={t('form.view')} value={view} onChange={setView}
              options={[{ value: 'form', label: t('form.view.form') }, { value: 'json', label: t('form.view.json') }]} />
          </div>
        ) : null}
        {view === 'json' ? (
          <>
            <JsonBox value={value} onValue={(next) => scope.edit([], next)} label={label} minLines={8} />
            <Findings findings={diagnosticsAt(diagnostics, basePointer, true).map((one) => withPlace(one, basePointer, value))} />
          </>
        ) : (
          <>
            {whole ? <Properties schema={schema} value={value} path={[]} only={shown} /> : widget === 'keyvalue' ? <KeyValueField {...top} /> : widget === 'any' ? <AnyField {...top} /> : <Field name="" label={label} schema={schema} value={value} path={[]} />}
            <UnknownFields schema={schema} diagnostics={diagnostics} base={basePointer} whole={whole} />
          </>
        )}
      </div>
    </FormScopeProvider>
  );
}

/** In the raw text no field stands beside a finding: it says itself where it belongs. */
function withPlace(one: Diagnostic, base: string, whole: unknown): Diagnostic {
  let inside = whole;
  const path = pointerParts(one.path.slice(base.length)).map((part) => {
    const list = Array.isArray(inside);
    inside = typeof inside === 'object' && inside !== null && Object.hasOwn(inside, part) ? (inside as Record<string, unknown>)[part] : undefined;
    // In a list the first is 1; elsewhere a number is a name.
    return list && /^\d+$/.test(part) ? String(Number(part) + 1) : plain(part);
  }).join(' › ');
  return path === '' ? one : { ...one, message: t('form.atField', { path, message: one.message }) };
}

/** Findings about names that the form has no field for, and about the whole. */
function UnknownFields({ schema, diagnostics, base, whole }: {
  schema: JsonSchema; diagnostics: readonly Diagnostic[]; base: string; whole: boolean;
}) {
  if (!whole) return null;
  const known = new Set(Object.keys(schema.properties ?? {}));
  const findings = diagnostics.filter((one) => {
    if (one.path === base) return true;
    if (!one.path.startsWith(`${base}/`)) return false;
    const name = pointerParts(one.path.slice(base.length))[0] ?? '';
    return !known.has(name);
  });
  return <Findings findings={findings} />;
}

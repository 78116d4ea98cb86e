// One field: finds the widget, the findings of the validator, and the way back into the document.

import { useId, useMemo } from 'react';
import type { JsonSchema } from '../api/types.ts';
import { AnyField, JsonField } from './any.tsx';
import { KeyValueField, ListField, ObjectField, Properties, VariantsField } from './compound.tsx';
import { CelField, ExpressionField, TextField } from './expression.tsx';
import { FieldNameField, FieldNamesField } from './field-names.tsx';
import { dropExpression } from './drop-name.ts';
import { requestFocus } from './focus.ts';
import { Findings } from './frame.tsx';
import { diagnosticsAt, hintsOf, isExpression, labelOf, pointerOf, typesOf, widgetOf, type Path, type Widget } from './model.ts';
import { FormScopeProvider, useForm } from './scope.ts';
import { ScriptField } from './script.tsx';
import { NumberField, PlainTextField, SelectField, SwitchField } from './simple.tsx';

const LEAVES: ReadonlySet<Widget> = new Set(['text', 'code', 'javascript', 'cel', 'condition', 'template', 'select', 'switch', 'number', 'duration', 'path', 'credential', 'workflow', 'provider', 'model', 'any', 'field', 'fields', 'incoming', 'formFields', 'sql']);

const TEXTS: ReadonlySet<Widget> = new Set(['text', 'code', 'javascript', 'cel', 'condition', 'template', 'path', 'credential', 'workflow', 'provider', 'model', 'any', 'field', 'fields', 'incoming', 'formFields', 'sql']);

/** Values that are chosen or counted; an expression takes their place. */
const LITERALS: ReadonlySet<Widget> = new Set(['select', 'switch', 'number', 'duration']);

export function Field(props: FieldArgs) {
  const scope = useForm();
  // What is kept as it is written is no expression, and none is offered.
  const raw = props.schema['x-raw'] === true && LITERALS.has(widgetOf(props.schema));
  const plain = (raw || hintsOf(props.schema).plain === true) && scope.host !== null;
  const literal = useMemo(() => ({ ...scope, host: null }), [scope]);
  return plain ? <FormScopeProvider value={literal}><OneField {...props} /></FormScopeProvider> : <OneField {...props} />;
}

interface FieldArgs {
  name: string;
  schema: JsonSchema;
  value: unknown;
  path: Path;
  required?: boolean;
  /** It has to be filled in with what its neighbours say. */
  needed?: boolean;
  label?: string;
  /** Without a frame of its own: inside a list row or a variant. */
  bare?: boolean;
}

function OneField({ name, schema, value, path, required = false, needed = required, label, bare = false }: FieldArgs) {
  const form = useForm();
  const { base, diagnostics, host, edit, widgets } = form;
  const widget = widgetOf(schema);
  const focusName = useId();
  const types = typesOf(schema);
  // A list or an object that is written as JSON is a value like any other: it may be an expression where the engine takes one.
  const json = (widget === 'code' || widget === 'formFields') && types.length > 0 && !types.includes('string');
  // Text fields hold both kinds of value themselves.
  const swaps = host !== null && (json ? schema['x-raw'] !== true : !TEXTS.has(widget));
  const props = {
    name,
    label: label ?? labelOf(name, schema),
    schema,
    value,
    required,
    needed,
    path,
    findings: diagnosticsAt(diagnostics, pointerOf(base, path), LEAVES.has(widget)),
    onValue: (next: unknown) => {
      // What was a fixed value becomes an expression: its editor takes the focus.
      if (swaps && isExpression(next) && !isExpression(value)) requestFocus(focusName);
      edit(path, next);
    },
  };
  if (swaps && isExpression(value)) return <ExpressionField {...props} focusName={focusName} />;
  const Own = widgets?.[widget];
  if (Own) return <Own {...props} />;
  switch (widget) {
    case 'field':
      return <FieldNameField {...props} />;
    case 'fields':
      return <FieldNamesField {...props} />;
    case 'credential':
    case 'workflow':
    case 'sql':
    case 'incoming':
    case 'timezone':
      return <PlainTextField {...props} />;
    case 'cel':
    // Rows come from outside, as they ask the host for more than a schema says.
    case 'condition':
      return <CelField {...props} />;
    case 'javascript':
      return <ScriptField {...props} />;
    case 'text':
    case 'template':
    case 'path':
    case 'provider':
    case 'model':
      // What is kept as it is written knows no expressions: one would be taken for a name.
      return host && schema['x-raw'] !== true ? <TextField {...props} /> : <PlainTextField {...props} />;
    case 'formFields':
    case 'code':
      // A box without a type takes any value: a text body and a JSON body are both right.
      if (types.length === 0) return <AnyField {...props} />;
      if (json) return <JsonField {...props} swaps={swaps} />;
      return host && schema['x-raw'] !== true ? <TextField {...props} /> : <PlainTextField {...props} />;
    case 'select':
    case 'switch':
    case 'number':
    case 'duration': {
      const Literal = widget === 'select' ? SelectField : widget === 'switch' ? SwitchField : NumberField;
      if (!swaps) return <Literal {...props} />;
      return <div className="field-drop" {...dropExpression(form.readOnly, props.onValue)}><Literal {...props} /></div>;
    }
    case 'file':
      // Without somebody who sends files it is the name of one.
      return types.includes('array') ? <ListField {...props} /> : <PlainTextField {...props} />;
    case 'keyvalue':
      return <KeyValueField {...props} />;
    case 'list':
    case 'rules':
    case 'toolRules':
      return <ListField {...props} />;
    case 'variants':
      return <VariantsField {...props} />;
    case 'any':
      return <AnyField {...props} />;
    case 'object':
      return bare ? (
        <div className="form-nested">
          <Properties schema={schema} value={value} path={path} />
          <Findings findings={props.findings} />
        </div>
      ) : (
        <ObjectField {...props} />
      );
  }
}

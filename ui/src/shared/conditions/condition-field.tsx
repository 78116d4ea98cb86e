// A condition in a form, and in a row of rules.

import type { ComponentProps } from 'react';
import { CelEditor, FieldFrame, endsInName, isMultiline, textOf, useExample, useForm, type OwnFieldProps } from '../../schema-form/index.ts';
import { ConditionEditor } from './condition-editor.tsx';

/** An expression that is true or false, where rules stand close: rows come on demand. */
export function ConditionBox({ open = false, ...editor }: ComponentProps<typeof CelEditor> & { open?: boolean }) {
  const { host, readOnly } = useForm();
  return (
    <ConditionEditor text={editor.text} onText={editor.onText} label={editor.label} readOnly={readOnly} open={open} source={host}>
      <CelEditor condition {...editor} />
    </ConditionEditor>
  );
}

/** A field of a step that is a condition. */
export function ConditionField(field: OwnFieldProps) {
  const { label, schema, value, required = false, onValue } = field;
  const example = useExample(schema);
  const stored = textOf(value);
  const text = stored.startsWith('=') && !stored.startsWith('==') ? stored.slice(1) : stored;
  return (
    <FieldFrame field={field} labelFor={false} unfinished={endsInName(text)}>
      {({ describedBy, invalid }) => (
        <ConditionBox text={text} onText={(next) => onValue(next === '' && !required ? undefined : next)} label={label} invalid={invalid} describedBy={describedBy}
          singleLine={!isMultiline(schema)} placeholder={example} open={required} />
      )}
    </FieldFrame>
  );
}

// A script: text of another language, kept as it is written.

import { CodeEditor } from '../code/CodeEditor.tsx';
import { FieldFrame, type FieldProps } from './frame.tsx';
import { hintsOf, textOf } from './model.ts';
import { useForm } from './scope.ts';

/** Room for a few lines from the beginning on. */
const LINES = 8;

export function ScriptField(field: FieldProps) {
  const { label, schema, value, required, onValue } = field;
  const { readOnly } = useForm();
  return (
    <FieldFrame field={field} labelFor={false}>
      {({ describedBy, invalid }) => (
        <CodeEditor
          mode="javascript"
          value={textOf(value)}
          onChange={(next) => onValue(next === '' && !required ? undefined : next)}
          label={label}
          invalid={invalid}
          describedBy={describedBy}
          readOnly={readOnly}
          minLines={LINES}
          placeholder={hintsOf(schema).placeholder}
        />
      )}
    </FieldFrame>
  );
}

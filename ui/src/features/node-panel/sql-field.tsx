/** The SQL of a step. It knows no expressions: a field of the data that is dropped here becomes a parameter, and its name stands in the SQL. */
import { createContext, useContext, type ReactNode } from 'react';
import { CodeEditor } from '../../code/CodeEditor.tsx';
import { isObject } from '../../json/json.ts';
import { FieldFrame, hintsOf, textOf, useForm, type OwnFieldProps } from '../../schema-form/index.ts';
import { t } from '../../i18n/index.ts';
import { parameterFor } from '../../shared/database/sql-names.ts';

/** The tables of the database, which stand below the SQL: a name is dragged from one to the other. */
export const SqlTablesContext = createContext<ReactNode>(null);

/** Room for a statement of some lines. */
const LINES = 4;

export function SqlField({ path, ...field }: OwnFieldProps) {
  const { label, schema, value, required, onValue } = field;
  const { readOnly, whole, host, edit } = useForm();
  const text = textOf(value);
  const tables = useContext(SqlTablesContext);
  const beside = [...path.slice(0, -1), 'params'];
  function parameter(expression: string): string {
    const { name, isNew } = parameterFor(isObject(whole) ? whole['params'] : undefined, expression);
    if (isNew) edit([...beside, name], `=${expression}`);
    return `:${name}`;
  }
  return (
    <>
    <FieldFrame field={field} labelFor={false} aside={host && !host.first && !readOnly ? <span className="t3">{t('sql.dragHere')}</span> : undefined}>
      {({ describedBy, invalid }) => (
        <CodeEditor mode="text" value={text} onChange={(next) => onValue(next === '' && !required ? undefined : next)} label={label} invalid={invalid} describedBy={describedBy} readOnly={readOnly}
          minLines={LINES} placeholder={readOnly ? '' : hintsOf(schema).placeholder ?? ''} droppedText={parameter} />
      )}
    </FieldFrame>
    {tables}
    </>
  );
}

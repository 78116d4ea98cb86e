/** The fields of a form that starts a workflow: the page that people fill in, and its preview in the editor. */
import './form-fields.css';
import { createContext, useContext, useMemo } from 'react';
import type { Diagnostic, JsonSchema } from '../../api/types.ts';
import { formatBytes, t, tn } from '../../i18n/index.ts';
import { IconButton, TextInput } from '../../kit/index.ts';
import { FieldFrame, SchemaForm, useForm, type OwnFieldProps, type OwnWidgets } from '../../schema-form/index.ts';
import { hintsOf, isMultiline, textOf } from '../../schema-form/model.ts';
import { PlainTextField } from '../../schema-form/simple.tsx';

/** Chosen files by the name of their field. */
export type FormFiles = Readonly<Record<string, readonly File[]>>;

interface Chosen { files: FormFiles; choose(field: string, files: readonly File[]): void }
const FilesContext = createContext<Chosen>({ files: {}, choose: () => undefined });

function FileField(field: OwnFieldProps) {
  const { files, choose } = useContext(FilesContext);
  const { readOnly } = useForm();
  const { label, name, schema, onValue } = field;
  const chosen = files[name] ?? [];
  const many = schema.items !== undefined;
  const accept = (many ? schema.items : schema)?.['contentMediaType'];
  const take = (next: readonly File[]) => {
    choose(name, next);
    const names = next.map((one) => one.name);
    onValue(names.length === 0 ? undefined : many ? names : names[0]);
  };
  return (
    <FieldFrame field={field}>
      {({ id, describedBy, invalid }) => (
        <>
          <span className={`input form-file ${invalid ? 'bad' : ''}`}>
            {/* A new element for an empty choice: the browser keeps the name of the file that was removed. */}
            <input key={chosen.length === 0 ? 'none' : 'some'} id={id} type="file" multiple={many} disabled={readOnly} aria-describedby={describedBy} aria-invalid={invalid || undefined} aria-label={chosen.length === 0 ? undefined : label}
              accept={typeof accept === 'string' ? accept : undefined}
              onChange={(event) => { if (event.target.files?.length) take([...event.target.files]); }} hidden={chosen.length > 0} />
            {chosen.length > 0 ? (
              <>
                <span className="grow form-file-names"><bdi>{chosen.map((one) => one.name).join(', ')}</bdi> <span className="t3 nw">{tn('formPage.files', chosen.length, { size: formatBytes(chosen.reduce((sum, one) => sum + one.size, 0)) })}</span></span>
                {readOnly ? null : <IconButton small icon="x" label={t('formPage.removeFiles', { name: label })} onClick={() => take([])} />}
              </>
            ) : null}
          </span>
        </>
      )}
    </FieldFrame>
  );
}

const TYPES: { [format: string]: 'date' | 'email' | 'url' } = { date: 'date', email: 'email', uri: 'url' };

/** The browser has keyboards and pickers for some texts. */
function TextField(field: OwnFieldProps) {
  const { readOnly } = useForm();
  const { schema, value, onValue } = field;
  const type = TYPES[schema.format ?? ''];
  if (!type || isMultiline(schema) || schema['x-secret'] === true) return <PlainTextField {...field} />;
  return (
    <FieldFrame field={field}>
      {({ id, describedBy, invalid }) => (
        <TextInput id={id} type={type} autoComplete={type === 'email' ? 'email' : 'off'} aria-describedby={describedBy} invalid={invalid} readOnly={readOnly} value={textOf(value)} placeholder={hintsOf(schema).placeholder}
          onChange={(next) => onValue(next === '' ? undefined : next)} />
      )}
    </FieldFrame>
  );
}

const WIDGETS: OwnWidgets = { file: FileField, text: TextField };

export function FormFields({ schema, value, files, diagnostics, label, readOnly = false, onChange, onFiles }: {
  schema: JsonSchema;
  value: unknown;
  files: FormFiles;
  diagnostics: readonly Diagnostic[];
  label: string;
  readOnly?: boolean;
  onChange(value: unknown, field: string): void;
  onFiles(files: FormFiles): void;
}) {
  const chosen = useMemo<Chosen>(() => ({ files, choose: (field, next) => onFiles({ ...files, [field]: next }) }), [files, onFiles]);
  return (
    <FilesContext.Provider value={chosen}>
      <SchemaForm schema={schema} value={value} diagnostics={diagnostics} label={label} json={false} lenient readOnly={readOnly} widgets={WIDGETS}
        onChange={(next, { path }) => onChange(next, String(path[0] ?? ''))} />
    </FilesContext.Provider>
  );
}

/** What stands in a form before anybody fills it in. A required switch is off: it has an answer from the beginning. */
export function firstAnswers(schema: JsonSchema): Record<string, unknown> {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]): [string, unknown][] => {
    if (field.default !== undefined) return [[name, field.default]];
    const required = schema.required?.includes(name) === true;
    if (field.type === 'object' && field.properties) {
      const inner = firstAnswers(field);
      return Object.keys(inner).length > 0 ? [[name, inner]] : [];
    }
    return field.type === 'boolean' && required ? [[name, false]] : [];
  });
  return Object.fromEntries(fields);
}

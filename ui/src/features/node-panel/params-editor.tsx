import { asSchema } from '../../json/json-schema.ts';
import { isObject } from '../../json/json.ts';
import { useState } from 'react';
import type { JsonSchema } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Checkbox, IconButton, Segmented, Select } from '../../kit/index.ts';
import { Field, Findings, FormScopeProvider, JsonBox, pointerOf, useForm, type OwnFieldProps } from '../../schema-form/index.ts';
import { PARAM_TYPES, freeName, paramsOf, schemaOf, withType, type Param } from './params-model.ts';

export interface ParamWords { title: string; hint: string; add: string; none: string; first: string }

/** What a run asks for before it starts. */
export function ParamsEditor(props: { schema: JsonSchema | undefined; onChange: (schema: JsonSchema | undefined) => void }) {
  return <PropertiesEditor {...props} pointer="/params" words={{ title: t('workflow.params'), hint: t('workflow.paramsHint'), add: t('workflow.paramAdd'), none: t('workflow.paramsNone'), first: 'input' }} />;
}

/** The fields of a form: rows instead of a schema. */
export function FormFieldsField({ label, schema, value, path, findings, onValue }: OwnFieldProps) {
  return (
    <>
      <PropertiesEditor schema={isObject(value) ? asSchema(value) : undefined} onChange={onValue} pointer={pointerOf('', path)}
        words={{ title: label, hint: schema.description ?? '', add: t('formFields.add'), none: t('formFields.none'), first: 'answer' }} />
      <Findings findings={findings} />
    </>
  );
}

/** The properties of an object schema as rows; as JSON when it says more than rows can show. */
function PropertiesEditor({ schema, onChange, words, pointer }: { schema: JsonSchema | undefined; onChange: (schema: JsonSchema | undefined) => void; words: ParamWords; pointer: string }) {
  const { readOnly } = useForm();
  const params = paramsOf(schema);
  const [asked, setView] = useState<'form' | 'json'>('form');
  const view = params === null ? 'json' : asked;
  const store = (next: readonly Param[]) => onChange(schemaOf(schema, next));
  return (
    <div className="field">
      <span className="lab" title={words.hint}>
        {words.title}
        <span className="end row gap1">
          {params && view === 'form' && !readOnly ? (
            <button type="button" className="lab-add" onClick={() => store([...params, { name: freeName(params, words.first), type: 'string', required: false, schema: { type: 'string' } }])}>+ {words.add}</button>
          ) : null}
          <Segmented<'form' | 'json'> small label={t('form.view')} value={view} onChange={setView} options={[{ value: 'form', label: t('form.view.form') }, { value: 'json', label: t('form.view.json') }]} />
        </span>
      </span>
      {params === null ? <span className="s t3">{t('workflow.paramsComplex')}</span> : null}
      {view === 'json' || params === null ? (
        <JsonBox value={schema} label={words.title} minLines={6} onValue={(next) => { if (next === undefined || isObject(next)) onChange(next as JsonSchema | undefined); }} />
      ) : params.length === 0 ? (
        <span className="s t3">{words.none}</span>
      ) : (
        <div className="box" role="list" aria-label={words.title}>
          {params.map((param, index) => (
            // A renamed input stays the same row.
            <ParamRow key={`param ${String(index)}`} pointer={pointer} param={param} taken={(name) => params.some((one, i) => i !== index && one.name === name)}
              onChange={(next) => store(params.map((one, i) => (i === index ? next : one)))}
              onRemove={() => store(params.filter((_, i) => i !== index))} />
          ))}
        </div>
      )}
    </div>
  );
}

function ParamRow({ param, pointer, taken, onChange, onRemove }: { param: Param; pointer: string; taken: (name: string) => boolean; onChange: (param: Param) => void; onRemove: () => void }) {
  const scope = useForm();
  const { readOnly } = scope;
  const [text, setText] = useState<string | null>(null);
  const clash = text !== null && taken(text.trim());
  const { description: _, title: __, default: value, ...bare } = param.schema;
  return (
    <div className="param" role="listitem">
      <div className="row gap1">
        <span className={`input grow ${clash ? 'bad' : ''}`}>
          <input className="mono" aria-label={`${t('workflow.paramName')}: ${param.name}`} value={text ?? param.name} readOnly={readOnly} spellCheck={false}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => { if (event.key === 'Enter') event.currentTarget.blur(); }}
            onBlur={() => {
              const name = text?.trim();
              if (name && name !== param.name && !taken(name)) onChange({ ...param, name });
              setText(null);
            }} />
        </span>
        <span className="param-type">
          <Select label={`${t('workflow.paramType')}: ${param.name}`} value={param.type} disabled={readOnly} onChange={(type) => onChange(withType(param, type))}
            options={PARAM_TYPES.map((type) => ({ value: type, label: t(`workflow.type.${type}`) }))} />
        </span>
        {readOnly ? null : <IconButton small icon="x" label={t('workflow.paramRemove', { name: param.name })} onClick={onRemove} />}
      </div>
      {clash ? <span className="s c-err" role="alert">{t('form.twice', { name: text?.trim() ?? '' })}</span> : null}
      <FormScopeProvider
        value={{
          ...scope, base: `${scope.base}${pointer}/properties/${param.name}`, host: null,
          edit: (_path, next) => {
            const { default: _old, ...rest } = param.schema;
            onChange({ ...param, schema: next === undefined ? rest : { ...rest, default: next } });
          },
        }}
      >
        {param.type === 'array' || param.type === 'object' ? null : (
          <Field name="default" label={t('workflow.paramDefault')} schema={bare} value={value} path={[]} />
        )}
      </FormScopeProvider>
      <div className="row s">
        <Checkbox checked={param.required} disabled={readOnly} label={`${t('workflow.paramRequired')}: ${param.name}`} onChange={(required) => onChange({ ...param, required })} />
        {t('workflow.paramRequired')}
      </div>
    </div>
  );
}

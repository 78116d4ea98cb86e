/** Provider and model of a step or of a workflow: chosen among those of this machine, or written. A provider is asked for its models only when
 * a person goes into the field. */
import { createContext, useContext, useId, useState } from 'react';
import { isObject } from '../../json/json.ts';
import { isTemplate } from '../../code/cel-language.ts';
import { useCommand, usePermission } from '../../api/queries.ts';
import { t } from '../../i18n/index.ts';
import { AnyField, FieldFrame, OfferedText, TextField, ToExpression, isExpression, requestFocus, toExpression, useForm, type FieldProps } from '../../schema-form/index.ts';
import { knownModels, type Chosen } from './model-choice.ts';

/** Of the step or workflow whose fields these are. */
export const ModelContext = createContext<Chosen>({ provider: undefined, model: undefined, providerWords: undefined, modelWords: undefined });

/** An expression, a text with data in it, or an address: written as ever. */
const isName = (value: unknown): value is string | undefined => value === undefined || (typeof value === 'string' && !isExpression(value) && !isTemplate(value));

/** A name of those that there are, or whatever else the engine takes. What is typed may turn the one into the other: the editor that comes then has the focus. */
function NameField({ field, offered, empty, onFocus }: { field: FieldProps; offered: readonly string[]; empty: string; onFocus?: () => void }) {
  const { host, readOnly } = useForm();
  const focusName = useId();
  const { label, value } = field;
  const named = (one: unknown): one is string | undefined => isName(one) || (host === null && typeof one === 'string');
  const onValue = (next: unknown) => {
    if (named(next) !== named(value)) requestFocus(focusName);
    field.onValue(next);
  };
  // An address is no text: a letter in it would make it one.
  if (isObject(value)) return <AnyField {...field} />;
  if (!named(value)) return <TextField {...field} onValue={onValue} focusName={focusName} />;
  return (
    <FieldFrame field={field}>
      {({ id, describedBy, invalid }) => (
        <OfferedText id={id} describedBy={describedBy} label={label} invalid={invalid} value={value ?? ''} placeholder={empty} offered={offered.map((one) => ({ value: one }))} onFocus={onFocus} focusName={focusName}
          onValue={(next) => onValue(next === '' ? undefined : next)} end={host && !readOnly ? <ToExpression label={label} onPress={() => onValue(toExpression(value))} /> : undefined} />
      )}
    </FieldFrame>
  );
}

export function ProviderField(field: FieldProps) {
  const { providerWords } = useContext(ModelContext);
  const models = useCommand('model_list', {}, { staleTime: 30_000 });
  return <NameField field={field} offered={models.data?.providers.map((one) => one.name) ?? []} empty={providerWords ?? t('model.none')} />;
}

export function ModelField(field: FieldProps) {
  const { provider, modelWords } = useContext(ModelContext);
  const may = usePermission();
  const models = useCommand('model_list', {}, { staleTime: 30_000 });
  const [asked, setAsked] = useState(false);
  const here = models.data?.providers.some((one) => one.name === provider) === true;
  const listed = useCommand('model_names', { name: provider ?? '' }, { enabled: asked && here && may('model_names'), staleTime: 300_000, retry: false, refetchOnWindowFocus: false });
  const offered = [...new Set([...knownModels(models.data, provider), ...(listed.data?.models ?? [])])];
  return <NameField field={field} offered={offered} empty={modelWords ?? t('model.none')} onFocus={() => setAsked(true)} />;
}

// The model of the steps of a workflow that name none (K-41): it comes before the default of the machine.

import { useMemo } from 'react';
import { useCommand } from '../../api/queries.ts';
import type { JsonSchema, Workflow } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Findings, FormScopeProvider, diagnosticsAt, useForm, type FormScope } from '../../schema-form/index.ts';
import { chosenFor, typedModel, withName } from './model-choice.ts';
import { ModelContext, ModelField, ProviderField } from './model-fields.tsx';

const PROVIDER: JsonSchema = { type: 'string', get title() { return t('workflow.modelProvider'); } };
const MODEL: JsonSchema = { type: 'string', get title() { return t('workflow.modelName'); } };

export function WorkflowModel({ settings }: { settings: Workflow['settings'] }) {
  const around = useForm();
  const usual = useCommand('model_list', {}, { staleTime: 30_000 }).data?.default;
  const setting = settings?.model;
  const own = useMemo(() => typedModel(setting), [setting]);
  const chosen = useMemo(() => chosenFor(own, undefined, usual), [own, usual]);
  // Names of this machine, no expressions.
  const scope = useMemo<FormScope>(() => ({ ...around, host: null }), [around]);
  const set = (field: 'provider' | 'model') => (next: unknown) => around.edit(['settings', 'model'], withName(setting, field, typeof next === 'string' ? next : undefined));
  const given = { required: false, findings: [] };
  return (
    <FormScopeProvider value={scope}>
      <ModelContext value={chosen}>
        <div className="field" role="group" aria-label={t('workflow.model')}>
          <span className="lab">{t('workflow.model')}</span>
          <ProviderField {...given} name="provider" label={t('workflow.modelProvider')} schema={PROVIDER} value={own.provider} onValue={set('provider')} />
          <ModelField {...given} name="model" label={t('workflow.modelName')} schema={MODEL} value={own.model} onValue={set('model')} />
          <span className="s t3">{t('workflow.modelHint')}</span>
          <Findings findings={diagnosticsAt(around.diagnostics, '/settings/model', false)} />
        </div>
      </ModelContext>
    </FormScopeProvider>
  );
}

/** Chooses the model of steps that name none. The provider is asked for its models only here, when a person wants to choose. */
import { useState } from 'react';
import { act, useCommand } from '../../api/queries.ts';
import type { Models } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Field, Select, TextInput } from '../../kit/index.ts';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { Fault } from '../../shared/form-error.tsx';
import { FormDialog } from '../../shared/form-dialog.tsx';

const NONE = '';

export function DefaultDialog({ models, onClose }: { models: Models; onClose(): void }) {
  const [provider, setProvider] = useState(models.default?.provider ?? models.providers[0]?.name ?? NONE);
  const [model, setModel] = useState(models.default?.model ?? '');
  const names = useCommand('model_names', { name: provider }, { enabled: provider !== NONE, staleTime: Infinity, gcTime: 0, refetchOnWindowFocus: false });
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const known = names.data?.models ?? [];
  const complete = provider === NONE || model.trim() !== '';
  async function save() {
    const chosen = { provider, model: model.trim() };
    const done = provider === NONE
      ? run(() => act('model_default_set', {}), t('models.defaultGone'))
      : run(() => act('model_default_set', { default: chosen }), t('models.defaultSet', { model: chosen.model }));
    if (await done) onClose();
  }
  function choose(next: string) {
    setProvider(next);
    setModel(models.default?.provider === next ? models.default.model : '');
  }
  return (
    <FormDialog title={t('models.default')} submit={t('models.keep')} width={440} busy={busy} error={error} complete={complete} onSubmit={() => void save()} onClose={onClose}>
        <Field label={t('models.provider')}>
          {({ id }) => <Select id={id} label={t('models.provider')} value={provider} onChange={choose} options={[{ value: NONE, label: t('models.noDefault') }, ...models.providers.map(({ name }) => ({ value: name, label: name }))]} />}
        </Field>
        {provider === NONE ? null : (
          <>
            {names.error ? <Fault error={names.error} /> : null}
            <Field label={t('models.model')} required hint={names.isPending ? t('models.asking') : t('models.modelHint')}>
              {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono value={model} maxLength={200} onChange={setModel} />}
            </Field>
            {known.length > 0 ? (
              <Field label={t('models.listed')}>
                {({ id }) => <Select id={id} label={t('models.listed')} value={known.includes(model) ? model : ''} onChange={(next) => { if (next !== '') setModel(next); }} options={[...(known.includes(model) ? [] : [{ value: '', label: t('models.choose') }]), ...known.map((name) => ({ value: name, label: name }))]} />}
              </Field>
            ) : null}
          </>
        )}
    </FormDialog>
  );
}

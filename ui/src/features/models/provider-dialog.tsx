/** Adds a provider of language models, or changes one. Its key becomes a secret that goes to its address only. */
import { useState, type ReactNode } from 'react';
import { act, useCommand } from '../../api/queries.ts';
import type { ModelKind, ModelProvider, SecretStatus } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Banner, Button, Checkbox, Field, Select, TextArea, TextInput } from '../../kit/index.ts';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { Fault } from '../../shared/form-error.tsx';
import { FormDialog } from '../../shared/form-dialog.tsx';
import { freeName, hostFor, KINDS, modelsOf, secretFor, secretName, textOf, USUAL } from './words.ts';

const SCHEME = 'secret://';

/** Where the key of secrets is kept is chosen by the same dialog as among the secrets. */
export type KeyPlace = (status: SecretStatus, onClose: () => void) => ReactNode;

export interface ProviderDialogProps {
  /** The provider that is changed. */
  old?: ModelProvider | undefined;
  taken: readonly string[];
  keyPlace: KeyPlace;
  onClose(): void;
  onSaved(name: string): void;
}

export function ProviderDialog({ old, taken, keyPlace, onClose, onSaved }: ProviderDialogProps) {
  const [kind, setKind] = useState<ModelKind>(old?.kind ?? 'anthropic');
  const [name, setName] = useState<string>(old?.name ?? freeName(USUAL.anthropic.name, taken));
  const [address, setAddress] = useState<string>(old?.baseUrl ?? USUAL.anthropic.url);
  const [key, setKey] = useState('');
  const [forget, setForget] = useState(false);
  const [own, setOwn] = useState(textOf(old?.models ?? []));
  const [placing, setPlacing] = useState(false);
  const status = useCommand('secret_status', {});
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const had = old?.credential?.slice(SCHEME.length);
  const isTaken = !old && taken.includes(name.trim());
  const models = modelsOf(own);
  const wrong = 'wrong' in models ? models.wrong : undefined;
  const ready = status.data?.state === 'ready';
  const complete = name.trim() !== '' && !isTaken && hostFor(address) !== undefined && wrong === undefined && (key === '' || ready);
  function speak(next: ModelKind) {
    // What nobody has touched follows the kind.
    if (address === USUAL[kind].url) setAddress(USUAL[next].url);
    if (!old && name === freeName(USUAL[kind].name, taken)) setName(freeName(USUAL[next].name, taken));
    setKind(next);
  }
  async function save() {
    if ('wrong' in models) return;
    const provider = { name: name.trim(), kind, baseUrl: address.trim(), models: models.models };
    const kept = await run(async () => {
      const secret = key === '' ? undefined : secretFor(provider, key);
      if (secret) await act('secret_set', secret);
      const credential = secret ? SCHEME + secret.name : forget ? undefined : old?.credential;
      await act('model_set', { ...provider, ...(credential ? { credential } : {}) });
    }, t('models.saved', { name: provider.name }));
    if (!kept) return;
    onSaved(provider.name);
    onClose();
  }
  // A key goes where it was given for: another host is asked with it when it was typed again.
  const moved = old !== undefined && hostFor(address) !== hostFor(old.baseUrl);
  const keyHint = had && key === '' && moved ? t('models.keyMoved', { host: hostFor(old.baseUrl) ?? '…' })
    : had && key === '' ? t('models.keyKept', { name: had })
    : kind === 'ollama' && key === '' ? t('models.keyNone')
    : t('models.keyHint', { name: secretName(name.trim() || '…'), host: hostFor(address) ?? '…' });
  return (
    <FormDialog title={old ? t('models.editOf', { name: old.name }) : t('models.newTitle')} submit={t('models.save')} busy={busy} error={error} complete={complete} onSubmit={() => void save()} onClose={onClose}
      above={placing && status.data ? keyPlace(status.data, () => setPlacing(false)) : null}>
        <div className="sec-two">
          <Field label={t('models.kind')}>
            {({ id }) => <Select<ModelKind> id={id} label={t('models.kind')} value={kind} onChange={speak} options={KINDS.map((one) => ({ value: one, label: t(`models.kind.${one}`) }))} />}
          </Field>
          {old ? null : (
            <Field label={t('models.name')} required {...(isTaken ? { error: t('models.nameTaken') } : { hint: t('models.nameHint') })}>
              {({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} mono value={name} maxLength={64} onChange={setName} />}
            </Field>
          )}
        </div>
        <Field label={t('models.address')} required hint={t('models.addressHint')}>
          {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} type="url" mono value={address} maxLength={2000} onChange={setAddress} />}
        </Field>
        <Field label={t('models.key')} hint={keyHint}>
          {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} type="password" autoComplete="new-password" mono value={key} onChange={setKey} />}
        </Field>
        {had && key === '' ? <label className="row gap1 s"><Checkbox checked={forget} label={t('models.keyForget')} onChange={setForget} />{t('models.keyForget')}</label> : null}
        {key !== '' && status.isPending ? <span role="status" className="s t3">{t('models.keyAsking')}</span> : null}
        {key !== '' && status.error ? <Fault error={status.error} /> : null}
        {key !== '' && status.data?.state === 'notChosen' ? (
          <Banner signal="wait" title={t('models.keyPlace')} actions={<Button small icon="key" onClick={() => setPlacing(true)}>{t('models.keyPlaceSet')}</Button>} />
        ) : null}
        {key !== '' && status.data && !ready && status.data.state !== 'notChosen' ? <Banner signal="warn" title={t('models.keyLocked')} /> : null}
        <Field label={t('models.own')} {...(wrong ? { error: t('models.ownBad', { line: wrong }) } : { hint: t('models.ownHint') })}>
          {({ id, describedBy }) => <TextArea id={id} aria-describedby={describedBy} mono rows={2} value={own} placeholder="small = 0.25 / 1.25" onChange={setOwn} />}
        </Field>
    </FormDialog>
  );
}

/** Adds a secret, or replaces one whole. The value stays in this form until it is sent, and nowhere else. */
import { useState } from 'react';
import { act } from '../../api/queries.ts';
import type { SecretEntry, SecretKind } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Field, Select, TextArea, TextInput } from '../../kit/index.ts';
import { useAsyncAction } from '../use-async-action.ts';
import { FormDialog } from '../form-dialog.tsx';

const KINDS: readonly SecretKind[] = ['bearer', 'basic', 'header', 'query'];
const PLACEHOLDER = { basic: 'ada', header: 'X-Api-Key', query: 'api_key' } as const;

export interface SecretDialogProps {
  /** The secret that is replaced. */
  old?: SecretEntry | undefined;
  /** Hosts that are offered for a new one. */
  hosts?: readonly string[];
  onClose(): void;
  onKept?(name: string): void;
}

export function SecretDialog({ old, hosts = [], onClose, onKept }: SecretDialogProps) {
  const [name, setName] = useState(old?.name ?? '');
  const [kind, setKind] = useState<SecretKind>(old?.kind ?? 'bearer');
  const [field, setField] = useState(old?.field ?? '');
  const [value, setValue] = useState('');
  const [allowed, setAllowed] = useState((old?.hosts ?? hosts).join('\n'));
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const list = allowed.split(/[\s,]+/).filter(Boolean);
  const complete = name.trim() !== '' && value !== '' && list.length > 0 && (kind === 'bearer' || field.trim() !== '');
  async function keep() {
    const secret = { name: name.trim(), kind, hosts: list, value, ...(kind === 'bearer' ? {} : { field: field.trim() }) };
    if (!await run(() => act('secret_set', secret), t('secrets.kept', { name: secret.name }))) return;
    onKept?.(secret.name);
    onClose();
  }
  return (
    <FormDialog title={old ? t('secrets.replaceOf', { name: old.name }) : t('secrets.newTitle')} submit={t('secrets.save')} busy={busy} error={error} complete={complete} onSubmit={() => void keep()} onClose={onClose}>
        {old ? null : (
          <Field label={t('secrets.name')} required hint={t('secrets.nameHint', { name: name.trim() || 'erp' })}>
            {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono value={name} placeholder="erp" maxLength={64} onChange={setName} />}
          </Field>
        )}
        <div className="sec-two">
          <Field label={t('secrets.kind')}>
            {({ id }) => <Select<SecretKind> id={id} label={t('secrets.kind')} value={kind} onChange={setKind} options={KINDS.map((one) => ({ value: one, label: t(`secrets.kind.${one}`) }))} />}
          </Field>
          {kind === 'bearer' ? null : (
            <Field label={t(`secrets.field.${kind}`)} required>
              {({ id }) => <TextInput id={id} mono={kind !== 'basic'} value={field} placeholder={PLACEHOLDER[kind]} onChange={setField} />}
            </Field>
          )}
        </div>
        <Field label={t(kind === 'basic' ? 'secrets.value.basic' : 'secrets.value')} required hint={t('secrets.valueHint')}>
          {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} type="password" autoComplete="new-password" mono value={value} onChange={setValue} />}
        </Field>
        <Field label={t('secrets.allowed')} required hint={t('secrets.allowedHint')}>
          {({ id, describedBy }) => <TextArea id={id} aria-describedby={describedBy} mono rows={2} value={allowed} placeholder="api.example.com" onChange={setAllowed} />}
        </Field>
    </FormDialog>
  );
}

/** Adds a secret, or replaces one whole. The value stays in this form until it is sent, and nowhere else. */
import { useState } from 'react';
import { act, useCommand } from '../../api/queries.ts';
import type { Commands, SecretEntry, SecretKind } from '../../api/types.ts';
import { isTauri } from '../../api/transport/tauri.ts';
import { t } from '../../i18n/index.ts';
import { Field, Select, TextArea, TextInput } from '../../kit/index.ts';
import { grantsChanged } from '../../schema-form/folder-grants.ts';
import { useAsyncAction } from '../use-async-action.ts';
import { FormDialog } from '../form-dialog.tsx';

import { clientOf, draftOf, hostsOf, isComplete, withConnector, type OAuthDraft } from './oauth-draft.ts';
import { OAuthFields } from './oauth-fields.tsx';

const KINDS: readonly SecretKind[] = ['bearer', 'basic', 'header', 'query', 'oauth2', 'aws', 'certificate', 'ssh', 'azure', 'sas', 'google'];
const PLACEHOLDER = { basic: 'ada', header: 'X-Api-Key', query: 'api_key', aws: 'AKIAIOSFODNN7EXAMPLE', ssh: 'ada', azure: 'mystorageaccount' } as const;
/** How the files of keys begin. */
const FILE_BEGINS = { certificate: '-----BEGIN CERTIFICATE-----', ssh: '-----BEGIN OPENSSH PRIVATE KEY-----', google: '{ "type": "service_account", …' } as const;
const HOST: Partial<Record<SecretKind, string>> = { ssh: 'files.example.com', azure: 'mystorageaccount.blob.core.windows.net', sas: 'mystorageaccount.blob.core.windows.net', google: 'storage.googleapis.com\noauth2.googleapis.com' };
/** Kinds with an extra field next to the value. */
const hasField = (kind: SecretKind): kind is keyof typeof PLACEHOLDER => kind in PLACEHOLDER;
/** Where browsers come back to when a server shows this page; the window uses its own pages. */
const CALLBACK = '/oauth/callback';

export type GivenSecret = NonNullable<Commands['import_preview']['response']['secret']>;

export interface SecretDialogProps {
  /** The secret that is replaced. */
  old?: SecretEntry | undefined;
  /** What a command line said of a new one: its name is taken over by the step already. */
  given?: GivenSecret | undefined;
  /** Hosts that are offered for a new one. */
  hosts?: readonly string[];
  /** How a new one is sent, as long as nobody chooses otherwise. */
  kind?: SecretKind | undefined;
  onClose(): void;
  onKept?(name: string): void;
  /** Somebody has to sign in with what was kept. */
  onWanted?(name: string): void;
}

function valueLabel(kind: SecretKind) {
  return kind === 'bearer' || kind === 'header' || kind === 'query' ? t('secrets.value') : t(`secrets.value.${kind}`);
}

export function SecretDialog({ old, given, hosts = [], kind: usual = 'bearer', onClose, onKept, onWanted }: SecretDialogProps) {
  const [name, setName] = useState(old?.name ?? given?.name ?? '');
  const [kind, setKind] = useState<SecretKind>(old?.kind ?? given?.kind ?? usual);
  const [field, setField] = useState(old?.field ?? given?.field ?? '');
  const [value, setValue] = useState(given?.value ?? '');
  const [allowed, setAllowed] = useState((old?.hosts ?? (given && given.host !== '' ? [given.host] : hosts)).join('\n'));
  const [region, setRegion] = useState(old?.region ?? '');
  const [service, setService] = useState(old?.service ?? '');
  const [hostKey, setHostKey] = useState(old?.hostKey ?? '');
  const [draft, setDraft] = useState<OAuthDraft>(() => draftOf(old?.oauth));
  const connectors = useCommand('connector_list', {}, { enabled: kind === 'oauth2' });
  const services = (connectors.data ?? []).filter((one) => one.signIn !== undefined);
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const list = allowed.split(/[\s,]+/).filter(Boolean);
  const own = kind === 'oauth2' ? isComplete(draft, value) : value !== '' && (!hasField(kind) || field.trim() !== '') && (kind !== 'aws' || (region.trim() !== '' && service.trim() !== ''));
  const complete = name.trim() !== '' && list.length > 0 && own;
  /** The hosts follow the addresses as long as nobody has changed them. */
  function change(next: OAuthDraft) {
    const before = hostsOf(draft, services.find((one) => one.name === draft.service)).join('\n');
    if (allowed === before || allowed.trim() === '') setAllowed(hostsOf(next, services.find((one) => one.name === next.service)).join('\n'));
    setDraft(next);
  }
  function choose(connector: string) {
    const found = services.find((one) => one.name === connector);
    const next = withConnector(draft, found);
    setDraft(next);
    setAllowed(hostsOf(next, found).join('\n'));
    if (name.trim() === '' && found) setName(found.name);
  }
  async function keep() {
    const secret = {
      name: name.trim(), kind, hosts: list, value,
      ...(hasField(kind) || (kind === 'google' && field.trim() !== '') ? { field: field.trim() } : {}),
      ...(kind === 'aws' ? { region: region.trim(), service: service.trim() } : {}),
      ...(kind === 'ssh' && hostKey.trim() !== '' ? { hostKey: hostKey.trim() } : {}),
      ...(kind === 'oauth2' ? { oauth: clientOf(draft) } : {}),
    };
    let wanted = false;
    if (!await run(async () => { wanted = (await act('secret_set', secret)).signIn?.state === 'wanted'; }, t('secrets.kept', { name: secret.name }))) return;
    grantsChanged();
    onKept?.(secret.name);
    onClose();
    if (wanted) onWanted?.(secret.name);
  }
  return (
    <FormDialog title={old ? t('secrets.replaceOf', { name: old.name }) : given ? t('secrets.newOf', { name: given.name }) : t('secrets.newTitle')} submit={t('secrets.save')} busy={busy} error={error} complete={complete} onSubmit={() => void keep()} onClose={onClose}>
        {old || given ? null : (
          <Field label={t('secrets.name')} required hint={t('secrets.nameHint', { name: name.trim() || 'erp' })}>
            {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono value={name} placeholder="erp" maxLength={64} onChange={setName} />}
          </Field>
        )}
        <div className="sec-two">
          <Field label={t('secrets.kind')}>
            {({ id }) => <Select<SecretKind> id={id} label={t('secrets.kind')} value={kind} onChange={setKind} options={KINDS.map((one) => ({ value: one, label: t(`secrets.kind.${one}`) }))} />}
          </Field>
          {!hasField(kind) ? null : (
            <Field label={t(`secrets.field.${kind}`)} required>
              {({ id }) => <TextInput id={id} mono={kind !== 'basic' && kind !== 'ssh'} value={field} placeholder={PLACEHOLDER[kind]} onChange={setField} />}
            </Field>
          )}
        </div>
        {kind === 'aws' ? (
          <div className="sec-two">
            <Field label={t('secrets.region')} required>{({ id }) => <TextInput id={id} mono value={region} placeholder="eu-central-1" onChange={setRegion} />}</Field>
            <Field label={t('secrets.service')} required>{({ id }) => <TextInput id={id} mono value={service} placeholder="s3" onChange={setService} />}</Field>
          </div>
        ) : null}
        {kind === 'ssh' ? (
          <Field label={t('secrets.hostKey')} hint={t('secrets.hostKeyHint')}>
            {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono value={hostKey} placeholder="SHA256:…" onChange={setHostKey} />}
          </Field>
        ) : null}
        {kind === 'google' ? (
          <Field label={t('secrets.oauth.scopes')} hint={t('secrets.googleScopesHint')}>
            {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono value={field} placeholder="https://www.googleapis.com/auth/devstorage.read_write" onChange={setField} />}
          </Field>
        ) : null}
        {kind === 'oauth2' ? <OAuthFields draft={draft} services={services} callback={isTauri() ? undefined : window.location.origin + CALLBACK} onChange={change} onService={choose} /> : null}
        <Field label={valueLabel(kind)} required={kind !== 'oauth2' || draft.grant === 'clientCredentials'} hint={t(kind === 'oauth2' || kind === 'ssh' || kind === 'sas' || kind === 'google' ? `secrets.value.${kind}Hint` : 'secrets.valueHint')}>
          {({ id, describedBy }) => kind === 'certificate' || kind === 'ssh' || kind === 'google'
            ? <TextArea id={id} aria-describedby={describedBy} mono rows={6} value={value} placeholder={FILE_BEGINS[kind]} onChange={setValue} />
            : <TextInput id={id} aria-describedby={describedBy} type="password" autoComplete="new-password" mono value={value} onChange={setValue} />}
        </Field>
        <Field label={t('secrets.allowed')} required hint={t(kind === 'ssh' ? 'secrets.allowedServersHint' : kind === 'google' ? 'secrets.allowedGoogleHint' : 'secrets.allowedHint')}>
          {({ id, describedBy }) => <TextArea id={id} aria-describedby={describedBy} mono rows={2} value={allowed} placeholder={HOST[kind] ?? 'api.example.com'} onChange={setAllowed} />}
        </Field>
    </FormDialog>
  );
}

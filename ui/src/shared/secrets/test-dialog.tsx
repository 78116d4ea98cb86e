/** Tries a secret: it is sent to a service, or used to sign in to a server, by the rules of steps. */
import { useState } from 'react';
import { act } from '../../api/queries.ts';
import type { SecretEntry, SecretTested } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Banner, Button, Field, Select, TextArea, TextInput } from '../../kit/index.ts';
import { SafeText } from '../evidence/safe-text.tsx';
import { FormDialog } from '../form-dialog.tsx';
import { useAsyncAction } from '../use-async-action.ts';
import { addressOf, draftOfSecret, encryptionsOf, isComplete, isServer, isStore, partOf, portOf, SIGN_INS, SYSTEMS, type Encryption, type ServerDraft, type SignInWay, type System } from './server-address.ts';

const PLACEHOLDER: { [system in System]?: string } = {
  web: 'https://api.example.com/me', sftp: 'sftp://files.example.com/inbox', s3: 'https://s3.eu-central-1.amazonaws.com', gcs: 'https://storage.googleapis.com', azure: 'https://NAME.blob.core.windows.net', webdav: 'https://cloud.example.com/dav',
};

/** The systems that a secret of a kind can be tried at. */
function systemsFor(kind: SecretEntry['kind']): readonly System[] {
  if (kind === 'ssh') return ['sftp'];
  if (kind === 'aws') return ['web', 's3'];
  if (kind === 'azure' || kind === 'sas') return ['azure'];
  if (kind === 'google') return ['gcs', 'web'];
  if (kind === 'header' || kind === 'query' || kind === 'certificate') return ['web'];
  return SYSTEMS.filter((one) => one !== 'sftp' && one !== 's3');
}

interface TestDialogProps {
  entry: SecretEntry;
  /** Where it is tried at first; else where the secret says that it belongs. */
  at?: ServerDraft | undefined;
  onClose(): void;
}

export function TestDialog({ entry, at, onClose }: TestDialogProps) {
  const { name, kind } = entry;
  const systems = systemsFor(kind);
  const [draft, setDraft] = useState<ServerDraft>(() => (at && systems.includes(at.system) ? at : draftOfSecret(entry)));
  const [found, setFound] = useState<SecretTested | null>(null);
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const { system } = draft;
  const change = (more: Partial<ServerDraft>) => {
    setDraft({ ...draft, ...more });
    setFound(null);
  };
  const url = addressOf(draft);
  const test = () => run(async () => {
    setFound(null);
    setFound(await act('secret_test', { name, ...(url ? { url } : {}), ...(isServer(system) && draft.certificate.trim() ? { rootCertificate: draft.certificate } : {}) }));
  });
  async function trust(hostKey: string) {
    // What was waited for is known now, so it is tried again.
    if (await run(() => act('secret_trust', { name, hostKey }))) void test();
  }
  return (
    <FormDialog title={t('secrets.testOf', { name })} submit={t('secrets.test')} close={t('common.close')} busy={busy} error={error} complete={isComplete(draft)} onSubmit={() => void test()} onClose={onClose}>
      {systems.length === 1 ? null : (
        <Field label={t('secrets.testAt')}>
          {({ id }) => <Select<System> id={id} label={t('secrets.testAt')} value={system} onChange={(next) => change({ system: next, port: draftOfSecret(entry).port })} options={systems.map((one) => ({ value: one, label: t(`secrets.system.${one}`) }))} />}
        </Field>
      )}
      {isServer(system) ? <ServerFields draft={draft} kind={kind} onChange={change} /> : <AddressFields draft={draft} kind={kind} onChange={change} />}
      {found ? <Result found={found} onTrust={(key) => void trust(key)} /> : null}
    </FormDialog>
  );
}

function Result({ found, onTrust }: { found: SecretTested; onTrust(key: string): void }) {
  const { good, hostKey, code, message, hint } = found;
  const title = t(good ? 'secrets.testGood' : hostKey ? 'secrets.testNewKey' : 'secrets.testBad');
  return (
    <Banner signal={good ? 'ok' : hostKey ? 'warn' : 'err'} title={code ? t('secrets.testCode', { title, code }) : title} actions={hostKey ? <Button small onClick={() => onTrust(hostKey)}>{t('secrets.trust')}</Button> : undefined}>
      <SafeText text={message} cut={600} />
      {hint ? <span className="s t2">{hint}</span> : null}
    </Banner>
  );
}

interface FieldsProps {
  draft: ServerDraft;
  onChange(more: Partial<ServerDraft>): void;
}

/** What an address is for. Only a sign-in gets a token before anything is sent. */
function addressHint(system: System, kind: SecretEntry['kind']) {
  if (system === 'sftp') return t('secrets.testServerHint');
  if (system !== 'web') return t('secrets.testStoreHint');
  return t(kind === 'oauth2' || kind === 'google' ? 'secrets.testUrlHint' : kind === 'aws' ? 'secrets.testAwsHint' : 'secrets.testGetHint');
}

function AddressFields({ draft, kind, onChange }: FieldsProps & { kind: SecretEntry['kind'] }) {
  const { system, address, bucket } = draft;
  return (
    <>
      <Field label={t('secrets.testUrl')} hint={addressHint(system, kind)}>
        {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono value={address} placeholder={PLACEHOLDER[system] ?? ''} onChange={(next) => onChange({ address: next })} />}
      </Field>
      {isStore(system) ? (
        <Field label={t('secrets.testBucket')} required={system !== 's3'}>
          {({ id }) => <TextInput id={id} mono value={bucket} onChange={(next) => onChange({ bucket: next })} />}
        </Field>
      ) : null}
    </>
  );
}

function ServerFields({ draft, kind, onChange }: FieldsProps & { kind: SecretEntry['kind'] }) {
  const { system, host, port, encryption, part, user, signIn, certificate } = draft;
  const named = partOf(system);
  const encryptions = encryptionsOf(system);
  const chosen = encryptions.includes(encryption) ? encryption : 'tls';
  return (
    <>
      <div className="sec-two">
        <Field label={t('secrets.testHost')} required>{({ id }) => <TextInput id={id} mono value={host} placeholder="db.example.com" maxLength={255} onChange={(next) => onChange({ host: next })} />}</Field>
        <Field label={t('secrets.testPort')}>{({ id }) => <TextInput id={id} mono inputMode="numeric" value={port} placeholder={portOf(draft)} maxLength={5} onChange={(next) => onChange({ port: next })} />}</Field>
      </div>
      <div className="sec-two">
        <Field label={t('secrets.testEncryption')}>
          {({ id }) => <Select<Encryption> id={id} label={t('secrets.testEncryption')} value={chosen} onChange={(next) => onChange({ encryption: next })} options={encryptions.map((one) => ({ value: one, label: t(`secrets.encryption.${one}`) }))} />}
        </Field>
        {named ? <Field label={t(`secrets.part.${named}`)} required={named === 'database'}>{({ id }) => <TextInput id={id} mono value={part} placeholder={named === 'vhost' ? '/' : ''} onChange={(next) => onChange({ part: next })} />}</Field> : null}
        {system === 'kafka' ? (
          <Field label={t('secrets.testSignIn')}>
            {({ id }) => <Select<SignInWay> id={id} label={t('secrets.testSignIn')} value={signIn} onChange={(next) => onChange({ signIn: next })} options={SIGN_INS.map((one) => ({ value: one, label: t(`secrets.signInWay.${one}`) }))} />}
          </Field>
        ) : null}
      </div>
      <details className="more s">
        <summary>{t('secrets.testMore')}</summary>
        <Field label={t('secrets.testUser')} hint={kind === 'basic' ? t('secrets.testUserHint') : undefined}>{({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono value={user} onChange={(next) => onChange({ user: next })} />}</Field>
        <Field label={t('secrets.testAuthority')} hint={t('secrets.testAuthorityHint')}>
          {({ id, describedBy }) => <TextArea id={id} aria-describedby={describedBy} mono rows={4} value={certificate} placeholder="-----BEGIN CERTIFICATE-----" onChange={(next) => onChange({ certificate: next })} />}
        </Field>
      </details>
    </>
  );
}

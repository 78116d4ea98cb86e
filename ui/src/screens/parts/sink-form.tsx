/** A server that audit records are copied to: what it is, its address, the secret, and the authority of its certificate. */
import { useState } from 'react';
import { useCommand } from '../../api/queries.ts';
import { t } from '../../i18n/index.ts';
import { Button, Field, Select, TextArea, TextInput } from '../../kit/index.ts';
import { isLocalAddress, LocalConsent } from './local-address.tsx';

const EXAMPLES = {
  postgres: 'postgresql://signalbox@db.example:5432/audit',
  s3: 'https://s3.example/bucket/prefix?region=eu-central-1',
  elasticsearch: 'https://search.example:9200/signalbox-audit',
  syslog: 'syslog://log.example:6514',
  kafka: 'kafka://kafka.example:9092/signalbox-audit?sasl=scram-sha-512',
} as const;
type Kind = keyof typeof EXAMPLES;
const KINDS = Object.keys(EXAMPLES) as Kind[];

export interface NewSink { kind: Kind; name?: string; url: string; credential?: string; ca?: string; allowLocal?: boolean }

/** The rules for this machine are those of web addresses. */
const asWeb = (url: string) => url.replace(/^[a-z]+:\/\//u, 'https://');

export function SinkForm({ busy, onAdd, onCancel }: { busy: boolean; onAdd(sink: NewSink): void; onCancel(): void }) {
  const [kind, setKind] = useState<Kind>('postgres');
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState('');
  const [ca, setCa] = useState('');
  const [local, setLocal] = useState(false);
  // Without the right to see them, or with a locked key, there is nothing to choose.
  const secrets = useCommand('secret_list', {});
  const isLocal = isLocalAddress(asWeb(url));
  return (
    <form className="col gap2" onSubmit={(event) => {
      event.preventDefault();
      if (url.trim()) onAdd({ kind, ...(name.trim() ? { name: name.trim() } : {}), url: url.trim(), ...(secret ? { credential: secret } : {}), ...(ca.trim() ? { ca } : {}), ...(isLocal ? { allowLocal: local } : {}) });
    }}>
      <Field label={t('sink.kind')}>{({ id }) => <Select id={id} label={t('sink.kind')} value={kind} onChange={(value) => setKind(value as Kind)} options={KINDS.map((value) => ({ value, label: t(`sink.kind.${value}`) }))} />}</Field>
      <Field label={t('sink.address')}>{({ id }) => <TextInput id={id} value={url} onChange={setUrl} placeholder={EXAMPLES[kind]} maxLength={2000} />}</Field>
      <Field label={t('sink.name')} hint={t('sink.nameHint')}>{({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} value={name} onChange={setName} placeholder={kind} maxLength={40} />}</Field>
      {secrets.data?.length ? <Field label={t('anchor.secret')}>{({ id }) => <Select id={id} label={t('anchor.secret')} value={secret} onChange={setSecret} options={[{ value: '', label: t('credential.none') }, ...secrets.data.map(({ name }) => ({ value: `secret://${name}`, label: name }))]} />}</Field> : null}
      <Field label={t('sink.ca')}>{({ id }) => <TextArea id={id} value={ca} onChange={setCa} rows={2} maxLength={65_536} />}</Field>
      <LocalConsent url={asWeb(url)} given={local} onChange={setLocal} />
      <div className="row">
        <Button type="submit" busy={busy} disabled={!url.trim() || (isLocal && !local)}>{t('sink.addThis')}</Button>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
      </div>
    </form>
  );
}

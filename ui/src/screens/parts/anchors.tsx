/** Where checkpoints of the audit chain are kept outside: the list in the settings, and the banner when a place fails. */
import { useState } from 'react';
import { transport } from '../../api/client.ts';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import type { AuditAnchor } from '../../api/types.ts';
import { formatDateTime, formatSecret, t, tn } from '../../i18n/index.ts';
import { Badge, Banner, Button, Icon, Select, TextInput } from '../../kit/index.ts';
import { attempt, useAsyncAction } from '../../shared/use-async-action.ts';
import { NoLine, NotRead, Section } from '../../shared/settings-section.tsx';
import { navigate } from '../router.ts';
import { isLocalAddress, LocalConsent } from './local-address.tsx';
import { PlaceLine, useOutside } from './outside-places.tsx';

export function AnchorsSection() {
  const places = useCommand('audit_anchors', {}, { refetchInterval: 10_000 });
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState('');
  const [local, setLocal] = useState(false);
  // Without the right to see them, or with a locked key, there is nothing to choose.
  const secrets = useCommand('secret_list', {});
  const { busy, doing } = useOutside(t('anchor.failedTitle'));
  const pick = transport().pickFolder;
  const may = usePermission();
  const mayChange = may('audit_anchor_add');
  const add = (place: { url: string; credential?: string; allowLocal?: boolean } | { folder: string }) => doing(() => act('audit_anchor_add', place), t('anchor.added'));
  async function addFolder() {
    const folder = pick && await attempt(() => pick());
    if (folder) await add({ folder: folder.handle });
  }
  return (
    <Section id="anchors" title={t('anchor.title')} hint={t('anchor.hint')}>
      {places.data ? null : <NotRead error={places.error} retry={places.refetch} />}
      {places.data ? <div className="box">
        {places.data.length === 0 ? <NoLine icon="lock" title={t('anchor.none')} text={t('anchor.noneText')} /> : null}
        {places.data.map((place) => (
          <PlaceLine key={place.id} one={place} icon="lock" says={place.at ? tn('anchor.last', place.size, { time: formatDateTime(place.at) }) : t('anchor.never')} badge={<Badge>{tn('anchor.every', place.everyMinutes)}</Badge>}
            remove={mayChange ? { label: t('anchor.removeOf', { place: place.place }), text: t('anchor.remove'), busy, onRemove: () => void doing(() => act('audit_anchor_remove', { id: place.id }), t('anchor.removed')) } : undefined}>
            {place.credential ? <span className="s t3 row gap1"><Icon name="lock" size={12} />{t('anchor.withSecret', { name: formatSecret(place.credential) })}</span> : null}
            {place.warning ? <span className="s c-wait" role="status">{place.warning}</span> : null}
          </PlaceLine>
        ))}
      </div> : null}
      {mayChange ? <form className="row wrap" onSubmit={(event) => { event.preventDefault(); if (url.trim()) void add({ url: url.trim(), ...(secret ? { credential: secret } : {}), ...(isLocalAddress(url) ? { allowLocal: local } : {}) }).then((kept) => { if (kept) { setUrl(''); setSecret(''); setLocal(false); } }); }}>
        <TextInput type="url" className="set-url" value={url} onChange={setUrl} placeholder="https://log.example/signalbox" aria-label={t('anchor.address')} maxLength={2000} />
        {secrets.data?.length ? <Select label={t('anchor.secret')} value={secret} onChange={setSecret} options={[{ value: '', label: t('credential.none') }, ...secrets.data.map(({ name }) => ({ value: `secret://${name}`, label: name }))]} /> : null}
        <Button type="submit" busy={busy} disabled={!url.trim() || (isLocalAddress(url) && !local)}>{t('anchor.addUrl')}</Button>
        <LocalConsent url={url} given={local} onChange={setLocal} />
        {pick ? <Button icon="folder" busy={busy} onClick={() => void addFolder()}>{t('anchor.addFolder')}</Button> : null}
      </form> : null}
      {places.data?.length && may('audit_anchor_now') ? <div className="row wrap"><Button icon="retry" busy={busy} onClick={() => void doing(() => act('audit_anchor_now', {}), t('anchor.done'))}>{t('anchor.now')}</Button></div> : null}
      {pick || !mayChange ? null : <span className="s t3">{t('anchor.folderHttp')}</span>}
    </Section>
  );
}

/** Above the records: a place that does not take checkpoints. It is tried again by itself. */
export function AnchorBanner({ anchors }: { anchors: AuditAnchor[] | undefined }) {
  const failed = anchors?.filter((place) => place.error !== undefined) ?? [];
  const { busy, run } = useAsyncAction();
  const may = usePermission();
  if (!failed.length) return null;
  return (
    <Banner signal="err" title={t('anchor.failedTitle')} actions={<>
      {may('audit_anchor_now') ? <Button small icon="retry" busy={busy} onClick={() => void run(() => act('audit_anchor_now', {}))}>{t('anchor.now')}</Button> : null}
      <Button small onClick={() => navigate({ screen: 'settings' })}>{t('anchor.toSettings')}</Button>
    </>}>
      {failed.map((place) => <p key={place.id} className="s t2">{place.error}</p>)}
      <p className="s t3">{t('anchor.failedText')}</p>
    </Banner>
  );
}

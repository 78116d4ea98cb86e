/** Proxy and certificate authorities of this machine: the part of the settings. */
import { useState } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { t, tn } from '../../i18n/index.ts';
import { Banner, Button, Segmented, Select, TextArea, TextInput } from '../../kit/index.ts';
import { NotRead, Section } from '../../shared/settings-section.tsx';
import { useAsyncAction } from '../../shared/use-async-action.ts';

type Network = Commands['network_get']['response'];
type Tested = Commands['network_test']['response'];
const CHOICES = ['environment', 'none', 'address'] as const;
/** A fingerprint by its first pairs: enough to tell certificates apart. */
const short = (hex: string) => (hex.match(/../g) ?? []).slice(0, 8).join(':').toUpperCase();

export function NetworkSection() {
  const now = useCommand('network_get', {});
  const may = usePermission();
  if (!now.data && (!may('network_get') || now.error?.code === 'FORBIDDEN')) return null;
  return (
    <Section id="network" title={t('network.title')} hint={t('network.hint')}>
      {now.data ? <Settings now={now.data} mayChange={may('network_set')} /> : <NotRead error={now.error} retry={now.refetch} />}
    </Section>
  );
}

function Settings({ now, mayChange }: { now: Network; mayChange: boolean }) {
  const saved = { proxy: now.proxy, address: now.address ?? '', exceptions: now.exceptions.join('\n'), credential: now.credential ?? '', authorities: now.authorities ?? '' };
  const [draft, setDraft] = useState(saved);
  const secrets = useCommand('secret_list', {});
  const save = useAsyncAction();
  const set = (part: Partial<typeof saved>) => setDraft((before) => ({ ...before, ...part }));
  const changed = (Object.keys(saved) as (keyof typeof saved)[]).some((key) => draft[key].trim() !== saved[key].trim());
  const put = () => save.run(async () => {
    await act('network_set', {
      proxy: draft.proxy, address: draft.address.trim(), exceptions: draft.exceptions.split(/[\s,]+/).filter(Boolean),
      ...(draft.credential === '' ? {} : { credential: draft.credential }), authorities: draft.authorities.trim(),
    });
  }, t('network.saved'));
  const names = [...new Set([...(secrets.data ?? []).filter(({ kind }) => kind === 'basic').map(({ name }) => `secret://${name}`), ...(draft.credential === '' ? [] : [draft.credential])])];
  return (
    <>
      <form className="box" onSubmit={(event) => { event.preventDefault(); if (changed && mayChange) void put(); }}>
        <div className="line">
          <div className="grow col"><span>{t('network.proxy')}</span><span className="s t3">{now.inUse ? t('network.inUse', { proxy: now.inUse }) : t('network.notInUse')}</span></div>
          {mayChange ? <Segmented label={t('network.proxy')} value={draft.proxy} onChange={(proxy) => set({ proxy })} options={CHOICES.map((value) => ({ value, label: t(`network.proxy.${value}`) }))} /> : <span>{t(`network.proxy.${now.proxy}`)}</span>}
        </div>
        {draft.proxy === 'address' ? (
          <>
            <div className="line">
              <div className="grow col"><span>{t('network.address')}</span><span className="s t3">{t('network.addressHint')}</span></div>
              <div className="set-address"><TextInput value={draft.address} onChange={(address) => set({ address })} readOnly={!mayChange} placeholder="http://proxy.example.org:3128" aria-label={t('network.address')} maxLength={2000} /></div>
            </div>
            <div className="line">
              <div className="grow col"><span>{t('network.exceptions')}</span><span className="s t3">{t('network.exceptionsHint')}</span></div>
              <div className="set-address"><TextArea mono rows={2} value={draft.exceptions} onChange={(exceptions) => set({ exceptions })} readOnly={!mayChange} placeholder="intranet.example.org" aria-label={t('network.exceptions')} /></div>
            </div>
            <div className="line">
              <div className="grow col"><span>{t('network.credential')}</span><span className="s t3">{t('network.credentialHint')}</span></div>
              <div className="set-choice"><Select label={t('network.credential')} value={draft.credential} onChange={(credential) => set({ credential })} disabled={!mayChange}
                options={[{ value: '', label: t('network.noCredential') }, ...names.map((value) => ({ value, label: value.replace('secret://', '') }))]} /></div>
            </div>
          </>
        ) : null}
        <div className="line">
          <div className="grow col">
            <span>{t('network.authorities')}</span><span className="s t3">{t('network.authoritiesHint')}</span>
            {now.fingerprints.length === 0 ? null : <span className="s t3" title={now.fingerprints.join('\n')}>{tn('network.trusted', now.fingerprints.length)} <code>{now.fingerprints.slice(0, 3).map(short).join(', ')}</code></span>}
          </div>
          <div className="set-address"><TextArea mono rows={4} value={draft.authorities} onChange={(authorities) => set({ authorities })} readOnly={!mayChange} placeholder="-----BEGIN CERTIFICATE-----" aria-label={t('network.authorities')} /></div>
        </div>
        {mayChange ? (
          <div className="line">
            <span className="grow s t3">{changed ? t('network.unsaved') : ''}</span>
            <Button variant={changed ? 'primary' : 'default'} type="submit" busy={save.busy} disabled={!changed}>{t('network.save')}</Button>
          </div>
        ) : null}
      </form>
      {now.error ? <Banner signal="warn" title={t('network.failed')}><p className="s t2">{now.error}</p></Banner> : null}
      {mayChange ? <Test disabled={changed} /> : null}
    </>
  );
}

/** A request by the saved settings, to an address that a person names. */
function Test({ disabled }: { disabled: boolean }) {
  const [url, setUrl] = useState('');
  const [tested, setTested] = useState<Tested | null>(null);
  const test = useAsyncAction();
  const run = () => test.run(async () => { setTested(null); setTested(await act('network_test', { url: url.trim() })); });
  const way = tested?.through ? t('network.through', { proxy: tested.through }) : t('network.direct');
  return (
    <>
      <form className="row gap2" onSubmit={(event) => { event.preventDefault(); if (!disabled && url.trim() !== '') void run(); }}>
        <div className="set-url"><TextInput type="url" value={url} onChange={setUrl} placeholder="https://example.org" aria-label={t('network.testUrl')} maxLength={2000} /></div>
        <Button icon="send" type="submit" busy={test.busy} disabled={disabled || url.trim() === ''}>{t('network.test')}</Button>
      </form>
      {tested ? (
        <Banner signal={tested.ok ? 'ok' : 'err'} title={tested.ok ? t('network.answered', { status: tested.status ?? '' }) : t('network.notAnswered')}>
          <p className="s t2">{tested.error ? `${tested.error} ` : ''}{way}</p>
        </Banner>
      ) : null}
    </>
  );
}

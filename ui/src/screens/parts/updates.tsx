/** Newer releases: where they are looked for, what was found, and how to get it. A part of the settings, and a notice on the first screen. */
import { useState } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { useCopy } from '../../code/use-copy.ts';
import { formatAgo, t, useLanguage } from '../../i18n/index.ts';
import { Banner, Button, IconButton, Switch, TextArea, TextInput } from '../../kit/index.ts';
import { NotRead, Section } from '../../shared/settings-section.tsx';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { navigate } from '../router.ts';

type Updates = Commands['updates_get']['response'];
type Found = NonNullable<Updates['update']>;
/** The release that somebody does not want to be reminded of. */
const HIDDEN = 'signalbox.update.hidden';
const titleOf = (update: Found) => t(update.security ? 'updates.availableSecurity' : 'updates.available', { version: update.version });
/** An address of this machine needs the consent of a person. */
const isLocal = (address: string) => /^https?:\/\/(localhost|127\.|\[::1\])/i.test(address.trim());

export function UpdatesSection() {
  const now = useCommand('updates_get', {});
  const may = usePermission();
  if (!now.data && (!may('updates_get') || now.error?.code === 'FORBIDDEN')) return null;
  return (
    <Section id="updates" title={t('updates.title')} hint={t('updates.hint')}>
      {now.data ? <Settings now={now.data} mayChange={may('updates_set')} /> : <NotRead error={now.error} retry={now.refetch} />}
    </Section>
  );
}

function Settings({ now, mayChange }: { now: Updates; mayChange: boolean }) {
  const [address, setAddress] = useState(now.address ?? '');
  const [key, setKey] = useState(now.key ?? '');
  const [local, setLocal] = useState(now.local);
  const save = useAsyncAction();
  const check = useAsyncAction();
  const changed = address.trim() !== (now.address ?? '') || key.trim() !== (now.key ?? '').trim() || local !== now.local;
  const isSet = now.address !== undefined && now.keyIds.length > 0;
  const put = (on: boolean) => save.run(() => act('updates_set', { on, address: address.trim(), key: key.trim(), local }), t('updates.saved'));
  return (
    <>
      {now.update ? <Release update={now.update} now={now} /> : null}
      {now.trouble ? <Banner signal="warn" title={t('updates.failed')}><p className="s t2">{now.trouble.message} {now.trouble.hint}</p></Banner> : null}
      <form className="box" onSubmit={(event) => { event.preventDefault(); if (changed && mayChange) void put(now.on); }}>
        <div className="line">
          <div className="grow col"><span>{t('updates.daily')}</span><span className="s t3">{t('updates.dailyHint')}</span></div>
          <Switch checked={now.on} label={t('updates.daily')} disabled={!mayChange || save.busy || (!now.on && (address.trim() === '' || key.trim() === ''))} onChange={(on) => void put(on)} />
        </div>
        <div className="line">
          <div className="grow col"><span>{t('updates.address')}</span><span className="s t3">{t('updates.addressHint')}</span></div>
          <div className="set-address"><TextInput type="url" value={address} onChange={setAddress} readOnly={!mayChange} placeholder="https://example.org/releases.json" aria-label={t('updates.address')} maxLength={2000} /></div>
        </div>
        {isLocal(address) ? (
          <div className="line"><span className="grow">{t('updates.local')}</span><Switch checked={local} label={t('updates.local')} disabled={!mayChange} onChange={setLocal} /></div>
        ) : null}
        <div className="line">
          <div className="grow col">
            <span>{t('updates.key')}</span><span className="s t3">{t('updates.keyHint')}</span>
            {now.keyIds.length > 0 ? <code className="s t3">{t('updates.keyIds', { ids: now.keyIds.join(', ') })}</code> : null}
          </div>
          <div className="set-address"><TextArea mono rows={3} value={key} onChange={setKey} readOnly={!mayChange} placeholder="-----BEGIN PUBLIC KEY-----" aria-label={t('updates.key')} /></div>
        </div>
        <div className="line">
          <span className="grow s t3">{now.checkedAt ? t('updates.checked', { ago: formatAgo(now.checkedAt) }) : t('updates.never')}{now.checkedAt && !now.update ? ` ${t('updates.current', { version: now.version })}` : ''}</span>
          {mayChange ? <Button icon="retry" busy={check.busy} disabled={!isSet || changed} onClick={() => void check.run(() => act('updates_check', {}))}>{t('updates.check')}</Button> : null}
          {mayChange ? <Button variant={changed ? 'primary' : 'default'} type="submit" busy={save.busy} disabled={!changed}>{t('updates.save')}</Button> : null}
        </div>
      </form>
    </>
  );
}

/** What is new, and how it is installed in the way this one was. */
function Release({ update, now }: { update: Found; now: Updates }) {
  const language = useLanguage((state) => state.language);
  const { copied, copy } = useCopy();
  const notes = update.notes[language] ?? update.notes['en'] ?? Object.values(update.notes)[0];
  const way = update.commands.length === 0 || now.installation === 'other' ? 'none' : now.installation;
  return (
    <Banner signal={update.security ? 'warn' : 'info'} title={titleOf(update)} actions={update.commands.length > 0 ? <Button small icon="copy" onClick={() => copy(update.commands.join('\n'))}>{t(copied ? 'updates.copied' : 'updates.copy')}</Button> : null}>
      <p className="s t3">{t('updates.released', { date: update.date, version: now.version })}</p>
      {notes ? <p className="s t2" style={{ whiteSpace: 'pre-line' }}>{notes}</p> : null}
      <p className="s t2">{t(`updates.way.${way}`)}</p>
      {update.commands.length > 0 ? <pre className="s mono" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{update.commands.join('\n')}</pre> : null}
      {update.page ? <p className="s"><a href={update.page} target="_blank" rel="noopener noreferrer">{t('updates.page')}</a></p> : null}
    </Banner>
  );
}

/** On the first screen, once for each release. */
export function UpdateNotice() {
  const may = usePermission();
  const { data } = useCommand('updates_get', {}, { enabled: may('updates_get') });
  const [hidden, setHidden] = useState(() => localStorage.getItem(HIDDEN));
  const update = data?.update;
  if (!update || hidden === update.version) return null;
  const hide = () => { localStorage.setItem(HIDDEN, update.version); setHidden(update.version); };
  return (
    <div className="app-banner">
      <Banner signal={update.security ? 'warn' : 'info'} title={titleOf(update)} onClose={hide} closeButton={<IconButton icon="x" label={t('updates.later')} onClick={hide} />}
        actions={<Button small onClick={() => navigate({ screen: 'settings', part: 'about' })}>{t('updates.details')}</Button>} />
    </div>
  );
}
